// Members of an account: its users, their passwords, sessions and notifications.
import type { ListRequest } from '#platform/contract.ts';
import { encodeId } from '#platform/ids.ts';
import { isLanguage } from '#platform/languages.ts';
import { isRight, type Right, RIGHTS } from '#platform/rights.ts';
import { recordChange } from '#platform/server/audit.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import { requireRight } from '#platform/server/http/rights.ts';
import type { Actor, Caller } from '#platform/server/http/serve.ts';
import { buildListResponse } from '#platform/server/database/lists.ts';
import type { AccountUser, ListedSession } from '../settings-contract.ts';
import { endAccess, endAccessKeys } from './access.ts';
import * as accounts from './accounts.sql.ts';
import { checkPassword, hashPassword } from './passwords.ts';
import { requirePassword } from './profile.ts';
import { requireOwnRights } from './rights.ts';
import { revokeSession, revokeSessionsOfUser, revokeMailedSecrets } from './sessions.sql.ts';
import { recordRemoval } from './identities.sql.ts';
import * as store from './settings.sql.ts';
import { announceSignInChange } from './sign-in.ts';

type MemberSort = 'title' | 'modified' | 'created';
type List = ListRequest<MemberSort>;
type GrantingUser = Pick<Caller, 'accountId' | 'userId' | 'rights'>;

type MemberRow = accounts.UserRow & { denied: string[] };

const presentUser = (row: MemberRow, caller: Actor): AccountUser => ({
  id: encodeId('user', row.id),
  email: row.email,
  name: row.name,
  surname: row.surname,
  language: isLanguage(row.language) ? row.language : 'eng',
  email_verified: row.email_verified_at !== null,
  created: row.created_at.toISOString(),
  is_you: row.id === caller.userId,
  denied: row.denied.filter(isRight),
});

async function getMemberRow(db: Reader, accountId: number, id: number): Promise<MemberRow> {
  const row = await accounts.findMember(db, accountId, id);
  const membership = row && (await store.findMembership(db, accountId, id));
  if (!membership) throw notFound();
  return { ...row, denied: membership.denied };
}

export function listUsers(tx: Tx, caller: Actor, list: List) {
  return buildListResponse(
    list,
    {
      rows: (slice) => store.listUsers(tx, caller.accountId, list, slice),
      total: () => store.countUsers(tx, caller.accountId, list.search),
    },
    (row) => presentUser(row, caller),
  );
}

export async function readUser(tx: Tx, caller: Actor, id: number): Promise<AccountUser> {
  return presentUser(await getMemberRow(tx, caller.accountId, id), caller);
}

/**
 * Updates the name of the caller, or of another user who is in no other account. A user is the same
 * in every account, so one account must not edit a user of other accounts.
 */
export async function editUser(
  tx: Tx,
  caller: GrantingUser,
  id: number,
  change: { name?: string; surname?: string },
): Promise<AccountUser> {
  if (id !== caller.userId) requireRight(caller, 'admin');
  const row = await getMemberRow(tx, caller.accountId, id);
  if (id !== caller.userId && (await accounts.countMemberships(tx, id)) > 1) {
    throw new AppError('not_your_profile');
  }
  const savedUser = await accounts.updateUser(tx, id, { ...change, modified_at: clock.now() });
  return presentUser({ ...row, ...savedUser }, caller);
}

/**
 * Sets the rights that a user lacks in the account. Callers can change only rights that they have
 * themselves so that users cannot extend their own.
 */
export async function setRights(
  tx: Tx,
  caller: GrantingUser,
  id: number,
  denied: Right[],
): Promise<AccountUser> {
  const members = await store.lockMembers(tx, caller.accountId);
  const member = members.find((row) => row.user_id === id);
  if (!member) throw notFound();
  const changedRights = RIGHTS.filter(
    (right) => denied.includes(right) !== member.denied.includes(right),
  );
  requireOwnRights(caller, changedRights);
  if (denied.length > 0) requireFullMember(members.filter((row) => row.user_id !== id));
  await store.updateMembership(tx, caller.accountId, id, { denied });
  recordChange({ before: { denied: member.denied }, after: { denied } });
  return readUser(tx, caller, id);
}

