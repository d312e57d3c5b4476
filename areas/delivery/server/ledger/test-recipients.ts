// Decides who may get test emails: users of the account always, other addresses unless their owner
// opted out.
import { findUsersAmong } from '#areas/accounts/server/index.ts';
import type { SuppressionReason } from '#areas/subscribers/shared.ts';
import { findSuppressedAmong } from '#areas/subscribers/server/index.ts';
import type { Reader } from '#platform/server/database/database.ts';

const OPT_OUTS = new Set<SuppressionReason>(['unsubscribed', 'reported', 'erased']);

/**
 * Returns the given addresses (in lower case) that must not get test emails: they were suppressed
 * by an unsubscribe, complaint or erasure, and belong to no user of the account.
 */
export async function findUnwantedTests(
  db: Reader,
  accountId: number,
  keys: readonly string[],
): Promise<Set<string>> {
  const suppressedKeys = await findSuppressedAmong(db, accountId, 'email', keys);
  const optedOut = keys.filter((key) => OPT_OUTS.has(suppressedKeys.get(key) as SuppressionReason));
  const users = await findUsersAmong(db, accountId, optedOut);
  return new Set(optedOut.filter((key) => !users.has(key)));
}
