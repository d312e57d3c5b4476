// Deletes the data of a deleted workflow in batches: one statement over a million rows would block
// the account.
import { z } from 'zod';
import { deleteItem } from '#areas/folders/server/index.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { defineJob, JobInterrupted } from '#platform/server/jobs/jobs.ts';
import { deleteMembers } from './entering/members.sql.ts';
import { removeCounts, removeRuns } from './runs/runs.sql.ts';

const DELETE_BATCH_ROWS = 10_000;

export const deleteWorkflowDataJob = defineJob({
  name: 'workflows.delete-data',
  afterKills: 'next_day',
  payload: z.object({ accountId: z.number(), workflowId: z.number() }),
  run: async ({ accountId, workflowId }, { db, signal, progress }) => {
    for (let deletedCount = DELETE_BATCH_ROWS; deletedCount >= DELETE_BATCH_ROWS; ) {
      if (signal.aborted) throw new JobInterrupted();
      deletedCount = await inTransaction(db, (tx) =>
        removeRuns(tx, accountId, workflowId, DELETE_BATCH_ROWS),
      );
      if (deletedCount > 0) await progress?.();
    }
    await inTransaction(db, async (tx) => {
      await deleteMembers(tx, accountId, workflowId);
      await removeCounts(tx, accountId, workflowId);
      await deleteItem(tx, accountId, 'workflow', workflowId);
    });
  },
});
