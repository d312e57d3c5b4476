// Queries for operators' sessions. They use only tables that are stored on the coordinator.
import type { Db, Reader, Tx } from '#platform/server/database/database.ts';

export async function insertOperatorSession(
  tx: Tx,
  session: {
    hash: Buffer;
    userId: number;
    accountId: number;
    sessionId: number | null;
    at: Date;
    expiresAt: Date;
  },
): Promise<void> {
  await tx
    .insertInto('operator_sessions')
    .values({
      secret_hash: session.hash,
      user_id: session.userId,
      account_id: session.accountId,
      session_id: session.sessionId,
      created_at: session.at,
      expires_at: session.expiresAt,
    })
    .execute();
}

/**
 * Finds the unexpired session with this secret and its user, if the user is still a member of the
 * account.
 */
export async function findOperatorSession(db: Reader, hash: Buffer, at: Date) {
  const session = await db
    .selectFrom('operator_sessions')
    .select(['account_id', 'user_id', 'session_id'])
    .where('secret_hash', '=', hash)
    .where('expires_at', '>', at)
    .executeTakeFirst();
  if (!session) return undefined;
  const user = await db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['users.email_key', 'users.email_verified_at', 'users.language', 'memberships.denied'])
    .where('memberships.account_id', '=', session.account_id)
    .where('memberships.user_id', '=', session.user_id)
    .executeTakeFirst();
  return user && { ...session, ...user };
}

/** Extends the operator's session; returns false if none has this secret, session and user. */
export async function extendOperatorSession(
  tx: Tx,
  session: { hash: Buffer; accountId: number; userId: number; sessionId: number; expiresAt: Date },
): Promise<boolean> {
  const row = await tx
    .updateTable('operator_sessions')
    .set({ expires_at: session.expiresAt })
    .where('secret_hash', '=', session.hash)
    .where('account_id', '=', session.accountId)
    .where('user_id', '=', session.userId)
    .where('session_id', '=', session.sessionId)
    .returning('user_id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function deleteOperatorSession(tx: Tx, hash: Buffer): Promise<void> {
  await tx.deleteFrom('operator_sessions').where('secret_hash', '=', hash).execute();
}

/** Deletes the sessions that were opened with a session of an account. */
export async function deleteOperatorSessionsOf(
  tx: Tx,
  accountId: number,
  sessionId: number,
): Promise<void> {
  await tx
    .deleteFrom('operator_sessions')
    .where('account_id', '=', accountId)
    .where('session_id', '=', sessionId)
    .execute();
}

export async function dropExpiredOperatorSessions(db: Db, at: Date): Promise<void> {
  await db.deleteFrom('operator_sessions').where('expires_at', '<', at).execute();
}
