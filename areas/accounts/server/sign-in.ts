// Sign-up, sign-in, password resets and verification of addresses. Of these, only sign-up reveals
// whether an address is registered, because it must refuse a registered one.
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Language } from '#platform/languages.ts';
import { isLanguage } from '#platform/languages.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { addJob, defineJob } from '#platform/server/jobs/jobs.ts';
import { createSerialRunner } from '#platform/server/limits/one-at-a-time.ts';
import { hashSecret, computeKeyedHash, generateSecret } from '#platform/server/secrets.ts';
import { endAccess } from './access.ts';
import { recordAccess } from './access-acts.ts';
import * as accounts from './accounts.sql.ts';
import { accountOpened, systemEmailNeeded, signInChanged } from './events.ts';
import { deleteIdentitiesOf } from './identities.sql.ts';
import { checkPassword, hashPassword, verifyPassword } from './passwords.ts';
import { deletePasskeysOf } from './passkeys.sql.ts';
import * as sessions from './sessions.sql.ts';
import { deleteFactor } from './two-factor.sql.ts';
import { isZone } from './zones.ts';

const HOUR_MS = 3_600_000;
const RESET_HOURS = 2;
const VERIFICATION_HOURS = 7 * 24;
/** After five failures, the next attempts are delayed by 1 s, 2 s, 4 s and so on, up to this. */
const MAX_DELAY_MS = 16_000;
const UNDELAYED_FAILURES = 4;
/**
 * Concurrent guesses for one address wait in a queue, because otherwise all of them would get the
 * same delay. While the queue is full, further guesses are refused.
 */
const limitGuesses = createSerialRunner(20);
const FAILURES_EXPIRE_MS = 24 * HOUR_MS;

export type SignUpMode = 'open' | 'first' | 'closed';

export const toEmailKey = (email: string) => email.trim().toLowerCase();

/**
 * Creates an account and its first user.
 * @throws `email_taken` if the address belongs to a member of an account
 * @throws `sign_up_closed` if `mode` does not allow the sign-up
 */
export async function signUp(
  tx: Tx,
  input: { email: string; password: string; language?: Language; timezone?: string },
  mode: SignUpMode,
): Promise<{ accountId: number; userId: number }> {
  await refuseClosed(tx, mode);
  checkPassword(input.password, input.email);
  const at = clock.now();
  const language = input.language ?? 'eng';
  const user = await createOrReuseUser(tx, {
    email: input.email,
    password: input.password,
    language,
  });
  if (!user) throw new AppError('email_taken', { errors: { email: ['errors.email_taken'] } });
  const account = await accounts.insertAccount(tx, {
    language,
    timezone: input.timezone && isZone(input.timezone) ? input.timezone : 'UTC',
    at,
  });
  await accounts.insertMembership(tx, user.id, account.id, at);
  await accountOpened.announce(tx, { accountId: account.id, userId: user.id, language });
  await sendVerification(tx, account.id, user.id);
  return { accountId: account.id, userId: user.id };
}

/**
 * Creates a user. A user who was removed from their last account is reused, without any of their
 * earlier data. Returns undefined if the address belongs to a member of an account.
 */
export async function createOrReuseUser(
  tx: Tx,
  input: { email: string; password: string; language: string },
): Promise<accounts.UserRow | undefined> {
  const { email, language } = input;
  const key = toEmailKey(email);
  const at = clock.now();
  const passwordHash = await hashPassword(input.password);
  const createdUser = await accounts.insertUser(tx, { email, key, passwordHash, language, at });
  if (createdUser) return createdUser;
  const orphanedUser = await accounts.lockUserWithoutAccount(tx, key);
  if (!orphanedUser) return undefined;
  await sessions.revokeMailedSecrets(tx, 'password_reset', orphanedUser.id, at);
  await deleteSecondFactorsAndIdentities(tx, orphanedUser.id);
  return accounts.updateUser(tx, orphanedUser.id, {
    email,
    password_hash: passwordHash,
    name: null,
    surname: null,
    language,
    tour: 0,
    email_verified_at: null,
    created_at: at,
    modified_at: at,
  });
}

/** Deletes all second factors, their recovery codes, and the identities at the provider. */
async function deleteSecondFactorsAndIdentities(tx: Tx, userId: number): Promise<void> {
  await deleteFactor(tx, userId);
  await deletePasskeysOf(tx, userId);
  await deleteIdentitiesOf(tx, userId);
}

