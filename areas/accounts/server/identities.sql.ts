// Queries for users' identities at the identity provider and removed members.
import type { Reader, Tx } from '#platform/server/database/database.ts';

type Key = { issuer: string; subject: string };

export const findIdentity = (db: Reader, { issuer, subject }: Key) =>
  db
    .selectFrom('identities')
    .selectAll()
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();

/** Returns the ID, or undefined if the identity already exists. */
export async function insertIdentity(
  tx: Tx,
  { issuer, subject }: Key,
  { userId, email, at }: { userId: number; email: string; at: Date },
): Promise<number | undefined> {
  const row = await tx
    .insertInto('identities')
    .values({ user_id: userId, issuer, subject, email, created_at: at, used_at: at })
    .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return row?.id;
}

/** Records a sign-in; returns false if the identity was removed since it was read. */
export async function useIdentity(tx: Tx, id: number, email: string, at: Date): Promise<boolean> {
  const row = await tx
    .updateTable('identities')
    .set({ email, used_at: at })
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export const listIdentitiesOf = (db: Reader, userId: number) =>
  db.selectFrom('identities').selectAll().where('user_id', '=', userId).orderBy('id').execute();

export async function deleteIdentity(tx: Tx, userId: number, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('identities')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function deleteIdentitiesOf(tx: Tx, userId: number): Promise<void> {
  await tx.deleteFrom('identities').where('user_id', '=', userId).execute();
}

export async function recordRemoval(
  tx: Tx,
  userId: number,
  accountId: number,
  at: Date,
): Promise<void> {
  await tx
    .insertInto('removed_members')
    .values({ user_id: userId, account_id: accountId, removed_at: at })
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'account_id']).doUpdateSet({ removed_at: at }),
    )
    .execute();
}

export async function wasRemoved(db: Reader, userId: number, accountId: number): Promise<boolean> {
  const row = await db
    .selectFrom('removed_members')
    .select('user_id')
    .where('user_id', '=', userId)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row !== undefined;
}
