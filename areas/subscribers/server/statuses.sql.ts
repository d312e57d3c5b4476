// Queries for statuses, their history, and consent, for sets of subscribers.
import { sql } from 'kysely';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { textArray } from '#platform/server/database/text-array.ts';
import {
  getAddressField,
  type ChangeReason,
  type Channel,
  CHANNELS,
  type ConsentKind,
  type SubscriptionStatus,
} from '../shared.ts';

type StatusTransition = {
  id: number;
  previousStatus: SubscriptionStatus;
  email_key: string | null;
  phone_key: string | null;
};

export type StatusChange = {
  channel: Channel;
  to: SubscriptionStatus;
  /** Limits the change to subscribers with one of these statuses. */
  from: readonly SubscriptionStatus[];
  reason: ChangeReason;
  messageId?: number | undefined;
  userId?: number | undefined;
  at: Date;
};

const column = (channel: Channel) => sql.ref(`${channel}_status`);

/**
 * Changes one channel's status of a set of subscribers and writes the history. Returns the changed
 * subscribers. `modified_at` is the time of the last change of details, so it remains as it is.
 * Thus no index changes, and 100,000 subscribers take a third of the time. Rows are locked in the
 * order of ids, so that overlapping sets never deadlock. Two changes within one millisecond are one
 * entry of the history.
 */
export async function changeStatuses(
  tx: Tx,
  accountId: number,
  ids: readonly number[],
  change: StatusChange,
): Promise<StatusTransition[]> {
  const { channel, to, at } = change;
  const unsubscribedAt =
    channel === 'email' ? sql`, unsubscribed_at = ${to === 'unsubscribed' ? at : null}` : sql``;
  const bouncedAt =
    channel === 'email' && to === 'bounced'
      ? sql`, bounced_at = ${at}`
      : channel === 'email' && to === 'active'
        ? sql`, bounced_at = null`
        : sql``;
  const { rows } = await sql<StatusTransition>`
    with before as materialized (
      select id, ${column(channel)} as was from subscribers
      where account_id = ${accountId} and id = any(${[...ids]}::bigint[]) and deleted_at is null
        and ${column(channel)} = any(${[...change.from]}::subscription_status[])
      order by id for update
    )
    update subscribers s
    set ${column(channel)} = ${to}::subscription_status ${unsubscribedAt} ${bouncedAt}
    from before where s.account_id = ${accountId} and s.id = before.id
      -- repeats the condition of "before", so that no plan reads the whole table for a few ids
      and s.id = any(${[...ids]}::bigint[])
    returning s.id, before.was as "previousStatus", s.email_key, s.phone_key`.execute(tx);
  await insertChanges(tx, accountId, rows, change);
  return rows;
}

/**
 * Writes the history of a set of subscribers. This is not part of the statement that updates them,
 * because a cluster would then pass the rows through every node.
 */
async function insertChanges(
  tx: Tx,
  accountId: number,
  rows: readonly StatusTransition[],
  { channel, to, reason, messageId, userId, at }: StatusChange,
): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    insert into status_changes
      (account_id, subscriber_id, at, channel, from_status, to_status, reason, message_id, user_id)
    select ${accountId}::bigint, id, ${at}::timestamptz, ${channel}, was, ${to}::subscription_status,
      ${reason}, ${messageId ?? null}::bigint, ${userId ?? null}::bigint
    from unnest(${rows.map((row) => row.id)}::bigint[],
      ${rows.map((row) => row.previousStatus)}::subscription_status[]) as changed (id, was)
    on conflict (account_id, subscriber_id, at, channel)
      do update set to_status = excluded.to_status, reason = excluded.reason`.execute(tx);
}

type ChannelStatuses = Record<`${Channel}_status`, SubscriptionStatus>;

/** Writes the history of one subscriber's statuses, which the caller has changed. */
export async function logStatuses(
  tx: Tx,
  accountId: number,
  before: Record<keyof ChannelStatuses, SubscriptionStatus | null> & { id: number },
  after: ChannelStatuses,
  change: { reason: ChangeReason; at: Date },
): Promise<void> {
  const changedChannels = CHANNELS.filter(
    (channel) => before[`${channel}_status`] !== after[`${channel}_status`],
  );
  if (changedChannels.length === 0) return;
  await sql`
    insert into status_changes (account_id, subscriber_id, at, channel, from_status, to_status, reason)
    select ${accountId}::bigint, ${before.id}::bigint, ${change.at}::timestamptz, channel, was, now,
      ${change.reason}
    from unnest(${changedChannels}::text[], ${changedChannels.map((channel) => before[`${channel}_status`])}::subscription_status[],
      ${changedChannels.map((channel) => after[`${channel}_status`])}::subscription_status[]) as moved (channel, was, now)
    on conflict (account_id, subscriber_id, at, channel)
      do update set to_status = excluded.to_status, reason = excluded.reason`.execute(tx);
}

export type Consent = {
  /** `terms` is consent to terms of use, which allows no messages. */
  channel: Channel | 'terms';
  kind: ConsentKind;
  source: string;
  wording?: string | undefined;
  sourceId?: number | undefined;
  ip?: string | undefined;
  userId?: number | undefined;
  /** Additional consent evidence: form version, page, language. */
  details?: Record<string, unknown> | undefined;
  at: Date;
};

/**
 * Records the consent of subscribers whom the caller has read or changed in this transaction.
 * `areNew`: the caller created them, so none has an equal consent already.
 */
export async function insertConsents(
  tx: Tx,
  accountId: number,
  ids: readonly number[],
  consent: Consent,
  { areNew = false } = {},
): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    insert into consents
      (account_id, subscriber_id, at, channel, kind, source, wording, source_id, ip, user_id,
       details)
    select ${accountId}::bigint, id, ${consent.at}::timestamptz, ${consent.channel}, ${consent.kind},
      ${consent.source}, ${consent.wording ?? null}, ${consent.sourceId ?? null}::bigint,
      ${consent.ip ?? null}, ${consent.userId ?? null}::bigint,
      ${consent.details ? JSON.stringify(consent.details) : null}::jsonb
    from unnest(${textArray(ids)}::bigint[]) as given (id)
    ${areNew ? sql`` : sql`on conflict (account_id, subscriber_id, at, channel, kind) do nothing`}`.execute(
    tx,
  );
}

