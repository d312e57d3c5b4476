// Events that tracking announces, and questions that higher areas answer, because tracking depends
// neither on the ledger nor on the content of messages.
import type { Language } from '#platform/languages.ts';
import { defineEvent, defineQuestion } from '#platform/server/events.ts';
import type { TokenPayload } from './token.ts';
import type { HitVerdict } from './verdict.ts';

export type EngagementEvent = {
  kind: 'open' | 'click';
  messageId: number;
  /** A negative number is the negated ID of a single send without a subscriber. */
  subscriberId: number;
  at: Date;
  verdict: HitVerdict;
  /** The link's position in its message; null for an open. */
  position: number | null;
  /** Whether the message is an SMS. */
  isSms?: boolean;
};

/**
 * Opens and clicks of one account were recorded, in the order of their times. Announced in the
 * recorder's transaction for up to thousands of events, so handlers must be quick and use jobs for
 * longer work.
 */
export const engagementRecorded = defineEvent<{ accountId: number; engagement: EngagementEvent[] }>(
  'message.engaged',
);

export type MessagePair = { messageId: number; subscriberId: number };

/** When a relay accepted these copies. Unknown pairs are absent from the answer. */
export const acceptedAt = defineQuestion<
  { accountId: number; pairs: MessagePair[] },
  MessagePair & { at: Date }
>('message.acceptedAt');

/**
 * The mailbox providers that these copies were sent to. Unknown pairs are absent from the answer.
 */
export const copyMailboxes = defineQuestion<
  { accountId: number; pairs: MessagePair[] },
  MessagePair & { mailbox: number }
>('message.mailboxes');

export type MessageSender = {
  language: Language;
  name: string;
  /** Whether the message is a test email to a user of the account. */
  isTest?: boolean;
  /** The recipient of the single send. */
  recipient?: string;
};

/**
 * Language and sender of a message, for its unsubscribe page. With `singleId`, the answer also
 * contains the recipient of this single send.
 */
export const messageSender = defineQuestion<
  { accountId: number; messageId: number; singleId?: number },
  MessageSender
>('message.sender');

/** The target of a stored link, with the merge tags replaced for one copy. */
export const linkTarget = defineQuestion<{ payload: TokenPayload; url: string }, string>(
  'message.linkTarget',
);
