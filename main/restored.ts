// `npm run restored`: run after PostgreSQL's own backup was restored, for instance to a point in
// time. Links in emails sent after that point contain IDs of rows that are missing in the database.
// The ID sequences are advanced far beyond these IDs, so that none is assigned again to another
// row. Sending is paused until `npm run restore -- --resume-sending`. Both changes are committed
// together. The command can be repeated. All nodes of a cluster must be at the same point (`npm run
// restore-point`); `--any-point` skips that check.
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
    const atAnyPoint = values['any-point'];
    const resolvedCount = await settleNodes(client, { atAnyPoint });
    if (resolvedCount !== undefined) {
      const check = atAnyPoint
        ? 'The restore points of the nodes were not checked'
        : 'All nodes are at the same restore point';
      console.log(`${check}; ${resolvedCount} distributed transactions were resolved.`);
    }
    const sequenceCount = await finalizeRestore(client);
    if (sequenceCount === undefined) {
      throw new CannotStart('This database contains no Sendloom tables.');
    }
    console.log(
      `Sending is paused, and ${sequenceCount} ID sequences were advanced. Review scheduled messages, then run npm run restore -- --resume-sending`,
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
