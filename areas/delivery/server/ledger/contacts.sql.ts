// Queries for workflows and the contact guard: states of subscribers' copies, their marketing
// contacts, and the number of copies in progress.
import { sql } from 'kysely';
import type { Reader } from '#platform/server/database/database.ts';
import type { RecipientState } from '../../shared.ts';
import { filterKinds } from '../../message-kinds.ts';
import { positionIn, positionInRuns } from './recipient-runs.sql.ts';

export type SubscriberCopyState = {
  subscriberId: number;
  state: RecipientState;
  /** Reason for a skip or deferral, or the cause of a refusal; null if there is none. */
  reason: string | null;
  /** Time of the newest result; null if there is none. */
  at: Date | null;
};

/**
 * Returns the state of each subscriber's copy of a message: as a recipient, or as the newest single
 * send. Subscribers without a copy are absent. All tables are read by key.
 */
export async function readCopyStates(
  db: Reader,
  accountId: number,
  messageId: number,
  ids: readonly number[],
  now: Date,
): Promise<SubscriberCopyState[]> {
  const subscriberRows = sql`unnest(${[...ids]}::bigint[]) p(id)`;
  const { rows } = await sql<SubscriberCopyState>`
    select p.id as "subscriberId", case
        when d.owner is not null then 'handing_over'
        when d.lane is not null then 'deferred'
        when n.state is not null then n.state::text
        when c.is_accepted then 'accepted'
        when r.ordinal <= l.started_to and l.owner <> '' and l.expires_at >= ${now} then 'handing_over'
        when r.ordinal <= l.started_to then 'unknown'
        when m.state = 'cancelled' then 'skipped' else 'pending' end as state,
      coalesce(d.reason, n.reason,
        case when m.state = 'cancelled' and n.state is null and not c.is_accepted then 'cancelled' end) as reason,
      n.at
    from ${subscriberRows}
    join messages m on m.account_id = ${accountId} and m.id = ${messageId}
    cross join lateral ${positionIn(accountId, messageId, sql`p.id`)} r
    left join deferrals d on d.account_id = ${accountId} and d.message_id = ${messageId}
      and d.lane = r.lane and d.ordinal = r.ordinal
    left join lateral (select state, reason, at from results a where a.account_id = ${accountId}
      and a.message_id = ${messageId} and a.lane = r.lane and a.ordinal = r.ordinal
      order by a.attempt desc limit 1) n on true
    left join lateral (select owner, expires_at, started_to from leases l
      where l.account_id = ${accountId} and l.message_id = ${messageId} and l.lane = r.lane
        and l.from_ordinal <= r.ordinal order by l.from_ordinal desc limit 1) l on true
    cross join lateral (select n.state is null and exists (select 1 from compacted_ranges s
      where s.account_id = ${accountId} and s.message_id = ${messageId} and s.lane = r.lane
        and r.ordinal between s.from_ordinal and s.to_ordinal) as is_accepted) c
    union all
    select s.subscriber_id, s.state::text, s.reason, s.finished_at
    from ${subscriberRows}
    join lateral (select subscriber_id, state, reason, finished_at from single_sends s
      where s.account_id = ${accountId} and s.subscriber_id = p.id and s.message_id = ${messageId}
      order by s.created_at desc, s.id desc limit 1) s on true`.execute(db);
  return rows;
}

const MARKETING = filterKinds((rules) => rules.permission === 'marketing' && rules.isCounted);

/**
 * Returns the marketing contacts of these subscribers on any channel since an instant: one row per
 * copy that was sent or is still to be sent. A copy of a later wave counts already now, as a
 * contact at the time when the wave opens. Skipped and refused copies are not contacts.
 */
export async function listContactsSince(
  db: Reader,
  accountId: number,
  ids: readonly number[],
  since: Date,
): Promise<{ subscriberId: number; at: Date }[]> {
  const { rows } = await sql<{ subscriberId: number; at: Date }>`
    with recent as materialized (
      select id, started_at, state, packed_to from messages
      where account_id = ${accountId} and kind = any(${MARKETING}::text[])
        and (finished_at is null or finished_at >= ${since})
    ), packed as materialized (
      select id, packed_to from recent where packed_to is not null
    )
    select * from (
      select p.id as "subscriberId",
        coalesce(n.at, greatest(m.started_at, l.opens_at)) as at, n.state
      from unnest(${[...ids]}::bigint[]) p(id)
      cross join lateral (
        select w.message_id, w.lane, w.ordinal from recipients w
        where w.account_id = ${accountId} and w.subscriber_id = p.id
          and w.message_id >= (select min(id) from recent)
        union
        select k.id, found.lane, found.ordinal from packed k
        cross join lateral ${positionInRuns(accountId, sql`k.id`, sql`p.id`)} found
        where k.packed_to >= p.id) r
      join recent m on m.id = r.message_id
      left join lateral (select a.state, a.at from results a where a.account_id = ${accountId}
        and a.message_id = r.message_id and a.lane = r.lane and a.ordinal = r.ordinal
        order by a.attempt desc limit 1) n on true
      left join lanes l on l.account_id = ${accountId} and l.message_id = r.message_id
        and l.lane = r.lane
      where n.state is not null or m.state <> 'cancelled'
        or exists (select 1 from compacted_ranges c where c.account_id = ${accountId}
          and c.message_id = r.message_id and c.lane = r.lane
          and r.ordinal between c.from_ordinal and c.to_ordinal)
      union all
      select s.subscriber_id, coalesce(s.finished_at, s.created_at), s.state
      from unnest(${[...ids]}::bigint[]) p(id)
      join single_sends s on s.account_id = ${accountId} and s.subscriber_id = p.id
      join recent m on m.id = s.message_id) contacts
    where at >= ${since} and (state is null or state not in ('skipped', 'failed'))`.execute(db);
  return rows;
}

const AUTOMATED = filterKinds((rules) => rules.isCounted && rules.isAutomated);

/**
 * Counts the copies that an account's workflows have sent or queued and that have no final result.
 * Counts at most `max` single sends.
 */
export async function countUnanswered(db: Reader, accountId: number, max: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select coalesce((
      select sum(c.audience - c.accepted - c.failed - c.skipped - c.unknown)
      from messages m
      join delivery_counts c on c.account_id = ${accountId} and c.message_id = m.id
      where m.account_id = ${accountId} and m.kind = any(${AUTOMATED}::text[])
        and m.stream_key is not null and m.state not in ('finished', 'cancelled')), 0)
      + (select count(*) from (select 1 from single_sends s
        where s.account_id = ${accountId} and s.state in ('pending', 'deferred', 'handing_over')
          and s.priority = 2 limit ${max}) waiting) as count`.execute(db);
  return Number(rows[0]?.count ?? 0);
}
