// Reads and updates the user and the account in the form that the client displays.
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { encodeId } from '#platform/ids.ts';
import { isLanguage } from '#platform/languages.ts';
import type { Right } from '#platform/rights.ts';
import { clock } from '#platform/server/clock.ts';
import { isUniqueViolation, type Reader, type Tx } from '#platform/server/database/database.ts';
import { AppError, invalid, notFound } from '#platform/server/errors.ts';
import type { Actor } from '#platform/server/http/serve.ts';
import type { Account, OnboardingFlags, Reach, User } from '../contract.ts';
import type { calls } from '../contract.ts';
import type { TestTool } from '../shared.ts';
import * as store from './accounts.sql.ts';
import { emailsStay, reachQuestion, unpaidPlan } from './events.ts';
import { verifyPassword } from './passwords.ts';
import { readRights } from './rights.ts';
import { revokeMailedSecrets } from './sessions.sql.ts';
import { requireLiveSession, type SessionFacts } from './sessions.ts';
import { toEmailKey, sendVerification, announceSignInChange } from './sign-in.ts';
import { testToolsFor } from './test-tools.ts';
import { isZone } from './zones.ts';

type Body<K extends keyof typeof calls> = (typeof calls)[K] extends {
  body: infer S extends z.ZodType;
}
  ? z.output<S>
  : never;

export function presentUser(row: store.UserRow, accountId: number): User {
  return {
    id: encodeId('user', row.id),
    email: row.email,
    name: row.name,
    surname: row.surname,
    tour: row.tour,
    account: encodeId('account', accountId),
    language: isLanguage(row.language) ? row.language : 'eng',
    email_verified: row.email_verified_at !== null,
  };
}

async function presentAccount(db: Reader, row: store.AccountRow): Promise<Account> {
  return {
    id: encodeId('account', row.id),
    title: row.title,
    website: row.website,
    address: row.address,
    city: row.city,
    state: row.state,
    zip_code: row.zip_code,
    country: row.country,
    timezone: row.timezone,
    language: isLanguage(row.language) ? row.language : 'eng',
    date_format: row.date_format,
    status: row.status,
    activation_level: row.activation_level,
    industry: row.industry,
    subscriber_collection: row.subscriber_collection,
    active_plan: { id: await getPlanId(db, row) },
    plan_valid_to: row.plan_valid_to?.toISOString() ?? null,
    subscriber_count: row.subscriber_count,
    is_sample: row.is_sample,
    created: row.created_at.toISOString(),
  };
}

/** Returns the order's ID for a paid plan, otherwise the key of the unpaid plan. */
async function getPlanId(db: Reader, row: store.AccountRow): Promise<string> {
  if (row.active_plan !== null) return encodeId('order', row.active_plan);
  // The handler only reads, so it needs no transaction.
  const [unpaid = 'unlimited'] = await unpaidPlan.collect(db as Tx, { accountId: row.id });
  return unpaid;
}

/** Reads the numbers of reachable and lost subscribers from the area that stores subscribers. */
export async function readReach(tx: Tx, accountId: number): Promise<Reach> {
  const [reach] = await reachQuestion.collect(tx, { accountId });
  if (!reach) throw new Error('No area counts reachable subscribers');
  return reach;
}

/**
 * Returns the user and the account of a session.
 * @throws `not_found` if the user is not a member of the account
 */
export async function readSession(
  tx: Tx,
  accountId: number,
  userId: number,
  request: FastifyRequest,
): Promise<{
  user: User;
  account: Account;
  rights: Right[];
  test_inbox: boolean;
  test_tools: TestTool[];
}> {
  const stays = await emailsStay.collect(tx, { accountId });
  // After a sign-in or a switch of accounts, the request's caller is not the user of this session.
  const rights = await readRights(tx, { accountId, userId });
  return {
    ...(await readUserAndAccount(tx, accountId, userId)),
    rights: [...rights],
    test_inbox: stays.includes(true),
    test_tools: testToolsFor(request),
  };
}

/** Returns a user and the account of their session. */
export async function readUserAndAccount(
  db: Reader,
  accountId: number,
  userId: number,
): Promise<{ user: User; account: Account }> {
  const user = await store.findMember(db, accountId, userId);
  const account = await store.findAccount(db, accountId);
  if (!user || !account) throw notFound();
  return { user: presentUser(user, accountId), account: await presentAccount(db, account) };
}

