// Events of SMS for higher areas, published in the transaction that causes them.
import { defineEvent } from '#platform/server/events.ts';

/** A reply arrived; `subscriberId` is set if the number is known. Published once for each SMS. */
export const smsReplied = defineEvent<{
  accountId: number;
  subscriberId: number | null;
  messageId: number | null;
  from: string;
  text: string;
  at: Date;
}>('sms.replied');
