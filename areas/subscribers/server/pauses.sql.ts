// Queries for pauses that subscribers request. Until the end of a pause, they get no marketing on
// any channel, but still transactional messages.
import type { Tx } from '#platform/server/database/database.ts';

/**
 * Sets the end of the subscriber's pause; null ends the pause now. False if the subscriber does not
 * exist.
 */
export async function pauseSubscriber(
  tx: Tx,
  accountId: number,
  id: number,
  until: Date | null,
): Promise<boolean> {
  const row = await tx
    .updateTable('subscribers')
    .set({ paused_until: until })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}