export async function readOnboarding(
  tx: Tx,
  accountId: number,
  userId: number,
): Promise<OnboardingFlags> {
  const user = await store.findMember(tx, accountId, userId);
  const account = await store.findAccount(tx, accountId);
  if (!user || !account) throw notFound();
  return {
    email_verified: user.email_verified_at !== null,
    registration_completed: account.registration_completed_at !== null,
    introduce_completed:
      account.introduce_completed_at !== null ||
      Boolean(account.website && user.name && user.surname),
    email_sent: account.email_sent_at !== null,
    report_viewed: account.report_viewed_at !== null,
    subscriber_added: account.subscriber_added_at !== null,
    campaign_created: account.campaign_created_at !== null,
    domain_verified: account.domain_verified_at !== null,
  };
}

/**
 * Updates the signed-in user. A new address must be verified again, and password reset links sent
 * to the old one become invalid. Replacing a verified address requires the password, because reset
 * links will go to the new one, and the old address is notified.
 * @throws AppError wrong_password, email_taken, unauthorized
 */
export async function updateUser(
  tx: Tx,
  caller: SessionFacts,
  id: number,
  change: Body<'updateUser'>,
): Promise<User> {
  if (id !== caller.userId) throw notFound();
  // Waits for a concurrent password reset, which ends this session. Otherwise a stranger who signed
  // up with another person's address could replace it while that person resets the password;
  // replacing an unverified address does not require the password.
  if (change.email !== undefined) await requireLiveSession(tx, caller);
  const memberBefore = await store.findMember(tx, caller.accountId, id);
  if (!memberBefore) throw notFound();
  const { email, current: currentPassword, ...rest } = change;
  const key = email === undefined ? memberBefore.email_key : toEmailKey(email);
  // A different spelling of the same address remains verified, and links emailed to it remain
  // valid.
  const isOtherAddress = key !== memberBefore.email_key;
  const at = clock.now();
  if (isOtherAddress && memberBefore.email_verified_at !== null)
    await requirePassword(tx, memberBefore, currentPassword);
  if (isOtherAddress) await revokeMailedSecrets(tx, 'password_reset', id, at);
  const row = await saveUser(tx, id, {
    ...rest,
    ...(email === undefined ? {} : { email, email_key: key }),
    ...(isOtherAddress ? { email_verified_at: null } : {}),
    modified_at: at,
  });
  if (isOtherAddress && email !== undefined) {
    await announceSignInChange(tx, caller.accountId, memberBefore, { newEmail: email }, at);
  }
  return presentUser(row ?? memberBefore, caller.accountId);
}

/**
 * @throws AppError email_taken; the unique index decides, because two users may request the same
 * address at the same time
 */
async function saveUser(
  ...change: Parameters<typeof store.updateUser>
): Promise<store.UserRow | undefined> {
  try {
    return await store.updateUser(...change);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new AppError('email_taken', { errors: { email: ['errors.email_taken'] } });
  }
}

/**
 * Verifies the current password and locks it until this transaction ends.
 * @throws AppError wrong_password
 */
export async function requirePassword(
  tx: Tx,
  user: Pick<store.UserRow, 'id' | 'password_hash'>,
  currentPassword: string | undefined,
): Promise<void> {
  const isRight =
    currentPassword !== undefined &&
    (await verifyPassword(currentPassword, user.password_hash)) &&
    (await store.lockPassword(tx, user, 'to change it'));
  if (isRight) return;
  throw new AppError('wrong_password', { errors: { current: ['errors.wrong_password'] } });
}

export async function resendVerification(tx: Tx, caller: Actor, id: number): Promise<void> {
  if (id !== caller.userId) throw notFound();
  await sendVerification(tx, caller.accountId, id);
}

export async function saveUserQuestionnaire(
  tx: Tx,
  caller: Actor,
  body: Body<'saveUserQuestionnaire'>,
): Promise<void> {
  const at = clock.now();
  await store.updateUser(tx, caller.userId, {
    name: body.name,
    surname: body.surname,
    modified_at: at,
  });
  await store.updateAccount(tx, caller.accountId, {
    website: body.website,
    introduce_completed_at: at,
    modified_at: at,
  });
}

export async function saveAccountQuestionnaire(
  tx: Tx,
  accountId: number,
  body: Body<'saveAccountQuestionnaire'>,
): Promise<void> {
  if (body.timezone !== undefined) refuseUnknownZone(body.timezone);
  const at = clock.now();
  await store.updateAccount(tx, accountId, {
    ...body,
    zip_code: body.zip_code || null,
    registration_completed_at: at,
    modified_at: at,
  });
}

export async function saveAccount(
  tx: Tx,
  accountId: number,
  body: Body<'saveAccount'>,
): Promise<Account> {
  if (body.timezone !== undefined) refuseUnknownZone(body.timezone);
  return presentAccount(
    tx,
    await store.updateAccount(tx, accountId, { ...body, modified_at: clock.now() }),
  );
}

function refuseUnknownZone(zone: string): void {
  if (!isZone(zone)) throw invalid({ timezone: ['errors.unknown_timezone'] });
}
