// The statuses and their transitions:
// - A hard bounce changes active and non-subscribed to bounced. An unsubscribe changes active,
//   non-subscribed and bounced to unsubscribed. A spam complaint changes any status to reported.
// - An unsubscribed status becomes active again only by reactivation, a bounced one also if the
//   address changes, and a reported one never.
// - Every change appends to the history, and unsubscribes, bounces and complaints suppress a hash
//   of the address, with the reason that decides about reactivation (see reactivate).
import type { Cause } from '#platform/origins.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import {
  getAddressField,
  type ChangeReason,
  type Channel,
  isPersonal,
  type SubscriptionStatus,
  type SuppressionReason,
} from '../shared.ts';
import { statusesChanged, subscribersUnsubscribed } from './events.ts';
import {
  type AddressRow,
  findAddedAgain,
  type Consent,
  changeStatuses,
  insertConsents,
  lockAddresses,
  findNeverActive,
  findWithdrawnByStores,
} from './statuses.sql.ts';
import { suppressionHash, suppressionHashPads } from './suppression-hash.ts';
import { deleteSuppressions, findSuppressions, suppressSubscribers } from './suppressions.sql.ts';

export type SubscriberSet = { subscriberIds: readonly number[] };

export type StatusCause = {
  channel: Channel;
  reason: ChangeReason;
  /** The message that caused the change. */
  messageId?: number | undefined;
  /** The store that reported the change. */
  storeId?: number | undefined;
  /** By default `person` for a subscriber's own opt-out, otherwise `bulk`. */
  cause?: Cause | undefined;
  userId?: number | undefined;
  ip?: string | undefined;
};

const keyOf = (row: { email_key: string | null; phone_key: string | null }, channel: Channel) =>
  getAddressField(channel) === 'email' ? row.email_key : row.phone_key;

function hashesOf(
  rows: readonly { email_key: string | null; phone_key: string | null }[],
  channel: Channel,
): Buffer[] {
  const hashes: Buffer[] = [];
  for (const row of rows) {
    const key = keyOf(row, channel);
    if (key) hashes.push(suppressionHash(key));
  }
  return hashes;
}

/**
 * Unsubscribes from a channel: changes the status, writes history and withdrawn consent, suppresses
 * the address, and publishes the event. Returns the ids whose status changed. A repeated
 * unsubscribe adds no history. A subscriber's own opt-out replaces the reason of the account's
 * suppression, and also applies to deleted subscribers (see affectedSubscribers). Ids of other
 * accounts are ignored; so are ids of deleted subscribers if the account unsubscribes them.
 */
export async function unsubscribe(
  tx: Tx,
  accountId: number,
  subscribers: SubscriberSet,
  cause: StatusCause,
): Promise<number[]> {
  if (subscribers.subscriberIds.length === 0) return [];
  const at = clock.now();
  const isOwnRequest = isPersonal(cause.reason);
  const ids = isOwnRequest
    ? await affectedSubscribers(tx, accountId, subscribers, cause.channel)
    : subscribers.subscriberIds;
  // A subscriber unsubscribed by the account may still opt out themselves.
  if (isOwnRequest) await lockAddresses(tx, accountId, ids, cause.channel);
  const changed = await changeStatuses(tx, accountId, ids, {
    ...cause,
    to: 'unsubscribed',
    from: ['active', 'non-subscribed', 'bounced'],
    at,
  });
  const changedIds = changed.map((row) => row.id);
  const suppressedIds = await suppressSubscribers(tx, accountId, isOwnRequest ? ids : changedIds, {
    channel: cause.channel,
    reason: isOwnRequest ? 'unsubscribed' : 'manual',
    messageId: cause.messageId,
    at,
    pads: suppressionHashPads(),
  });
  // A repeated opt-out changes nothing, except that a store that unsubscribed the subscriber before
  // can no longer undo this.
  const affectedIds = new Set([...changedIds, ...suppressedIds]);
  const repeatedIds = cause.reason !== 'store' ? ids.filter((id) => !affectedIds.has(id)) : [];
  const byStores = await findWithdrawnByStores(tx, accountId, repeatedIds, cause.channel);
  const leaving = [...affectedIds, ...byStores.keys()];
  await insertConsents(tx, accountId, leaving, { ...consentOf(cause), kind: 'withdrawn', at });
  if (changedIds.length > 0) {
    await subscribersUnsubscribed.announce(tx, {
      accountId,
      subscriberIds: changedIds,
      channel: cause.channel,
      reason: cause.reason,
      messageId: cause.messageId,
      ...(cause.cause ?? { origin: isOwnRequest ? 'person' : 'bulk' }),
    });
  }
  return changedIds;
}

