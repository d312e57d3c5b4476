// Compacts the ledger of old messages once the exact time of each handoff is no longer needed.
// Recipients, all counts and the results of copies that were not accepted are retained. Each slice
// is a separate transaction, so compaction continues after a kill. Then recipients are packed
// (packing.ts).
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database/database.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { isolateFailure } from '#platform/server/process/isolate-failure.ts';
import {
  listAccountsToCompact,
  compactSlice,
  finishCompaction,
  listMessagesToCompact,
  findNextSlice,
  skipReleased,
} from './compaction.sql.ts';
import { lockMessage } from './messages.sql.ts';
import { packAll } from './packing.ts';
import { type IdPage, paginate } from './pages.ts';

const DAY_MS = 86_400_000;
const ROWS_PER_SLICE = 10_000;

/** Time limit of one run, so that other pollers get their turn; the next run continues. */
const MAX_MS = 20 * 60_000;
const ROWS_PER_PAGE = 1_000;

/**
 * @param days days after the end of a message until its ledger is compacted; 0 means never
 * @param page number of accounts, or of messages of one account, per query
 */
export function compactionPoller(days: number, page = ROWS_PER_PAGE): Poller {
  return {
    name: 'delivery.compaction',
    intervalMs: 3_600_000,
    async run(db, signal) {
      if (days === 0) return;
      const deadline = withTimeLimit(signal);
      await compactAll(db, days, page, deadline);
      await packAll(db, page, deadline);
    },
  };
}

const withTimeLimit = (signal: AbortSignal) =>
  AbortSignal.any([signal, AbortSignal.timeout(MAX_MS)]);

async function compactAll(db: Db, days: number, size: number, signal: AbortSignal): Promise<void> {
  const before = new Date(clock.now().getTime() - days * DAY_MS);
  const accounts = paginate((page) => listAccountsToCompact(db, before, page), size, signal);
  for await (const accountId of accounts) {
    await isolateFailure('Compaction failed for an account', { account: accountId }, async () => {
      const find = (page: IdPage) => listMessagesToCompact(db, accountId, before, page);
      for await (const messageId of paginate(find, size, signal)) {
        let isDone = false;
        while (!isDone && !signal.aborted) {
          isDone = await inTransaction(db, (tx) => compactNext(tx, accountId, messageId));
        }
      }
    });
  }
}

/** Compacts one slice. Returns true if the message has no further slices, or was reopened. */
async function compactNext(tx: Tx, accountId: number, messageId: number): Promise<boolean> {
  // Locked because a retry of copies could reopen the message.
  const message = await lockMessage(tx, accountId, messageId);
  if (message?.state !== 'finished' && message?.state !== 'cancelled') return true;
  if (message.state === 'cancelled') {
    await skipReleased(tx, accountId, messageId, message.finished_at ?? clock.now());
  }
  const next = await findNextSlice(tx, accountId, messageId);
  if (!next) {
    await finishCompaction(tx, accountId, messageId, clock.now());
    return true;
  }
  const { lane, from, leased } = next;
  const lastOrdinal = Math.min(from + ROWS_PER_SLICE - 1, leased);
  await compactSlice(tx, accountId, messageId, { lane, from, to: lastOrdinal });
  return false;
}
