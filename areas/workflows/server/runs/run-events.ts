// Events that workflows publish to higher areas, in the transaction of the change.
import type { Tx } from '#platform/server/database/database.ts';
import { defineEvent } from '#platform/server/events.ts';

/** Subscribers reached the end of a workflow with `outcome`. The list is never empty. */
export const runsEnded = defineEvent<{
  accountId: number;
  workflowId: number;
  subscriberIds: number[];
  outcome: string;
  at: Date;
}>('workflow.runs_ended');

/** Runs that ended at one step, with a subscriber for each run. */
export type EndedRuns = { step_id: number; people: number; subscriber_ids: number[] };

/** Announces runs that a change ended outside of the walk through the steps. */
export async function announceEnded(
  tx: Tx,
  event: { accountId: number; workflowId: number; outcome: string; at: Date },
  endedRuns: readonly EndedRuns[],
): Promise<void> {
  const subscriberIds = endedRuns.flatMap((runs) => runs.subscriber_ids);
  if (subscriberIds.length > 0) await runsEnded.announce(tx, { ...event, subscriberIds });
}
