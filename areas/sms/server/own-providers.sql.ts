// SQL of accounts' own SMS providers.
import { type Insertable, type Selectable, sql } from 'kysely';
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Db, Reader, Tx } from '#platform/server/database/database.ts';
import type { ProviderHealth } from '../providers-limits.ts';

export type ProviderRow = Selectable<DB['sms_providers']>;
export type NewProvider = Insertable<DB['sms_providers']>;

/** Rows (account_id) of accounts with an enabled provider. */
export const accountsWithProviders = sql`select account_id from sms_providers where is_on`;

export function listProviders(db: Reader, accountId: number): Promise<ProviderRow[]> {
  return db
    .selectFrom('sms_providers')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('priority')
    .orderBy('id')
    .execute();
}

export const {
  find: findProvider,
  updateReturning: updateProvider,
  delete: deleteProvider,
} = accountTable('sms_providers', 'id');

export function insertProvider(tx: Tx, provider: NewProvider): Promise<ProviderRow> {
  return tx.insertInto('sms_providers').values(provider).returningAll().executeTakeFirstOrThrow();
}

/** Stores the state of a provider; the start of the state changes only when the state does. */
export async function saveProviderHealth(
  db: Db,
  accountId: number,
  id: number,
  health: { state: ProviderHealth; code: string | null; reply: string | null; at: Date },
): Promise<void> {
  await sql`
    update sms_providers set
      health_since = case when health = ${health.state} then health_since else ${health.at} end,
      health = ${health.state}, health_at = ${health.at}, health_code = ${health.code},
      health_reply = ${health.reply}
    where account_id = ${accountId} and id = ${id}`.execute(db);
}
