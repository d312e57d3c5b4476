// What workflows announce upward, in the turn that made it true.
import { defineEvent } from '#platform/server/events.ts';

/** People came to the end of a workflow, by whichever way out (`outcome`). Never empty. */
export const runsEnded = defineEvent<{
  accountId: number;
  workflowId: number;
  subscriberIds: number[];
  outcome: string;
  at: Date;
}>('workflow.runs_ended');
