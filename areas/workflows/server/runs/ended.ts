// Events that workflows publish to higher areas, in the transaction of the change.
import { defineEvent } from '#platform/server/events.ts';

/** Subscribers reached the end of a workflow with `outcome`. The list is never empty. */
export const runsEnded = defineEvent<{
  accountId: number;
  workflowId: number;
  subscriberIds: number[];
  outcome: string;
  at: Date;
}>('workflow.runs_ended');
