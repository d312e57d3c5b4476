// SQL for users, accounts and memberships.
import type { Selectable, Updateable } from 'kysely';
import { sql } from 'kysely';
import { acrossAccounts } from '#platform/server/database/across-accounts.sql.ts';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Db, Reader, Tx } from '#platform/server/database/database.ts';

export type UserRow = Selectable<DB['users']>;
export type AccountRow = Selectable<DB['accounts']>;

export async function saveTrackingSettings(
  tx: Tx,
  accountId: number,
  measuring: { opens: boolean; clicks: boolean },
  at: Date,
): Promise<void> {
  await tx
    .updateTable('accounts')
    .set({ tracks_opens: measuring.opens, tracks_clicks: measuring.clicks, modified_at: at })
    .where('id', '=', accountId)
    .execute();
}

export async function saveActivePlan(
  tx: Tx,
  accountId: number,
  plan: { orderId: number; validTo: Date } | null,
  at: Date,
): Promise<void> {
  await tx
    .updateTable('accounts')
    .set({
      active_plan: plan?.orderId ?? null,
      plan_valid_to: plan?.validTo ?? null,
      modified_at: at,
    })
    .where('id', '=', accountId)
    .execute();
}

export function findUserByEmail(db: Reader, key: string): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('email_key', '=', key).executeTakeFirst();
}

export function findUser(db: Reader, id: number): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
}

const selectMembers = (db: Reader, accountId: number) =>
  db
    .selectFrom('users')
    .innerJoin('memberships', 'memberships.user_id', 'users.id')
    .where('memberships.account_id', '=', accountId);

/** Finds the user if they are a member of the account. */
export function findMember(
  db: Reader,
  accountId: number,
  userId: number,
): Promise<UserRow | undefined> {
  return selectMembers(db, accountId)
    .selectAll('users')
    .where('users.id', '=', userId)
    .executeTakeFirst();
}

/** Finds users by ID, including users who left the account. */
export const findUsersById = (db: Reader, ids: readonly number[]) =>
  db
    .selectFrom('users')
    .select(['id', 'email', 'name', 'surname'])
    // An empty list matches no user; IN () would be an error.
    .where(sql<boolean>`id = any(${[...ids]}::bigint[])`)
    .execute();

/** Lists members who have campaign notifications enabled and a verified address. */
export function listNotifiedMembers(db: Reader, accountId: number): Promise<UserRow[]> {
  return selectMembers(db, accountId)
    .selectAll('users')
    .where('users.has_campaign_notices', '=', true)
    .where('users.email_verified_at', 'is not', null)
    .orderBy('users.id')
    .execute();
}

/** Lists members who have the right, oldest user first. */
export function listMembersWithRight(
  db: Reader,
  accountId: number,
  right: string,
): Promise<UserRow[]> {
  return selectMembers(db, accountId)
    .selectAll('users')
    .where(sql<boolean>`not (${right} = any(memberships.denied))`)
    .orderBy('users.id')
    .execute();
}

/** Lists email addresses of the other members, newest member first. */
export async function listOtherEmails(
  db: Reader,
  accountId: number,
  userId: number,
  limit: number,
): Promise<string[]> {
  const rows = await selectMembers(db, accountId)
    .select('users.email')
    .where('users.id', '!=', userId)
    .orderBy('memberships.created_at', 'desc')
    .orderBy('users.id')
    .limit(limit)
    .execute();
  return rows.map((row) => row.email);
}

/** Returns the given address keys that belong to users of the account. */
export async function findMemberEmailKeys(
  db: Reader,
  accountId: number,
  keys: readonly string[],
): Promise<string[]> {
  if (keys.length === 0) return [];
  const rows = await selectMembers(db, accountId)
    .select('users.email_key')
    .where('users.email_key', 'in', keys)
    .execute();
  return rows.map((row) => row.email_key);
}

/** Finds the oldest member. */
export function findOwner(db: Reader, accountId: number): Promise<UserRow | undefined> {
  return selectMembers(db, accountId)
    .selectAll('users')
    .orderBy('memberships.created_at')
    .orderBy('users.id')
    .limit(1)
    .executeTakeFirst();
}

export async function insertUser(
  tx: Tx,
  user: { email: string; key: string; passwordHash: string; language: string; at: Date },
): Promise<UserRow | undefined> {
  return tx
    .insertInto('users')
    .values({
      email: user.email,
      email_key: user.key,
      password_hash: user.passwordHash,
      language: user.language,
      created_at: user.at,
      modified_at: user.at,
    })
    .onConflict((conflict) => conflict.column('email_key').doNothing())
    .returningAll()
    .executeTakeFirst();
}

/**
 * Locks the key until the transaction ends. The lock is an advisory lock on the coordinator,
 * because no row of a global table can be locked while a node of a cluster is unavailable.
 * Statements after the lock see all changes that its earlier holders committed.
 */
async function lockFor(tx: Tx, key: string, mode: 'shared' | 'exclusive'): Promise<void> {
  const hash = sql`hashtextextended(${key}, 0)`;
  const lock = mode === 'shared' ? sql`pg_advisory_xact_lock_shared` : sql`pg_advisory_xact_lock`;
  await sql`select ${lock}(${hash})`.execute(tx);
}

/**
 * Serializes changes to a user's sign-in methods and access. A lock on the user's row could cause a
 * deadlock: a sign-in locks its identity and then inserts a session that references the user's row,
 * whereas a password reset locks the user and then the identities.
 */
export const lockUser = (tx: Tx, id: number): Promise<void> =>
  lockFor(tx, `user ${id}`, 'exclusive');

