// Reads the data of each copy that depends on its subscriber: groups and segments that sections are
// limited to, and store data. It is read in the transaction that begins the batch, so that a code
// is drawn only for a copy that begins.
import { copyValues, type Memberships } from '#areas/content/server/index.ts';
import { type Db, inTransaction, type Reader } from '#platform/server/database/database.ts';
import type { ActiveMessage } from './active-message.ts';

export const NO_MEMBERSHIPS: Memberships = new Map();

/**
 * Begins a batch by `step`, and reads the data of its copies. Emails without such data need no
 * extra query.
 */
export async function withMemberships<Row extends { subscriber_id: number; skip: string }>(
  db: Db,
  message: ActiveMessage,
  step: (db: Reader) => Promise<Row[]>,
): Promise<{ rows: Row[]; memberships: Memberships }> {
  if (!message.hasMemberships) return { rows: await step(db), memberships: NO_MEMBERSHIPS };
  return inTransaction(db, async (tx) => {
    const rows = await step(tx);
    // Skipped recipients are excluded, since a code can be used for one copy only.
    const people = rows.flatMap((row) => (row.skip === '' ? [row.subscriber_id] : []));
    return { rows, memberships: await copyValues(tx, message.copies, people, 'give') };
  });
}
