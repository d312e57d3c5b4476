// Queries for push subscriptions.
import type { Db, Reader, Tx } from '#platform/server/database/database.ts';

export type PushRow = {
  user_id: number;
  account_id: number;
  session_id: number;
  endpoint: string;
  p256dh: string;
  auth: string;
};

export async function listPushHashes(db: Reader, userId: number): Promise<Buffer[]> {
  const rows = await db
    .selectFrom('push_subscriptions')
    .select('endpoint_hash')
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('endpoint_hash')
    .execute();
  return rows.map((row) => row.endpoint_hash);
}

/** Saves a subscription. A browser belongs to the last user who subscribed in it. */
export async function savePush(tx: Tx, hash: Buffer, row: PushRow, at: Date): Promise<void> {
  await tx
    .insertInto('push_subscriptions')
    .values({ endpoint_hash: hash, ...row, created_at: at })
    .onConflict((conflict) =>
      conflict.column('endpoint_hash').doUpdateSet({ ...row, created_at: at }),
    )
    .execute();
}

export async function dropPushes(tx: Tx, userId: number, hashes: readonly Buffer[]): Promise<void> {
  if (hashes.length === 0) return;
  await tx
    .deleteFrom('push_subscriptions')
    .where('user_id', '=', userId)
    .where('endpoint_hash', 'in', hashes)
    .execute();
}

export type SubscribedBrowser = {
  endpoint_hash: Buffer;
  user_id: number;
  language: string;
};

/** Lists the subscribed browsers of the account's members. */
export function listBrowsersOfMembers(db: Reader, accountId: number): Promise<SubscribedBrowser[]> {
  return db
    .selectFrom('push_subscriptions')
    .innerJoin('memberships', 'memberships.user_id', 'push_subscriptions.user_id')
    .innerJoin('users', 'users.id', 'push_subscriptions.user_id')
    .select(['push_subscriptions.endpoint_hash', 'push_subscriptions.user_id', 'users.language'])
    .where('memberships.account_id', '=', accountId)
    .orderBy('push_subscriptions.created_at')
    .execute();
}

/** Finds a subscription if its user is still a member of the account. */
export function findPush(
  db: Reader,
  accountId: number,
  hash: Buffer,
): Promise<PushRow | undefined> {
  return db
    .selectFrom('push_subscriptions')
    .innerJoin('memberships', 'memberships.user_id', 'push_subscriptions.user_id')
    .select([
      'push_subscriptions.user_id',
      'push_subscriptions.account_id',
      'push_subscriptions.session_id',
      'endpoint',
      'p256dh',
      'auth',
    ])
    .where('memberships.account_id', '=', accountId)
    .where('endpoint_hash', '=', hash)
    .executeTakeFirst();
}

/**
 * Deletes the subscription only if it is unchanged, because the browser may have subscribed again.
 */
export async function dropPush(db: Reader, hash: Buffer, row: PushRow): Promise<void> {
  await db
    .deleteFrom('push_subscriptions')
    .where('endpoint_hash', '=', hash)
    .where('session_id', '=', row.session_id)
    .where('auth', '=', row.auth)
    .execute();
}

type SessionKey = { accountId: number; sessionId: number };

/**
 * Returns whether the session has a subscription. While a node of a cluster is down, every update
 * and delete in this global table fails, even if no row matches, so neither may run for a session
 * that has no subscription.
 */
const hasPushes = async (db: Reader, { accountId, sessionId }: SessionKey): Promise<boolean> => {
  const row = await db
    .selectFrom('push_subscriptions')
    .select('session_id')
    .where('account_id', '=', accountId)
    .where('session_id', '=', sessionId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
};

export async function dropPushesOf(tx: Tx, session: SessionKey): Promise<void> {
  if (!(await hasPushes(tx, session))) return;
  await tx
    .deleteFrom('push_subscriptions')
    .where('account_id', '=', session.accountId)
    .where('session_id', '=', session.sessionId)
    .execute();
}

/** Moves a browser's subscription to another session, possibly of another account. */
export async function movePushes(tx: Tx, from: SessionKey, to: SessionKey): Promise<void> {
  if (!(await hasPushes(tx, from))) return;
  await tx
    .updateTable('push_subscriptions')
    .set({ account_id: to.accountId, session_id: to.sessionId })
    .where('account_id', '=', from.accountId)
    .where('session_id', '=', from.sessionId)
    .execute();
}

/**
 * Deletes the account's subscriptions whose session has expired, was revoked, or no longer exists.
 */
export async function dropPushesOfEnded(db: Db, accountId: number, at: Date): Promise<void> {
  const rows = await db
    .selectFrom('push_subscriptions')
    .select('session_id')
    .where('account_id', '=', accountId)
    .execute();
  const ids = rows.map((row) => row.session_id);
  if (ids.length === 0) return;
  const live = await db
    .selectFrom('sessions')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', 'in', ids)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', at)
    .execute();
  const endedIds = ids.filter((id) => !live.some((session) => session.id === id));
  if (endedIds.length === 0) return;
  await db
    .deleteFrom('push_subscriptions')
    .where('account_id', '=', accountId)
    .where('session_id', 'in', endedIds)
    .execute();
}