async function refuseClosed(tx: Tx, mode: SignUpMode): Promise<void> {
  if (mode === 'open') return;
  if (mode === 'first') {
    await accounts.lockSignUp(tx);
    if (!(await accounts.hasAnyUser(tx))) return;
  }
  throw new AppError('sign_up_closed');
}

type VerifiedUser = {
  /** All accounts of the user, the oldest membership first. */
  accountIds: [number, ...number[]];
  userId: number;
  passwordHash: string | null;
};

/**
 * Verifies credentials and returns their user and the user's accounts. The error and its timing are
 * the same whether or not the address exists.
 */
export async function checkCredentials(
  db: Db,
  email: string,
  password: string,
  wait: (milliseconds: number) => Promise<unknown> = sleep,
): Promise<VerifiedUser> {
  const attempt = await limitGuesses(toEmailKey(email), () =>
    tryCredentials(db, email, password, wait),
  );
  if (!attempt) throw new AppError('too_many_requests', { retryAfterSeconds: MAX_DELAY_MS / 1000 });
  return attempt.result;
}

async function tryCredentials(
  db: Db,
  email: string,
  password: string,
  wait: (milliseconds: number) => Promise<unknown>,
): Promise<VerifiedUser> {
  const key = toEmailKey(email);
  const failuresKey = computeKeyedHash('sign-in failures', key);
  await wait(computeDelay(await sessions.readFailures(db, failuresKey)));
  const user = await accounts.findUserByEmail(db, key);
  const matches = await verifyPassword(password, user?.password_hash);
  const [first, ...others] = user && matches ? await accounts.listAccountsOfUser(db, user.id) : [];
  if (!user || first === undefined) {
    await sessions.countFailure(db, failuresKey, clock.now());
    throw new AppError('wrong_credentials');
  }
  await sessions.clearFailures(db, failuresKey);
  const { id: userId, password_hash: passwordHash } = user;
  return { accountIds: [first, ...others], userId, passwordHash };
}

/**
 * Checks that the password and the membership are unchanged since the credentials were verified.
 */
export async function requireStillValid(
  tx: Tx,
  verifiedUser: Omit<VerifiedUser, 'accountIds'> & { accountId: number },
): Promise<void> {
  const user = { id: verifiedUser.userId, password_hash: verifiedUser.passwordHash };
  const isValid =
    (await accounts.lockPassword(tx, user)) &&
    (await accounts.lockMembership(tx, verifiedUser.accountId, verifiedUser.userId));
  if (!isValid) throw new AppError('wrong_credentials');
}

/**
 * Returns the delay in milliseconds. The user is never locked out: the right password succeeds
 * after the delay.
 */
export function computeDelay(past: { failures: number; last_at: Date } | undefined): number {
  if (!past || past.failures <= UNDELAYED_FAILURES) return 0;
  if (clock.now().getTime() - past.last_at.getTime() > FAILURES_EXPIRE_MS) return 0;
  return Math.min(MAX_DELAY_MS, 1000 * 2 ** (past.failures - UNDELAYED_FAILURES - 1));
}

/** The work is done in a job so that the response takes the same time for every address. */
export const forgottenPasswordJob = defineJob({
  name: 'accounts.forgotten_password',
  payload: z.object({ email: z.string() }),
  run: async ({ email }, { db }) => {
    await inTransaction(db, async (tx) => {
      const user = await accounts.findUserByEmail(tx, toEmailKey(email));
      const membership = user && (await accounts.findFirstAccount(tx, user.id));
      if (!user || !membership) return;
      await emailSecret(tx, membership.account_id, user.id, 'password_reset', RESET_HOURS);
    });
  },
});

export async function requestPasswordReset(tx: Tx, email: string): Promise<void> {
  await addJob(tx, forgottenPasswordJob, { email });
}

export async function sendVerification(tx: Tx, accountId: number, userId: number): Promise<void> {
  await emailSecret(tx, accountId, userId, 'email_verification', VERIFICATION_HOURS);
}

async function emailSecret(
  tx: Tx,
  accountId: number,
  userId: number,
  kind: 'password_reset' | 'email_verification',
  hours: number,
): Promise<void> {
  const user = await accounts.findUser(tx, userId);
  if (!user) return;
  const secret = generateSecret();
  const at = clock.now();
  await sessions.insertMailedSecret(tx, {
    hash: hashSecret(secret),
    kind,
    userId,
    email: user.email,
    at,
    expiresAt: new Date(at.getTime() + hours * HOUR_MS),
  });
  const language = isLanguage(user.language) ? user.language : 'eng';
  await systemEmailNeeded.announce(tx, {
    kind,
    accountId,
    userId,
    email: user.email,
    language,
    secret,
  });
}

