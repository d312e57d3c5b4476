// Sections of a mail that only some groups or segments see: who of a batch is in them is read in the
// step that begins the batch, so that either both happen or neither.
import { type Memberships, readMemberships } from '#areas/content/server/index.ts';
import { type Db, inTransaction, type Reader } from '#platform/server/database.ts';
import type { ActiveMessage } from './active-message.ts';

export const NO_MEMBERSHIPS: Memberships = new Map();

/** A mail without such sections asks nothing more than before. */
export async function withMemberships<Row extends { subscriber_id: number }>(
  db: Db,
  message: ActiveMessage,
  step: (db: Reader) => Promise<Row[]>,
): Promise<{ rows: Row[]; memberships: Memberships }> {
  if (!message.hasMemberships) return { rows: await step(db), memberships: NO_MEMBERSHIPS };
  return inTransaction(db, async (tx) => {
    const rows = await step(tx);
    const people = rows.map((row) => row.subscriber_id);
    const { names } = message;
    return { rows, memberships: await readMemberships(tx, message.accountId, names, people) };
  });
}
