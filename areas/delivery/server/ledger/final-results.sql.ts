// Queries for the times of final results: how long deferred copies waited, and when a percentage of
// a message's copies had a final result. Compaction deletes most results that they read.
import { sql } from 'kysely';
import type { Reader } from '#platform/server/database/database.ts';
import { TIER } from './lanes.ts';

const MAILBOX = sql`(r.lane % ${sql.lit(TIER)})::int`;

export type WaitsRow = {
  mailbox: number;
  /**
   * Histogram bucket of the wait: the number of bounds that it reached, 0 below the first bound.
   */
  range: number;
  copies: number;
};

/**
 * Counts copies that a mail server deferred, by mailbox provider and by the time from the first
 * deferral to the final result. Copies that waited only for one of our own limits or for a
 * connection have no status code and are not counted.
 * @param bounds seconds, ascending
 */
export async function countWaits(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
  bounds: readonly number[],
): Promise<WaitsRow[]> {
  const isOurs = sql`r.account_id = ${accountId} and r.message_id = any(${[...messageIds]}::bigint[])`;
  // `state <> 'accepted'` is implied by the other condition; it makes the partial index usable.
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
 * Returns the instant, rounded up to the minute, when this fraction of all accepted and refused
 * copies had a result; null if there are none. Takes 0.5 s for 1,000,000 results.
 */
export async function finalShareAt(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
  fraction: number,
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
    where final >= ceil(total * ${fraction}::numeric)`.execute(db);
  return rows[0]?.at ?? null;
}
