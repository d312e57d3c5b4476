// Queries for the bounces, complaints and unsubscribes that other areas report about copies. Also
// claims provider events and erases personal data from events and hits.
import { sql } from 'kysely';
import type { Tx } from '#platform/server/database/database.ts';
import { IS_POLICY } from './setbacks.sql.ts';

/**
 * Column in `outcomes` and counter of each kind of feedback. `returned` is recorded with bounces of
 * copies that a relay had accepted.
 */
export const FEEDBACK_COLUMNS = {
  unsubscribe: { column: 'unsubscribed_at', counter: 'unsubscribes' },
  hard_bounce: { column: 'hard_bounced_at', counter: 'hard_bounces' },
  soft_bounce: { column: 'soft_bounced_at', counter: 'soft_bounces' },
  complaint: { column: 'complained_at', counter: 'complaints' },
  returned: { column: 'returned_at', counter: 'returned' },
} as const;
export type FeedbackKind = keyof typeof FEEDBACK_COLUMNS;

/** `isUnproven`: the report may be forged. */
export type FeedbackRow = {
  messageId: number;
  subscriberId: number;
  at: Date;
  isUnproven: boolean;
};

export type PairRow = { message_id: number; subscriber_id: number };

/**
 * Sets the instant of each fact that has none. Returns the updated pairs of message and subscriber.
 * All rows are locked until the transaction ends.
 */
export async function setFirstInstants(
  tx: Tx,
  accountId: number,
  kind: FeedbackKind,
  rows: readonly FeedbackRow[],
): Promise<PairRow[]> {
  const column = sql.ref(FEEDBACK_COLUMNS[kind].column);
  const { rows: added } = await sql<PairRow>`
    insert into outcomes (account_id, subscriber_id, message_id, ${column})
    select ${accountId}::bigint, u.* from unnest(
      ${rows.map((row) => row.subscriberId)}::bigint[], ${rows.map((row) => row.messageId)}::bigint[],
      ${rows.map((row) => row.at)}::timestamptz[]) as u
    on conflict (account_id, subscriber_id, message_id) do update set ${column} = excluded.${column}
      where outcomes.${column} is null
    returning message_id, subscriber_id`.execute(tx);
  return added;
}

/**
 * Returns the pairs whose stored fact must be replaced by the given one, with the stored instant:
 * either only the given fact is proven, or the given one is earlier and the stored one is not
 * better proven.
 */
export async function findWeakerFeedback(
  tx: Tx,
  accountId: number,
  kind: FeedbackKind,
  rows: readonly FeedbackRow[],
): Promise<(PairRow & { at: Date })[]> {
  const column = sql.ref(FEEDBACK_COLUMNS[kind].column);
  const isKnownUnproven =
    kind === 'returned'
      ? sql`u.is_unproven`
      : sql`exists (select 1 from events e where e.account_id = ${accountId}
          and e.subscriber_id = o.subscriber_id and e.at = o.${column}
          and e.message_id = o.message_id and e.kind = ${kind}::event_kind
          and e.details->>'unproven' is not null)`;
  const { rows: weaker } = await sql<PairRow & { at: Date }>`
    select o.message_id, o.subscriber_id, o.${column} as at from outcomes o
    join unnest(${rows.map((row) => row.subscriberId)}::bigint[],
      ${rows.map((row) => row.messageId)}::bigint[],
      ${rows.map((row) => row.at)}::timestamptz[],
      ${rows.map((row) => row.isUnproven)}::boolean[]) as u (subscriber_id, message_id, at, is_unproven)
      on o.subscriber_id = u.subscriber_id and o.message_id = u.message_id
    where o.account_id = ${accountId}
      and case when ${isKnownUnproven} = u.is_unproven then o.${column} > u.at
        else not u.is_unproven end`.execute(tx);
  return weaker;
}

/** Deletes the events of facts at these instants. Returns the ones that were bounces by policy. */
export async function deleteFeedbackEvents(
  tx: Tx,
  accountId: number,
  kind: FeedbackKind,
  feedback: readonly (PairRow & { at: Date })[],
): Promise<PairRow[]> {
  const { rows } = await sql<PairRow & { is_policy: boolean }>`
    delete from events e using unnest(${feedback.map((item) => item.at)}::timestamptz[],
      ${feedback.map((item) => item.message_id)}::bigint[],
      ${feedback.map((item) => item.subscriber_id)}::bigint[]) as u (at, message_id, subscriber_id)
    where e.account_id = ${accountId} and e.at = u.at and e.message_id = u.message_id
      and e.subscriber_id = u.subscriber_id and e.kind = ${kind}::event_kind
    returning e.message_id, e.subscriber_id, ${IS_POLICY} as is_policy`.execute(tx);
  return rows.filter((row) => row.is_policy);
}

