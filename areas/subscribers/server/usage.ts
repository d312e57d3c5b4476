// How many people of an account may be mailed or texted: what plans are counted by. Never the unsubscribed.
import { usageAsked } from '#areas/billing/server/index.ts';
import { answer } from '#platform/server/area.ts';
import { countReachable } from './usage.sql.ts';

export const subscribersUsed = answer(usageAsked, async (tx, { accountId, what }) =>
  what === 'emails'
    ? []
    : [{ of: 'subscribers' as const, count: await countReachable(tx, accountId) }],
);
