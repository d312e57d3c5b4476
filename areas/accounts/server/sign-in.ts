// Sign-up, sign-in, forgotten passwords, verified addresses. Nothing here tells whether an address
// is known, except sign-up, which must.
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Language } from '#platform/languages.ts';
import { isLanguage } from '#platform/languages.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { addJob, defineJob } from '#platform/server/jobs.ts';
import { newOneByOne } from '#platform/server/one-by-one.ts';
import { hashSecret, keyedHash, randomSecret } from '#platform/server/secrets.ts';
import { endAccess } from './access.ts';
import * as accounts from './accounts.sql.ts';
import { accountOpened, letterNeeded, signInChanged } from './events.ts';
import { checkPassword, hashPassword, verifyPassword } from './passwords.ts';
import { deletePasskeysOf } from './passkeys.sql.ts';
import * as sessions from './sessions.sql.ts';
import { deleteFactor } from './two-factor.sql.ts';
import { isZone } from './zones.ts';

const HOUR_MS = 3_600_000;
const RESET_HOURS = 2;
const VERIFICATION_HOURS = 7 * 24;
/** From the fifth failure on, the answer waits: 1 s, 2 s, 4 s … at most this. */
const MAX_DELAY_MS = 16_000;
const FREE_FAILURES = 4;
/** Guesses of one address at once would all wait the same delay; more than these wait for no turn. */
const guesses = newOneByOne(20);
const FAILURES_FORGOTTEN_MS = 24 * HOUR_MS;

export type SignUpMode = 'open' | 'first' | 'closed';

export const emailKey = (email: string) => email.trim().toLowerCase();

