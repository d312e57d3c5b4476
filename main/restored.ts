// `npm run restored`: run after PostgreSQL's own backup was restored, for instance to a point in
// time. Links in emails sent after that point contain ids that are missing in the database, so ids
// advance far beyond them, and sending is paused until `npm run restore -- --resume-sending`. Both
// changes are committed together. The command can be repeated. All nodes of a cluster must be at
// the same point (`npm run restore-point`); `--any-point` skips that check.
import { parseArgs } from 'node:util';
import pg from 'pg';
import { settleNodes } from '#platform/server/backup/point.ts';
import { CannotStart } from '#platform/server/process/cannot-start.ts';
import { finalizeRestore } from '#platform/server/backup/snapshot.ts';
import { prepareCommand } from './prepare.ts';

async function settleRestoredDatabase(): Promise<void> {
  const { values } = parseArgs({ options: { 'any-point': { type: 'boolean' } } });
  const { config, close } = await prepareCommand({ isAlone: true });
  const client = new pg.Client({ connectionString: config.databaseUrl });
  try {
    await client.connect();
    const nodeCount = await settleNodes(client, { atAnyPoint: values['any-point'] });
    if (nodeCount !== undefined) {
      console.log(
        `All nodes are at the same restore point; ${nodeCount} distributed transactions were resolved.`,
      );
    }
    const counters = await finalizeRestore(client);
    if (counters === undefined) {
      throw new CannotStart('This database contains no Sendloom tables.');
    }
    console.log(
      `Sending is paused, and ${counters} ID sequences were advanced. Review scheduled messages, then run npm run restore -- --resume-sending`,
    );
  } finally {
    await client.end();
    await close();
  }
}

try {
  await settleRestoredDatabase();
  process.exit(0);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
