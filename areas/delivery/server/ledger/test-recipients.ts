// Recipients of test email: users of the account always; for other addresses, suppressions and
// unsubscribes are respected.
import { usersAmong } from '#areas/accounts/server/index.ts';
import type { SuppressionReason } from '#areas/subscribers/shared.ts';
import { suppressedAmong } from '#areas/subscribers/server/index.ts';
import type { Reader } from '#platform/server/database/database.ts';

const OPT_OUTS = new Set<SuppressionReason>(['unsubscribed', 'reported', 'erased']);

/**
 * Filters addresses (lower case) to those that a test email must skip: suppressed at the request of
 * a recipient who is not a user of the account.
 */
export async function unwantedTests(
  db: Reader,
  accountId: number,
  keys: readonly string[],
): Promise<Set<string>> {
  const suppressed = await suppressedAmong(db, accountId, 'email', keys);
  const optedOut = keys.filter((key) => OPT_OUTS.has(suppressed.get(key) as SuppressionReason));
  const users = await usersAmong(db, accountId, optedOut);
  return new Set(optedOut.filter((key) => !users.has(key)));
}
