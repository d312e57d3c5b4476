// What exports tell: who waited long for a file is to be told by letter.
import { defineEvent } from '#platform/server/events.ts';

export const exportReady = defineEvent<{
  accountId: number;
  userId: number;
  /** What stands in the link; it is kept as a hash only. */
  secret: string;
}>('export.ready');
