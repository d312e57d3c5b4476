// Sections of a mail that only some groups or segments see, and what shops give to copies: read in the step that
// begins the batch, so that either both happen or neither.
import { copyValues, type Memberships } from '#areas/content/server/index.ts';
import { type Db, inTransaction, type Reader } from '#platform/server/database.ts';
import type { ActiveMessage } from './active-message.ts';

export const NO_MEMBERSHIPS: Memberships = new Map();

/** A mail without such sections asks nothing more than before. */
export async function withMemberships<Row extends { subscriber_id: number; skip: string }>(
  db: Db,
  message: ActiveMessage,
  step: (db: Reader) => Promise<Row[]>,
): Promise<{ rows: Row[]; memberships: Memberships }> {
  if (!message.hasMemberships) return { rows: await step(db), memberships: NO_MEMBERSHIPS };
  return inTransaction(db, async (tx) => {
    const rows = await step(tx);
    // Whoever gets none needs none: a code is for one copy alone.
    const people = rows.flatMap((row) => (row.skip === '' ? [row.subscriber_id] : []));
    return { rows, memberships: await copyValues(tx, message.copies, people, 'give') };
  });
}
