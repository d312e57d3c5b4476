// Events that delivery announces to higher areas, mostly in the transaction of the change.
import { defineEvent } from '#platform/server/events.ts';
import type { MessageKind } from '../message-kinds.ts';

export type DeliveryEvent = {
  accountId: number;
  messageId: number;
  kind: MessageKind;
  /** ID of the campaign, workflow step or other source; null if there is none. */
  sourceId: number | null;
  at: Date;
};

/** The first handoff of a message has started. */
export const messageStarted = defineEvent<DeliveryEvent>('message.started');

/**
 * An outlet accepted these single sends. `subscriberIds` is parallel to `singleIds`, with 0 for
 * those without a subscriber. Accepted recipients of messages with an audience are not announced.
 */
export const singlesAccepted = defineEvent<
  DeliveryEvent & { subscriberIds: number[]; singleIds: number[] }
>('message.singles_accepted');

/**
 * A provider reported for the first time that an SMS was delivered. `subscriberId` is null if the
 * number belongs to no subscriber. `singleId` is null for a copy of a message with an audience.
 */
export const smsDelivered = defineEvent<
  DeliveryEvent & { subscriberId: number | null; singleId: number | null }
>('message.text_delivered');

/**
 * Results of a message were recorded. Each process announces it at most four times per second,
 * after the results are committed, so it may be lost.
 */
export const messageProgressed = defineEvent<DeliveryEvent>('message.progressed');

/**
 * Copies were refused permanently. `isUnknownRecipient`: the address does not exist (5.1.1 and
 * similar), so the subscriber was marked as bounced.
 */
export const messageFailed = defineEvent<
  DeliveryEvent & {
    failures: {
      subscriberId: number | null;
      singleId: number | null;
      isUnknownRecipient: boolean;
      /**
       * SMS only: whether the provider refused the copy because the recipient opted out there.
       */
      hasOptedOut: boolean;
      code: string;
      reply: string;
      cause: string;
    }[];
  }
>('message.failed');

/** The state of a message changed, except to finished, which `messageFinished` announces. */
export const messageChanged = defineEvent<DeliveryEvent & { state: string; reason: string | null }>(
  'message.changed',
);

/**
 * All recipients have a final state (including `unknown`). Announced again after a retry.
 */
export const messageFinished = defineEvent<DeliveryEvent>('message.finished');

/**
 * Copies bounced after their handoff, were reported as spam, or led to an unsubscribe that a
 * provider or an email reported. Statuses and suppressions are already updated. `subscriberId` is
 * null for single sends without a subscriber.
 */
export const messageReturned = defineEvent<
  DeliveryEvent & {
    returns: {
      subscriberId: number | null;
      kind: 'hard_bounce' | 'soft_bounce' | 'complaint' | 'unsubscribe';
      cause: string;
      code: string;
      reply: string;
    }[];
  }
>('message.returned');

/** Sendloom stopped a message; its owner is to be notified of the reason and the statistics. */
export const messageHalted = defineEvent<
  DeliveryEvent & {
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
    /** The fraction of `of` above which a message is stopped; 0 if the reason has none. */
    limit: number;
    /** The relay's reply, if it refused the sender or the message. */
    reply?: string;
  }
>('message.halted');
