// Queries for an account's SMS settings.
import type { Selectable } from 'kysely';
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { createTextFinder } from '#platform/server/erasure/texts.sql.ts';

/** Finds the addresses of erased subscribers in the texts that are added to SMS. */
export const findSettingsNaming = createTextFinder('sms_settings', {
  kind: 'account',
  columns: ['prefix', 'opt_out_text', 'link_text'],
});

export type SettingsRow = Selectable<DB['sms_settings']>;

export const { find: findSettings } = accountTable('sms_settings');

export async function upsertSettings(tx: Tx, row: SettingsRow): Promise<void> {
  const { account_id: _, ...changes } = row;
  await tx
    .insertInto('sms_settings')
    .values(row)
    .onConflict((conflict) => conflict.columns(['account_id']).doUpdateSet(changes))
    .execute();
}