/**
 * Returns the subscribers to whom an opt-out, complaint or bounce applies: the given ones, even if
 * deleted, so that their address stays suppressed if it is added again; and the subscribers who
 * have that address now.
 */
async function affectedSubscribers(
  tx: Tx,
  accountId: number,
  { subscriberIds }: SubscriberSet,
  channel: Channel,
): Promise<readonly number[]> {
  if (subscriberIds.length === 0) return [];
  const successors = await findAddedAgain(tx, accountId, subscriberIds, channel);
  return successors.length === 0 ? subscriberIds : [...new Set([...subscriberIds, ...successors])];
}

const consentOf = (cause: StatusCause): Omit<Consent, 'kind' | 'at'> => ({
  channel: cause.channel,
  source: cause.reason,
  sourceId: cause.storeId ?? cause.messageId,
  ip: cause.ip,
  userId: cause.userId,
});

/**
 * Records that an address does not exist (a hard bounce): active and non-subscribed statuses of
 * both channels that use it become bounced. Returns the ids whose status on the given channel
 * changed.
 */
export async function bounce(
  tx: Tx,
  accountId: number,
  subscribers: SubscriberSet,
  cause: Omit<StatusCause, 'reason'>,
): Promise<number[]> {
  const channels: Channel[] =
    getAddressField(cause.channel) === 'email' ? ['email', 'temail'] : ['sms', 'tsms'];
  const subscriberIds = await affectedSubscribers(tx, accountId, subscribers, cause.channel);
  let changedIds: number[] = [];
  for (const channel of channels) {
    const { changedIds: changed } = await move(
      tx,
      accountId,
      { subscriberIds },
      {
        ...cause,
        channel,
        reason: 'hard_bounce',
        to: 'bounced',
        from: ['active', 'non-subscribed'],
        suppression: 'bounced',
      },
    );
    if (channel === cause.channel) changedIds = changed;
  }
  return changedIds;
}

/**
 * Records spam complaints. A complaint about a transactional message ends marketing to that
 * address as well; a complaint about marketing does not affect transactional messages. Returns the
 * ids whose status on the given channel changed.
 */
export async function complain(
  tx: Tx,
  accountId: number,
  subscribers: SubscriberSet,
  cause: Omit<StatusCause, 'reason'>,
): Promise<number[]> {
  const also: Channel[] =
    cause.channel === 'temail' ? ['email'] : cause.channel === 'tsms' ? ['sms'] : [];
  const subscriberIds = await affectedSubscribers(tx, accountId, subscribers, cause.channel);
  let changedIds: number[] = [];
  for (const channel of [cause.channel, ...also]) {
    const { changedIds: changed, suppressedIds } = await move(
      tx,
      accountId,
      { subscriberIds },
      {
        ...cause,
        channel,
        reason: 'complaint',
        to: 'reported',
        from: ['active', 'non-subscribed', 'bounced', 'unsubscribed'],
        suppression: 'reported',
      },
    );
    if (channel === cause.channel) changedIds = changed;
    await insertConsents(tx, accountId, [...new Set([...changed, ...suppressedIds])], {
      channel,
      kind: 'withdrawn',
      source: 'complaint',
      sourceId: cause.messageId,
      at: clock.now(),
    });
  }
  return changedIds;
}

