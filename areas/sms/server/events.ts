// What texts announce upward, in the transaction that made it true.
import { defineEvent } from '#platform/server/events.ts';

/** Somebody wrote back; whoever is known by the number is named. Told once for each text. */
export const textReplied = defineEvent<{
  accountId: number;
  subscriberId: number | null;
  messageId: number | null;
  from: string;
  text: string;
  at: Date;
}>('sms.replied');
