// SQL of accounts' own SMS providers.
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
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

export function findProvider(
  db: Reader,
  accountId: number,
  id: number,
): Promise<ProviderRow | undefined> {
  return db
    .selectFrom('sms_providers')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export function insertProvider(tx: Tx, provider: NewProvider): Promise<ProviderRow> {
  return tx.insertInto('sms_providers').values(provider).returningAll().executeTakeFirstOrThrow();
}

export function updateProvider(
  tx: Tx,
  accountId: number,
  id: number,
  changes: Updateable<DB['sms_providers']>,
): Promise<ProviderRow | undefined> {
  return tx
    .updateTable('sms_providers')
    .set(changes)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export async function deleteProvider(tx: Tx, accountId: number, id: number): Promise<boolean> {
  const row = await tx
    .deleteFrom('sms_providers')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Stores the state of a provider; `since` changes only when the state does. */
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
