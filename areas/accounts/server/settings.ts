// Access to an account: users, invitations, passwords, sessions, API tokens.
import type { Selectable } from 'kysely';
import type { ListRequest } from '#platform/contract.ts';
import { encodeId } from '#platform/ids.ts';
import { isLanguage } from '#platform/languages.ts';
import { clock } from '#platform/server/clock.ts';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import type { Caller } from '#platform/server/http/serve.ts';
import { answerList } from '#platform/server/database/lists.ts';
import { hashSecret, randomSecret } from '#platform/server/secrets.ts';
import { INVITATION_DAYS } from '../shared.ts';
import type { AccountUser, ApiToken, Invitation, Session } from '../settings-contract.ts';
import { endAccess, endAccessKeys } from './access.ts';
import * as accounts from './accounts.sql.ts';
import { invitationSent } from './events.ts';
import { nameOf } from './own-accounts.ts';
import { checkPassword, hashPassword, verifyPassword } from './passwords.ts';
import { requirePassword } from './profile.ts';
import { revokeSession, revokeSessionsOfUser, spendMailedSecrets } from './sessions.sql.ts';
import * as store from './settings.sql.ts';
import { emailKey, openUser, emailChangeNotice } from './sign-in.ts';

const DAY_MS = 86_400_000;
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

const presentInvitation = (row: Selectable<DB['invitations']>): Invitation => ({
  id: encodeId('invitation', row.id),
  email: row.email,
  created: row.created_at.toISOString(),
  expires: row.expires_at.toISOString(),
  is_expired: row.expires_at <= clock.now(),
});

export function listInvitations(tx: Tx, accountId: number, list: List) {
  return answerList(
    list,
    {
      rows: (slice) => store.listInvitations(tx, accountId, list, slice),
      total: () => store.countInvitations(tx, accountId, list.search),
    },
    presentInvitation,
  );
}

const MAX_NAME = 64;
/**
 * Text that email clients turn into a link: `https://…`, `www.…`, `someone@…`, `shop.example/x`.
 */
const LINK = /[a-z]:\/\/|@|www\.|[\p{L}\d-]\.\p{L}{2,}\//iu;

/** A name as shown to strangers in system emails: short, and without links. */
const shownName = (name: string) =>
  [
    ...name
      .replace(/\S+/g, (part) => (LINK.test(part) ? ' ' : part))
      .replace(/\s+/g, ' ')
      .trim(),
  ]
    .slice(0, MAX_NAME)
    .join('');

export async function invite(
  tx: Tx,
  who: Who,
  email: string,
  needsVerified = false,
): Promise<Invitation> {
  const key = emailKey(email);
  const known = await accounts.findUserByEmail(tx, key);
  if (known && (await accounts.findMember(tx, who.accountId, known.id))) {
    throw new AppError('already_member', { errors: { email: ['errors.already_member'] } });
  }
  const account = await accounts.findAccount(tx, who.accountId);
  const inviter = await accounts.findUser(tx, who.userId);
  if (!account || !inviter) throw notFound();
  // The email leaves from the installation's own address, so its sender must have a verified one.
  if (needsVerified && inviter.email_verified_at === null) throw new AppError('email_not_verified');
  const secret = randomSecret();
  const at = clock.now();
  const row = await store.saveInvitation(tx, {
    accountId: who.accountId,
    email: email.trim(),
    key,
    hash: hashSecret(secret),
    invitedBy: who.userId,
    at,
    expiresAt: new Date(at.getTime() + INVITATION_DAYS * DAY_MS),
  });
  await invitationSent.announce(tx, {
    accountId: who.accountId,
    email: row.email,
    language: known?.language ?? account.language,
    inviter: shownName([inviter.name, inviter.surname].filter(Boolean).join(' ')) || inviter.email,
    company: shownName(nameOf(account)),
    token: `${who.accountId}.${secret}`,
  });
  return presentInvitation(row);
}

export async function withdrawInvitation(tx: Tx, accountId: number, id: number): Promise<void> {
  if (!(await store.deleteInvitation(tx, accountId, id))) throw notFound();
}

