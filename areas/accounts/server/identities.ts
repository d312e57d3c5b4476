// Sign-in at the identity provider. A user is identified by issuer and subject, never by the email
// address, because an address may pass to another person. An identity is connected to an existing
// user if that user is signed in, or if the issuer reports the user's address as verified and the
// operator has declared that the issuer is responsible for the domain of the address.
import { decodeId, encodeId } from '#platform/ids.ts';
import { RIGHT_PRESETS } from '#platform/rights.ts';
import { clock } from '#platform/server/clock.ts';
import type { SignInConfig } from '#platform/server/config.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import { generateSecret } from '#platform/server/secrets.ts';
import { recordAccess } from './access-acts.ts';
import * as accounts from './accounts.sql.ts';
import * as store from './identities.sql.ts';
import type { Claims } from './openid.ts';
import { announceSignInChange, toEmailKey, createOrReuseUser, reclaimUser } from './sign-in.ts';

type Oidc = NonNullable<SignInConfig['oidc']>;

let config: SignInConfig = { oidc: undefined, passwordsOnlyFor: undefined };

export function configureSignIn(signIn: SignInConfig): void {
  config = signIn;
}

export const signInConfig = (): SignInConfig => config;

/** Returns false for addresses that may sign in only at the identity provider. */
export function mayUsePassword(email: string): boolean {
  const { passwordsOnlyFor: only } = config;
  return only === undefined || toEmailKey(email) === only;
}

/**
 * Finds, connects or creates the user of these claims. Adds the user to the account that the
 * operator declared, if the claims select it.
 * @throws identity_unknown, identity_unverified, identity_no_account
 */
export async function resolveUser(
  tx: Tx,
  oidc: Oidc,
  claims: Claims,
  ip: string,
): Promise<{ accountId: number; userId: number }> {
  const at = clock.now();
  const email = claims.email ?? '';
  const identity = await store.findIdentity(tx, claims);
  const userId = identity?.user_id ?? (await connectByAddress(tx, oidc, claims, ip));
  // The identity may have been removed since it was read, by its user or by a password reset.
  if (identity && !(await store.useIdentity(tx, identity.id, email, at)))
    throw new AppError('identity_unknown');
  await joinAccount(tx, oidc, { claims, userId, ip });
  const account = await accounts.findFirstAccount(tx, userId);
  if (!account) throw new AppError('identity_no_account');
  return { accountId: account.account_id, userId };
}

/**
 * Returns whether the issuer may vouch for the address: the address is verified, and its domain is
 * declared.
 */
function isAuthoritative(oidc: Oidc, { email, isVerified }: Claims): boolean {
  const domain = email?.toLowerCase().split('@').at(-1) ?? '';
  return isVerified && oidc.domains.includes(domain);
}

async function connectByAddress(tx: Tx, oidc: Oidc, claims: Claims, ip: string): Promise<number> {
  const { email } = claims;
  if (email === undefined || !isAuthoritative(oidc, claims)) {
    throw new AppError('identity_unknown');
  }
  const existingUser = await accounts.findUserByEmail(tx, toEmailKey(email));
  const isMember = existingUser && (await accounts.countMemberships(tx, existingUser.id)) > 0;
  const at = clock.now();
  if (!isMember) {
    const createdUser = await createUser(tx, oidc, claims, email);
    await store.insertIdentity(tx, claims, { userId: createdUser, email, at });
    return createdUser;
  }
  if (existingUser.email_verified_at === null) await verifyByIssuer(tx, existingUser, at);
  await connectTo(tx, { ...existingUser, email_verified_at: at }, claims, ip);
  return existingUser.id;
}

/**
 * Marks the address of an existing user as verified, because the issuer reports it as verified, and
 * ends all earlier access of the user: another person may have signed up with the address. Throws
 * if the user may use a password. Such a user must reset the password, which has the same effect.
 * @throws identity_unverified
 */
async function verifyByIssuer(tx: Tx, user: accounts.UserRow, at: Date): Promise<void> {
  if (mayUsePassword(user.email)) throw new AppError('identity_unverified');
  await reclaimUser(tx, user, generateSecret(), at);
}

/** Connects the identity and notifies the user. Returns false if the identity already exists. */
async function connectTo(
  tx: Tx,
  user: accounts.UserRow,
  claims: Claims,
  ip: string,
): Promise<boolean> {
  const at = clock.now();
  const userId = user.id;
  const email = claims.email ?? '';
  const id = await store.insertIdentity(tx, claims, { userId, email, at });
  if (id === undefined) return false;
  const accountIds = await accounts.listAccountsOfUser(tx, userId);
  const [accountId] = accountIds;
  const provider = getIssuerTitle(claims.issuer);
  const auditedAction = {
    action: 'connectIdentity',
    ip,
    subject: encodeId('identity', id),
  } as const;
  for (const joinedAccountId of accountIds)
    await recordAccess(
      tx,
      { accountId: joinedAccountId, userId },
      { ...auditedAction, after: { provider } },
    );
  if (accountId !== undefined) await announceSignInChange(tx, accountId, user, { provider }, at);
  return true;
}

