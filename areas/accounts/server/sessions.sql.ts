// Queries for sessions, refresh tokens, API tokens, emailed secrets and sign-in failures.
import { sql } from 'kysely';
import type { Db, Reader, Tx } from '#platform/server/database/database.ts';
import { deleteOperatorSessionsOf } from './operator-sessions.sql.ts';
import { dropPushesOf } from './push.sql.ts';

export async function insertSession(
  tx: Tx,
  session: {
    accountId: number;
    userId: number;
    userAgent: string | undefined;
    ip: string;
    at: Date;
    expiresAt: Date;
  },
): Promise<number> {
  const row = await tx
    .insertInto('sessions')
    .values({
      account_id: session.accountId,
      user_id: session.userId,
      user_agent: session.userAgent?.slice(0, 500) ?? null,
      ip: session.ip,
      created_at: session.at,
      seen_at: session.at,
      expires_at: session.expiresAt,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

/**
 * Returns a session and its user, or undefined if the session was revoked or has expired or the
 * user is no longer a member.
 */
export async function findLiveSession(db: Reader, accountId: number, sessionId: number, at: Date) {
  return db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .innerJoin('memberships', (join) =>
      join
        .onRef('memberships.user_id', '=', 'sessions.user_id')
        .onRef('memberships.account_id', '=', 'sessions.account_id'),
    )
    .select(['sessions.user_id', 'users.language', 'sessions.seen_at', 'memberships.denied'])
    .where('sessions.account_id', '=', accountId)
    .where('sessions.id', '=', sessionId)
    .where('sessions.revoked_at', 'is', null)
    .where('sessions.expires_at', '>', at)
    .executeTakeFirst();
}

/** Records a use; returns false if the session was revoked since it was read. */
export async function recordSessionUse(
  db: Reader,
  accountId: number,
  sessionId: number,
  at: Date,
  expiresAt: Date,
): Promise<boolean> {
  const row = await db
    .updateTable('sessions')
    .set({ seen_at: at, expires_at: expiresAt })
    .where('account_id', '=', accountId)
    .where('id', '=', sessionId)
    .where('revoked_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function revokeSession(
  tx: Tx,
  accountId: number,
  sessionId: number,
  reason: string,
  at: Date,
): Promise<boolean> {
  const row = await tx
    .updateTable('sessions')
    .set({ revoked_at: at, revoked_reason: reason })
    .where('account_id', '=', accountId)
    .where('id', '=', sessionId)
    .where('revoked_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  // After a switch to another account, the browser's push subscription moves to the new session.
  if (row && reason !== 'switched') await dropPushesOf(tx, { accountId, sessionId });
  if (row) await deleteOperatorSessionsOf(tx, accountId, sessionId);
  return row !== undefined;
}

/**
 * Ends all sessions of a user in one account except the given one, and deletes their push
 * subscriptions and operator sessions.
 */
export async function revokeSessionsOfUser(
  tx: Tx,
  accountId: number,
  userId: number,
  reason: string,
  at: Date,
  keptSessionId?: number,
): Promise<void> {
  await tx
    .updateTable('sessions')
    .set({ revoked_at: at, revoked_reason: reason })
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where('id', '!=', keptSessionId ?? 0)
    .execute();
  await tx
    .deleteFrom('push_subscriptions')
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .where('session_id', '!=', keptSessionId ?? 0)
    .execute();
  await tx
    .deleteFrom('operator_sessions')
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .where((eb) =>
      eb.or([eb('session_id', 'is', null), eb('session_id', '!=', keptSessionId ?? 0)]),
    )
    .execute();
}

/** Ends all API tokens that a user created in one account. */
export async function revokeTokensOfUser(
  tx: Tx,
  accountId: number,
  userId: number,
  at: Date,
): Promise<void> {
  await tx
    .updateTable('api_tokens')
    .set({ revoked_at: at, modified_at: at })
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .execute();
}

export async function insertRefreshToken(
  tx: Tx,
  token: { accountId: number; sessionId: number; hash: Buffer; at: Date },
): Promise<void> {
  await tx
    .insertInto('refresh_tokens')
    .values({
      account_id: token.accountId,
      token_hash: token.hash,
      session_id: token.sessionId,
      created_at: token.at,
    })
    .execute();
}

/** Marks the token as used and returns its session; `usedBefore` is the time of an earlier use. */
export async function useRefreshToken(
  tx: Tx,
  accountId: number,
  hash: Buffer,
  at: Date,
): Promise<{ sessionId: number; usedBefore: Date | null } | undefined> {
  const row = await tx
    .selectFrom('refresh_tokens')
    .select(['session_id', 'used_at'])
    .where('account_id', '=', accountId)
    .where('token_hash', '=', hash)
    .forUpdate()
    .executeTakeFirst();
  if (!row) return undefined;
  if (!row.used_at) {
    await tx
      .updateTable('refresh_tokens')
      .set({ used_at: at })
      .where('account_id', '=', accountId)
      .where('token_hash', '=', hash)
      .execute();
  }
  return { sessionId: row.session_id, usedBefore: row.used_at };
}

/**
 * Finds the valid token with this secret, either its current one or, after a rotation, the former
 * one.
 */
export async function findApiToken(db: Reader, accountId: number, hash: Buffer, at: Date) {
  return db
    .selectFrom('api_tokens')
    .innerJoin('users', 'users.id', 'api_tokens.user_id')
    .innerJoin('memberships', (join) =>
      join
        .onRef('memberships.user_id', '=', 'api_tokens.user_id')
        .onRef('memberships.account_id', '=', 'api_tokens.account_id'),
    )
    .select(['api_tokens.id', 'api_tokens.user_id', 'api_tokens.scopes', 'api_tokens.networks'])
    .select(['users.language', 'api_tokens.last_used_at', 'api_tokens.countries'])
    .select('memberships.denied')
    .where('api_tokens.account_id', '=', accountId)
    .where((eb) =>
      eb.or([
        eb('api_tokens.token_hash', '=', hash),
        eb.and([eb('api_tokens.former_hash', '=', hash), eb('api_tokens.former_until', '>', at)]),
      ]),
    )
    .where('api_tokens.revoked_at', 'is', null)
    .where((eb) =>
      eb.or([eb('api_tokens.expires_at', 'is', null), eb('api_tokens.expires_at', '>', at)]),
    )
    .executeTakeFirst();
}

export async function insertMailedSecret(
  tx: Tx,
  secret: {
    hash: Buffer;
    kind: 'password_reset' | 'email_verification';
    userId: number;
    email: string;
    at: Date;
    expiresAt: Date;
  },
): Promise<void> {
  await tx
    .insertInto('email_tokens')
    .values({
      secret_hash: secret.hash,
      kind: secret.kind,
      user_id: secret.userId,
      email: secret.email,
      created_at: secret.at,
      expires_at: secret.expiresAt,
    })
    .execute();
}

/** Consumes the secret; returns undefined if it is unknown, used or expired. */
export async function consumeMailedSecret(
  tx: Tx,
  kind: 'password_reset' | 'email_verification',
  hash: Buffer,
  at: Date,
): Promise<{ user_id: number; email: string } | undefined> {
  return tx
    .updateTable('email_tokens')
    .set({ used_at: at })
    .where('secret_hash', '=', hash)
    .where('kind', '=', kind)
    .where('used_at', 'is', null)
    .where('expires_at', '>', at)
    .returning(['user_id', 'email'])
    .executeTakeFirst();
}

/** Finds the user of a secret until it expires, even if it was used. */
export async function findMailedSecret(
  tx: Tx,
  kind: 'password_reset' | 'email_verification',
  hash: Buffer,
  at: Date,
): Promise<{ user_id: number; email: string } | undefined> {
  return tx
    .selectFrom('email_tokens')
    .select(['user_id', 'email'])
    .where('secret_hash', '=', hash)
    .where('kind', '=', kind)
    .where('expires_at', '>', at)
    .executeTakeFirst();
}

/** Invalidates all links of this kind that were emailed to the user before. */
export async function revokeMailedSecrets(
  tx: Tx,
  kind: 'password_reset' | 'email_verification',
  userId: number,
  at: Date,
): Promise<void> {
  await tx
    .updateTable('email_tokens')
    .set({ used_at: at })
    .where('user_id', '=', userId)
    .where('kind', '=', kind)
    .where('used_at', 'is', null)
    .execute();
}

/**
 * Deletes sessions of one account that ended before an instant, and refresh tokens used before it.
 */
export async function dropEndedSessions(db: Db, accountId: number, before: Date): Promise<void> {
  await sql`delete from sessions where account_id = ${accountId}
    and (expires_at < ${before} or revoked_at < ${before})`.execute(db);
  await sql`delete from refresh_tokens where account_id = ${accountId}
    and used_at < ${before}`.execute(db);
}

/** Deletes expired emailed links. */
export async function dropOldEmailTokens(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('email_tokens').where('expires_at', '<', before).execute();
}

/** Deletes outdated failure counts. */
export async function dropOldFailures(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('sign_in_failures').where('last_at', '<', before).execute();
}

export async function readFailures(
  db: Db,
  hash: Buffer,
): Promise<{ failures: number; last_at: Date } | undefined> {
  return db
    .selectFrom('sign_in_failures')
    .select(['failures', 'last_at'])
    .where('address_hash', '=', hash)
    .executeTakeFirst();
}

export async function countFailure(db: Db, hash: Buffer, at: Date): Promise<void> {
  await sql`insert into sign_in_failures (address_hash, failures, last_at) values (${hash}, 1, ${at})
    on conflict (address_hash) do update
    set failures = sign_in_failures.failures + 1, last_at = excluded.last_at`.execute(db);
}

export async function clearFailures(db: Db, hash: Buffer): Promise<void> {
  await db.deleteFrom('sign_in_failures').where('address_hash', '=', hash).execute();
}
