// The statuses and their transitions:
// - A hard bounce changes active and non-subscribed to bounced, an unsubscribe changes these three
//   to unsubscribed, and a spam complaint changes any status to reported.
// - unsubscribed becomes active again only by reactivation, bounced also by another address, and
//   reported never.
// - Every change appends to the history, and unsubscribes, bounces and complaints suppress a hash
//   of the address, with the reason that decides about reactivation (see reactivate).
import type { Cause } from '#platform/origins.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import {
  addressField,
  type ChangeReason,
  type Channel,
  isPersonal,
  type SubscriptionStatus,
  type SuppressionReason,
} from '../shared.ts';
import { statusesChanged, subscribersUnsubscribed } from './events.ts';
import {
  type AddressRow,
  addedAgain,
  type Consent,
  changeStatuses,
  insertConsents,
  lockAddresses,
  findNeverActive,
  withdrawnByStores,
} from './statuses.sql.ts';
import { suppressionHash, suppressionHashPads } from './suppression-hash.ts';
import { deleteSuppressions, findSuppressions, suppressSubscribers } from './suppressions.sql.ts';

export type People = { subscriberIds: readonly number[] };

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
  addressField(channel) === 'email' ? row.email_key : row.phone_key;

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
 * the address, and publishes the event. Returns the ids whose status changed. A subscriber who was
 * unsubscribed before keeps that history, but a subscriber's own opt-out replaces the reason of the
 * account's suppression, and also applies to deleted subscribers (see affectedSubscribers). Ids of
 * other accounts are ignored, and those of deleted subscribers if the account unsubscribes them.
 */
export async function unsubscribe(
  tx: Tx,
  accountId: number,
  people: People,
  act: StatusCause,
): Promise<number[]> {
  if (people.subscriberIds.length === 0) return [];
  const at = clock.now();
  const isOwnRequest = isPersonal(act.reason);
  const ids = isOwnRequest
    ? await affectedSubscribers(tx, accountId, people, act.channel)
    : people.subscriberIds;
  // A subscriber unsubscribed by the account may still opt out themselves.
  if (isOwnRequest) await lockAddresses(tx, accountId, ids, act.channel);
  const changed = await changeStatuses(tx, accountId, ids, {
    ...act,
    to: 'unsubscribed',
    from: ['active', 'non-subscribed', 'bounced'],
    at,
  });
  const changedIds = changed.map((row) => row.id);
  const closed = await suppressSubscribers(tx, accountId, isOwnRequest ? ids : changedIds, {
    channel: act.channel,
    reason: isOwnRequest ? 'unsubscribed' : 'manual',
    messageId: act.messageId,
    at,
    pads: suppressionHashPads(),
  });
  // A repetition changes nothing, except that a store can no longer undo its own unsubscribe.
  const moved = new Set([...changedIds, ...closed]);
  const repeated = act.reason !== 'store' ? ids.filter((id) => !moved.has(id)) : [];
  const byStores = await withdrawnByStores(tx, accountId, repeated, act.channel);
  const leaving = [...moved, ...byStores.keys()];
  await insertConsents(tx, accountId, leaving, { ...consentOf(act), kind: 'withdrawn', at });
  if (changedIds.length > 0) {
    await subscribersUnsubscribed.announce(tx, {
      accountId,
      subscriberIds: changedIds,
      channel: act.channel,
      reason: act.reason,
      messageId: act.messageId,
      ...(act.cause ?? { origin: isOwnRequest ? 'person' : 'bulk' }),
    });
  }
  return changedIds;
}

/**
 * Subscribers concerned by an opt-out, complaint or bounce: the given ones, even if deleted, since
 * their address must be suppressed when it is added again; and the subscribers who have that
 * address now.
 */
async function affectedSubscribers(
  tx: Tx,
  accountId: number,
  { subscriberIds }: People,
  channel: Channel,
): Promise<readonly number[]> {
  if (subscriberIds.length === 0) return [];
  const successors = await addedAgain(tx, accountId, subscriberIds, channel);
  return successors.length === 0 ? subscriberIds : [...new Set([...subscriberIds, ...successors])];
}

