// The event that this area announces to higher areas, in the transaction of the change.
import { defineEvent } from '#platform/server/events.ts';

/** An endpoint was disabled because it returned 410 or failed for five days. */
export const endpointDisabled = defineEvent<{
  accountId: number;
  endpointId: number;
  url: string;
  isDeleted: boolean;
  at: Date;
}>('endpoint.disabled');
