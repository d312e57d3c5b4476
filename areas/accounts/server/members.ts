// Members of an account: its users, their passwords, sessions and notifications.
import type { ListRequest } from '#platform/contract.ts';
import { encodeId } from '#platform/ids.ts';
import { isLanguage } from '#platform/languages.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import type { Caller } from '#platform/server/http/serve.ts';
import { answerList } from '#platform/server/database/lists.ts';
import type { AccountUser, Session } from '../settings-contract.ts';
import { endAccess, endAccessKeys } from './access.ts';
import * as accounts from './accounts.sql.ts';
import { checkPassword, hashPassword } from './passwords.ts';
import { requirePassword } from './profile.ts';
import { revokeSession, revokeSessionsOfUser, spendMailedSecrets } from './sessions.sql.ts';
import * as store from './settings.sql.ts';
import { emailChangeNotice } from './sign-in.ts';

type Sort = 'title' | 'modified' | 'created';
type List = ListRequest<Sort>;
type Who = Pick<Caller, 'accountId' | 'userId'>;

const presentUser = (row: accounts.UserRow, who: Who): AccountUser => ({
  id: encodeId('user', row.id),
  email: row.email,
  name: row.name,
  surname: row.surname,
  language: isLanguage(row.language) ? row.language : 'eng',
  email_verified: row.email_verified_at !== null,
  created: row.created_at.toISOString(),
  is_you: row.id === who.userId,
});

export function listUsers(tx: Tx, who: Who, list: List) {
  return answerList(
    list,
    {
      rows: (slice) => store.listUsers(tx, who.accountId, list, slice),
      total: () => store.countUsers(tx, who.accountId, list.search),
    },
    (row) => presentUser(row, who),
  );
}

export async function readUser(tx: Tx, who: Who, id: number): Promise<AccountUser> {
  const row = await accounts.findMember(tx, who.accountId, id);
  if (!row) throw notFound();
  return presentUser(row, who);
}

/**
 * Updates the name of another user, while this account is their only one: a user is the same in
 * every account, so one account must not edit a user of others.
 */
export async function editUser(
  tx: Tx,
  who: Who,
  id: number,
  change: { name?: string; surname?: string },
): Promise<AccountUser> {
  const row = await accounts.findMember(tx, who.accountId, id);
  if (!row) throw notFound();
  if (id !== who.userId && (await accounts.countMemberships(tx, id)) > 1) {
    throw new AppError('not_your_profile');
  }
  const saved = await accounts.updateUser(tx, id, { ...change, modified_at: clock.now() });
  return presentUser(saved ?? row, who);
}

/**
 * Ends their sessions, tokens, SMTP users and pending invitations here; the last user cannot be
 * removed.
 */
export async function removeUser(tx: Tx, who: Who, id: number): Promise<void> {
  const members = await store.lockMembers(tx, who.accountId);
  if (!members.includes(id)) throw notFound();
  if (members.length === 1) throw new AppError('last_user');
  const at = clock.now();
  await store.deleteMembership(tx, who.accountId, id);
  await endAccess(tx, who.accountId, id, 'removed', at);
}

/**
 * Ends every other session, pending invitation and password reset link of the user, in every
 * account. Tokens and SMTP users end only where listed: a routine change must not stop receipts.
 */
export async function changePassword(
  tx: Tx,
  who: Caller,
  id: number,
  input: { current: string; password: string; end?: readonly string[] },
): Promise<void> {
  if (id !== who.userId) throw notFound();
  const user = await accounts.findMember(tx, who.accountId, id);
  if (!user) throw notFound();
  await requirePassword(tx, user, input.current);
  checkPassword(input.password, user.email);
  const at = clock.now();
  await accounts.updateUser(tx, id, {
    password_hash: await hashPassword(input.password),
    modified_at: at,
  });
  await spendMailedSecrets(tx, 'password_reset', id, at);
  for (const accountId of await accounts.accountsOfUser(tx, id)) {
    const currentSessionId =
      accountId === who.accountId && who.via === 'session' ? who.sessionId : undefined;
    await revokeSessionsOfUser(tx, accountId, id, 'password_changed', at, currentSessionId);
    await store.deleteInvitationsBy(tx, accountId, id);
  }
  await endAccessKeys(tx, id, input.end ?? [], at);
  await emailChangeNotice(tx, who.accountId, user, 'password_changed', at);
}

export function listSessions(tx: Tx, who: Caller, list: List) {
  const at = clock.now();
  return answerList(
    list,
    {
      rows: (slice) => store.listSessions(tx, who.accountId, who.userId, at, list, slice),
      total: () => store.countSessions(tx, who.accountId, who.userId, at),
    },
    (row): Session => ({
      id: encodeId('session', row.id),
      user_agent: row.user_agent,
      ip: row.ip,
      created: row.created_at.toISOString(),
      last_seen: row.seen_at.toISOString(),
      is_current: who.via === 'session' && row.id === who.sessionId,
    }),
  );
}

export async function endOwnSession(tx: Tx, who: Who, id: number): Promise<void> {
  const at = clock.now();
  if (!(await store.findSessionOfUser(tx, who.accountId, who.userId, id, at))) throw notFound();
  await revokeSession(tx, who.accountId, id, 'signed_out', at);
}

export async function readNotifications(db: Reader, who: { accountId: number; userId: number }) {
  const user = await accounts.findMember(db, who.accountId, who.userId);
  if (!user) throw notFound();
  return { campaigns: user.has_campaign_notices };
}

export async function changeNotifications(
  tx: Tx,
  who: { accountId: number; userId: number },
  campaigns: boolean,
) {
  await readNotifications(tx, who);
  await accounts.updateUser(tx, who.userId, {
    has_campaign_notices: campaigns,
    modified_at: clock.now(),
  });
  return { campaigns };
}