/** Replaces the stored instants of these facts. */
export async function setInstants(
  tx: Tx,
  accountId: number,
  kind: FeedbackKind,
  rows: readonly FeedbackRow[],
): Promise<void> {
  const column = sql.ref(FEEDBACK_COLUMNS[kind].column);
  await sql`
    update outcomes o set ${column} = u.at
    from unnest(${rows.map((row) => row.subscriberId)}::bigint[],
      ${rows.map((row) => row.messageId)}::bigint[],
      ${rows.map((row) => row.at)}::timestamptz[]) as u (subscriber_id, message_id, at)
    where o.account_id = ${accountId} and o.subscriber_id = u.subscriber_id
      and o.message_id = u.message_id`.execute(tx);
}

type RefusedCopy = {
  subscriber_id: number;
  hard_bounced_at: Date | null;
  soft_bounced_at: Date | null;
  returned_at: Date | null;
};

/**
 * Locks and returns the outcomes of subscribers whose copy was refused at the handoff; with
 * `withReturned`, also of subscribers whose copy bounced later.
 */
export async function lockRefusedOutcomes(
  tx: Tx,
  accountId: number,
  messageId: number,
  subscriberIds: readonly number[],
  withReturned: boolean,
): Promise<RefusedCopy[]> {
  const { rows } = await sql<RefusedCopy>`
    select subscriber_id, hard_bounced_at, soft_bounced_at, returned_at from outcomes
    where account_id = ${accountId} and message_id = ${messageId}
      and subscriber_id = any(${[...subscriberIds]}::bigint[])
      and (returned_at is null or ${withReturned}::boolean)
      and (hard_bounced_at is not null or soft_bounced_at is not null)
    order by subscriber_id for update`.execute(tx);
  return rows;
}

/**
 * Deletes these refusals and bounces and their events. Returns the subscribers whose soft bounce
 * was by policy. The statements have no joins, because they run for thousands of subscribers,
 * possibly on tables without statistics.
 */
export async function deleteRefusals(
  tx: Tx,
  accountId: number,
  messageId: number,
  refusals: readonly RefusedCopy[],
): Promise<Set<number>> {
  const ids = refusals.map((setback) => setback.subscriber_id);
  const times = refusals.flatMap((setback) => [setback.hard_bounced_at, setback.soft_bounced_at]);
  const instants = times.flatMap((at) => at?.getTime() ?? []);
  const firstInstant = new Date(instants.reduce((instant, next) => Math.min(instant, next)));
  const lastInstant = new Date(instants.reduce((instant, next) => Math.max(instant, next)));
  await sql`
    update outcomes set hard_bounced_at = null, soft_bounced_at = null, returned_at = null
    where account_id = ${accountId} and message_id = ${messageId}
      and subscriber_id = any(${ids}::bigint[])`.execute(tx);
  const { rows } = await sql<{ subscriber_id: number; kind: string; is_policy: boolean }>`
    delete from events where account_id = ${accountId} and message_id = ${messageId}
      and subscriber_id = any(${ids}::bigint[]) and kind in ('hard_bounce', 'soft_bounce')
      and at >= ${firstInstant} and at <= ${lastInstant}
    returning subscriber_id, kind, ${IS_POLICY} as is_policy`.execute(tx);
  const byPolicy = rows.filter((row) => row.kind === 'soft_bounce' && row.is_policy);
  return new Set(byPolicy.map((row) => row.subscriber_id));
}

/**
 * Claims a provider's events and returns the IDs that were not claimed before. Concurrent claims of
 * an event wait for each other.
 */
export async function claimEvents(
  tx: Tx,
  accountId: number,
  provider: string,
  eventIds: readonly string[],
  at: Date,
): Promise<string[]> {
  const { rows } = await sql<{ event_id: string }>`
    insert into provider_events (account_id, provider, event_id, at)
    select ${accountId}::bigint, ${provider}, event_id, ${at}::timestamptz
    from unnest(${[...new Set(eventIds)].sort()}::text[]) as event_id
    on conflict do nothing returning event_id`.execute(tx);
  return rows.map((row) => row.event_id);
}

/** Removes personal data from the events and hits of erased or purged subscribers. */
export async function eraseSubscribers(
  tx: Tx,
  accountId: number,
  subscriberIds: readonly number[],
) {
  await sql`update events set ip = null, user_agent = null, details = null
    where account_id = ${accountId} and subscriber_id = any(${[...subscriberIds]}::bigint[])
      and (ip is not null or user_agent is not null or details is not null)`.execute(tx);
  await sql`update hits set ip = null, user_agent = null
    where account_id = ${accountId} and subscriber_id = any(${[...subscriberIds]}::bigint[])`.execute(
    tx,
  );
}
