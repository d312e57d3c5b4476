// Queries for SMTP users.
import { sql } from 'kysely';
import type { ListRequest } from '#platform/contract.ts';
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { Slice } from '#platform/server/database/lists.ts';
import { createTextRewriter } from '#platform/server/erasure/texts.sql.ts';

/** Removes the addresses of erased subscribers from titles of SMTP users. */
export const rewriteSmtpUsers = createTextRewriter('smtp_users');

const orderColumns = {
  created: sql.ref('created_at'),
  title: sql`lower(title) collate "und-x-icu"`,
} as const;

export function listSmtpUsers(
  db: Reader,
  accountId: number,
  sort: Pick<ListRequest<'created' | 'title'>, 'order' | 'direction'>,
  { limit, offset }: Slice,
) {
  return db
    .selectFrom('smtp_users')
    .select(['id', 'title', 'last_used_at', 'created_at'])
    .where('account_id', '=', accountId)
    .orderBy(orderColumns[sort.order], sort.direction)
    .orderBy('id', sort.direction)
    .limit(limit)
    .offset(offset)
    .execute();
}

export async function countSmtpUsers(db: Reader, accountId: number): Promise<number> {
  const row = await db
    .selectFrom('smtp_users')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  return row.count;
}

export function insertSmtpUser(
  tx: Tx,
  accountId: number,
  row: { title: string; secret_hash: Buffer; user_id: number; created_at: Date },
) {
  return tx
    .insertInto('smtp_users')
    .values({ account_id: accountId, ...row })
    .returning(['id', 'title', 'last_used_at', 'created_at'])
    .executeTakeFirstOrThrow();
}

export const { delete: deleteSmtpUser } = accountTable('smtp_users', 'id');

export function listSmtpUsersOf(db: Reader, accountId: number, userId: number) {
  return db
    .selectFrom('smtp_users')
    .select(['id', 'title', 'last_used_at', 'created_at'])
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .orderBy('id')
    .execute();
}

export async function deleteSmtpUsersOf(
  tx: Tx,
  accountId: number,
  userId: number,
  ids: readonly number[] | undefined,
): Promise<void> {
  await tx
    .deleteFrom('smtp_users')
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .$if(ids !== undefined, (query) => query.where('id', 'in', [...(ids ?? [])]))
    .execute();
}

export function findSmtpUser(db: Reader, accountId: number, id: number) {
  return db
    .selectFrom('smtp_users')
    .select(['id', 'user_id', 'secret_hash', 'last_used_at'])
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function recordLastUse(
  tx: Tx,
  accountId: number,
  id: number,
  last_used_at: Date,
): Promise<void> {
  await tx
    .updateTable('smtp_users')
    .set({ last_used_at })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute();
}
