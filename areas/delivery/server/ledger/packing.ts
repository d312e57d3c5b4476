// Packs the recipients of compacted messages into runs and then deletes the rows of recipients
// without a stored result. One transaction writes all runs of a message. The rows are deleted slice
// by slice; after a kill, the slices are processed again.
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database/database.ts';
import { isolateFailure } from '#platform/server/process/isolate-failure.ts';
import { lockMessage, type LedgerMessageRow } from './messages.sql.ts';
import {
  listAccountsToPack,
  finishTrimming,
  insertRuns,
  lanesToTrim,
  markPacked,
  canPack,
  listMessagesToPack,
  trimSlice,
} from './packing.sql.ts';
import { type IdPage, paginate } from './pages.ts';

const DAY_MS = 86_400_000;
const ROWS_PER_SLICE = 10_000;

/**
 * Age in days after which a stream no longer gets recipients; it gets them during one calendar
 * month.
 */
const STREAM_DAYS = 40;

/** @param size accounts, or messages of one account, per query */
export async function packAll(db: Db, size: number, signal: AbortSignal): Promise<void> {
  if (!(await canPack(db))) return;
  const streamsBefore = new Date(clock.now().getTime() - STREAM_DAYS * DAY_MS);
  const accounts = paginate((page) => listAccountsToPack(db, streamsBefore, page), size, signal);
  for await (const accountId of accounts) {
    await isolateFailure('Packing failed for an account', { account: accountId }, async () => {
      const find = (page: IdPage) => listMessagesToPack(db, accountId, streamsBefore, page);
      for await (const messageId of paginate(find, size, signal)) {
        const isPacked = await inTransaction(db, (tx) => pack(tx, accountId, messageId));
        if (isPacked) await deletePackedRows(db, accountId, messageId, signal);
      }
    });
  }
}

/** Packs a message. Returns true if it is packed now, even if an earlier call packed it. */
async function pack(tx: Tx, accountId: number, messageId: number): Promise<boolean> {
  // Locked because a retry of copies could reopen the message.
  const message = await lockMessage(tx, accountId, messageId);
  if (!message || !isAtRest(message)) return false;
  if (message.packed_to !== null) return true;
  await insertRuns(tx, accountId, messageId);
  await markPacked(tx, accountId, messageId);
  return true;
}

const isAtRest = ({ state, compacted_at: at }: LedgerMessageRow) =>
  at !== null && (state === 'finished' || state === 'cancelled');

/**
 * Deletes rows of a packed message. If the message has been reopened since, this is repeated when
 * it is compacted again.
 */
async function deletePackedRows(
  db: Db,
  accountId: number,
  messageId: number,
  signal: AbortSignal,
): Promise<void> {
  for (const { lane, written } of await lanesToTrim(db, accountId, messageId)) {
    for (let firstOrdinal = 1; firstOrdinal <= written; firstOrdinal += ROWS_PER_SLICE) {
      if (signal.aborted) return;
      const slice = {
        lane,
        from: firstOrdinal,
        to: Math.min(firstOrdinal + ROWS_PER_SLICE - 1, written),
      };
      await inTransaction(db, (tx) => trimSlice(tx, accountId, messageId, slice));
    }
  }
  await inTransaction(db, async (tx) => {
    const message = await lockMessage(tx, accountId, messageId);
    if (message && isAtRest(message)) await finishTrimming(tx, accountId, messageId, clock.now());
  });
}
