// Queries for best hours: the human opens and clicks they are calculated from, and the results.
import { type RawBuilder, sql } from 'kysely';
import { clock } from '#platform/server/clock.ts';
import type { Db, Reader, Tx } from '#platform/server/database/database.ts';
import { positionIn } from '../ledger/recipient-runs.sql.ts';
import { PLACE_COLUMNS, type PlaceTimeRow } from './slice-waves.sql.ts';

/** The account's own best hour is stored in the row with this subscriber ID. */
export const ACCOUNT_ROW = 0;

/**
 * Returns the account's best hour and the number of actions it was found from; undefined if none
 * was found.
 */
export function findBestHour(
  db: Reader,
  accountId: number,
): Promise<{ hour: number; actions: number } | undefined> {
  return db
    .selectFrom('send_hours')
    .select(['hour', 'actions'])
    .where('account_id', '=', accountId)
    .where('subscriber_id', '=', ACCOUNT_ROW)
    .executeTakeFirst();
}

/** Returns when the account's best hours were last calculated. */
export async function findComputedAt(db: Reader, accountId: number): Promise<Date | undefined> {
  const row = await db
    .selectFrom('send_hours')
    .select('modified_at')
    .where('account_id', '=', accountId)
    .where('subscriber_id', '=', ACCOUNT_ROW)
    .executeTakeFirst();
  return row?.modified_at;
}

/** SQL: `e` is a human open or click of an email. */
const IS_ACTION = sql`e.kind in ('open', 'click') and e.verdict = 'human' and not e.is_sms`;

const WEIGHT = sql`case when e.kind = 'click' then 2 else 1 end`;

/** Returns subscribers with an action since an instant. */
export async function listActiveSince(
  db: Reader,
  accountId: number,
  since: Date,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select distinct e.subscriber_id as id from events e
    where e.account_id = ${accountId} and e.at >= ${since} and ${IS_ACTION}
      and e.subscriber_id > 0
    order by id`.execute(db);
  return rows.map(({ id }) => id);
}

/**
 * SQL: when the copy that the action `e` concerns was accepted. The time of an action soon after
 * the acceptance depends on the time of sending, not on the recipient's habits.
 */
const acceptedAt = (accountId: number): RawBuilder<Date | null> => sql`coalesce(
  (select max(a.at) from recipients r
    join results a on a.account_id = ${accountId} and a.message_id = r.message_id
      and a.lane = r.lane and a.ordinal = r.ordinal and a.state = 'accepted'
    where r.account_id = ${accountId} and r.subscriber_id = e.subscriber_id
      and r.message_id = e.message_id),
  (select max(p.last_at)
    from ${positionIn(accountId, sql`e.message_id`, sql`e.subscriber_id`)} r
    join compacted_ranges p on p.account_id = ${accountId} and p.message_id = e.message_id
      and p.lane = r.lane and r.ordinal between p.from_ordinal and p.to_ordinal),
  (select max(x.finished_at) from single_sends x
    where x.account_id = ${accountId} and x.subscriber_id = e.subscriber_id
      and x.message_id = e.message_id))`;

/** Actions within this time after the acceptance do not count. */
const ECHO = sql`interval '1 hour'`;

export type SendHourActionRow = PlaceTimeRow & {
  id: number;
  at: Date;
  actions: number;
  weight: number;
};

/** Counts the actions of these subscribers by quarter-hour. In `weight`, a click counts twice. */
export async function countActionsByQuarterHour(
  db: Reader,
  accountId: number,
  ids: readonly number[],
  since: Date,
): Promise<SendHourActionRow[]> {
  const { rows } = await sql<SendHourActionRow>`
    with acted as materialized (
      select e.subscriber_id, date_bin('15 minutes', e.at, timestamptz '2000-01-01 00:00Z') as at,
        ${WEIGHT} as weight
      from events e
      where e.account_id = ${accountId} and e.subscriber_id = any(${[...ids]}::bigint[])
        and e.at >= ${since} and ${IS_ACTION}
        and e.at >= coalesce(${acceptedAt(accountId)} + ${ECHO}, e.at)
    )
    select ${PLACE_COLUMNS}, s.id, a.at, count(*)::int as actions, sum(a.weight)::int as weight
    from acted a
    join subscribers s on s.account_id = ${accountId} and s.id = a.subscriber_id
      and s.deleted_at is null
    group by 1, s.id, a.at`.execute(db);
  return rows;
}

/** Counts the account's latest actions, at most `max`, by location and quarter-hour. */
export async function readLatestActions(
  db: Reader,
  accountId: number,
  since: Date,
  max: number,
): Promise<Omit<SendHourActionRow, 'id'>[]> {
  const { rows } = await sql<Omit<SendHourActionRow, 'id'>>`
    with acted as materialized (
      select e.subscriber_id, e.message_id, e.at, e.kind
      from events e
      where e.account_id = ${accountId} and e.at >= ${since} and ${IS_ACTION}
        and e.subscriber_id > 0
      order by e.at desc limit ${max}
    )
    select ${PLACE_COLUMNS}, date_bin('15 minutes', e.at, timestamptz '2000-01-01 00:00Z') as at,
      count(*)::int as actions, sum(${WEIGHT})::int as weight
    from acted e
    join subscribers s on s.account_id = ${accountId} and s.id = e.subscriber_id
      and s.deleted_at is null
    where e.at >= coalesce(${acceptedAt(accountId)} + ${ECHO}, e.at)
    group by 1, date_bin('15 minutes', e.at, timestamptz '2000-01-01 00:00Z')`.execute(db);
  return rows;
}

export type FoundHour = { id: number; hour: number; actions: number };

export async function saveHours(
  db: Db | Tx,
  accountId: number,
  sendHours: readonly FoundHour[],
): Promise<void> {
  if (sendHours.length === 0) return;
  await sql`
    insert into send_hours (account_id, subscriber_id, hour, actions, modified_at)
    select ${accountId}::bigint, f.id, f.hour, f.actions, ${clock.now()}
    from unnest(${sendHours.map((row) => row.id)}::bigint[],
      ${sendHours.map((row) => row.hour)}::smallint[],
      ${sendHours.map((row) => row.actions)}::int[]) f(id, hour, actions)
    on conflict (account_id, subscriber_id) do update set hour = excluded.hour,
      actions = excluded.actions, modified_at = excluded.modified_at`.execute(db);
}

/** Deletes the best hours of erased subscribers, which are personal data. */
export async function deleteSendHours(
  tx: Tx,
  accountId: number,
  subscriberIds: readonly number[],
): Promise<void> {
  await tx
    .deleteFrom('send_hours')
    .where('account_id', '=', accountId)
    .where('subscriber_id', '=', sql<number>`any(${[...subscriberIds]}::bigint[])`)
    .execute();
}
