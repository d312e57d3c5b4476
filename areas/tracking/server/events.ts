// What tracking announces upward, and the two things it asks: it knows neither the ledger nor the
// contents of a message.
import type { Language } from '#platform/languages.ts';
import { defineEvent, defineQuestion } from '#platform/server/events.ts';
import type { TokenFacts } from './token.ts';
import type { Verdict } from './verdict.ts';

export type Engagement = {
  kind: 'open' | 'click';
  messageId: number;
  /** Below 0: a single send of that number, to an address that is nobody's. */
  subscriberId: number;
  at: Date;
  verdict: Verdict;
  /** The link's place in its message; null for an open. */
  position: number | null;
  /** Of a text, not of a mail. */
  isText?: boolean;
};

/**
 * Opens and clicks of one account were recorded and judged, in the order of their time. Told in the
 * recorder's transaction: handlers must be quick (thousands come at once) and add jobs for the rest.
 */
export const engagementRecorded = defineEvent<{ accountId: number; engagement: Engagement[] }>(
  'message.engaged',
);

export type MessagePair = { messageId: number; subscriberId: number };

/** When the relay took these copies. Pairs that nobody knows are missing in the answer. */
export const acceptedAt = defineQuestion<
  { accountId: number; pairs: MessagePair[] },
  MessagePair & { at: Date }
>('message.acceptedAt');

export type MessageSender = {
  language: Language;
  name: string;
  /** A test mail to a user of the account. */
  isTest?: boolean;
  /** Whom the single send asked about went to. */
  recipient?: string;
};

/**
 * The language that a message was written in, and who it says it is from: for its unsubscribe page.
 * `singleId`: also of a single send to an address that is nobody's.
 */
export const messageSender = defineQuestion<
  { accountId: number; messageId: number; singleId?: number },
  MessageSender
>('message.sender');

/** Where a stored link with merge tags leads for one person; nothing where it leads nowhere. */
export const linkTarget = defineQuestion<{ facts: TokenFacts; url: string }, string>(
  'message.linkTarget',
);
