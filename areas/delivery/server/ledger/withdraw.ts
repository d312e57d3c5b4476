// Withdraws handoffs for which no byte can have been sent, as if they had never started.
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction } from '#platform/server/database/database.ts';
import type { ActiveMessage } from '../sender/active-message.ts';
import { skipIfCanceled } from './control.ts';
import * as ledger from './ledger.sql.ts';
import type { RangeLease, LedgerHandoff } from '../sender/sending.ts';
import { returnSingles } from '../singles/singles.sql.ts';

/**
 * Withdraws handoffs of one message that were removed from the queue. They are the last handoffs of
 * each range because ranges are sent in order. Returns the withdrawn handoffs of ranges and single
 * sends, without retries. Handoffs that another process now owns are not withdrawn.
 */
export async function withdrawMessage(
  db: Db,
  owner: string,
  message: ActiveMessage,
  handoffs: readonly LedgerHandoff[],
): Promise<LedgerHandoff[]> {
  const { accountId, id } = message;
  const tails = new Map<RangeLease, { firstOrdinal: number; count: number }>();
  const deferredRows: { lane: number; ordinal: number }[] = [];
  const singles: number[] = [];
  for (const { row } of handoffs) {
    if (row.kind === 'singles') singles.push(row.id);
    else if (row.kind === 'deferrals') deferredRows.push(row);
    else {
      const tail = tails.get(row.lease);
      if (tail) tail.count++;
      else tails.set(row.lease, { firstOrdinal: row.ordinal, count: 1 });
    }
  }
  const at = clock.now();
  const withdrawn = await inTransaction(db, async (tx) => {
    const ownedLeases = new Set<RangeLease>();
    for (const [lease, { firstOrdinal }] of tails) {
      const { lane, from, startedTo } = lease;
      const range = { lane, from, startedTo, resetTo: firstOrdinal - 1 };
      if (await ledger.withdrawRange(tx, accountId, id, range, owner)) ownedLeases.add(lease);
    }
    if (deferredRows.length > 0) {
      await ledger.withdrawDeferred(tx, accountId, id, deferredRows, owner, at);
      await skipIfCanceled(tx, accountId, id, at);
    }
    const ids = singles.length > 0 ? await returnSingles(tx, accountId, owner, singles, at) : [];
    return { leases: ownedLeases, singles: new Set(ids) };
  });
  for (const [lease, { firstOrdinal, count }] of tails) {
    lease.startedTo = firstOrdinal - 1;
    lease.unwrittenCount -= count;
    lease.isHalted = false;
  }
  return handoffs.filter(({ row }) => {
    if (row.kind === 'range') return withdrawn.leases.has(row.lease);
    return row.kind === 'singles' && withdrawn.singles.has(row.id);
  });
}
