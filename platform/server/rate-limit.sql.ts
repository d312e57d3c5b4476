// The buckets' one statement: refill by the time gone, give what is there up to the slice asked for.
import { sql } from 'kysely';
import type { Db, Reader } from './database.ts';
import type { Limit } from './rate-limit.ts';

/** How many whole tokens were drawn (0 to `slice`), and how many the bucket holds after. */
type Drawn = { drawn: number; left: number };

export async function drawTokens(
  db: Reader,
  key: string,
  limit: Limit,
  slice: number,
  at: Date,
): Promise<number> {
  return (await drawCounted(db, key, limit, slice, at)).drawn;
}

export async function drawCounted(
  db: Reader,
  key: string,
  limit: Limit,
  slice: number,
  at: Date,
): Promise<Drawn> {
  const drawn = await drawFrom(db, key, limit, slice, at);
  if (drawn !== undefined) return drawn;
  // Those that come first at once must meet at one bucket: each filling its own would let all through.
  await sql`insert into rate_buckets (key, tokens, refilled_at)
    values (${key}, ${limit.capacity}, ${at}) on conflict (key) do nothing`.execute(db);
  return (await drawFrom(db, key, limit, slice, at)) ?? { drawn: 0, left: 0 };
}

/** Buckets that nobody drew from since; the next draw finds a full one, as it would have. */
export async function dropBuckets(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('rate_buckets').where('refilled_at', '<', before).execute();
}

/** Undefined where there is no bucket yet. */
async function drawFrom(
  db: Reader,
  key: string,
  limit: Limit,
  slice: number,
  at: Date,
): Promise<Drawn | undefined> {
  const { rows } = await sql<Drawn>`
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
    returning d.drawn::int as drawn, floor(d.tokens - d.drawn)::int as left`.execute(db);
  return rows[0];
}
