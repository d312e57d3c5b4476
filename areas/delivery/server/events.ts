// What delivery announces upward, each in the transaction of what it tells.
import { defineEvent } from '#platform/server/events.ts';
import type { MessageKind } from '../message-kinds.ts';

export type MessageFacts = {
  accountId: number;
  messageId: number;
  kind: MessageKind;
  /** The campaign, workflow step …; null where there is none. */
  sourceId: number | null;
  at: Date;
};

/** The first hand-over of a message has begun: from now on it is sent, not scheduled. */
export const messageStarted = defineEvent<MessageFacts>('message.started');

/**
 * Single sends that the relay took (`singleIds`, parallel to `subscriberIds`; 0 where it is nobody's).
 * Who got a message with an audience stands in the ledger, and is not told one by one.
 */
export const singlesAccepted = defineEvent<
  MessageFacts & { subscriberIds: number[]; singleIds: number[] }
>('message.singles_accepted');

/**
 * A provider told that a text has reached its phone: once for each copy, whatever its message. `subscriberId` and
 * `singleId` are null where it is nobody's, or a copy of a message with an audience.
 */
export const textDelivered = defineEvent<
  MessageFacts & { subscriberId: number | null; singleId: number | null }
>('message.text_delivered');

/** A message with an audience has come further: told a few times a second, may be lost by a kill. */
export const messageProgressed = defineEvent<MessageFacts>('message.progressed');

/**
 * Copies were refused for good. `isPerson`: the address itself does not exist (5.1.1 and its like),
 * so the person has bounced; else it was not the person's fault.
 */
export const messageFailed = defineEvent<
  MessageFacts & {
    failures: {
      subscriberId: number | null;
      singleId: number | null;
      isPerson: boolean;
      /** Of a text: the provider refuses it because this person told it to stop. */
      hasLeft: boolean;
      code: string;
      reply: string;
    }[];
  }
>('message.failed');

/** Its state changed to this: paused, waiting, sending again, cancelled, finished. */
export const messageChanged = defineEvent<MessageFacts & { state: string; reason: string | null }>(
  'message.changed',
);

/** Every recipient has a final state (`unknown` included). Told again when some were retried. */
export const messageFinished = defineEvent<MessageFacts>('message.finished');

/**
 * Copies that the relay had taken came back, were reported as spam, or made their reader leave by mail.
 * Statuses and suppressions are done. `subscriberId` is null for single sends to nobody's address.
 */
export const messageReturned = defineEvent<
  MessageFacts & {
    returns: {
      subscriberId: number | null;
      kind: 'hard_bounce' | 'soft_bounce' | 'complaint' | 'unsubscribe';
      cause: string;
      code: string;
      reply: string;
    }[];
  }
>('message.returned');

/** The product itself stopped a message; its owner is to be told why, and by how much of how many. */
export const messageHalted = defineEvent<
  MessageFacts & {
    reason:
      | 'bounces_high'
      | 'complaints_high'
      | 'mails_refused'
      | 'sender_refused'
      | 'content_unsendable'
      | 'sender_not_verified'
      | 'plan_limit';
    count: number;
    of: number;
    /** The share at which it stops. */
    limit: number;
    /** The relay's words, where it refuses the sender or the mails. */
    reply?: string;
  }
>('message.halted');
