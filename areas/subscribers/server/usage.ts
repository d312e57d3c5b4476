// Answers with numbers of subscribers. The price of a plan depends on how many may get emails or
// SMS. The reach of an account counts them by channel, and lost subscribers by reason.
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
