// Accounts with sample data. Each user has at most one, besides their own accounts.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Language } from '#platform/languages.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { notFound } from '#platform/server/errors.ts';
import type { Caller } from '#platform/server/http/serve.ts';
import * as accounts from './accounts.sql.ts';
import { accountOpened } from './events.ts';
import { openSession, requireLiveSession } from './sessions.ts';
import { revokeSessionsOfUser } from './sessions.sql.ts';
import * as settings from './settings.sql.ts';

/** Finds the user's account with sample data; `isReady` once it is filled. */
export async function findSampleAccount(
  tx: Tx,
  userId: number,
): Promise<{ accountId: number; isReady: boolean } | undefined> {
  for (const accountId of await accounts.listAccountsOfUser(tx, userId)) {
    const account = await accounts.findAccount(tx, accountId);
    if (account?.is_sample)
      return { accountId, isReady: account.registration_completed_at !== null };
  }
  return undefined;
}

/** Opens an empty account. A concurrent call waits and then finds it. */
export async function openSampleAccount(
  tx: Tx,
  { userId, language }: { userId: number; language: Language },
): Promise<{ accountId: number; isNew: boolean }> {
  await accounts.lockUser(tx, userId);
  const existing = await findSampleAccount(tx, userId);
  if (existing) return { accountId: existing.accountId, isNew: false };
  const at = clock.now();
  const { id } = await accounts.insertAccount(tx, { language, timezone: 'UTC', at });
  await accounts.updateAccount(tx, id, { is_sample: true });
  await accounts.insertMembership(tx, userId, id, at);
  await accountOpened.announce(tx, { accountId: id, userId, language });
  return { accountId: id, isNew: true };
}

/**
 * Ends all access to the user's account with sample data. A session in it moves to the user's own
 * account.
 * @throws `not_found` if there is none, `unauthorized` if the session ended concurrently
 */
export async function leaveSampleAccount(
  tx: Tx,
  caller: Caller,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<{ accountId: number }> {
  await requireLiveSession(tx, caller);
  const sample = await findSampleAccount(tx, caller.userId);
  if (!sample) throw notFound();
  const { accountId } = sample;
  const at = clock.now();
  for (const { user_id: userId } of await settings.lockMembers(tx, accountId)) {
    await revokeSessionsOfUser(tx, accountId, userId, 'removed', at);
    await accounts.deleteMembership(tx, accountId, userId);
  }
  const [own] = await accounts.listAccountsOfUser(tx, caller.userId);
  if (caller.accountId === accountId && own !== undefined)
    await openSession(tx, { accountId: own, userId: caller.userId }, request, reply);
  return { accountId };
}

/** Locks the account while it is filled or removed; returns undefined if it was removed. */
export async function lockSampleAccount(
  tx: Tx,
  accountId: number,
): Promise<{ isReady: boolean; hasMembers: boolean } | undefined> {
  const account = await accounts.lockAccount(tx, accountId);
  if (!account?.is_sample) return undefined;
  const members = await settings.lockMembers(tx, accountId);
  return {
    isReady: account.registration_completed_at !== null,
    hasMembers: members.length > 0,
  };
}