async function openInvitation(tx: Tx, token: string) {
  const [account, secret] = token.split('.');
  const accountId = Number(account);
  const isToken = Number.isSafeInteger(accountId) && accountId > 0 && secret !== undefined;
  const row = isToken
    ? await store.findInvitation(tx, accountId, hashSecret(secret), clock.now())
    : undefined;
  if (!row) throw new AppError('link_expired');
  return row;
}

export async function readInvitation(tx: Tx, token: string) {
  const row = await openInvitation(tx, token);
  const account = await accounts.findAccount(tx, row.account_id);
  const user = await knownUser(tx, row.email_key);
  return {
    email: row.email,
    account: account ? nameOf(account) : '',
    has_user: user !== undefined,
  };
}

/**
 * The user of an address who belongs to an account; a user removed from their last account counts
 * as new.
 */
async function knownUser(tx: Tx, key: string): Promise<accounts.UserRow | undefined> {
  const user = await accounts.findUserByEmail(tx, key);
  return user && (await accounts.countMemberships(tx, user.id)) > 0 ? user : undefined;
}

/**
 * An existing user enters their password; a new one chooses it. The emailed link proves the
 * address.
 */
export async function acceptInvitation(
  tx: Tx,
  token: string,
  password: string,
  language: string,
): Promise<{ accountId: number; userId: number }> {
  const row = await openInvitation(tx, token);
  const at = clock.now();
  const known = await knownUser(tx, row.email_key);
  const isProven =
    !known ||
    ((await verifyPassword(password, known.password_hash)) &&
      (await accounts.lockPassword(tx, known)));
  if (!isProven) {
    throw new AppError('wrong_credentials', { errors: { password: ['errors.wrong_password'] } });
  }
  const user = known ?? (await newUser(tx, row, password, language, at));
  if (!(await store.takeInvitation(tx, row.account_id, row.id, at)))
    throw new AppError('link_expired');
  await accounts.insertMembership(tx, user.id, row.account_id, at);
  return { accountId: row.account_id, userId: user.id };
}

async function newUser(
  tx: Tx,
  invitation: { email: string },
  password: string,
  language: string,
  at: Date,
): Promise<accounts.UserRow> {
  checkPassword(password, invitation.email);
  const user = await openUser(tx, { email: invitation.email, password, language });
  if (!user) throw new AppError('link_expired');
  await accounts.updateUser(tx, user.id, { email_verified_at: at, tour: 2 });
  return user;
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

const presentToken = (row: Selectable<DB['api_tokens']>): ApiToken => ({
  id: encodeId('token', row.id),
  title: row.title,
  created: row.created_at.toISOString(),
  modified: row.modified_at.toISOString(),
  expires: row.expires_at?.toISOString() ?? null,
  is_expired: row.expires_at !== null && row.expires_at <= clock.now(),
  last_used: row.last_used_at?.toISOString() ?? null,
});

export function listTokens(tx: Tx, accountId: number, list: List) {
  return answerList(
    list,
    {
      rows: (slice) => store.listTokens(tx, accountId, list, slice),
      total: () => store.countTokens(tx, accountId, list.search),
    },
    presentToken,
  );
}

/** Only this response contains the token itself. */
export async function createToken(
  tx: Tx,
  who: Who,
  input: { title: string; validity_days: number | null },
): Promise<ApiToken & { token: string }> {
  // A concurrent removal from the account must finish before this check.
  if (!(await accounts.lockMembership(tx, who.accountId, who.userId)))
    throw new AppError('unauthorized');
  const secret = randomSecret();
  const at = clock.now();
  const row = await store.insertToken(tx, {
    accountId: who.accountId,
    userId: who.userId,
    title: input.title,
    hash: hashSecret(secret),
    at,
    expiresAt:
      input.validity_days === null ? null : new Date(at.getTime() + input.validity_days * DAY_MS),
  });
  return { ...presentToken(row), token: `sl_${who.accountId}_${secret}` };
}

export async function revokeToken(tx: Tx, accountId: number, id: number): Promise<void> {
  if (!(await store.revokeToken(tx, accountId, id, clock.now()))) throw notFound();
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
