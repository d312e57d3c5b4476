// Queries for codes that prove ownership of numbers, and for the times when codes were sent.
import { type Selectable, sql } from 'kysely';
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Db, Tx } from '#platform/server/database/database.ts';

export type CodeRow = Selectable<DB['phone_codes']>;

export const {
  find: findCode,
  lock: lockCode,
  delete: deleteCode,
} = accountTable('phone_codes', 'phone_id');

export async function saveCode(
  tx: Tx,
  code: Pick<CodeRow, 'account_id' | 'phone_id' | 'code_hash' | 'expires_at'>,
): Promise<void> {
  const { code_hash, expires_at } = code;
  await tx
    .insertInto('phone_codes')
    .values(code)
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'phone_id'])
        .doUpdateSet({ code_hash, expires_at, attempts: 0 }),
    )
    .execute();
}

export async function countAttempt(tx: Tx, accountId: number, phoneId: number): Promise<void> {
  await sql`
    update phone_codes set attempts = attempts + 1
    where account_id = ${accountId} and phone_id = ${phoneId}`.execute(tx);
}

/**
 * Locks the send times of a key until the transaction ends and returns them; empty for a new key.
 */
export async function lockSends(tx: Tx, key: string, at: Date): Promise<Date[]> {
  await sql`
    insert into phone_code_sends (key, sent_at, last_sent_at) values (${key}, '{}', ${at})
    on conflict (key) do nothing`.execute(tx);
  const { rows } = await sql<{ sent_at: Date[] }>`
    select sent_at from phone_code_sends where key = ${key} for update`.execute(tx);
  return rows[0]?.sent_at ?? [];
}

export async function saveSends(
  tx: Tx,
  key: string,
  sentAt: readonly Date[],
  at: Date,
): Promise<void> {
  await sql`
    insert into phone_code_sends (key, sent_at, last_sent_at)
    values (${key}, ${[...sentAt]}::timestamptz[], ${at})
    on conflict (key) do update
    set sent_at = excluded.sent_at, last_sent_at = excluded.last_sent_at`.execute(tx);
}

/**
 * Deletes send times of keys that were last used before an instant, because keys contain phone
 * numbers.
 */
export async function deleteSends(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('phone_code_sends').where('last_sent_at', '<', before).execute();
}