/**
 * Creates a user for claims that select an account to join. A user who was removed from that
 * account is not created again.
 */
async function createUser(tx: Tx, oidc: Oidc, claims: Claims, email: string): Promise<number> {
  const accountId = findJoinedAccount(oidc, claims);
  const userBefore = await accounts.findUserByEmail(tx, toEmailKey(email));
  const isRemoved =
    userBefore && accountId && (await store.wasRemoved(tx, userBefore.id, accountId));
  const account = accountId && !isRemoved ? await accounts.findAccount(tx, accountId) : undefined;
  if (!account) throw new AppError('identity_no_account');
  const { language } = account;
  const user = await createOrReuseUser(tx, { email, password: generateSecret(), language });
  if (!user) throw new AppError('identity_unknown');
  const at = clock.now();
  await accounts.updateUser(tx, user.id, {
    ...{ name: claims.name?.slice(0, 64) ?? null, surname: claims.surname?.slice(0, 64) ?? null },
    ...{ email_verified_at: at, modified_at: at },
  });
  return user.id;
}

/** Finds the account that users with these claims join. */
function findJoinedAccount(oidc: Oidc, claims: Claims): number | undefined {
  const { account, requiredClaim } = oidc;
  if (account === undefined || !isAuthoritative(oidc, claims)) return undefined;
  if (requiredClaim) {
    const value = claims.rawClaims[requiredClaim.name];
    const values: unknown[] = Array.isArray(value) ? value : [value];
    if (!values.includes(requiredClaim.value)) return undefined;
  }
  return decodeId('account', account);
}

/**
 * Adds the user to the account that their claims select, unless they were removed from it before.
 */
async function joinAccount(
  tx: Tx,
  oidc: Oidc,
  { claims, userId, ip }: { claims: Claims; userId: number; ip: string },
): Promise<void> {
  const accountId = findJoinedAccount(oidc, claims);
  if (accountId === undefined || !(await accounts.findAccount(tx, accountId))) return;
  if (await accounts.findMember(tx, accountId, userId)) return;
  if (await store.wasRemoved(tx, userId, accountId)) return;
  const deniedRights = [...RIGHT_PRESETS[oidc.access]];
  await accounts.insertMembership(tx, userId, accountId, clock.now(), deniedRights);
  const after = { provider: getIssuerTitle(claims.issuer), denied: deniedRights };
  await recordAccess(tx, { accountId, userId }, { action: 'joinAccount', ip, after });
}

/** @throws identity_taken */
export async function connectIdentity(
  tx: Tx,
  userId: number,
  claims: Claims,
  ip: string,
): Promise<void> {
  const user = await accounts.findUser(tx, userId);
  if (!user) throw notFound();
  if (await connectTo(tx, user, claims, ip)) return;
  const identity = await store.findIdentity(tx, claims);
  if (identity?.user_id !== userId) throw new AppError('identity_taken');
}

/**
 * Returns the operator's title for the current issuer, or the host if there is no title or the
 * issuer is another one.
 */
function getIssuerTitle(issuer: string): string {
  const { oidc } = config;
  return issuer === oidc?.issuer && oidc.title ? oidc.title : new URL(issuer).hostname;
}

export async function listIdentities(db: Reader, userId: number) {
  return (await store.listIdentitiesOf(db, userId)).map((row) => ({
    id: encodeId('identity', row.id),
    title: getIssuerTitle(row.issuer),
    email: row.email,
    created: row.created_at.toISOString(),
    used: row.used_at.toISOString(),
  }));
}

/** @throws last_sign_in if passwords are off for the user and no other identity would remain */
export async function removeIdentity(tx: Tx, userId: number, id: number): Promise<void> {
  // Of two concurrent removals, the second one counts the identities that remain after the first.
  await accounts.lockUser(tx, userId);
  const user = await accounts.findUser(tx, userId);
  const hasPassword = user !== undefined && mayUsePassword(user.email);
  if (!hasPassword && (await isLastSignIn(tx, userId, id))) throw new AppError('last_sign_in');
  if (!(await store.deleteIdentity(tx, userId, id))) throw notFound();
}

/**
 * Returns whether this is the user's only identity at the current issuer. Identities of a former
 * issuer cannot sign in.
 */
async function isLastSignIn(db: Reader, userId: number, id: number): Promise<boolean> {
  const usable = (await store.listIdentitiesOf(db, userId)).filter(
    ({ issuer }) => issuer === config.oidc?.issuer,
  );
  return usable.length === 1 && usable[0]?.id === id;
}
