// Checks that processes of the last release can run with this version's schema, as it is before
// contracting migrations are applied.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '#platform/server/database/embedded-postgres.ts';
import {
  listContractNames,
  migrateWithin,
  readMigrations,
} from '#platform/server/migrations/migrate.ts';
import { checkUpgrade, readRelease, readSchema } from './release-schema.ts';

/** Returns one sentence per violation; none if processes of both versions can run concurrently. */
export async function findUpgradeProblems(): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sendloom-upgrade-'));
  const server = await startEmbeddedPostgres({ folder, isTemporary: true });
  try {
    const releasedMigrations = new Set(readRelease().migrations);
    const contracts = new Set(await listContractNames());
    const names = (await readMigrations()).map(({ name }) => name);
    const contracting = names.filter(
      (name) => contracts.has(name) && !releasedMigrations.has(name),
    );
    const upgradedSchema = await migrateNewDatabase(
      server.url,
      'side',
      names.filter((name) => !contracting.includes(name)),
    );
    const violations = await checkUpgrade(upgradedSchema);
    if (contracting.length === 0) return violations;
    // An upgrade applies contracting migrations last; a new installation applies all migrations in
    // numerical order.
    await migrateNewDatabase(server.url, 'side', names, { exists: true });
    const installedSchema = await migrateNewDatabase(server.url, 'whole', names);
    const [lateSchema, orderedSchema] = [
      await dumpSchema(upgradedSchema),
      await dumpSchema(installedSchema),
    ];
    return lateSchema === orderedSchema
      ? violations
      : [
          ...violations,
          'The schema differs if contracting migrations are applied last instead of in order.',
        ];
  } finally {
    await server.stop();
    for (const path of [server.cluster, folder]) rmSync(path, { recursive: true, force: true });
  }
}

async function migrateNewDatabase(
  server: string,
  name: string,
  names: string[],
  { exists = false } = {},
): Promise<string> {
  const url = new URL(server);
  if (!exists) await onClient(server, (client) => client.query(`create database ${name}`));
  url.pathname = `/${name}`;
  await onClient(url.href, async (client) => {
    await client.query('begin');
    await migrateWithin(client, names);
    await client.query('commit');
  });
  return url.href;
}

const dumpSchema = (url: string) =>
  onClient(url, async (client) => JSON.stringify(await readSchema(client)));

async function onClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
