// Events of SMS for higher areas, announced in the transaction that causes them.
import { defineEvent } from '#platform/server/events.ts';

/**
 * An SMS arrived. It is announced once for each account that receives it. `messageId` is the last SMS to
 * the subscriber, if the sender's number belongs to one.
 */
export const smsReplied = defineEvent<{
  accountId: number;
  subscriberId: number | null;
  messageId: number | null;
  from: string;
  text: string;
  at: Date;
}>('sms.replied');
