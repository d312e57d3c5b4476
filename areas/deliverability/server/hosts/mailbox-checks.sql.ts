// Stores when the mail exchangers of the subscribers' domains were last looked up.
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import type { Tx } from '#platform/server/database/database.ts';

export const { find: findMailboxCheck } = accountTable('mailbox_checks');

export async function saveMailboxCheck(tx: Tx, accountId: number, at: Date): Promise<void> {
  await tx
    .insertInto('mailbox_checks')
    .values({ account_id: accountId, checked_at: at })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ checked_at: at }))
    .execute();
}
