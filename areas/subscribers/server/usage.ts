// The number of an account's subscribers who may get emails or SMS, by which plans are priced.
// Never unsubscribed ones.
import { usageQuestion } from '#areas/billing/server/index.ts';
import { answer } from '#platform/server/area.ts';
import { countReachable } from './usage.sql.ts';

export const subscribersUsed = answer(usageQuestion, async (tx, { accountId, what }) =>
  what === 'emails'
    ? []
    : [{ of: 'subscribers' as const, count: await countReachable(tx, accountId) }],
);