/**
 * Locks the user of an address. Returns the user if they are in no account, otherwise undefined.
 */
export async function lockUserWithoutAccount(tx: Tx, key: string): Promise<UserRow | undefined> {
  const existingUser = await findUserByEmail(tx, key);
  if (!existingUser) return undefined;
  await lockUser(tx, existingUser.id);
  const user = await tx
    .selectFrom('users')
    .selectAll()
    .where('email_key', '=', key)
    .forUpdate()
    .executeTakeFirst();
  return user && (await countMemberships(tx, user.id)) === 0 ? user : undefined;
}

export async function countMemberships(db: Reader, userId: number): Promise<number> {
  return (await listAccountsOfUser(db, userId)).length;
}

export async function listAccountsOfUser(db: Reader, userId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('memberships')
    .select('account_id')
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('account_id')
    .execute();
  return rows.map((row) => row.account_id);
}

export async function insertAccount(
  tx: Tx,
  account: { language: string; timezone: string; at: Date },
): Promise<AccountRow> {
  return tx
    .insertInto('accounts')
    .values({
      language: account.language,
      timezone: account.timezone,
      created_at: account.at,
      modified_at: account.at,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function insertMembership(
  tx: Tx,
  userId: number,
  accountId: number,
  at: Date,
  denied: string[] = [],
): Promise<void> {
  await tx
    .insertInto('memberships')
    .values({ user_id: userId, account_id: accountId, created_at: at, denied })
    .onConflict((conflict) => conflict.columns(['user_id', 'account_id']).doNothing())
    .execute();
}

const membershipKey = (accountId: number, userId: number) => `membership ${accountId} ${userId}`;

/** Deletes a membership. Waits for transactions that locked it, such as sign-ins. */
export async function deleteMembership(tx: Tx, accountId: number, userId: number): Promise<void> {
  await lockFor(tx, membershipKey(accountId, userId), 'exclusive');
  await tx
    .deleteFrom('memberships')
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .execute();
}

/** Returns whether the user is a member; locks the membership until this transaction ends. */
export async function lockMembership(tx: Tx, accountId: number, userId: number): Promise<boolean> {
  await lockFor(tx, membershipKey(accountId, userId), 'shared');
  const row = await tx
    .selectFrom('memberships')
    .select('user_id')
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Returns whether the password is still the one that was verified; locks it until this transaction
 * ends.
 */
export async function lockPassword(
  tx: Tx,
  user: Pick<UserRow, 'id' | 'password_hash'>,
  purpose: 'to open a session' | 'to change it' = 'to open a session',
): Promise<boolean> {
  await lockFor(tx, `user ${user.id}`, purpose === 'to change it' ? 'exclusive' : 'shared');
  return (await findUser(tx, user.id))?.password_hash === user.password_hash;
}

/** Finds the account of the user's oldest membership. */
export function findFirstAccount(
  db: Reader,
  userId: number,
): Promise<{ account_id: number } | undefined> {
  return db
    .selectFrom('memberships')
    .select('account_id')
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('account_id')
    .executeTakeFirst();
}

export function findAccount(db: Reader, id: number): Promise<AccountRow | undefined> {
  return db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst();
}

export function lockAccount(tx: Tx, id: number): Promise<AccountRow | undefined> {
  return tx.selectFrom('accounts').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

export async function hasAnyUser(db: Reader): Promise<boolean> {
  return (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined;
}

/** Serializes sign-ups of an installation with `SIGN_UP=first`. */
export async function lockSignUp(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(7305412)`.execute(tx);
}

export async function updateUser(
  tx: Tx,
  id: number,
  change: Updateable<DB['users']>,
): Promise<UserRow | undefined> {
  return tx.updateTable('users').set(change).where('id', '=', id).returningAll().executeTakeFirst();
}

export async function updateAccount(
  tx: Tx,
  id: number,
  change: Updateable<DB['accounts']>,
): Promise<AccountRow> {
  return tx
    .updateTable('accounts')
    .set(change)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * Throws if the account does not exist. Subscribers have no foreign key to their account, so no
 * constraint checks this.
 */
export async function addToSubscriberCount(
  tx: Tx,
  accountId: number,
  difference: number,
): Promise<void> {
  const { numAffectedRows } = await sql`
    update accounts set subscriber_count = subscriber_count + ${difference} where id = ${accountId}`.execute(
    tx,
  );
  if (numAffectedRows === 0n) throw new Error(`Account ${accountId} does not exist`);
}

/** Waits for changes of the count and locks it until this transaction ends. */
export async function lockSubscriberCount(tx: Tx, accountId: number): Promise<void> {
  await sql`select id from accounts where id = ${accountId} for share`.execute(tx);
}

export async function setFlagOnce(
  tx: Tx,
  accountId: number,
  flag:
    | 'subscriber_added_at'
    | 'campaign_created_at'
    | 'domain_verified_at'
    | 'email_sent_at'
    | 'report_viewed_at',
  at: Date,
): Promise<void> {
  await tx
    .updateTable('accounts')
    .set({ [flag]: at })
    .where('id', '=', accountId)
    .where(flag, 'is', null)
    .execute();
}

/**
 * Lists one page of the IDs of accounts whose node is available, for work that visits every
 * account.
 */
export async function listAccountsAfter(db: Db, afterId: number, limit: number): Promise<number[]> {
  const rows = await acrossAccounts(
    db,
    (withinNodes) => sql<{ id: number }>`
    select id from accounts where ${withinNodes(sql`id`)} and id > ${afterId} order by id limit ${limit}`,
  );
  return rows.map((row) => row.id);
}
