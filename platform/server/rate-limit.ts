// Token buckets in PostgreSQL, drawn in slices so that a limit holds over many processes without a
// query per call.
import { type Db, type Reader } from './database.ts';
import { clock } from './clock.ts';
import { drawTokens } from './rate-limit.sql.ts';
import { AppError } from './errors.ts';

export type Limit = {
  /** How many at once. */
  capacity: number;
  /** How many come back per second. */
  perSecond: number;
};

type Stock = { tokens: number; drawnAt: number };
const stocks = new Map<string, Stock>();
const STOCK_LIFE_MS = 10_000;
const MOST_STOCKS = 50_000;

/** Takes one token; false when the bucket is empty. `slice` tokens are drawn at once. */
export async function takeToken(
  db: Reader,
  key: string,
  limit: Limit,
  slice = 1,
): Promise<boolean> {
  const now = clock.now().getTime();
  const stock = stocks.get(key);
  if (stock && stock.tokens >= 1 && now - stock.drawnAt < STOCK_LIFE_MS) {
    stock.tokens -= 1;
    return true;
  }
  const drawn = await drawTokens(db, key, limit, Math.max(1, slice), clock.now());
  if (drawn < 1) return false;
  if (drawn > 1) {
    if (stocks.size >= MOST_STOCKS) stocks.clear();
    stocks.set(key, { tokens: drawn - 1, drawnAt: now });
  }
  return true;
}

/** Takes one token or answers 429 with Retry-After (seconds until one is back). */
export async function requireToken(db: Db, key: string, limit: Limit, slice = 1): Promise<void> {
  if (await takeToken(db, key, limit, slice)) return;
  throw new AppError('too_many_requests', {
    retryAfter: Math.max(1, Math.ceil(1 / limit.perSecond)),
  });
}

/** Tests start with full buckets. */
export function forgetStocks(): void {
  stocks.clear();
}