const consentOf = (act: StatusCause): Omit<Consent, 'kind' | 'at'> => ({
  channel: act.channel,
  source: act.reason,
  sourceId: act.storeId ?? act.messageId,
  ip: act.ip,
  userId: act.userId,
});

/**
 * Records that an address does not exist (a hard bounce): active and non-subscribed statuses of
 * both channels that use it become bounced. Returns the ids whose status on the given channel
 * changed.
 */
export async function bounce(
  tx: Tx,
  accountId: number,
  people: People,
  act: Omit<StatusCause, 'reason'>,
): Promise<number[]> {
  const channels: Channel[] =
    addressField(act.channel) === 'email' ? ['email', 'temail'] : ['sms', 'tsms'];
  const subscriberIds = await affectedSubscribers(tx, accountId, people, act.channel);
  let own: number[] = [];
  for (const channel of channels) {
    const { changed } = await move(
      tx,
      accountId,
      { subscriberIds },
      {
        ...act,
        channel,
        reason: 'hard_bounce',
        to: 'bounced',
        from: ['active', 'non-subscribed'],
        suppression: 'bounced',
      },
    );
    if (channel === act.channel) own = changed;
  }
  return own;
}

/**
 * Records spam complaints. A complaint about a transactional message ends marketing to that
 * address as well; a complaint about marketing does not affect transactional messages. Returns the
 * ids whose status on the given channel changed.
 */
export async function complain(
  tx: Tx,
  accountId: number,
  people: People,
  act: Omit<StatusCause, 'reason'>,
): Promise<number[]> {
  const also: Channel[] =
    act.channel === 'temail' ? ['email'] : act.channel === 'tsms' ? ['sms'] : [];
  const subscriberIds = await affectedSubscribers(tx, accountId, people, act.channel);
  let own: number[] = [];
  for (const channel of [act.channel, ...also]) {
    const { changed, closed } = await move(
      tx,
      accountId,
      { subscriberIds },
      {
        ...act,
        channel,
        reason: 'complaint',
        to: 'reported',
        from: ['active', 'non-subscribed', 'bounced', 'unsubscribed'],
        suppression: 'reported',
      },
    );
    if (channel === act.channel) own = changed;
    await insertConsents(tx, accountId, [...new Set([...changed, ...closed])], {
      channel,
      kind: 'withdrawn',
      source: 'complaint',
      sourceId: act.messageId,
      at: clock.now(),
    });
  }
  return own;
}

type Move = StatusCause & {
  to: SubscriptionStatus;
  from: SubscriptionStatus[];
  suppression?: SuppressionReason;
};

/** Ids with a changed status, and ids with a new or stronger suppression. */
type MovedPeople = { changed: number[]; closed: number[] };

