// Counts of saved segments. A count is always computed from all subscribers, never incremented. A
// single segment is counted immediately; a list shows the last counts, and a job recounts old ones.
import { z } from 'zod';
import { clock } from '#platform/server/clock.ts';
import { inTransaction, type Reader, type Tx } from '#platform/server/database/database.ts';
import { addJob, defineJob, JobInterrupted } from '#platform/server/jobs/jobs.ts';
import { sendChangeHint } from '#platform/server/live/live.ts';
import { compileConditions } from './compile.ts';
import { readCountingContext } from './read-context.ts';
import { countChosen, findSegments, saveCounts, type SegmentRow } from './segments.sql.ts';

/**
 * Queues a recount of these segments. It replaces the account's waiting job, if any, so only the
 * segments of the list requested last are recounted.
 */
export async function countSoon(
  db: Reader,
  accountId: number,
  segmentIds: readonly number[],
): Promise<void> {
  const payload = { accountId, segmentIds: [...segmentIds] };
  await addJob(db, countSegmentsJob, payload, { key: `segments.count:${accountId}` });
}

export const countSegmentsJob = defineJob({
  name: 'segments.count',
  payload: z.object({ accountId: z.number(), segmentIds: z.array(z.number()) }),
  run: async ({ accountId, segmentIds }, { db, signal }) => {
    for (const row of await findSegments(db, accountId, segmentIds)) {
      if (signal.aborted) throw new JobInterrupted();
      await inTransaction(db, (tx) => countSegment(tx, row));
    }
  },
});

/**
 * Counts the segment and stores the counts, which are 0 if the account no longer has an object that
 * the conditions refer to.
 */
export async function countSegment(tx: Tx, row: SegmentRow): Promise<void> {
  const { account_id: accountId, id, conditions } = row;
  const at = clock.now();
  const context = await readCountingContext(tx, accountId, conditions, at);
  const { where, unsupported } = compileConditions(conditions, context);
  const counts =
    unsupported.length > 0
      ? { subscribers: 0, active_subscribers: 0, phone_count: 0, active_phone_count: 0 }
      : await countChosen(tx, accountId, where);
  await saveCounts(tx, accountId, id, counts, at);
  const hasChanged =
    counts.subscribers !== row.subscriber_count || counts.active_subscribers !== row.active_count;
  if (hasChanged || row.counted_at === null) sendChangeHint(tx, accountId, 'segment', id);
}
