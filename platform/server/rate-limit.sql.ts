// The buckets' one statement: refill by the time gone, give what is there up to the slice asked for.
import { sql } from 'kysely';
import type { Reader } from './database.ts';
import type { Limit } from './rate-limit.ts';

/** Returns how many whole tokens were drawn (0 to `slice`). */
export async function drawTokens(
  db: Reader,
  key: string,
  limit: Limit,
  slice: number,
  at: Date,
): Promise<number> {
  const { rows } = await sql<{ drawn: number }>`
    with asked as (
      select ${key}::text as key, ${limit.capacity}::float8 as capacity, ${limit.perSecond}::float8 as rate,
        ${slice}::float8 as slice, ${at}::timestamptz as at
    ), held as materialized (
      select b.key, least(a.capacity,
          b.tokens + greatest(0, extract(epoch from a.at - b.refilled_at)) * a.rate) as tokens
      from rate_buckets b join asked a on a.key = b.key
      for update of b
    ), drawn as (
      select a.key, a.at, floor(least(a.slice, coalesce(h.tokens, a.capacity))) as drawn,
        coalesce(h.tokens, a.capacity) as tokens
      from asked a left join held h on h.key = a.key
    )
    insert into rate_buckets (key, tokens, refilled_at)
    select key, tokens - drawn, at from drawn
    on conflict (key) do update set tokens = excluded.tokens, refilled_at = excluded.refilled_at
    returning (select drawn from drawn)::int as drawn`.execute(db);
  return rows[0]?.drawn ?? 0;
}