/**
 * Ensures that a member with all rights remains; otherwise some settings could never be changed
 * again.
 */
function requireFullMember(members: readonly { denied: string[] }[]): void {
  if (!members.some(({ denied }) => denied.length === 0)) throw new AppError('last_full_user');
}

/**
 * Removes a user and ends their sessions, tokens, SMTP users and pending invitations in this
 * account. The last user, and the last one with all rights, cannot be removed.
 */
export async function removeUser(tx: Tx, caller: Actor, id: number): Promise<void> {
  const members = await store.lockMembers(tx, caller.accountId);
  if (!members.some((row) => row.user_id === id)) throw notFound();
  if (members.length === 1) throw new AppError('last_user');
  requireFullMember(members.filter((row) => row.user_id !== id));
  const at = clock.now();
  await accounts.deleteMembership(tx, caller.accountId, id);
  await recordRemoval(tx, id, caller.accountId, at);
  await endAccess(tx, caller.accountId, id, 'removed', at);
}

/**
 * Changes the password and ends every other session, pending invitation and password reset link of
 * the user in every account. Tokens and SMTP users end only if listed: a routine change must not
 * stop programs that send receipts.
 */
export async function changePassword(
  tx: Tx,
  caller: Omit<Caller, 'rights'>,
  id: number,
  input: { current: string; password: string; end?: readonly string[] },
): Promise<void> {
  if (id !== caller.userId) throw notFound();
  const user = await accounts.findMember(tx, caller.accountId, id);
  if (!user) throw notFound();
  await requirePassword(tx, user, input.current);
  checkPassword(input.password, user.email);
  const at = clock.now();
  await accounts.updateUser(tx, id, {
    password_hash: await hashPassword(input.password),
    modified_at: at,
  });
  await revokeMailedSecrets(tx, 'password_reset', id, at);
  for (const accountId of await accounts.listAccountsOfUser(tx, id)) {
    const currentSessionId =
      accountId === caller.accountId && caller.via === 'session' ? caller.sessionId : undefined;
    await revokeSessionsOfUser(tx, accountId, id, 'password_changed', at, currentSessionId);
    await store.deleteInvitationsBy(tx, accountId, id);
  }
  await endAccessKeys(tx, id, input.end ?? [], at);
  await announceSignInChange(tx, caller.accountId, user, 'password_changed', at);
}

export function listSessions(tx: Tx, caller: Caller, list: List) {
  const at = clock.now();
  return buildListResponse(
    list,
    {
      rows: (slice) => store.listSessions(tx, caller.accountId, caller.userId, at, list, slice),
      total: () => store.countSessions(tx, caller.accountId, caller.userId, at),
    },
    (row): ListedSession => ({
      id: encodeId('session', row.id),
      user_agent: row.user_agent,
      ip: row.ip,
      created: row.created_at.toISOString(),
      last_seen: row.seen_at.toISOString(),
      is_current: caller.via === 'session' && row.id === caller.sessionId,
    }),
  );
}

export async function endOwnSession(tx: Tx, caller: Actor, id: number): Promise<void> {
  const at = clock.now();
  if (!(await store.findSessionOfUser(tx, caller.accountId, caller.userId, id, at)))
    throw notFound();
  await revokeSession(tx, caller.accountId, id, 'signed_out', at);
}

export async function readNotifications(db: Reader, caller: Actor) {
  const user = await accounts.findMember(db, caller.accountId, caller.userId);
  if (!user) throw notFound();
  return { campaigns: user.has_campaign_notices };
}

export async function changeNotifications(tx: Tx, caller: Actor, campaigns: boolean) {
  await readNotifications(tx, caller);
  await accounts.updateUser(tx, caller.userId, {
    has_campaign_notices: campaigns,
    modified_at: clock.now(),
  });
  return { campaigns };
}
