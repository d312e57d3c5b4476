// The worker role: background jobs and the pollers of scheduled work.
import { createBacklogFigures } from '#areas/delivery/server/ledger/index.ts';
import type { Config } from '#platform/server/config.ts';
import { sampleQueue, type JobRunner, startJobs } from '#platform/server/jobs/jobs.ts';
import { log } from '#platform/server/log.ts';
import { sampleBackups } from '#platform/server/monitoring/backup-figures.ts';
import { listContractNames, migrate } from '#platform/server/migrations/migrate.ts';
import { type Poller, startPollers } from '#platform/server/jobs/pollers.ts';
import { boot } from './boot.ts';
import type { StartedRole } from './role.ts';
import { startStatus } from './status.ts';
import { allJobs, allPollers } from './wiring.ts';

export async function startWorker(config: Config): Promise<StartedRole> {
  const app = await boot(config, 'worker');
  let jobs: JobRunner | undefined;
  const status = await startStatus(config, app.db, 'worker', {
    check() {
      if (!jobs) throw new Error('The worker is starting.');
      jobs.check();
    },
    metrics: [
      () => sampleQueue(app.db),
      () => createBacklogFigures(app.db),
      () => sampleBackups(app.db),
    ],
  });
  const running = (jobs = await startJobs(app.db, allJobs(config)));
  const contracts = (await listContractNames()).length > 0 ? [contractsOf(config)] : [];
  const pollers = startPollers(app.db, [...allPollers(config), ...contracts]);
  return {
    async close() {
      await pollers.close();
      await running.close();
      await status.close();
      await app.close();
    },
  };
}

/**
 * Returns the poller that runs contract migrations once no process of an older version runs
 * (migrate.ts).
 */
function contractsOf(config: Config): Poller {
  return {
    name: 'schema.contracts',
    intervalMs: 60_000,
    async run() {
      const ran = await migrate(config.databaseUrl ?? '');
      if (ran.length > 0) log.info('Migrated the database', { migrations: ran.join(', ') });
    },
  };
}
