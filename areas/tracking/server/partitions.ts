// Creates the monthly partitions of events ahead of time, so that the default partition stays
// empty.
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction } from '#platform/server/database/database.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { addPartition, listPartitionNames } from './partitions.sql.ts';

const MONTHS_AHEAD = 3;
const DAY_MS = 86_400_000;
const EXISTS = '42P07';

/**
 * Creates the missing partitions of this month and the next three. Several workers may run it
 * concurrently.
 */
export async function makePartitions(db: Db, now = clock.now()): Promise<string[]> {
  const existing = await listPartitionNames(db);
  const created: string[] = [];
  for (let ahead = 0; ahead <= MONTHS_AHEAD; ahead++) {
    const start = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead));
    const end = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead + 1));
    const name = `events_${start.toISOString().slice(0, 7).replace('-', '_')}`;
    if (existing.has(name)) continue;
    try {
      await inTransaction(db, (tx) => addPartition(tx, name, start, end));
      created.push(name);
    } catch (error) {
      if ((error as { code?: string }).code !== EXISTS) throw error;
    }
  }
  return created;
}

export const partitionPoller: Poller = {
  name: 'event partitions',
  intervalMs: DAY_MS,
  run: (db) => makePartitions(db),
};