async function move(tx: Tx, accountId: number, people: People, to: Move): Promise<MovedPeople> {
  if (people.subscriberIds.length === 0) return { changed: [], closed: [] };
  const at = clock.now();
  const rows = await changeStatuses(tx, accountId, people.subscriberIds, { ...to, at });
  const changed = rows.map((row) => row.id);
  const { channel, messageId, suppression } = to;
  const closed = suppression
    ? await suppressSubscribers(tx, accountId, people.subscriberIds, {
        channel,
        reason: suppression,
        messageId,
        at,
        pads: suppressionHashPads(),
      })
    : [];
  if (changed.length > 0) {
    await statusesChanged.announce(tx, {
      accountId,
      subscriberIds: changed,
      channel,
      to: to.to,
      reason: to.reason,
    });
  }
  return { changed, closed };
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
export type Reactivation = { reactivated: number[]; skipped: { id: number; why: Refusal }[] };

/** Reactivates subscribers on a channel; refused ones are returned with the reason. */
export async function reactivate(
  tx: Tx,
  accountId: number,
  people: People,
  back: ReactivationOptions,
): Promise<Reactivation> {
  const { channel } = back;
  const rows = await lockAddresses(tx, accountId, people.subscriberIds, channel);
  const away = rows.filter((row) => row.status !== 'active');
  const reasons = await reasonsOf(tx, accountId, away, channel);
  const ids = away.map((row) => row.id);
  const strangers = await findNeverActive(tx, accountId, ids, channel);
  const skipped: Reactivation['skipped'] = [];
  const returning: AddressRow[] = [];
  for (const row of away) {
    const isStranger = row.status === 'non-subscribed' || strangers.has(row.id);
    const why = refusalOf(row, channel, {
      reasons,
      isStranger,
      hasConsent: back.consent !== undefined,
      isReturnOnly: back.isReturnOnly === true,
    });
    if (why) skipped.push({ id: row.id, why });
    else returning.push(row);
  }
  const reactivated = await reactivateRows(tx, accountId, returning, back);
  return { reactivated, skipped };
}

async function reasonsOf(tx: Tx, accountId: number, rows: AddressRow[], channel: Channel) {
  const found = await findSuppressions(tx, accountId, hashesOf(rows, channel), [channel]);
  return new Map(found.map((row) => [row.address_hash.toString('latin1'), row.reason]));
}

function refusalOf(
  row: AddressRow,
  channel: Channel,
  known: {
    reasons: Map<string, SuppressionReason>;
    isStranger: boolean;
    hasConsent: boolean;
    isReturnOnly: boolean;
  },
): Refusal | undefined {
  const key = keyOf(row, channel);
  if (!key) return 'no_address';
  const { reasons, isStranger, hasConsent, isReturnOnly } = known;
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
  back: ReactivationOptions,
): Promise<number[]> {
  if (rows.length === 0) return [];
  const { channel, consent, userId, ip } = back;
  const ids = rows.map((row) => row.id);
  const at = clock.now();
  const act = { channel, reason: 'reactivated' as const, userId };
  const changed = await changeStatuses(tx, accountId, ids, {
    ...act,
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
      ...act,
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
  people: People,
  act: Pick<Consent, 'source' | 'sourceId' | 'ip' | 'wording' | 'details'> & {
    channel: Exclude<Consent['channel'], 'terms'>;
  },
): Promise<number[]> {
  const { changed: ids } = await move(tx, accountId, people, {
    channel: act.channel,
    reason: 'form',
    to: 'active',
    from: ['non-subscribed'],
  });
  await insertConsents(tx, accountId, ids, { ...act, kind: 'confirmed', at: clock.now() });
  return ids;
}

/**
 * Activates subscribers for whom a program of the account attests a first consent, unless they
 * opted out before. The caller records the consent. Returns the ids that became active.
 */
export async function activateByApi(
  tx: Tx,
  accountId: number,
  people: People,
  act: { channel: Channel; userId: number },
): Promise<number[]> {
  const { changed } = await move(tx, accountId, people, {
    ...{ ...act, reason: 'api', to: 'active', from: ['non-subscribed'] },
  });
  return changed;
}

/**
 * Resubscribes people whom this store unsubscribed and who have not opted out elsewhere since.
 * Returns the ids that became active.
 */
export async function resubscribeByStore(
  tx: Tx,
  accountId: number,
  { subscriberIds }: People,
  { channel, storeId }: { channel: 'email' | 'sms'; storeId: number },
): Promise<number[]> {
  const byStores = await withdrawnByStores(tx, accountId, subscriberIds, channel);
  const unsubscribedByStore = subscriberIds.filter((id) => byStores.get(id) === storeId);
  const rows = await lockAddresses(tx, accountId, unsubscribedByStore, channel);
  const unsubscribed = rows.filter(({ status }) => status === 'unsubscribed').map(({ id }) => id);
  const consent = { source: 'store', sourceId: storeId };
  const result = await reactivate(
    tx,
    accountId,
    { subscriberIds: unsubscribed },
    { channel, consent },
  );
  return result.reactivated;
}
