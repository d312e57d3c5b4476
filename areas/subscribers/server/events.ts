// What the people's area announces upward: facts about sets, in the transaction that made them true.
import type { Cause } from '#platform/origins.ts';
import { defineEvent } from '#platform/server/events.ts';
import type { ChangeReason, Channel, SubscriptionStatus } from '../limits.ts';

type Set = { accountId: number; subscriberIds: number[] };

/** People were added. Never empty. */
export const subscribersCreated = defineEvent<Set & Cause & { source: string }>(
  'subscriber.created',
);

/** Names, addresses or custom values changed; `fieldIds` names the custom fields among them. */
export const subscribersUpdated = defineEvent<Set & Cause & { fieldIds: number[] }>(
  'subscriber.updated',
);

/** People left a channel, by themselves or by the account. Only those who were in it before. */
export const subscribersUnsubscribed = defineEvent<
  Set & Cause & { channel: Channel; reason: ChangeReason; messageId: number | undefined }
>('subscriber.unsubscribed');

/** A channel's status changed to anything but unsubscribed. */
export const statusesChanged = defineEvent<
  Set & { channel: Channel; to: SubscriptionStatus; reason: ChangeReason }
>('subscriber.status_changed');

/** People are gone from every list; their rows are purged later. Memberships go in a handler. */
export const subscribersDeleted = defineEvent<Set>('subscriber.deleted');

/**
 * Nothing personal of these people may stay anywhere: handlers blank what they hold. `addresses` are
 * theirs, emails in lower case and numbers as E.164, for what is kept under them alone.
 */
export const subscribersErased = defineEvent<Set & { addresses: string[] }>('subscriber.erased');

/**
 * The time of deleted or erased people is over: their rows go, and with them whatever else is kept of
 * them by their number.
 */
export const subscribersPurged = defineEvent<Set>('subscriber.purged');
