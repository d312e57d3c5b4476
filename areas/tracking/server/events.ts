// Events that tracking publishes, and questions that higher areas answer, since tracking depends
// neither on the ledger nor on the contents of a message.
import type { Language } from '#platform/languages.ts';
import { defineEvent, defineQuestion } from '#platform/server/events.ts';
import type { TokenFacts } from './token.ts';
import type { Verdict } from './verdict.ts';

export type Engagement = {
  kind: 'open' | 'click';
  messageId: number;
  /** Below 0: the negative id of a single send to an address of no subscriber. */
  subscriberId: number;
  at: Date;
  verdict: Verdict;
  /** The link's position in its message; null for an open. */
  position: number | null;
  /** Whether the message is an SMS. */
  isText?: boolean;
};

/**
 * Opens and clicks of one account were recorded and classified, in order of time. Published in the
 * recorder's transaction: handlers must be quick (thousands arrive concurrently) and add jobs for the
 * rest.
 */
export const engagementRecorded = defineEvent<{ accountId: number; engagement: Engagement[] }>(
  'message.engaged',
);

export type MessagePair = { messageId: number; subscriberId: number };

/** Times at which the relay accepted these copies. Unknown pairs are absent from the answer. */
export const acceptedAt = defineQuestion<
  { accountId: number; pairs: MessagePair[] },
  MessagePair & { at: Date }
>('message.acceptedAt');

/**
 * Numbers of the mailbox providers behind which these copies were sent. Unknown pairs are absent from
 * the answer.
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
  /** Recipient of the single send. */
  recipient?: string;
};

/**
 * Language and sender of a message, for its unsubscribe page. `singleId`: also for a single send to
 * an address of no subscriber.
 */
export const messageSender = defineQuestion<
  { accountId: number; messageId: number; singleId?: number },
  MessageSender
>('message.sender');

/** Target of a stored link with merge tags for one subscriber; undefined for none. */
export const linkTarget = defineQuestion<{ facts: TokenFacts; url: string }, string>(
  'message.linkTarget',
);