/**
 * Sets the new password, verifies the address and ends all other access of the user
 * (`reclaimUser`). A link is invalid once its address is no longer the user's. A reset invalidates
 * all other reset links.
 */
export async function resetPassword(
  tx: Tx,
  secret: string,
  password: string,
  ip: string,
): Promise<void> {
  const at = clock.now();
  const mailedSecret = await sessions.consumeMailedSecret(
    tx,
    'password_reset',
    hashSecret(secret),
    at,
  );
  const user = mailedSecret && (await accounts.findUser(tx, mailedSecret.user_id));
  if (!mailedSecret || !user || toEmailKey(mailedSecret.email) !== user.email_key) {
    throw new AppError('link_expired');
  }
  checkPassword(password, user.email);
  const accountIds = await reclaimUser(tx, user, password, at);
  for (const accountId of accountIds)
    await recordAccess(tx, { accountId, userId: user.id }, { action: 'resetPassword', ip });
  const [accountId] = accountIds;
  if (accountId === undefined) return;
  await announceSignInChange(
    tx,
    accountId,
    { ...user, email_verified_at: at },
    'password_changed',
    at,
  );
}

/**
 * Gives the owner of the address sole control of the user, with a new password. Ends all other
 * access, including identities at the provider, because a person who knew the password or signed up
 * with the address may have created it. Second factors remain, unless the address is unverified: in
 * that case they may belong to a stranger who signed up with it. Returns the user's accounts.
 */
export async function reclaimUser(
  tx: Tx,
  user: accounts.UserRow,
  password: string,
  at: Date,
): Promise<number[]> {
  // A sign-in method that is being added is committed before this lock, or finds its session ended.
  await accounts.lockUser(tx, user.id);
  await accounts.updateUser(tx, user.id, {
    password_hash: await hashPassword(password),
    modified_at: at,
    ...(user.email_verified_at ? {} : { email_verified_at: at }),
  });
  if (user.email_verified_at) await deleteIdentitiesOf(tx, user.id);
  else await deleteSecondFactorsAndIdentities(tx, user.id);
  await sessions.revokeMailedSecrets(tx, 'password_reset', user.id, at);
  const accountIds = await accounts.listAccountsOfUser(tx, user.id);
  for (const accountId of accountIds)
    await endAccess(tx, accountId, user.id, 'password_changed', at);
  return accountIds;
}

/**
 * Notifies the address that the user had before the change. An unverified address is skipped,
 * because it may be a stranger's.
 */
export async function announceSignInChange(
  tx: Tx,
  accountId: number,
  user: Pick<accounts.UserRow, 'id' | 'email' | 'language' | 'email_verified_at'>,
  change: 'password_changed' | 'passkey_added' | { newEmail: string } | { provider: string },
  at: Date,
): Promise<void> {
  if (user.email_verified_at === null) return;
  const { id: userId, email, language } = user;
  const recipient = { accountId, userId, email, language, at };
  await signInChanged.announce(tx, {
    ...recipient,
    newEmail: '',
    provider: '',
    ...describeChange(change),
  });
}

function describeChange(change: Parameters<typeof announceSignInChange>[3]) {
  if (typeof change === 'string') return { kind: change };
  if ('provider' in change) return { ...change, kind: 'identity_added' as const };
  return { kind: 'email_changed' as const, newEmail: shortenEmail(change.newEmail) };
}

/** Shortens an address to `n…@shop.example`, which the person who chose it recognizes. */
function shortenEmail(email: string): string {
  const [first = ''] = email;
  return `${first}…${email.slice(email.lastIndexOf('@'))}`;
}

/**
 * Verifies the address that the link was emailed to, if it is still the user's. A repeated request
 * also succeeds, because some email clients open every link before the reader does.
 */
export async function verifyEmail(tx: Tx, secret: string): Promise<void> {
  const at = clock.now();
  const mailedSecret = await sessions.findMailedSecret(
    tx,
    'email_verification',
    hashSecret(secret),
    at,
  );
  const user = mailedSecret && (await accounts.findUser(tx, mailedSecret.user_id));
  if (!mailedSecret || !user || user.email_key !== toEmailKey(mailedSecret.email))
    throw new AppError('link_expired');
  if (!user.email_verified_at) {
    await accounts.updateUser(tx, user.id, { email_verified_at: at, modified_at: at });
  }
}
