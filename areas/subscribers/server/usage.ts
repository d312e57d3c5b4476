// Answers questions about the subscribers who may get emails or SMS, without unsubscribed ones:
// their number, which determines the price of a plan, and the account's figures.
import { reachQuestion } from '#areas/accounts/server/index.ts';
import { usageQuestion } from '#areas/billing/server/index.ts';
import { answer } from '#platform/server/area.ts';
import { countReachable, readReach } from './usage.sql.ts';

export const subscribersUsed = answer(usageQuestion, async (tx, { accountId, what }) =>
  what === 'emails'
    ? []
    : [{ of: 'subscribers' as const, count: await countReachable(tx, accountId) }],
);

export const reachAnswer = answer(reachQuestion, async (tx, { accountId }) => [
  await readReach(tx, accountId),
]);
