// SQL of pauses that people ask for: no news until then, on any channel; receipts go on.
import type { Tx } from '#platform/server/database.ts';

/** Null ends it. False where the person is gone. */
export async function pausePerson(
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
