// Statements of the buckets. A draw is one statement, which refills the bucket by elapsed time and
// then grants up to the requested slice.
import { sql } from 'kysely';
import type { Db, Reader } from '../database/database.ts';
import type { RateLimit } from './rate-limit.ts';

/** Whole tokens drawn (0 to `slice`), and tokens left in the bucket. */
type TokenDraw = { drawn: number; remaining: number };

export async function drawTokens(
  db: Reader,
  key: string,
  limit: RateLimit,
  slice: number,
  at: Date,
): Promise<number> {
  return (await drawCounted(db, key, limit, slice, at)).drawn;
}

export async function drawCounted(
  db: Reader,
  key: string,
  limit: RateLimit,
  slice: number,
  at: Date,
): Promise<TokenDraw> {
  const draw = await drawFrom(db, key, limit, slice, at);
  if (draw !== undefined) return draw;
  // Concurrent first calls must share one bucket: if each created its own, all of them would pass.
  await sql`insert into rate_buckets (key, tokens, refilled_at)
    values (${key}, ${limit.capacity}, ${at}) on conflict (key) do nothing`.execute(db);
  return (await drawFrom(db, key, limit, slice, at)) ?? { drawn: 0, remaining: 0 };
}

/**
 * Deletes buckets without a draw since this time: they are full, as is the bucket that the next
 * draw creates.
 */
export async function dropBuckets(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('rate_buckets').where('refilled_at', '<', before).execute();
}

/** Returns undefined if the bucket does not exist. */
async function drawFrom(
  db: Reader,
  key: string,
  limit: RateLimit,
  slice: number,
  at: Date,
): Promise<TokenDraw | undefined> {
  const { rows } = await sql<TokenDraw>`
    with asked as (
      select ${key}::text as key, ${limit.capacity}::float8 as capacity, ${limit.perSecond}::float8 as rate,
        ${slice}::float8 as slice, ${at}::timestamptz as at
    ), held as materialized (
      select b.key, a.slice, a.at, least(a.capacity,
          b.tokens + greatest(0, extract(epoch from a.at - b.refilled_at)) * a.rate) as tokens
      from rate_buckets b join asked a on a.key = b.key
      for update of b
    ), drawn as (
      select key, at, floor(least(slice, tokens)) as drawn, tokens from held
    )
    update rate_buckets b set tokens = d.tokens - d.drawn, refilled_at = d.at
    from drawn d where b.key = d.key
    returning d.drawn::int as drawn, floor(d.tokens - d.drawn)::int as remaining`.execute(db);
  return rows[0];
}
