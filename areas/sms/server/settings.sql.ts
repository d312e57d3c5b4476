// Queries for an account's SMS settings.
import type { Selectable } from 'kysely';
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Tx } from '#platform/server/database/database.ts';

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
