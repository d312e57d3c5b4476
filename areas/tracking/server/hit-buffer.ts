// Buffers hits: requests are answered immediately, and every 70 ms their hits are verified in one
// batch and copied into the database, even if earlier copies have not ended. A kill -9 loses
// uncommitted hits: the hits of 70 ms, of the event loop's delay, and of the copies in progress. A
// graceful stop loses none.
import { randomInt } from 'node:crypto';
import { type Db, isUniqueViolation, getPool } from '#platform/server/database/database.ts';
import { clock } from '#platform/server/clock.ts';
import { log } from '#platform/server/log.ts';
import { counter } from '#platform/server/metrics.ts';
import { type HitCopy, HitPage, type RawHit } from './hit-page.ts';
import { copyHits, markTracked } from './hits.sql.ts';
import type { TrackingTokens } from './token.ts';

const GATHER_MS = 70;
const RETRY_MS = 500;
/**
 * Maximum number of concurrent copies; there are several, so that a slow one does not delay the
 * next.
 */
const MAX_CONCURRENT_COPIES = 3;
/**
 * Maximum number of pages while the database is unavailable (about 1,500,000 hits). Further hits
 * are dropped and counted in a metric.
 */
const MAX_PAGES = 300;

const hitsTotal = counter('tracking_hits_total', 'Opens and clicks accepted', ['kind']);
const lostHits = counter(
  'tracking_hits_lost_total',
  'Opens and clicks dropped because the buffer was full',
);

export type HitBuffer = {
  push(hit: RawHit): void;
  /** Commits all hits pushed so far. Throws if the database is unreachable. */
  drain(): Promise<void>;
  size(): number;
};

// oxlint-disable-next-line eslint/max-lines-per-function -- The functions share one buffer.
export function createHitBuffer(db: Db, tokens: TrackingTokens): HitBuffer {
  lostHits.inc(0);
  /** New hits are written to the last page. */
  const pages = [new HitPage()];
  /** Copies whose commit failed or was not confirmed. */
  let failedCopies: HitCopy[] = [];
  const inProgress = new Set<Promise<void>>();
  let rowsInProgress = 0;
  let timer: NodeJS.Timeout | undefined;
  const nextSequence = sequences();

  function push(hit: RawHit): void {
    if (!pages.at(-1)?.add(hit) && !addToNext(hit)) {
      lostHits.inc();
      return;
    }
    timer ??= setTimeout(flushInBackground, GATHER_MS);
  }

  function addToNext(hit: RawHit): boolean {
    if (pages.length >= MAX_PAGES) return false;
    const page = new HitPage();
    if (!page.add(hit)) return false;
    pages.push(page);
    return true;
  }

  const waiting = () => pages.reduce((total, page) => total + page.count, 0);

  function flushInBackground(): void {
    timer = undefined;
    if (inProgress.size < MAX_CONCURRENT_COPIES) {
      Promise.all(flush()).catch((error: Error) => {
        log.warn('Buffering tracking hits until the database responds', {
          waiting: size(),
          reason: error.message,
        });
        clearTimeout(timer);
        timer = setTimeout(flushInBackground, RETRY_MS);
      });
    }
    if (waiting() > 0) timer ??= setTimeout(flushInBackground, GATHER_MS);
  }

  /**
   * Copies pending hits. If copies failed, only these are repeated, because the database may be
   * unavailable.
   */
  function flush(): Promise<void>[] {
    if (failedCopies.length > 0) {
      const copiesToRetry = failedCopies;
      failedCopies = [];
      return copiesToRetry.map(send);
    }
    const copies: Promise<void>[] = [];
    while (waiting() > 0 && inProgress.size < MAX_CONCURRENT_COPIES) {
      // Full pages are dropped after their copy; the last page is emptied and used for new hits.
      const page = (pages.length > 1 ? pages.shift() : pages[0]) as HitPage;
      copies.push(send(takeVerified(page)));
    }
    return copies;
  }

  function takeVerified(page: HitPage): HitCopy {
    const copy = page.take(tokens, nextSequence);
    hitsTotal.inc({ kind: 'click' }, copy.clicks);
    hitsTotal.inc({ kind: 'open' }, copy.rows - copy.clicks);
    return copy;
  }

  function send(copy: HitCopy): Promise<void> {
    if (copy.rows === 0) return Promise.resolve();
    rowsInProgress += copy.rows;
    const sending = write(db, copy)
      .catch((error: unknown) => {
        failedCopies.push(copy);
        throw error;
      })
      .finally(() => {
        rowsInProgress -= copy.rows;
        inProgress.delete(sending);
      });
    inProgress.add(sending);
    return sending;
  }

  function size(): number {
    return waiting() + rowsInProgress + failedCopies.reduce((total, copy) => total + copy.rows, 0);
  }

  async function drain(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    while (size() > 0) {
      await Promise.allSettled(inProgress);
      await Promise.all(flush());
    }
  }

  return { push, drain, size };
}

/**
 * Returns a generator of numbers that are unique across all processes: 31 random bits and a 21-bit
 * counter.
 */
function sequences(): () => number {
  const base = randomInt(2 ** 31) * 2 ** 21;
  let count = 0;
  return () => {
    count = (count + 1) % 2 ** 21;
    return base + count;
  };
}

async function write(db: Db, { text, accounts }: HitCopy): Promise<void> {
  const client = await getPool(db).connect();
  let isBroken = true;
  try {
    await copyHits(client, text);
    isBroken = false;
  } catch (error) {
    // The rows exist if the previous attempt was committed but its reply was lost.
    if (!isUniqueViolation(error)) throw error;
  } finally {
    client.release(isBroken);
  }
  // Accounts are marked in ascending order, so that concurrent copies do not deadlock.
  const sortedAccounts = accounts.toSorted((a, b) => a - b);
  await markTracked(db, sortedAccounts, clock.now());
}
