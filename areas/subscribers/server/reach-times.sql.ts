// Queries for reachable subscribers over time: how many became reachable per quarter of an hour,
// and how many were lost by reason.
import { type RawBuilder, sql } from 'kysely';
import type { Reader, Tx } from '#platform/server/database/database.ts';

export type ReachChange = {
  added: number;
  unsubscribed: number;
  bounced: number;
  complained: number;
  /** Subscribers who were deleted, or whom the account set to non-subscribed. */
  removed: number;
};

export type ReachTime = ReachChange & { quarter: Date };

/**
 * Returns SQL for the rank of a status, higher for more serious losses, so that changes can be
 * summed.
 */
const codeOf = (name: string): RawBuilder<number> => {
  const status = sql.ref(name);
  return sql`(case when ${status} = 'active' then 1 when ${status} = 'unsubscribed' then 2
    when ${status} = 'bounced' then 3 when ${status} = 'reported' then 4 else 0 end)`;
};

/**
 * Changes since an instant, oldest first, from the history of statuses and from creations and
 * deletions of subscribers. The state at each change is the current one minus all later changes, so
 * subscribers without changes are not read.
 */
export async function readReachChanges(
  db: Reader,
  accountId: number,
  since: Date,
): Promise<ReachTime[]> {
  const move = sql`${codeOf('to_status')} - ${codeOf('from_status')}`;
  const { rows } = await sql<ReachTime>`
    with moves as (
      select subscriber_id, at, sum(email) as email, sum(sms) as sms, sum(alive) as alive
      from (
        select subscriber_id, at, case when channel = 'email' then ${move} else 0 end as email,
          case when channel = 'sms' then ${move} else 0 end as sms, 0 as alive
        from status_changes
        where account_id = ${accountId} and at >= ${since} and channel in ('email', 'sms')
        union all
        select id, created_at, 0, 0, 1 from subscribers
        where account_id = ${accountId} and created_at >= ${since} and deleted_at is null
        union all
        select id, created_at, 0, 0, 1 from subscribers
        where account_id = ${accountId} and deleted_at >= ${since} and created_at >= ${since}
        union all
        select id, deleted_at, 0, 0, -1 from subscribers
        where account_id = ${accountId} and deleted_at >= ${since}
      ) move
      group by subscriber_id, at
    ), states as (
      select m.at, m.email as email_move, m.sms as sms_move, m.alive as alive_move,
        ${codeOf('s.email_status')} - coalesce(sum(m.email) over later, 0) as email,
        ${codeOf('s.sms_status')} - coalesce(sum(m.sms) over later, 0) as sms,
        (s.deleted_at is null)::int - coalesce(sum(m.alive) over later, 0) as alive
      from moves m
      join subscribers s on s.account_id = ${accountId} and s.id = m.subscriber_id
      window later as (partition by m.subscriber_id order by m.at desc
        rows between unbounded preceding and 1 preceding)
    ), reach as (
      select at, alive = 1 as is_alive, greatest(email, sms) as gravity,
        alive = 1 and (email = 1 or sms = 1) as is_after,
        alive - alive_move = 1 and (email - email_move = 1 or sms - sms_move = 1) as is_before
      from states
    )
    select date_bin('15 minutes', at, '2000-01-01Z') as quarter,
      count(*) filter (where is_after) as added,
      count(*) filter (where is_before and is_alive and gravity = 2) as unsubscribed,
      count(*) filter (where is_before and is_alive and gravity = 3) as bounced,
      count(*) filter (where is_before and is_alive and gravity = 4) as complained,
      count(*) filter (where is_before and not (is_alive and gravity between 2 and 4)) as removed
    from reach where is_after <> is_before
    group by 1 order by 1`.execute(db);
  return rows;
}

/** Returns the instant up to which changes are stored, or undefined if none are. */
export async function readStoredUntil(db: Reader, accountId: number): Promise<Date | undefined> {
  const { rows } = await sql<{ until: Date }>`
    select quarter + interval '15 minutes' as until from reach_times
    where account_id = ${accountId} order by quarter desc limit 1`.execute(db);
  return rows[0]?.until;
}

/** Stores the changes of whole quarters of an hour; an existing row has the same numbers. */
export async function insertReachTimes(
  tx: Tx,
  accountId: number,
  times: readonly ReachTime[],
): Promise<void> {
  const numbers = (name: keyof ReachChange) => times.map((time) => time[name]);
  await sql`
    insert into reach_times (account_id, quarter, added, unsubscribed, bounced, complained, removed)
    select ${accountId}, t.* from unnest(${times.map((time) => time.quarter)}::timestamptz[],
      ${numbers('added')}::bigint[], ${numbers('unsubscribed')}::bigint[],
      ${numbers('bounced')}::bigint[], ${numbers('complained')}::bigint[],
      ${numbers('removed')}::bigint[]) t
    on conflict do nothing`.execute(tx);
}

export type ReachDay = ReachChange & { day: string };

/**
 * Returns stored changes per day, from `from` (`YYYY-MM-DD` in the zone); days without a change are
 * left out.
 */
export async function readStoredDays(
  db: Reader,
  accountId: number,
  from: string,
  zone: string,
): Promise<ReachDay[]> {
  const { rows } = await sql<ReachDay>`
    select to_char(quarter at time zone ${zone}, 'YYYY-MM-DD') as day, sum(added) as added,
      sum(unsubscribed) as unsubscribed, sum(bounced) as bounced, sum(complained) as complained,
      sum(removed) as removed
    from reach_times
    where account_id = ${accountId} and quarter >= ${from}::timestamp at time zone ${zone}
    group by 1 order by 1`.execute(db);
  return rows;
}
