// Reads a file of addresses and suppresses the first address of each row in batches.
import { readFileRows } from '#areas/imports/server/index.ts';
import {
  type OptOut,
  type SuppressedAddresses,
  suppressAddresses,
} from '#areas/subscribers/server/index.ts';
import { type Db, inTransaction } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { AccountSlots } from '#platform/server/account-slots.ts';

type SuppressionOptions = OptOut & { country?: string | undefined };

const ADDRESSES_PER_BATCH = 5_000;
/** Maximum number of concurrent files per account, because each is held in memory. */
const fileSlots = new AccountSlots(2);

/** Suppresses the addresses of a file. Column headings in the first line are ignored. */
export function importSuppressionFile(
  db: Db,
  accountId: number,
  bytes: AsyncIterable<Buffer>,
  maxBytes: number,
  options: SuppressionOptions,
): Promise<SuppressedAddresses> {
  return fileSlots.runInSlot(accountId, async () => {
    // Read completely before the first change, so that an interrupted file changes nothing.
    const foundAddresses: string[] = [];
    const invalid: string[] = [];
    let isFirst = true;
    for await (const rows of readFileRows(bytes, maxBytes))
      for (const cells of rows) {
        const values = cells.map((cell) => cell.trim()).filter(Boolean);
        const address = values.find((cell) => isPlausible(cell, options.channel));
        if (address !== undefined) foundAddresses.push(address);
        else if (!isFirst && values[0]) invalid.push(values[0]);
        isFirst = false;
      }
    if (foundAddresses.length === 0) throw new AppError('no_addresses');
    const totals: SuppressedAddresses = { added: 0, already: 0, invalid };
    for (let index = 0; index < foundAddresses.length; index += ADDRESSES_PER_BATCH) {
      const batchAddresses = foundAddresses.slice(index, index + ADDRESSES_PER_BATCH);
      const batch = await inTransaction(db, (tx) =>
        suppressAddresses(tx, accountId, batchAddresses, options),
      );
      totals.added += batch.added;
      totals.already += batch.already;
      totals.invalid.push(...batch.invalid);
    }
    return totals;
  });
}

const isPlausible = (cell: string, channel: SuppressionOptions['channel']) =>
  channel === 'email' || channel === 'temail'
    ? /^[^\s@]+@[^\s@]+$/.test(cell)
    : /^[+\d][\d\s().-]{4,}$/.test(cell);
