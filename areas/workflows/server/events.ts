// Events for higher areas, which email the account's owner or call the owner's server.
import { defineEvent } from '#platform/server/events.ts';

type StepEvent = {
  accountId: number;
  workflowId: number;
  stepId: number;
  /** Subscribers who arrived at the step in the same turn; never empty. */
  subscriberIds: number[];
  at: Date;
};

/** Sends the owner a notice; `message` is the text that a user entered in the step. */
export const noticeNeeded = defineEvent<StepEvent & { message: string }>('workflow.notice');

/** Posts one request per subscriber to the URL, signed like webhooks. */
export const callNeeded = defineEvent<StepEvent & { url: string }>('workflow.call');
