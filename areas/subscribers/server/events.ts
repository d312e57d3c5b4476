// Events of subscribers, each about a set of them, published in the transaction of the change.
import type { Cause } from '#platform/origins.ts';
import { defineEvent } from '#platform/server/events.ts';
import type { ChangeReason, Channel, SubscriptionStatus } from '../shared.ts';

type AffectedSubscribers = { accountId: number; subscriberIds: number[] };

/** Subscribers were created. Never empty. */
export const subscribersCreated = defineEvent<AffectedSubscribers & Cause & { source: string }>(
  'subscriber.created',
);

/** Names, addresses or custom values changed; `fieldIds` contains the changed custom fields. */
export const subscribersUpdated = defineEvent<AffectedSubscribers & Cause & { fieldIds: number[] }>(
  'subscriber.updated',
);

/**
 * Subscribers were unsubscribed from a channel, by themselves or by the account. Excludes
 * subscribers who were already unsubscribed or had reported spam.
 */
export const subscribersUnsubscribed = defineEvent<
  AffectedSubscribers &
    Cause & { channel: Channel; reason: ChangeReason; messageId: number | undefined }
>('subscriber.unsubscribed');

/** A channel's status changed to anything but unsubscribed. */
export const statusesChanged = defineEvent<
  AffectedSubscribers & { channel: Channel; to: SubscriptionStatus; reason: ChangeReason }
>('subscriber.status_changed');

/**
 * Subscribers were deleted from every list; their rows are purged later. A handler removes
 * memberships.
 */
export const subscribersDeleted = defineEvent<AffectedSubscribers>('subscriber.deleted');

/**
 * No personal data of these people may remain: handlers remove what they store. `addresses` are
 * their email addresses in lower case and numbers as E.164, for data stored by address only.
 */
export const subscribersErased = defineEvent<AffectedSubscribers & { addresses: string[] }>(
  'subscriber.erased',
);

/**
 * The retention of deleted or erased subscribers has ended: their rows are removed, and handlers
 * remove all other data stored by their ids.
 */
export const subscribersPurged = defineEvent<AffectedSubscribers>('subscriber.purged');
