// Events of delivery for higher areas, each published in the transaction of its change.
import { defineEvent } from '#platform/server/events.ts';
import type { MessageKind } from '../message-kinds.ts';

export type MessageFacts = {
  accountId: number;
  messageId: number;
  kind: MessageKind;
  /** Id of the campaign, workflow step …; null if there is none. */
  sourceId: number | null;
  at: Date;
};

/** The first handoff of a message has started, so the message is being sent. */
export const messageStarted = defineEvent<MessageFacts>('message.started');

/**
 * Single sends that the relay accepted (`singleIds`, parallel to `subscriberIds`; 0 for no
 * subscriber). Recipients of a message with an audience are in the ledger and are not published one
 * by one.
 */
export const singlesAccepted = defineEvent<
  MessageFacts & { subscriberIds: number[]; singleIds: number[] }
>('message.singles_accepted');

/**
 * A provider reported that an SMS reached its phone: once per copy, for every message kind.
 * `subscriberId` is null for a number of no subscriber, `singleId` for a copy of a message with an
 * audience.
 */
export const smsDelivered = defineEvent<
  MessageFacts & { subscriberId: number | null; singleId: number | null }
>('message.text_delivered');

/**
 * A message with an audience has made progress. The event is published a few times a second and may
 * be lost if the process is killed.
 */
export const messageProgressed = defineEvent<MessageFacts>('message.progressed');

/**
 * Copies were refused permanently. `isPerson`: the address itself does not exist (5.1.1 and
 * similar), so the subscriber has bounced; otherwise the cause lies elsewhere.
 */
export const messageFailed = defineEvent<
  MessageFacts & {
    failures: {
      subscriberId: number | null;
      singleId: number | null;
      isPerson: boolean;
      /**
       * SMS only: the provider refuses the copy because the recipient opted out with the provider.
       */
      hasOptedOut: boolean;
      code: string;
      reply: string;
      cause: string;
    }[];
  }
>('message.failed');

/** The state of a message changed: it was paused, resumed or canceled, waits, or has finished. */
export const messageChanged = defineEvent<MessageFacts & { state: string; reason: string | null }>(
  'message.changed',
);

/**
 * All recipients have a final state (including `unknown`). Published again after a retry of some
 * recipients.
 */
export const messageFinished = defineEvent<MessageFacts>('message.finished');

/**
 * Copies that the relay had accepted bounced, were reported as spam, or led to an unsubscribe by
 * email. Statuses and suppressions are already updated. `subscriberId` is null for single sends to
 * an address of no subscriber.
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

/** The product itself stopped a message; its owner is notified of the reason and of the counts. */
export const messageHalted = defineEvent<
  MessageFacts & {
    reason:
      | 'bounces_high'
      | 'complaints_high'
      | 'mails_refused'
      | 'sender_refused'
      | 'content_unsendable'
      | 'audience_failed'
      | 'sender_not_verified'
      | 'plan_limit';
    count: number;
    of: number;
    /** The share from which a message is stopped. */
    limit: number;
    /** The relay's reply, if it refuses the sender or the message. */
    reply?: string;
  }
>('message.halted');
