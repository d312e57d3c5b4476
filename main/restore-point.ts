// `npm run restore-point`: creates a named restore point for PostgreSQL's own backups, the same on
// all nodes of a cluster, and prints its name once it is archived (docs/operations/cluster.md). The
// product keeps running.
import pg from 'pg';
import { makePoint } from '#platform/server/backup/point.ts';
import { CannotStart } from '#platform/server/process/cannot-start.ts';
import { clock } from '#platform/server/clock.ts';
import { readConfig } from './prepare.ts';

const PATIENCE_MS = 120_000;

async function restorePoint(): Promise<void> {
  const { databaseUrl } = readConfig();
  if (!databaseUrl) {
    throw new CannotStart(
      'The embedded PostgreSQL has no WAL archive: use npm run backup, or set DATABASE_URL to your own PostgreSQL server.',
    );
  }
  const client = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: 10_000,
  });
  await client.connect();
  try {
    // The name must be unique, because a restore stops at the first point with the given name.
    const name = `sendloom-${clock.now().toISOString().replace(/[-:]/g, '')}`;
    const files = await makePoint(client, name, PATIENCE_MS);
    console.log(`${name} ${files.map(({ node, value }) => `${node}=${value}`).join(' ')}`);
  } finally {
    await client.end();
  }
}

try {
  await restorePoint();
  process.exit(0);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
