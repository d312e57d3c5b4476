// `npm run distribute [-- --shards 32]`: distributes an existing database over a Citus cluster
// (docs/operations/cluster.md). Requires the coordinator's DATABASE_URL, a stopped product and a
// backup.
import { parseArgs } from 'node:util';
import pg from 'pg';
import { CannotStart } from '#platform/server/process/cannot-start.ts';
import { distributeDatabase } from '#platform/server/migrations/distribute.ts';
import { listPendingMigrations } from '#platform/server/migrations/migrate.ts';
import { prepareCommand } from './prepare.ts';

const SHARDS = { default: 32, max: 1024 };

async function distribute(): Promise<void> {
  const { values } = parseArgs({ options: { shards: { type: 'string' } } });
  const shards = Number(values.shards ?? SHARDS.default);
  if (!Number.isInteger(shards) || shards < 1 || shards > SHARDS.max) {
    throw new CannotStart(`--shards must be a whole number from 1 to ${SHARDS.max}.`);
  }
  const { config, close } = await prepareCommand({ isAlone: true });
  const client = new pg.Client({ connectionString: config.databaseUrl });
  try {
    await client.connect();
    if ((await listPendingMigrations(config.databaseUrl)).length > 0) {
      throw new CannotStart('The tables belong to an older version: run npm run migrate first.');
    }
    const startedAt = performance.now();
    const tables = await distributeDatabase(client, { shards, print: console.log });
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    console.log(
      tables === 0
        ? 'All tables are already distributed.'
        : `${tables} tables distributed in ${seconds} s. Continue with npm start.`,
    );
  } finally {
    await client.end();
    await close();
  }
}

try {
  await distribute();
  process.exit(0);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
