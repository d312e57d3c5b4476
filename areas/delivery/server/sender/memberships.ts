// Reads values that each copy needs besides the subscriber's fields, such as memberships in the
// groups and segments that sections are limited to, store data and coupon codes. They are read in
// the transaction that starts the handoffs, so that a code is drawn only for a copy that starts.
import { copyValues, type Memberships } from '#areas/content/server/index.ts';
import { type Db, inTransaction, type Reader } from '#platform/server/database/database.ts';
import type { ActiveMessage } from './active-message.ts';

export const NO_MEMBERSHIPS: Memberships = new Map();

/**
 * Starts handoffs by `step` and reads the values of their copies, if the message uses any.
 */
export async function addMemberships<Row extends { subscriber_id: number; skip_reason: string }>(
  db: Db,
  message: ActiveMessage,
  step: (db: Reader) => Promise<Row[]>,
): Promise<{ rows: Row[]; memberships: Memberships }> {
  if (!message.hasMemberships) return { rows: await step(db), memberships: NO_MEMBERSHIPS };
  return inTransaction(db, async (tx) => {
    const rows = await step(tx);
    // No code is drawn for skipped recipients.
    const subscriberIds = rows.flatMap((row) =>
      row.skip_reason === '' ? [row.subscriber_id] : [],
    );
    return { rows, memberships: await copyValues(tx, message.copies, subscriberIds, 'send') };
  });
}
