// Queries for the accounts' sending windows.
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { SendWindow } from '../../timing-contract.ts';

export async function findWindow(db: Reader, accountId: number): Promise<SendWindow | null> {
  const row = await db
    .selectFrom('sending_windows')
    .select(['hours_from', 'hours_to', 'days', 'zone'])
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  if (!row) return null;
  const { hours_from: from, hours_to: to, days, zone } = row;
  return { from, to, days, zone: zone as SendWindow['zone'] };
}

export async function saveWindow(
  tx: Tx,
  accountId: number,
  { from, to, days, zone }: SendWindow,
  at: Date,
): Promise<void> {
  const window = { hours_from: from, hours_to: to, days, zone, modified_at: at };
  await tx
    .insertInto('sending_windows')
    .values({ account_id: accountId, ...window })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(window))
    .execute();
}

export async function deleteWindow(tx: Tx, accountId: number): Promise<void> {
  await tx.deleteFrom('sending_windows').where('account_id', '=', accountId).execute();
}
