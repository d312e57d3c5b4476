// The prerequisites of every role and command: settings, secret, and a migrated database. If one is
// missing, CannotStart explains it in one sentence.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { CannotStart } from '#platform/server/process/cannot-start.ts';
import { clock } from '#platform/server/clock.ts';
import { type Config, ConfigError, loadConfig } from '#platform/server/config.ts';
import {
  borrowEmbeddedPostgres,
  startEmbeddedPostgres,
} from '#platform/server/database/embedded-postgres.ts';
import { adoptClientTime } from '#platform/server/database/database.ts';
import { migrate, listPendingMigrations } from '#platform/server/migrations/migrate.ts';
import { EXPIRY_MS } from '#platform/server/jobs/heartbeat.ts';
import { readRunningRoles } from '#platform/server/backup/snapshot.sql.ts';

export type ReadyConfig = Config & { databaseUrl: string; secret: string };

/** Parses the environment; throws CannotStart for an invalid value. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  try {
    return loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) throw new CannotStart(error.message);
    throw error;
  }
}

/**
 * For commands that run in parallel to the product (demo, backup): uses the running database or
 * starts one. With `isAlone`, the product must not run, and the schema is not migrated.
 */
export async function prepareCommand({ isAlone = false } = {}): Promise<{
  config: ReadyConfig;
  /**
   * Migrations that ran now, and migrations that wait for processes of the previous version to end.
   */
  migrated: string[];
  pending: string[];
  close(): Promise<void>;
}> {
  const config = readConfig();
  const startPostgres = isAlone ? startEmbeddedPostgres : borrowEmbeddedPostgres;
  const server = config.databaseUrl
    ? { url: config.databaseUrl, stop: async () => {} }
    : await startPostgres({ folder: config.dataDir, print: console.log });
  const migration = isAlone ? await refuseRunning(server.url) : await migrateDatabase(server.url);
  const pending = isAlone ? [] : await listPendingMigrations(server.url);
  const ready = { ...config, databaseUrl: server.url, secret: readSecret(config) };
  return { config: ready, migrated: migration, pending, close: server.stop };
}

/**
 * Refuses to run while roles run, because they would continue with the old SECRET and cached
 * counts.
 */
async function refuseRunning(url: string): Promise<string[]> {
  const client = await reach(url);
  try {
    // Heartbeats are written with the database's time.
    await adoptClientTime(client);
    const [role] = await readRunningRoles(client, new Date(clock.now().getTime() - EXPIRY_MS));
    if (role) {
      throw new CannotStart(
        `Sendloom is running on this database (${role}): stop it first. After a kill, wait half a minute.`,
      );
    }
    return [];
  } finally {
    await client.end();
  }
}

/**
 * Connects without retries.
 * @throws CannotStart with one sentence if the database is unreachable
 */
async function reach(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  try {
    await client.connect();
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    const { host, pathname } = new URL(url);
    throw new CannotStart(
      `The database ${pathname.slice(1)} at ${host} cannot be reached: ${reason(error)}.`,
    );
  }
}

/**
 * @throws CannotStart if the database is unreachable or cannot be migrated, for instance because
 * its tables belong to a newer version
 */
export async function migrateDatabase(url: string): Promise<string[]> {
  await (await reach(url)).end();
  try {
    return await migrate(url);
  } catch (error) {
    throw new CannotStart(reason(error));
  }
}

/** Returns SECRET, or the secret that was generated once in DATA_DIR. */
export function readSecret(config: Config): string {
  if (config.secret) return config.secret;
  const file = join(config.dataDir, 'secret');
  try {
    if (existsSync(file)) return readFileSync(file, 'utf8').trim();
    mkdirSync(config.dataDir, { recursive: true });
    const secret = randomBytes(32).toString('base64url');
    writeFileSync(file, `${secret}\n`, { mode: 0o600, flag: 'wx' });
    return secret;
  } catch (error) {
    throw new CannotStart(`The secret in ${file} cannot be written or read: ${reason(error)}.`);
  }
}

/** Returns the port if it can be listened on, undefined if it is in use; 0 finds a free one. */
export function findFreePort(port: number, host: string): Promise<number | undefined> {
  return new Promise((settle, refuse) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') settle(undefined);
      else refuse(new CannotStart(`Cannot listen on ${host}:${port}: ${error.message}.`));
    });
    probe.listen(port, host, () => {
      const address = probe.address();
      probe.close(() => settle(typeof address === 'object' && address ? address.port : port));
    });
  });
}

function reason(error: unknown): string {
  if (error instanceof AggregateError) return reason(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
