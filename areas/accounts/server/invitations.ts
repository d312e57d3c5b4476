// Sends, withdraws, reads and accepts invitations to an account.
import type { Selectable } from 'kysely';
import type { ListRequest } from '#platform/contract.ts';
import { encodeId } from '#platform/ids.ts';
import { DENIABLE_RIGHTS, isRight, type Right } from '#platform/rights.ts';
import { recordChange } from '#platform/server/audit.ts';
import { clock } from '#platform/server/clock.ts';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import type { Caller } from '#platform/server/http/serve.ts';
import { buildListResponse } from '#platform/server/database/lists.ts';
import { hashSecret, generateSecret } from '#platform/server/secrets.ts';
import { INVITATION_DAYS } from '../shared.ts';
import type { Invitation } from '../settings-contract.ts';
import { recordAccess } from './access-acts.ts';
import * as accounts from './accounts.sql.ts';
import { invitationSent } from './events.ts';
import { mayUsePassword, signInConfig } from './identities.ts';
import { getAccountName } from './own-accounts.ts';
import { checkPassword, verifyPassword } from './passwords.ts';
import { requireOwnRights } from './rights.ts';
import { requireLiveSession, type SessionFacts } from './sessions.ts';
import * as store from './settings.sql.ts';
import { toEmailKey, createOrReuseUser, reclaimUser } from './sign-in.ts';

const DAY_MS = 86_400_000;
type InvitationSort = 'title' | 'modified' | 'created';
type List = ListRequest<InvitationSort>;
type Inviter = SessionFacts & Pick<Caller, 'rights'>;

const presentInvitation = (row: Selectable<DB['invitations']>): Invitation => ({
  id: encodeId('invitation', row.id),
  email: row.email,
  created: row.created_at.toISOString(),
  expires: row.expires_at.toISOString(),
  is_expired: row.expires_at <= clock.now(),
  denied: row.denied.filter(isRight),
});

export function listInvitations(tx: Tx, accountId: number, list: List) {
  return buildListResponse(
    list,
    {
      rows: (slice) => store.listInvitations(tx, accountId, list, slice),
      total: () => store.countInvitations(tx, accountId, list.search),
    },
    presentInvitation,
  );
}

const MAX_NAME_LENGTH = 64;

/**
 * Matches text that email clients turn into a link: `https://…`, `www.…`, `someone@…`,
 * `shop.example/x`.
 */
const LINK = /[a-z]:\/\/|@|www\.|[\p{L}\d-]\.\p{L}{2,}\//iu;

/** Returns a name for system emails to strangers: short and without links. */
const formatName = (name: string) =>
  [
    ...name
      .replace(/\S+/g, (word) => (LINK.test(word) ? ' ' : word))
      .replace(/\s+/g, ' ')
      .trim(),
  ]
    .slice(0, MAX_NAME_LENGTH)
    .join('');

/**
 * Returns the rights that the invited user will lack: the given ones, or else the rights that the
 * caller lacks or that the renewed invitation denies. A caller cannot grant rights that they lack.
 */
async function resolveDeniedRights(
  tx: Tx,
  caller: Inviter,
  key: string,
  requestedRights: readonly Right[] | undefined,
): Promise<Right[]> {
  const missingRights = DENIABLE_RIGHTS.filter((right) => !caller.rights.has(right));
  if (requestedRights) {
    requireOwnRights(
      caller,
      missingRights.filter((right) => !requestedRights.includes(right)),
    );
    return [...requestedRights];
  }
  const pendingDenied = (await store.lockInvitationOf(tx, caller.accountId, key))?.denied ?? [];
  return DENIABLE_RIGHTS.filter(
    (right) => missingRights.includes(right) || pendingDenied.includes(right),
  );
}