type Move = StatusCause & {
  to: SubscriptionStatus;
  from: SubscriptionStatus[];
  suppression?: SuppressionReason;
};

/** Ids with a changed status, and ids with a new or stronger suppression. */
type MovedPeople = { changedIds: number[]; suppressedIds: number[] };

async function move(
  tx: Tx,
  accountId: number,
  subscribers: SubscriberSet,
  to: Move,
): Promise<MovedPeople> {
  if (subscribers.subscriberIds.length === 0) return { changedIds: [], suppressedIds: [] };
  const at = clock.now();
  const rows = await changeStatuses(tx, accountId, subscribers.subscriberIds, { ...to, at });
  const changedIds = rows.map((row) => row.id);
  const { channel, messageId, suppression } = to;
  const suppressedIds = suppression
    ? await suppressSubscribers(tx, accountId, subscribers.subscriberIds, {
        channel,
        reason: suppression,
        messageId,
        at,
        pads: suppressionHashPads(),
      })
    : [];
  if (changedIds.length > 0) {
    await statusesChanged.announce(tx, {
      accountId,
      subscriberIds: changedIds,
      channel,
      to: to.to,
      reason: to.reason,
    });
  }
  return { changedIds, suppressedIds };
}

export type ReactivationOptions = {
  channel: Channel;
  userId?: number | undefined;
  ip?: string | undefined;
  /**
   * The subscriber's recorded consent to return, which also ends their own opt-out. Only for one
   * subscriber at a time.
   */
  consent?: Pick<Consent, 'source' | 'sourceId' | 'wording'> | undefined;
  /**
   * A channel that was never subscribed is not activated, with or without consent: the wording
   * undoes an opt-out and is not a first consent.
   */
  isReturnOnly?: boolean | undefined;
};

/**
 * The reason why a subscriber is not reactivated. `reported` and `erased` are permanent; `own_wish`
 * lasts until a new consent, and `no_consent` (never subscribed) until a first one.
 */
export type Refusal = 'reported' | 'erased' | 'own_wish' | 'no_consent' | 'no_address';
export type Reactivation = { reactivated: number[]; skipped: { id: number; reason: Refusal }[] };

/** Reactivates subscribers on a channel; refused ones are returned with the reason. */
export async function reactivate(
  tx: Tx,
  accountId: number,
  subscribers: SubscriberSet,
  options: ReactivationOptions,
): Promise<Reactivation> {
  const { channel } = options;
  const rows = await lockAddresses(tx, accountId, subscribers.subscriberIds, channel);
  const inactiveRows = rows.filter((row) => row.status !== 'active');
  const reasons = await reasonsOf(tx, accountId, inactiveRows, channel);
  const ids = inactiveRows.map((row) => row.id);
  const strangers = await findNeverActive(tx, accountId, ids, channel);
  const skipped: Reactivation['skipped'] = [];
  const returning: AddressRow[] = [];
  for (const row of inactiveRows) {
    const isStranger = row.status === 'non-subscribed' || strangers.has(row.id);
    const reason = refusalOf(row, channel, {
      reasons,
      isStranger,
      hasConsent: options.consent !== undefined,
      isReturnOnly: options.isReturnOnly === true,
    });
    if (reason) skipped.push({ id: row.id, reason });
    else returning.push(row);
  }
  const reactivated = await reactivateRows(tx, accountId, returning, options);
  return { reactivated, skipped };
}

async function reasonsOf(tx: Tx, accountId: number, rows: AddressRow[], channel: Channel) {
  const suppressions = await findSuppressions(tx, accountId, hashesOf(rows, channel), [channel]);
  return new Map(suppressions.map((row) => [row.address_hash.toString('latin1'), row.reason]));
}

