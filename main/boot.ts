// The startup that all roles share: logs, secrets, files, the database and its clock.
import { connectAreas } from '#platform/server/area.ts';
import type { Config } from '#platform/server/config.ts';
import { adoptDatabaseTime, createDatabase, type Db } from '#platform/server/database/database.ts';
import { startErrorReporting } from '#platform/server/monitoring/error-reporting.ts';
import { closeFiles, configureFiles } from '#platform/server/files/files.ts';
import { configureLive } from '#platform/server/live/live.ts';
import { configureNotices } from '#platform/server/live/notify-after-commit.ts';
import { configureLog, log } from '#platform/server/log.ts';
import { listContractNames } from '#platform/server/migrations/migrate.ts';
import { allowPrivateAddresses } from '#platform/server/outgoing/outgoing-address.ts';
import { configureProcessFacts } from '#platform/server/process/process-facts.ts';
import { configureSecrets } from '#platform/server/secrets.ts';
import { startTracing } from '#platform/server/tracing/tracing.ts';
import product from '../package.json' with { type: 'json' };
import { allAreas } from './wiring.ts';

export type App = { config: Config; db: Db; close(): Promise<void> };

const TIME_CHECK_MS = 60_000;

/** `config` must already have its databaseUrl and secret. */
export async function boot(config: Config, role: string): Promise<App> {
  if (!config.databaseUrl || !config.secret) throw new Error('boot needs databaseUrl and secret');
  configureLog({ level: config.logLevel, json: config.isProduction, role });
  const { sentryDsn: dsn } = config.thirdParties;
  const reporting = dsn && startErrorReporting({ dsn, release: product.version, role });
  const stopTracing = await startTracing({ ...config.tracing, version: product.version, role });
  configureProcessFacts({
    version: product.version,
    dataFolder: config.dataDir,
    contracts: await listContractNames(),
  });
  configureSecrets(config.secret);
  configureFiles(config.files);
  if (config.files.kind === 'disk') {
    await closeFiles(config.files.folder).catch((error) =>
      log.warn('Files of this installation may be readable by other users of this machine', {
        error,
      }),
    );
  }
  allowPrivateAddresses(config.arePrivateHostsAllowed);
  connectAreas(allAreas(config));
  const { databaseUrl, databaseConnections: connections, slowStatementMs } = config;
  const db = createDatabase(databaseUrl, connections, `sendloom ${role}`, slowStatementMs);
  configureLive(db);
  configureNotices(db);
  await adoptDatabaseTime(db);
  const timer = setInterval(() => adoptDatabaseTime(db).catch(() => {}), TIME_CHECK_MS);
  timer.unref();
  return {
    config,
    db,
    async close() {
      clearInterval(timer);
      if (reporting) reporting.close();
      await db.destroy();
      await stopTracing?.();
    },
  };
}
