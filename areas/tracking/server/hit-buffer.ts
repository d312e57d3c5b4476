// Takes hits in at the speed of the web server: pushed raw, answered at once, and every 70 ms verified
// in one batch and copied into the database, whether or not the copy before has ended. What a kill -9
// can lose is what came in since the last copies began: 70 ms, what the event loop is late, and one
// copy. A graceful stop loses nothing.
import { randomInt } from 'node:crypto';
import { type Db, poolOf } from '#platform/server/database.ts';
import { clock } from '#platform/server/clock.ts';
import { log } from '#platform/server/log.ts';
import { counter } from '#platform/server/metrics.ts';
import { copyHits, type HitRow, markTracked } from './hits.sql.ts';
import type { TokenFacts, Tokens } from './token.ts';
import type { Manner } from './verdict.ts';

/** As it came in; nothing is checked yet. */
export type RawHit = {
  token: string;
  at: Date;
  kind: 'open' | 'click';
  position: number | null;
  manner: Manner | null;
  ip: string;
  userAgent: string;
};

const GATHER_MS = 70;
const RETRY_MS = 500;
const BATCH = 20_000;
/** Copies at once: a slow one must not make the next hits wait for it. */
const MOST_UNDER_WAY = 3;
/** With the database away this much is kept (about 300 MB); beyond it the newest are lost, and told. */
const MOST_WAITING = 1_000_000;
const DUPLICATE = '23505';

const taken = counter('tracking_hits_total', 'Opens and clicks taken in', ['kind']);
const lost = counter('tracking_hits_lost_total', 'Opens and clicks not kept: the buffer was full');

export type HitBuffer = {
  push(hit: RawHit): void;
  /** Everything pushed so far is committed. Throws where the database cannot be reached. */
  drain(): Promise<void>;
  size(): number;
};

export function createHitBuffer(db: Db, tokens: Tokens): HitBuffer {
  let waiting: RawHit[] = [];
  /** Verified and numbered, not committed for certain: tried again exactly as they are. */
  let failed: HitRow[][] = [];
  const underWay = new Set<Promise<void>>();
  let rowsUnderWay = 0;
  let timer: NodeJS.Timeout | undefined;
  const nextSequence = sequences();

  function push(hit: RawHit): void {
    if (waiting.length >= MOST_WAITING) {
      lost.inc();
      return;
    }
    waiting.push(hit);
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
    if (waiting.length > 0) timer ??= setTimeout(flushInBackground, GATHER_MS);
  }

  /** Begins to copy what waits: what failed before first, and alone, since the database may be away. */
  function flush(): Promise<void>[] {
    if (failed.length > 0) {
      const again = failed;
      failed = [];
      return again.map(send);
    }
    const copies: Promise<void>[] = [];
    while (waiting.length > 0 && underWay.size < MOST_UNDER_WAY) {
      const hits = waiting.slice(0, BATCH);
      waiting = waiting.length > BATCH ? waiting.slice(BATCH) : [];
      copies.push(send(verified(hits, tokens, nextSequence)));
    }
    return copies;
  }

  function send(rows: HitRow[]): Promise<void> {
    if (rows.length === 0) return Promise.resolve();
    rowsUnderWay += rows.length;
    const sending = write(db, rows)
      .catch((error: unknown) => {
        failed.push(rows);
        throw error;
      })
      .finally(() => {
        rowsUnderWay -= rows.length;
        underWay.delete(sending);
      });
    underWay.add(sending);
    return sending;
  }

  function size(): number {
    return waiting.length + rowsUnderWay + failed.reduce((sum, rows) => sum + rows.length, 0);
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

/** Unique over all processes and starts: 31 random bits, then a counter of 21. */
function sequences(): () => number {
  const base = randomInt(2 ** 31) * 2 ** 21;
  let count = 0;
  return () => {
    count = (count + 1) % 2 ** 21;
    return base + count;
  };
}

function verified(hits: readonly RawHit[], tokens: Tokens, nextSequence: () => number): HitRow[] {
  const facts = tokens.readMany(hits.map((hit) => hit.token));
  const rows: HitRow[] = [];
  let clicks = 0;
  for (let i = 0; i < hits.length; i++) {
    const fact = facts[i];
    const hit = hits[i];
    if (!fact || !hit) continue;
    if (hit.kind === 'click') clicks += 1;
    rows.push({
      accountId: fact.account,
      at: hit.at,
      sequence: nextSequence(),
      messageId: fact.message,
      subscriberId: whoGot(fact),
      kind: hit.kind,
      position: hit.position,
      manner: hit.manner,
      ip: hit.ip,
      userAgent: hit.userAgent,
    });
  }
  taken.inc({ kind: 'click' }, clicks);
  taken.inc({ kind: 'open' }, rows.length - clicks);
  return rows;
}

/** A copy to nobody's row (a single send to a bare address) is told apart by its own number, below 0. */
function whoGot(fact: TokenFacts): number {
  return fact.subscriber === 0 ? -fact.ordinal : fact.subscriber;
}

async function write(db: Db, rows: readonly HitRow[]): Promise<void> {
  const client = await poolOf(db).connect();
  let isBroken = true;
  try {
    await copyHits(client, rows);
    isBroken = false;
  } catch (error) {
    // These very rows are there: the try before had committed although its answer never came.
    if ((error as { code?: string }).code !== DUPLICATE) throw error;
  } finally {
    client.release(isBroken);
  }
  // In one order, since copies run side by side.
  const accounts = [...new Set(rows.map((row) => row.accountId))].sort((a, b) => a - b);
  await markTracked(db, accounts, clock.now());
}
