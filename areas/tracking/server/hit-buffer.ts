// Takes hits in at the speed of the web server: pushed raw, answered at once, and every 70 ms verified
// in one batch and copied into the database, whether or not the copy before has ended. What a kill -9
// can lose is what came in since the last copies began: 70 ms, what the event loop is late, and one
// copy. A graceful stop loses nothing.
import { randomInt } from 'node:crypto';
import { type Db, poolOf } from '#platform/server/database.ts';
import { clock } from '#platform/server/clock.ts';
import { log } from '#platform/server/log.ts';
import { counter } from '#platform/server/metrics.ts';
import { copyHits, hitLine, hitTail, isClickTail, markTracked } from './hits.sql.ts';
import type { TokenFacts, Tokens } from './token.ts';

const GATHER_MS = 70;
const RETRY_MS = 500;
const BATCH = 20_000;
/** Copies at once: a slow one must not make the next hits wait for it. */
const MOST_UNDER_WAY = 3;
/** With the database away a million is kept (about 300 MB); beyond it the newest are lost, and told. */
const MOST_FULL = 1_000_000 / BATCH - 1;
/** Counters of sequences: all of the same width. */
const FIRST_COUNT = 1_000_000;
const LAST_COUNT = 9_999_999;
const DUPLICATE = '23505';

const taken = counter('tracking_hits_total', 'Opens and clicks taken in', ['kind']);
const lost = counter('tracking_hits_lost_total', 'Opens and clicks not kept: the buffer was full');

/** As they came in; nothing is checked yet. In columns, since an object for each is a tenth of its cost. */
class Gathered {
  readonly tokens: string[] = [];
  /** Milliseconds. */
  readonly times: number[] = [];
  readonly tails: string[] = [];

  get size(): number {
    return this.tokens.length;
  }
}

/** Verified and numbered: copied, or tried again exactly as it is. */
type Copy = { lines: string; rows: number; accounts: readonly number[] };

export type HitBuffer = {
  /** The token is the one of its address; the rest as `hitTail` takes it. */
  push(token: string, ...rest: Parameters<typeof hitTail>): void;
  /** Everything pushed so far is committed. Throws where the database cannot be reached. */
  drain(): Promise<void>;
  size(): number;
};

export function createHitBuffer(db: Db, tokens: Tokens): HitBuffer {
  let gathered = new Gathered();
  /** Full ones, which the database was too slow for. */
  const full: Gathered[] = [];
  /** Not committed for certain. */
  let failed: Copy[] = [];
  const underWay = new Set<Promise<void>>();
  let rowsUnderWay = 0;
  let timer: NodeJS.Timeout | undefined;
  const nextSequence = sequences();

  function push(token: string, ...rest: Parameters<typeof hitTail>): void {
    if (gathered.size >= BATCH) {
      if (full.length >= MOST_FULL) {
        lost.inc();
        return;
      }
      full.push(gathered);
      gathered = new Gathered();
    }
    gathered.tokens.push(token);
    gathered.times.push(clock.time());
    gathered.tails.push(hitTail(...rest));
    timer ??= setTimeout(flushInBackground, GATHER_MS);
  }

  function flushInBackground(): void {
    timer = undefined;
    if (underWay.size < MOST_UNDER_WAY) {
      Promise.all(flush()).catch((error: Error) => {
        log.warn('Hits wait for the database', { waiting: size(), error: error.message });
        clearTimeout(timer);
        timer = setTimeout(flushInBackground, RETRY_MS);
      });
    }
    if (waiting() > 0) timer ??= setTimeout(flushInBackground, GATHER_MS);
  }

  /** Begins to copy what waits: what failed before first, and alone, since the database may be away. */
  function flush(): Promise<void>[] {
    if (failed.length > 0) {
      const again = failed;
      failed = [];
      return again.map(send);
    }
    const copies: Promise<void>[] = [];
    while (waiting() > 0 && underWay.size < MOST_UNDER_WAY) {
      copies.push(send(copyOf(nextGathered(), tokens, nextSequence)));
    }
    return copies;
  }

  function nextGathered(): Gathered {
    const oldest = full.shift();
    if (oldest) return oldest;
    const taken = gathered;
    gathered = new Gathered();
    return taken;
  }

  function send(copy: Copy): Promise<void> {
    if (copy.rows === 0) return Promise.resolve();
    rowsUnderWay += copy.rows;
    const sending = write(db, copy)
      .catch((error: unknown) => {
        failed.push(copy);
        throw error;
      })
      .finally(() => {
        rowsUnderWay -= copy.rows;
        underWay.delete(sending);
      });
    underWay.add(sending);
    return sending;
  }

  const waiting = () => full.length * BATCH + gathered.size;

  function size(): number {
    return waiting() + rowsUnderWay + failed.reduce((sum, copy) => sum + copy.rows, 0);
  }

  async function drain(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    while (size() > 0) {
      await Promise.allSettled(underWay);
      await Promise.all(flush());
    }
  }

  return { push, drain, size };
}

/**
 * In decimal, unique over all processes and starts: a random number of nine digits, then a counter of
 * seven (together below 2^53, as they are read back).
 */
function sequences(): () => string {
  const base = String(randomInt(1, 9e8));
  let count = FIRST_COUNT;
  return () => {
    count = count === LAST_COUNT ? FIRST_COUNT : count + 1;
    return base + count;
  };
}

function copyOf(
  { tokens: texts, times, tails }: Gathered,
  tokens: Tokens,
  nextSequence: () => string,
): Copy {
  const facts = tokens.readMany(texts);
  const accounts = new Set<number>();
  let lines = '';
  let rows = 0;
  let clicks = 0;
  for (let i = 0; i < texts.length; i++) {
    const fact = facts[i];
    if (!fact) continue;
    const tail = tails[i] as string;
    if (isClickTail(tail)) clicks++;
    rows++;
    accounts.add(fact.account);
    lines += hitLine(fact, whoGot(fact), times[i] as number, nextSequence(), tail);
  }
  taken.inc({ kind: 'click' }, clicks);
  taken.inc({ kind: 'open' }, rows - clicks);
  // In one order, since copies run side by side.
  return { lines, rows, accounts: [...accounts].sort((a, b) => a - b) };
}

/** A copy to nobody's row (a single send to a bare address) is told apart by its own number, below 0. */
function whoGot(fact: TokenFacts): number {
  return fact.subscriber === 0 ? -fact.ordinal : fact.subscriber;
}

async function write(db: Db, { lines, accounts }: Copy): Promise<void> {
  const client = await poolOf(db).connect();
  let isBroken = true;
  try {
    await copyHits(client, lines);
    isBroken = false;
  } catch (error) {
    // These very rows are there: the try before had committed although its answer never came.
    if ((error as { code?: string }).code !== DUPLICATE) throw error;
  } finally {
    client.release(isBroken);
  }
  await markTracked(db, accounts, clock.now());
}