function refusalOf(
  row: AddressRow,
  channel: Channel,
  context: {
    reasons: Map<string, SuppressionReason>;
    isStranger: boolean;
    hasConsent: boolean;
    isReturnOnly: boolean;
  },
): Refusal | undefined {
  const key = keyOf(row, channel);
  if (!key) return 'no_address';
  const { reasons, isStranger, hasConsent, isReturnOnly } = context;
  const reason = reasons.get(suppressionHash(key).toString('latin1'));
  if (row.status === 'reported' || reason === 'reported') return 'reported';
  if (reason === 'erased') return 'erased';
  if (reason === 'unsubscribed' && !hasConsent) return 'own_wish';
  if (isStranger && (!hasConsent || isReturnOnly)) return 'no_consent';
  return undefined;
}

async function reactivateRows(
  tx: Tx,
  accountId: number,
  rows: AddressRow[],
  options: ReactivationOptions,
): Promise<number[]> {
  if (rows.length === 0) return [];
  const { channel, consent, userId, ip } = options;
  const ids = rows.map((row) => row.id);
  const at = clock.now();
  const cause = { channel, reason: 'reactivated' as const, userId };
  const changed = await changeStatuses(tx, accountId, ids, {
    ...cause,
    to: 'active',
    from: ['bounced', 'unsubscribed', 'non-subscribed'],
    at,
  });
  await deleteSuppressions(tx, accountId, channel, hashesOf(rows, channel));
  if (consent) {
    await insertConsents(tx, accountId, ids, {
      channel,
      kind: 'given',
      userId,
      ip,
      at,
      ...consent,
    });
  }
  const changedIds = changed.map((row) => row.id);
  if (changedIds.length > 0) {
    await statusesChanged.announce(tx, {
      accountId,
      subscriberIds: changedIds,
      to: 'active',
      ...cause,
    });
  }
  return changedIds;
}

/**
 * Activates non-subscribed subscribers who confirmed by the emailed link (double opt-in), or
 * consented in a form or store. Returns the ids that became active.
 */
export async function confirm(
  tx: Tx,
  accountId: number,
  subscribers: SubscriberSet,
  consent: Pick<Consent, 'source' | 'sourceId' | 'ip' | 'wording' | 'details'> & {
    channel: Exclude<Consent['channel'], 'terms'>;
  },
): Promise<number[]> {
  const { changedIds: ids } = await move(tx, accountId, subscribers, {
    channel: consent.channel,
    reason: 'form',
    to: 'active',
    from: ['non-subscribed'],
  });
  await insertConsents(tx, accountId, ids, { ...consent, kind: 'confirmed', at: clock.now() });
  return ids;
}

/**
 * Activates subscribers if a program of the account attests their first consent, unless they opted
 * out before. The caller records the consent. Returns the ids that became active.
 */
export async function activateByApi(
  tx: Tx,
  accountId: number,
  subscribers: SubscriberSet,
  cause: { channel: Channel; userId: number },
): Promise<number[]> {
  const { changedIds } = await move(tx, accountId, subscribers, {
    ...{ ...cause, reason: 'api', to: 'active', from: ['non-subscribed'] },
  });
  return changedIds;
}

/**
 * Resubscribes people whom this store unsubscribed and who have not opted out elsewhere since.
 * Returns the ids that became active.
 */
export async function resubscribeByStore(
  tx: Tx,
  accountId: number,
  { subscriberIds }: SubscriberSet,
  { channel, storeId }: { channel: 'email' | 'sms'; storeId: number },
): Promise<number[]> {
  const byStores = await findWithdrawnByStores(tx, accountId, subscriberIds, channel);
  const unsubscribedByStore = subscriberIds.filter((id) => byStores.get(id) === storeId);
  const rows = await lockAddresses(tx, accountId, unsubscribedByStore, channel);
  const unsubscribedIds = rows
    .filter(({ status }) => status === 'unsubscribed')
    .map(({ id }) => id);
  const consent = { source: 'store', sourceId: storeId };
  const result = await reactivate(
    tx,
    accountId,
    { subscriberIds: unsubscribedIds },
    { channel, consent },
  );
  return result.reactivated;
}
