// SQL of the times of final results: the waits of deferred copies, and the course of whole messages.
// Both read results that compaction deletes.
import { sql } from 'kysely';
import type { Reader } from '#platform/server/database/database.ts';
import { TIER } from './lanes.ts';

const MAILBOX = sql`(r.lane % ${sql.lit(TIER)})::int`;

export type WaitsRow = {
  mailbox: number;
  /** The number of given bounds that the wait reached. */
  range: number;
  copies: number;
};

/**
 * Copies that a mail server deferred, by the time from then to their final result. Copies that waited
 * for a limit of the account or a connection have no status code, and are not counted.
 * @param bounds seconds, ascending
 */
export async function countWaits(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
  bounds: readonly number[],
): Promise<WaitsRow[]> {
  const isOurs = sql`r.account_id = ${accountId} and r.message_id = any(${[...messageIds]}::bigint[])`;
  // The condition on accepted ones selects the partial index.
  const { rows } = await sql<WaitsRow>`
    with deferred as materialized (
      select r.message_id, r.lane, r.ordinal, min(r.at) as at from results r
      where ${isOurs} and r.state <> 'accepted' and r.state = 'deferred' and r.code is not null
      group by 1, 2, 3
    )
    select ${MAILBOX} as mailbox, count(*)::int as copies,
      width_bucket(extract(epoch from f.at - r.at)::float8, ${[...bounds]}::float8[]) as range
    from deferred r
    join lateral (select n.at from results n
      where n.account_id = ${accountId} and n.message_id = r.message_id and n.lane = r.lane
        and n.ordinal = r.ordinal and n.state <> 'deferred'
      order by n.attempt desc limit 1) f on true
    group by 1, 3 order by 1, 3`.execute(db);
  return rows;
}

/**
 * The instant at which this share of the copies was accepted or refused, rounded up
 * to the minute; null without any. 1,000,000 results: 0.5 s.
 */
export async function finalShareAt(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
  share: number,
): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`
    with minutes as materialized (
      select floor(extract(epoch from r.at) / 60)::bigint as minute, count(*) as copies from results r
      where r.account_id = ${accountId} and r.message_id = any(${[...messageIds]}::bigint[])
        and r.state in ('accepted', 'failed')
      group by 1
    ), course as (
      select minute, sum(copies) over (order by minute) as final, sum(copies) over () as total
      from minutes
    )
    select to_timestamp((min(minute) + 1) * 60) as at from course
    where final >= ceil(total * ${share}::numeric)`.execute(db);
  return rows[0]?.at ?? null;
}
