// Makes the ledger of old messages small: nobody asks after 90 days in which second one copy left. Who
// got it, what did not go well and every figure stay. In slices, each a transaction of its own: killed,
// it goes on where it was.
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction } from '#platform/server/database.ts';
import type { Poller } from '#platform/server/pollers.ts';
import {
  accountsToCompact,
  accountsWithOldEvents,
  compactSlice,
  deleteOldEvents,
  finishCompaction,
  messagesToCompact,
  nextSlice,
  skipGivenBack,
} from './compaction.sql.ts';
import { lockMessage } from './messages.sql.ts';

const DAY = 86_400_000;
const SLICE = 10_000;
const EVENTS_KEPT = 60 * DAY;
const EVENTS_SLICE = 5_000;

/** @param days how long every attempt is kept; 0: for ever */
export function compactionPoller(days: number): Poller {
  return {
    name: 'delivery.compaction',
    everyMs: 3_600_000,
    async run(db, signal) {
      if (days > 0) await compactAll(db, days, signal);
      await forgetEvents(db, signal);
    },
  };
}

async function compactAll(db: Db, days: number, signal: AbortSignal): Promise<void> {
  const before = new Date(clock.now().getTime() - days * DAY);
  for (const accountId of await accountsToCompact(db, before)) {
    for (const messageId of await messagesToCompact(db, accountId, before)) {
      while (!signal.aborted) {
        const isDone = await inTransaction(db, async (tx) => {
          // Against a retry of its unknown ones, which takes it up again.
          const message = await lockMessage(tx, accountId, messageId);
          if (message?.state !== 'finished' && message?.state !== 'cancelled') return true;
          if (message.state === 'cancelled') {
            await skipGivenBack(tx, accountId, messageId, message.finished_at ?? clock.now());
          }
          const next = await nextSlice(tx, accountId, messageId);
          if (!next) {
            await finishCompaction(tx, accountId, messageId, clock.now());
            return true;
          }
          const { lane, from, leased } = next;
          const to = Math.min(from + SLICE - 1, leased);
          await compactSlice(tx, accountId, messageId, { lane, from, to });
          return false;
        });
        if (isDone) break;
      }
    }
  }
}

async function forgetEvents(db: Db, signal: AbortSignal): Promise<void> {
  const before = new Date(clock.now().getTime() - EVENTS_KEPT);
  for (const accountId of await accountsWithOldEvents(db, before)) {
    for (let gone = EVENTS_SLICE; gone === EVENTS_SLICE && !signal.aborted; ) {
      gone = await deleteOldEvents(db, accountId, before, EVENTS_SLICE);
    }
  }
}
