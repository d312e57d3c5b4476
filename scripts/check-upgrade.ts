// Checks that the last release's processes can run with this version's schema, before contracting
// migrations.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '#platform/server/database/embedded-postgres.ts';
import {
  contractNames,
  migrateWithin,
  readMigrations,
} from '#platform/server/migrations/migrate.ts';
import { checkUpgrade, readRelease, readSchema } from './release-schema.ts';

/** Violations, one sentence each; empty if old and new processes can run concurrently. */
export async function upgradeTrouble(): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sendloom-upgrade-'));
  const server = await startEmbeddedPostgres({ folder, throwaway: true });
  try {
    const known = new Set(readRelease().migrations);
    const contracts = new Set(await contractNames());
    const names = (await readMigrations()).map(({ name }) => name);
    const waiting = names.filter((name) => contracts.has(name) && !known.has(name));
    const side = await migrated(
      server.url,
      'side',
      names.filter((name) => !waiting.includes(name)),
    );
    const breaches = await checkUpgrade(side);
    if (waiting.length === 0) return breaches;
    // An upgrade applies them in another order than a new installation.
    await migrated(server.url, 'side', names, { isThere: true });
    const whole = await migrated(server.url, 'whole', names);
    const [late, first] = [await schemaOf(side), await schemaOf(whole)];
    return late === first
      ? breaches
      : [...breaches, 'Contract migrations run last produce a different schema than in order.'];
  } finally {
    await server.stop();
    for (const path of [server.cluster, folder]) rmSync(path, { recursive: true, force: true });
  }
}

async function migrated(
  server: string,
  name: string,
  names: string[],
  { isThere = false } = {},
): Promise<string> {
  const url = new URL(server);
  if (!isThere) await onClient(server, (client) => client.query(`create database ${name}`));
  url.pathname = `/${name}`;
  await onClient(url.href, async (client) => {
    await client.query('begin');
    await migrateWithin(client, names);
    await client.query('commit');
  });
  return url.href;
}

const schemaOf = (url: string) =>
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
