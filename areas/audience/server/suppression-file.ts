// Reads a file of addresses, and suppresses the first address of each row in batches.
import { readFileRows } from '#areas/imports/server/index.ts';
import {
  type OptOut,
  type SuppressedAddresses,
  suppressAddresses,
} from '#areas/subscribers/server/index.ts';
import { type Db, inTransaction } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { Places } from '#platform/server/places.ts';

type SuppressionOptions = OptOut & { country?: string | undefined };

const ADDRESSES_PER_BATCH = 5_000;
/** Maximum number of concurrent files per account, since each is held in memory. */
const places = new Places(2);

/** Suppresses the addresses of a file. Column headings in the first line are ignored. */
export function importSuppressionFile(
  db: Db,
  accountId: number,
  bytes: AsyncIterable<Buffer>,
  maxBytes: number,
  act: SuppressionOptions,
): Promise<SuppressedAddresses> {
  return places.hold(accountId, async () => {
    // Read completely before the first change, so that an interrupted file changes nothing.
    const found: string[] = [];
    const invalid: string[] = [];
    let isFirst = true;
    for await (const rows of readFileRows(bytes, maxBytes))
      for (const cells of rows) {
        const values = cells.map((cell) => cell.trim()).filter(Boolean);
        const address = values.find((cell) => isPlausible(cell, act.channel));
        if (address !== undefined) found.push(address);
        else if (!isFirst && values[0]) invalid.push(values[0]);
        isFirst = false;
      }
    if (found.length === 0) throw new AppError('no_addresses');
    const all: SuppressedAddresses = { added: 0, already: 0, invalid };
    for (let at = 0; at < found.length; at += ADDRESSES_PER_BATCH) {
      const batchAddresses = found.slice(at, at + ADDRESSES_PER_BATCH);
      const batch = await inTransaction(db, (tx) =>
        suppressAddresses(tx, accountId, batchAddresses, act),
      );
      all.added += batch.added;
      all.already += batch.already;
      all.invalid.push(...batch.invalid);
    }
    return all;
  });
}

const isPlausible = (cell: string, channel: SuppressionOptions['channel']) =>
  channel === 'email' || channel === 'temail'
    ? /^[^\s@]+@[^\s@]+$/.test(cell)
    : /^[+\d][\d\s().-]{4,}$/.test(cell);
