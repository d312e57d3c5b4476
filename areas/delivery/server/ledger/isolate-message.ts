// Runs work for one of many messages, so that its failure does not block the others.
import { isAccountReachable } from '#platform/server/database/across-accounts.sql.ts';
import { isConnectionLost, isRetriable } from '#platform/server/database/database.ts';
import { isOtherNodeFailure } from '#platform/server/database/node-failure.ts';
import { isolateFailure } from '#platform/server/process/isolate-failure.ts';
import type { MessageRef } from '../sender/round-robin.ts';

/**
 * Runs `work` and logs its failure. Throws only while the database is unavailable, because then
 * every message would fail. Skips messages of accounts whose node is unreachable.
 */
export async function isolateMessage(
  { accountId, messageId }: MessageRef,
  failure: string,
  work: () => Promise<unknown>,
): Promise<void> {
  await isolate({ accountId, messageId }, failure, work);
}

/**
 * Like `isolateMessage`; returns undefined after a failure or if the account's node is unreachable.
 */
export function isolateAccount<T>(
  accountId: number,
  failure: string,
  work: () => Promise<T>,
): Promise<T | undefined> {
  return isolate({ accountId }, failure, work);
}

/** Returns true while the database is unavailable, rather than only the node of the account. */
export function isForAll(error: unknown): boolean {
  return !isOtherNodeFailure(error) && (isRetriable(error) || isConnectionLost(error));
}

async function isolate<T>(
  context: { accountId: number; messageId?: number },
  failure: string,
  work: () => Promise<T>,
): Promise<T | undefined> {
  // Each attempt on a node known to be unreachable may wait for the timeout of the connection.
  if (!isAccountReachable(context.accountId)) return undefined;
  return isolateFailure(failure, context, work, isForAll);
}
