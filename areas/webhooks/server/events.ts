// What webhooks announce, in the transaction that made it true.
import { defineEvent } from '#platform/server/events.ts';

/** An endpoint is told nothing any more: it said that it is gone (410), or failed for five days. */
export const endpointDisabled = defineEvent<{
  accountId: number;
  endpointId: number;
  url: string;
  isGone: boolean;
  at: Date;
}>('endpoint.disabled');
