// `npm run restore-point`: names a point that PostgreSQL's own backups can be restored to, on a cluster the same one on
// all nodes, and says its name once it is safe in the archives (docs/operations/cluster.md). The product runs on.
import pg from 'pg';
import { makePoint } from '#platform/server/backup/point.ts';
import { CannotStart } from '#platform/server/cannot-start.ts';
import { clock } from '#platform/server/clock.ts';
import { readConfig } from './prepare.ts';

const PATIENCE_MS = 120_000;

async function restorePoint(): Promise<void> {
  const { databaseUrl } = readConfig();
  if (!databaseUrl) {
    throw new CannotStart(
      'The embedded PostgreSQL keeps no WAL: npm run backup, or a PostgreSQL of your own at DATABASE_URL.',
    );
  }
  const client = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: 10_000,
  });
  await client.connect();
  try {
    // A name of its own: a restore stops at the first point that is called so.
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
