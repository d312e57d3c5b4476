// Answers two questions of lower areas with numbers of subscribers. Billing needs the number of
// subscribers who can be reached by email or SMS, because the price of a plan depends on it. The
// reach of an account counts them by channel, and the lost subscribers by reason.
import { reachQuestion } from '#areas/accounts/server/index.ts';
import { usageQuestion } from '#areas/billing/server/index.ts';
import { handleQuestion } from '#platform/server/area.ts';
import { countReachable, readReach } from './usage.sql.ts';

export const subscribersUsed = handleQuestion(usageQuestion, async (tx, { accountId, scope }) =>
  scope === 'emails'
    ? []
    : [{ kind: 'subscribers' as const, count: await countReachable(tx, accountId) }],
);

export const reachResponse = handleQuestion(reachQuestion, async (tx, { accountId }) => [
  await readReach(tx, accountId),
]);