export type AddressRow = {
  id: number;
  email_key: string | null;
  phone_key: string | null;
  status: SubscriptionStatus;
};

/** Locks a set in the order of ids and returns its addresses and one channel's status. */
export async function lockAddresses(
  tx: Tx,
  accountId: number,
  ids: readonly number[],
  channel: Channel,
): Promise<AddressRow[]> {
  const { rows } = await sql<AddressRow>`
    select id, email_key, phone_key, ${column(channel)} as status from subscribers
    where account_id = ${accountId} and id = any(${[...ids]}::bigint[]) and deleted_at is null
    order by id for update`.execute(tx);
  return rows;
}

/**
 * Some of the subscribers may have been deleted and then added again with the same address. Returns
 * the new subscribers with these addresses.
 */
export async function findAddedAgain(
  db: Reader,
  accountId: number,
  ids: readonly number[],
  channel: Channel,
): Promise<number[]> {
  const key = getAddressField(channel) === 'email' ? 'email_key' : 'phone_key';
  const { rows } = await sql<{ id: number }>`
    select again.id from subscribers gone
    join subscribers again on again.account_id = ${accountId} and again.deleted_at is null
      and again.${sql.ref(key)} = gone.${sql.ref(key)}
    where gone.account_id = ${accountId} and gone.id = any(${[...ids]}::bigint[])
      and gone.deleted_at is not null and gone.${sql.ref(key)} is not null`.execute(db);
  return rows.map((row) => row.id);
}

/**
 * Returns the subscribers who were once non-subscribed on the channel and never active. They need a
 * consent to become active.
 */
export async function findNeverActive(
  db: Reader,
  accountId: number,
  ids: readonly number[],
  channel: Channel,
): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  const { rows } = await sql<{ subscriber_id: number }>`
    select subscriber_id from status_changes
    where account_id = ${accountId} and subscriber_id = any(${[...ids]}::bigint[])
      and channel = ${channel}
    group by subscriber_id
    having bool_or(from_status = 'non-subscribed' or to_status = 'non-subscribed')
      and not coalesce(bool_or(from_status = 'active' or to_status = 'active'), false)`.execute(db);
  return new Set(rows.map((row) => row.subscriber_id));
}

export function listStatusChanges(db: Reader, accountId: number, subscriberId: number) {
  return db
    .selectFrom('status_changes')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('subscriber_id', '=', subscriberId)
    .orderBy('at', 'desc')
    .orderBy('channel')
    .limit(1000)
    .execute();
}

/** Returns the time of each subscriber's last consent to email. */
export async function readConsentDates(
  db: Reader,
  accountId: number,
  ids: readonly number[],
): Promise<Map<number, Date>> {
  const { rows } = await sql<{ subscriber_id: number; at: Date }>`
    select subscriber_id, max(at) as at from consents
    where account_id = ${accountId} and subscriber_id = any(${[...ids]}::bigint[])
      and channel = 'email' and kind <> 'withdrawn'
    group by subscriber_id`.execute(db);
  return new Map(rows.map((row) => [row.subscriber_id, row.at]));
}

export function listConsents(db: Reader, accountId: number, subscriberId: number) {
  return db
    .selectFrom('consents')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('subscriber_id', '=', subscriberId)
    .orderBy('at', 'desc')
    .orderBy('channel')
    .limit(1000)
    .execute();
}

/**
 * Returns the subscribers whose newest consent entry on the channel is a withdrawal by a store,
 * with the ID of that store.
 */
export async function findWithdrawnByStores(
  db: Reader,
  accountId: number,
  ids: readonly number[],
  channel: Channel,
): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ subscriber_id: number; source_id: number }>`
    select subscriber_id, source_id from (
      select distinct on (subscriber_id) subscriber_id, kind, source, source_id from consents
      where account_id = ${accountId} and subscriber_id = any(${[...ids]}::bigint[])
        and channel = ${channel}
      order by subscriber_id, at desc, kind desc
    ) newest
    where kind = 'withdrawn' and source = 'store' and source_id is not null`.execute(db);
  return new Map(rows.map((row) => [row.subscriber_id, row.source_id]));
}
