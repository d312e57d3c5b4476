// What workflows ask of higher areas: a letter to the account's owner, a call to a server of theirs.
import { defineEvent } from '#platform/server/events.ts';

type Told = {
  accountId: number;
  workflowId: number;
  stepId: number;
  /** Who came to the step together. Never empty. */
  subscriberIds: number[];
  at: Date;
};

/** `message`: the owner's own words. */
export const noticeNeeded = defineEvent<Told & { message: string }>('workflow.notice');

/** Each person is posted to the address, signed as endpoints are. */
export const callNeeded = defineEvent<Told & { url: string }>('workflow.call');
