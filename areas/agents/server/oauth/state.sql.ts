// Queries for the authorization server's state. It belongs to no account, because a client is
// registered, and an authorization request begins, before a user has signed in.
import type { Db, Reader } from '#platform/server/database/database.ts';

type StateKey = { kind: string; id: Buffer };

export async function saveState(
  db: Reader,
  { kind, id }: StateKey,
  values: {
    payload: Buffer;
    grant_id: string | null;
    uid: string | null;
    expires_at: Date | null;
  },
): Promise<void> {
  await db
    .insertInto('oauth_state')
    .values({ kind, id, ...values })
    .onConflict((conflict) => conflict.columns(['kind', 'id']).doUpdateSet(values))
    .execute();
}

const selectValidStates = (db: Reader, kind: string, at: Date) =>
  db
    .selectFrom('oauth_state')
    .select(['payload', 'grant_id', 'expires_at', 'consumed_at'])
    .where('kind', '=', kind)
    .where((row) => row.or([row('expires_at', 'is', null), row('expires_at', '>', at)]));

export const findState = (db: Reader, { kind, id }: StateKey, at: Date) =>
  selectValidStates(db, kind, at).where('id', '=', id).executeTakeFirst();

export const findStateByUid = (db: Reader, kind: string, uid: string, at: Date) =>
  selectValidStates(db, kind, at).where('uid', '=', uid).executeTakeFirst();

/** Returns false if the state was consumed before. */
export async function consumeState(db: Reader, { kind, id }: StateKey, at: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('oauth_state')
    .set({ consumed_at: at })
    .where('kind', '=', kind)
    .where('id', '=', id)
    .where('consumed_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function deleteState(db: Reader, { kind, id }: StateKey): Promise<void> {
  await db.deleteFrom('oauth_state').where('kind', '=', kind).where('id', '=', id).execute();
}

/** Deletes the codes and tokens of a grant. */
export async function deleteStateOfGrant(db: Reader, grantId: string): Promise<void> {
  await db.deleteFrom('oauth_state').where('grant_id', '=', grantId).execute();
}

/** Extends the lifetime of a row. */
export async function extendState(
  db: Reader,
  { kind, id }: StateKey,
  expiresAt: Date,
): Promise<void> {
  await db
    .updateTable('oauth_state')
    .set({ expires_at: expiresAt })
    .where('kind', '=', kind)
    .where('id', '=', id)
    .execute();
}

export async function deleteExpiredState(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('oauth_state').where('expires_at', '<', before).execute();
}