/** Opens an account with its first user. `email_taken` where the address has one. */
export async function signUp(
  tx: Tx,
  input: { email: string; password: string; language?: Language; timezone?: string },
  mode: SignUpMode,
): Promise<{ accountId: number; userId: number }> {
  await refuseClosed(tx, mode);
  checkPassword(input.password, input.email);
  const at = clock.now();
  const language = input.language ?? 'eng';
  const user = await openUser(tx, { email: input.email, password: input.password, language });
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
 * A new user; or the one of before, who was taken out of their last account and starts anew with
 * nothing of it. Undefined where the address is somebody's who has an account.
 */
export async function openUser(
  tx: Tx,
  input: { email: string; password: string; language: string },
): Promise<accounts.UserRow | undefined> {
  const { email, language } = input;
  const key = emailKey(email);
  const at = clock.now();
  const passwordHash = await hashPassword(input.password);
  const created = await accounts.insertUser(tx, { email, key, passwordHash, language, at });
  if (created) return created;
  const left = await accounts.lockLeftUser(tx, key);
  if (!left) return undefined;
  await sessions.spendMailedSecrets(tx, 'password_reset', left.id, at);
  await dropFactors(tx, left.id);
  return accounts.updateUser(tx, left.id, {
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

/** All second factors, with their recovery codes. */
async function dropFactors(tx: Tx, userId: number): Promise<void> {
  await deleteFactor(tx, userId);
  await deletePasskeysOf(tx, userId);
}

async function refuseClosed(tx: Tx, mode: SignUpMode): Promise<void> {
  if (mode === 'open') return;
  if (mode === 'first') {
    await accounts.lockSignUp(tx);
    if (!(await accounts.hasAnyUser(tx))) return;
  }
  throw new AppError('sign_up_closed');
}

type Proven = { accountId: number; userId: number; passwordHash: string | null };

/** The user and account behind the credentials. Same answer and time whether or not the address exists. */
export async function checkCredentials(
  db: Db,
  email: string,
  password: string,
  wait: (milliseconds: number) => Promise<unknown> = sleep,
): Promise<Proven> {
  const tried = await guesses(emailKey(email), () => tryCredentials(db, email, password, wait));
  if (!tried) throw new AppError('too_many_requests', { retryAfter: MAX_DELAY_MS / 1000 });
  return tried.result;
}

async function tryCredentials(
  db: Db,
  email: string,
  password: string,
  wait: (milliseconds: number) => Promise<unknown>,
): Promise<Proven> {
  const key = emailKey(email);
  const failuresKey = keyedHash('sign-in failures', key);
  await wait(delayAfter(await sessions.readFailures(db, failuresKey)));
  const user = await accounts.findUserByEmail(db, key);
  const matches = await verifyPassword(password, user?.password_hash);
  const membership = user && matches ? await accounts.firstAccountOf(db, user.id) : undefined;
  if (!user || !membership) {
    await sessions.countFailure(db, failuresKey, clock.now());
    throw new AppError('wrong_credentials');
  }
  await sessions.forgetFailures(db, failuresKey);
  const { id: userId, password_hash: passwordHash } = user;
  return { accountId: membership.account_id, userId, passwordHash };
}

/** A password that was changed, or a membership that ended, since the credentials were checked opens nothing. */
export async function holdProven(tx: Tx, proven: Proven): Promise<void> {
  const user = { id: proven.userId, password_hash: proven.passwordHash };
  const isHeld =
    (await accounts.holdPassword(tx, user)) &&
    (await accounts.holdMembership(tx, proven.accountId, proven.userId));
  if (!isHeld) throw new AppError('wrong_credentials');
}

/** Milliseconds to wait; never a lock-out: the right password is always let in after it. */
export function delayAfter(past: { failures: number; last_at: Date } | undefined): number {
  if (!past || past.failures <= FREE_FAILURES) return 0;
  if (clock.now().getTime() - past.last_at.getTime() > FAILURES_FORGOTTEN_MS) return 0;
  return Math.min(MAX_DELAY_MS, 1000 * 2 ** (past.failures - FREE_FAILURES - 1));
}

/** The work of a forgotten password is a job, so that the answer takes the same time for everyone. */
export const forgottenPasswordJob = defineJob({
  name: 'accounts.forgotten_password',
  payload: z.object({ email: z.string() }),
  run: async ({ email }, { db }) => {
    await inTransaction(db, async (tx) => {
      const user = await accounts.findUserByEmail(tx, emailKey(email));
      const membership = user && (await accounts.firstAccountOf(tx, user.id));
      if (!user || !membership) return;
      await mailSecret(tx, membership.account_id, user.id, 'password_reset', RESET_HOURS);
    });
  },
});

export async function forgetPassword(tx: Tx, email: string): Promise<void> {
  await addJob(tx, forgottenPasswordJob, { email });
}

export async function sendVerification(tx: Tx, accountId: number, userId: number): Promise<void> {
  await mailSecret(tx, accountId, userId, 'email_verification', VERIFICATION_HOURS);
}

async function mailSecret(
  tx: Tx,
  accountId: number,
  userId: number,
  kind: 'password_reset' | 'email_verification',
  hours: number,
): Promise<void> {
  const user = await accounts.findUser(tx, userId);
  if (!user) return;
  const secret = randomSecret();
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
  await letterNeeded.announce(tx, { kind, accountId, userId, email: user.email, language, secret });
}

/**
 * Sets the new password, proves the address by the way, and ends every session, API token, SMTP user and open
 * invitation of the user. A link to an address that is the user's no more opens nothing, and no other link outlives this one. Second factors stay, but
 * for those of an address that nobody had proven: they are of whoever signed up with it.
 */
export async function resetPassword(tx: Tx, secret: string, password: string): Promise<void> {
  const at = clock.now();
  const taken = await sessions.takeMailedSecret(tx, 'password_reset', hashSecret(secret), at);
  const user = taken && (await accounts.findUser(tx, taken.user_id));
  if (!taken || !user || emailKey(taken.email) !== user.email_key) {
    throw new AppError('link_expired');
  }
  checkPassword(password, user.email);
  await accounts.updateUser(tx, user.id, {
    password_hash: await hashPassword(password),
    modified_at: at,
    ...(user.email_verified_at ? {} : { email_verified_at: at }),
  });
  if (!user.email_verified_at) await dropFactors(tx, user.id);
  await sessions.spendMailedSecrets(tx, 'password_reset', user.id, at);
  const accountIds = await accounts.accountsOfUser(tx, user.id);
  for (const accountId of accountIds) {
    // Whoever had the password, or signed up with an address of somebody else, may have made them.
    await endAccess(tx, accountId, user.id, 'password_changed', at);
  }
  const [accountId] = accountIds;
  if (accountId === undefined) return;
  await tellChange(tx, accountId, { ...user, email_verified_at: at }, 'password_changed', at);
}

/** A letter to the address that the user had until now; an address that nobody confirmed may be a stranger's. */
export async function tellChange(
  tx: Tx,
  accountId: number,
  user: Pick<accounts.UserRow, 'id' | 'email' | 'language' | 'email_verified_at'>,
  change: 'password_changed' | 'passkey_added' | { newEmail: string },
  at: Date,
): Promise<void> {
  if (user.email_verified_at === null) return;
  const { id: userId, email, language } = user;
  const to = { accountId, userId, email, language, at };
  await signInChanged.announce(
    tx,
    typeof change === 'string'
      ? { ...to, kind: change, newEmail: '' }
      : { ...to, kind: 'email_changed', newEmail: shortened(change.newEmail) },
  );
}

/** `n…@shop.example`: enough for whoever chose it. */
function shortened(email: string): string {
  const [first = ''] = email;
  return `${first}…${email.slice(email.lastIndexOf('@'))}`;
}

/**
 * Confirms the address the link was mailed to, if it is still the user's. Followed a second time (some
 * mail programs open every link ahead of their reader) it says the same again.
 */
export async function verifyEmail(tx: Tx, secret: string): Promise<void> {
  const at = clock.now();
  const mailed = await sessions.findMailedSecret(tx, 'email_verification', hashSecret(secret), at);
  const user = mailed && (await accounts.findUser(tx, mailed.user_id));
  if (!mailed || !user || user.email_key !== emailKey(mailed.email))
    throw new AppError('link_expired');
  if (!user.email_verified_at) {
    await accounts.updateUser(tx, user.id, { email_verified_at: at, modified_at: at });
  }
}
