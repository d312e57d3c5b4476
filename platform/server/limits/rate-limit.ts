// Token buckets in PostgreSQL, drawn in slices so that a limit holds over many processes without a
// query per call.
import { setImmediate as turnEnd } from 'node:timers/promises';
import { type Db, type Reader } from '../database/database.ts';
import { clock } from '../clock.ts';
import { drawCounted, drawTokens, dropBuckets } from './rate-limit.sql.ts';
import { AppError } from '../errors.ts';

/** A limit must refill within a day, because a bucket is deleted a day after its last draw. */
export type RateLimit = {
  /** Maximum number of tokens. */
  capacity: number;
  /** Tokens refilled per second. */
  perSecond: number;
};

type TokenReserve = { tokens: number; drawnAt: number; bucketTokens: number };
const reserves = new Map<string, TokenReserve>();
const drawing = new Map<string, Promise<number>>();
/** Number of calls waiting for a draw, per bucket. */
const waiting = new Map<string, number>();
const RESERVE_LIFE_MS = 10_000;
const MAX_RESERVES = 50_000;
/**
 * The largest part of a full bucket that is drawn for waiting calls, unless the slice is larger.
 */
const MAX_SHARE = 1 / 4;
const DAY_MS = 86_400_000;

/** Takes one token; false if the bucket is empty. `slice` tokens are drawn together. */
export async function consumeToken(
  db: Reader,
  key: string,
  limit: RateLimit,
  slice = 1,
): Promise<boolean> {
  if (slice <= 1) return (await drawTokens(db, key, limit, 1, clock.now())) >= 1;
  for (;;) {
    if (consumeFromReserve(key)) return true;
    // Concurrent calls share one draw; drawing a slice for each would empty the bucket.
    waiting.set(key, (waiting.get(key) ?? 0) + 1);
    const draw = drawing.get(key) ?? startDraw(db, key, limit, slice);
    if ((await draw) < 1) return false;
  }
}

/**
 * Draws a token per waiting call (up to `MAX_SHARE`), even if the slice is small: otherwise every
 * few calls would cost a statement.
 */
function startDraw(db: Reader, key: string, limit: RateLimit, slice: number): Promise<number> {
  const draw = turnEnd()
    .then(() => {
      const neededTokens = Math.min(waiting.get(key) ?? 1, Math.floor(limit.capacity * MAX_SHARE));
      return drawReserve(db, key, limit, Math.max(slice, neededTokens));
    })
    .finally(() => {
      drawing.delete(key);
      waiting.delete(key);
    });
  drawing.set(key, draw);
  return draw;
}

function consumeFromReserve(key: string): boolean {
  const reserve = reserves.get(key);
  if (!reserve || reserve.tokens < 1) return false;
  if (clock.now().getTime() - reserve.drawnAt >= RESERVE_LIFE_MS) return false;
  reserve.tokens -= 1;
  return true;
}

async function drawReserve(
  db: Reader,
  key: string,
  limit: RateLimit,
  slice: number,
): Promise<number> {
  const { drawn: drawnTokens, remaining } = await drawCounted(db, key, limit, slice, clock.now());
  if (reserves.size >= MAX_RESERVES) reserves.clear();
  reserves.set(key, {
    tokens: drawnTokens,
    drawnAt: clock.now().getTime(),
    bucketTokens: remaining,
  });
  return drawnTokens;
}

/** A caller's state within a limit. */
export type LimitStatus = {
  isTaken: boolean;
  /** Calls possible right now. */
  remaining: number;
  /** When the bucket is full again, in seconds since 1970. */
  fullAt: number;
};

/**
 * Takes one token and returns the number left: tokens drawn here plus the bucket's level at the
 * last draw.
 */
export async function consumeCounted(
  db: Reader,
  key: string,
  limit: RateLimit,
  slice: number,
): Promise<LimitStatus> {
  const isAllowed = await consumeToken(db, key, limit, slice);
  const reserve = reserves.get(key);
  const remaining =
    isAllowed && reserve ? Math.min(limit.capacity - 1, reserve.tokens + reserve.bucketTokens) : 0;
  const fullAt = Math.ceil(
    clock.now().getTime() / 1000 + (limit.capacity - remaining) / limit.perSecond,
  );
  return { isTaken: isAllowed, remaining, fullAt };
}

/** Takes one token or throws 429 with Retry-After (seconds until the next token). */
export async function requireToken(
  db: Db,
  key: string,
  limit: RateLimit,
  slice = 1,
): Promise<void> {
  if (await consumeToken(db, key, limit, slice)) return;
  throw new AppError('too_many_requests', {
    retryAfterSeconds: Math.max(1, Math.ceil(1 / limit.perSecond)),
  });
}

/**
 * Deletes buckets a day after their last draw: their names contain visitors' networks, which are
 * not stored longer than needed.
 */
export async function deleteFullBuckets(db: Db): Promise<void> {
  await dropBuckets(db, new Date(clock.now().getTime() - DAY_MS));
}

/** Clears the reserves so that tests start with full buckets. */
export function clearReserves(): void {
  reserves.clear();
}
