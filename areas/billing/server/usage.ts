// Usage of an account in the current month, and the limits of its plan.
import { type AccountDetails, readAccount } from '#areas/accounts/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { Feature } from '../shared.ts';
import {
  getPlanStart,
  findBilling,
  findSubscription,
  type SubscriptionRow,
} from './billing.sql.ts';
import { computeEmailLimit } from './catalog.ts';
import { type UsageScope, type UsageFigure, usageQuestion } from './events.ts';
import { usageMonth } from './periods.ts';
import { billingSettings, isOn } from './settings.ts';

export type AccountUsage = Record<UsageFigure['kind'], number>;

/** Returns the counts of `scope` since an instant; active subscribers are counted as of now. */
export async function readUsage(
  db: Reader,
  accountId: number,
  since: Date,
  scope: UsageScope = 'limits',
): Promise<AccountUsage> {
  // The handlers only read, so no transaction is needed.
  const figures = await usageQuestion.collect(db as Tx, { accountId, since, scope });
  const usage: AccountUsage = {
    subscribers: 0,
    people_emailed: 0,
    emails: 0,
    people_texted: 0,
    texts: 0,
  };
  for (const { kind, count } of figures) usage[kind] += count;
  return usage;
}

export type PlanFacts = {
  /** null: the free plan, or billing disabled. */
  key: string | null;
  title: string;
  state: 'active' | 'past_due' | 'free' | 'unlimited';
  features: readonly Feature[];
  /** null: unlimited. */
  subscribers: number | null;
  emails: number | null;
  month: { start: Date; end: Date };
  subscription: SubscriptionRow | undefined;
};

/**
 * Returns the account's plan at an instant. A plan whose renewal fails is unchanged during its
 * grace period.
 */
export async function readPlan(db: Reader, account: AccountDetails, now: Date): Promise<PlanFacts> {
  const zone = account.timezone ?? 'UTC';
  const accountPeriod = { start: account.created_at, anchor: account.created_at };
  const subscription = await findSubscription(db, account.id);
  if (!isOn()) {
    return {
      ...{
        key: null,
        title: '',
        state: 'unlimited',
        features: [],
        subscribers: null,
        emails: null,
      },
      month: usageMonth(accountPeriod, now, zone),
      subscription: undefined,
    };
  }
  if (!subscription || subscription.state === 'ended') {
    const { free } = billingSettings().catalog;
    return {
      ...{ key: null, title: free.title, state: 'free', features: free.features },
      subscribers: free.subscribers,
      emails: free.emails,
      month: usageMonth(accountPeriod, now, zone),
      subscription,
    };
  }
  const { plan } = subscription;
  return {
    key: subscription.plan_key,
    title: plan.title,
    state: subscription.state === 'past_due' ? 'past_due' : 'active',
    features: plan.features,
    subscribers: subscription.size,
    emails: computeEmailLimit(plan, subscription.size),
    month: usageMonth(
      { start: subscription.period_start, anchor: getPlanStart(subscription) },
      now,
      zone,
    ),
    subscription,
  };
}

export type EmailUsage = {
  month: { start: Date; end: Date };
  sentCount: number;
  /** Null: unlimited, or billing disabled. */
  limit: number | null;
};

/**
 * Counts the emails of the plan's current month. The billing page, the dashboard and the review of
 * a campaign all show this number.
 */
export async function readEmailUsage(db: Reader, accountId: number): Promise<EmailUsage> {
  const plan = await readPlan(db, await readAccount(db, accountId), clock.now());
  const { emails: sentCount } = await readUsage(db, accountId, plan.month.start, 'emails');
  return { month: plan.month, sentCount, limit: plan.emails };
}

/**
 * The limits of an account with the usage that counts towards them, and whether the account is
 * suspended.
 */
export type PlanCapacity = {
  /** Null: unlimited. */
  emails: { limit: number; used: number } | null;
  subscribers: { limit: number; used: number } | null;
  /** False if limits are only displayed. */
  isEnforced: boolean;
  isSuspended: boolean;
  month: { start: Date; end: Date };
};

/**
 * Returns the limits that apply to campaigns and workflows; transactional and system emails are
 * exempt. The scope `emails` counts only emails, which is cheap enough for every second; active
 * subscribers are counted row by row.
 */
export async function readPlanCapacity(
  db: Reader,
  accountId: number,
  scope: 'emails' | 'limits' = 'limits',
): Promise<PlanCapacity> {
  const now = clock.now();
  const isSuspended = Boolean((await findBilling(db, accountId))?.suspended_at);
  if (!isOn()) {
    const month = { start: now, end: now };
    return { emails: null, subscribers: null, isEnforced: false, isSuspended, month };
  }
  const isEnforced = billingSettings().catalog.limits === 'enforced';
  const plan = await readPlan(db, await readAccount(db, accountId), now);
  const { month } = plan;
  const isUnlimited = plan.emails === null && (plan.subscribers === null || scope === 'emails');
  if (isUnlimited) return { emails: null, subscribers: null, isEnforced, isSuspended, month };
  const usage = await readUsage(db, accountId, month.start, scope);
  const bar = (limit: number | null, usedAmount: number) =>
    limit === null ? null : { limit, used: usedAmount };
  return {
    emails: bar(plan.emails, usage.emails),
    subscribers: scope === 'emails' ? null : bar(plan.subscribers, usage.subscribers),
    isEnforced,
    isSuspended,
    month,
  };
}