export async function sendInvitation(
  tx: Tx,
  caller: Inviter,
  { email, denied }: { email: string; denied?: readonly Right[] | undefined },
  needsVerified = false,
): Promise<Invitation> {
  await requireLiveSession(tx, caller);
  const key = toEmailKey(email);
  const existingUser = await accounts.findUserByEmail(tx, key);
  if (existingUser && (await accounts.findMember(tx, caller.accountId, existingUser.id))) {
    throw new AppError('already_member', { errors: { email: ['errors.already_member'] } });
  }
  const account = await accounts.findAccount(tx, caller.accountId);
  const inviter = await accounts.findUser(tx, caller.userId);
  if (!account || !inviter) throw notFound();
  // The email is sent from the installation's own address, so the inviting user must have a
  // verified address.
  if (needsVerified && inviter.email_verified_at === null) throw new AppError('email_not_verified');
  const secret = generateSecret();
  const at = clock.now();
  const row = await store.saveInvitation(tx, {
    accountId: caller.accountId,
    email: email.trim(),
    key,
    hash: hashSecret(secret),
    invitedBy: caller.userId,
    denied: await resolveDeniedRights(tx, caller, key, denied),
    at,
    expiresAt: new Date(at.getTime() + INVITATION_DAYS * DAY_MS),
  });
  recordChange({ after: { email: row.email, denied: row.denied } });
  await invitationSent.announce(tx, {
    accountId: caller.accountId,
    email: row.email,
    language: existingUser?.language ?? account.language,
    inviter: formatName([inviter.name, inviter.surname].filter(Boolean).join(' ')) || inviter.email,
    company: formatName(getAccountName(account)),
    token: `${caller.accountId}.${secret}`,
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
  const user = await findExistingUser(tx, row.email_key);
  return {
    email: row.email,
    account: account ? getAccountName(account) : '',
    has_user: user !== undefined,
    provider: mayUsePassword(row.email) ? null : (signInConfig().oidc?.title ?? ''),
  };
}

/**
 * Finds the user with this address if they belong to an account. A user who was removed from their
 * last account is treated as new.
 */
async function findExistingUser(tx: Tx, key: string): Promise<accounts.UserRow | undefined> {
  const user = await accounts.findUserByEmail(tx, key);
  return user && (await accounts.countMemberships(tx, user.id)) > 0 ? user : undefined;
}

/**
 * Accepts an invitation with a password: an existing user enters theirs, a new user chooses one.
 * The emailed link proves the address.
 * @throws AppError wrong_credentials also if passwords are off for the address
 */
export async function acceptInvitation(
  tx: Tx,
  token: string,
  { password, language, ip }: { password: string; language: string; ip: string },
): Promise<{ accountId: number; userId: number }> {
  const row = await openInvitation(tx, token);
  if (!mayUsePassword(row.email)) throw wrongPassword();
  const at = clock.now();
  const existingUser = await findExistingUser(tx, row.email_key);
  const isProven =
    !existingUser ||
    ((await verifyPassword(password, existingUser.password_hash)) &&
      (await accounts.lockPassword(tx, existingUser)));
  if (!isProven) throw wrongPassword();
  const user = existingUser ?? (await newUser(tx, row, password, language, at));
  return addMember(tx, row, user.id, ip);
}

const wrongPassword = () =>
  new AppError('wrong_credentials', { errors: { password: ['errors.wrong_password'] } });

/**
 * Accepts an invitation to an address that may sign in only at the identity provider, so the link
 * must not open a session. If an existing user's address is unverified, that user gets a random
 * password and loses all sessions and sign-in methods, because another person may have signed up
 * with the address.
 * @throws AppError wrong_credentials if the address signs in with a password
 */
export async function joinByInvitation(
  tx: Tx,
  token: string,
  language: string,
  ip: string,
): Promise<void> {
  const row = await openInvitation(tx, token);
  if (mayUsePassword(row.email)) throw wrongPassword();
  const at = clock.now();
  const existingUser = await findExistingUser(tx, row.email_key);
  if (existingUser?.email_verified_at === null)
    await reclaimUser(tx, existingUser, generateSecret(), at);
  const user = existingUser ?? (await newUser(tx, row, generateSecret(), language, at));
  await addMember(tx, row, user.id, ip);
}

async function addMember(
  tx: Tx,
  row: Selectable<DB['invitations']>,
  userId: number,
  ip: string,
): Promise<{ accountId: number; userId: number }> {
  const at = clock.now();
  if (!(await store.consumeInvitation(tx, row.account_id, row.id, at)))
    throw new AppError('link_expired');
  await accounts.insertMembership(tx, userId, row.account_id, at, row.denied);
  const member = { accountId: row.account_id, userId };
  const after = { email: row.email, denied: row.denied };
  await recordAccess(tx, member, { action: 'acceptInvitation', ip, after });
  return member;
}

async function newUser(
  tx: Tx,
  invitation: { email: string },
  password: string,
  language: string,
  at: Date,
): Promise<accounts.UserRow> {
  checkPassword(password, invitation.email);
  const user = await createOrReuseUser(tx, { email: invitation.email, password, language });
  if (!user) throw new AppError('link_expired');
  await accounts.updateUser(tx, user.id, { email_verified_at: at, tour: 2 });
  return user;
}
