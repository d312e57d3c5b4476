// Scheduled work on plans: notice a week before the end, renewal with the stored card, retries over
// a week, and after two weeks of grace the free plan.
import { readAccount } from '#areas/accounts/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database/database.ts';
import { log } from '#platform/server/log.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { unseal } from '#platform/server/secrets.ts';
import { type Currency, type Duration, RENEWAL_DAYS } from '../shared.ts';
import type { SubscriptionRow } from './billing.sql.ts';
import * as store from './billing.sql.ts';
import { findPlanSize } from './catalog.ts';
import {
  formatDay,
  endPlan,
  graceEnd,
  nextRenewalAttempt,
  findOwnerLanguage,
  renewalValues,
  getPlanTitle,
} from './dunning.ts';
import { billingEmailNeeded } from './events.ts';
import { findRenewal, insertOrder, type BillingOrderRow } from './orders.sql.ts';
import { priceOrder } from './orders.ts';
import { startCharge, chargeAndSettle, METHOD_SECRET } from './pay.ts';
import { planPrice, computeTax } from './prices.ts';
import { billingSettings, isOn } from './settings.ts';
import { settleWithoutCharge } from './settle.ts';
import { formatMoney } from './format-money.ts';
import { taxFor } from './tax.ts';

const ACCOUNTS_PER_POLL = 200;

export const renewalsPoller: Poller = {
  name: 'renewals',
  intervalMs: 20_000,
  run: (db) => renewDue(db),
};

export async function renewDue(db: Db): Promise<void> {
  if (!isOn()) return;
  for (const accountId of await store.listAccountsToRenew(db, clock.now(), ACCOUNTS_PER_POLL)) {
    await renew(db, accountId).catch((error: unknown) =>
      log.error('Plan renewal failed', { account: accountId, error }),
    );
  }
}

type StartedCharge = Awaited<ReturnType<typeof startCharge>>;

async function renew(db: Db, accountId: number): Promise<void> {
  const { gateway } = billingSettings();
  const start = await inTransaction(db, (tx) => stepOf(tx, accountId));
  if (start && gateway) await chargeAndSettle(db, gateway, accountId, start);
}

/** Performs one due step; returns a charge to be made, if there is one. */
async function stepOf(tx: Tx, accountId: number): Promise<StartedCharge | undefined> {
  const now = clock.now();
  const subscription = await store.lockSubscription(tx, accountId);
  if (!subscription?.renew_at || subscription.renew_at > now) return undefined;
  if (now < subscription.period_end) {
    await notifyBefore(tx, subscription);
    return undefined;
  }
  const next = nextOf(subscription);
  if (!next || now >= graceEnd(subscription)) {
    await endPlan(tx, subscription);
    return undefined;
  }
  return tryToRenew(tx, subscription, next);
}

/** The plan that the owner chose for the next period. */
export type NextPlan = { plan_key: string; size: number; months: Duration };
type Next = { planKey: string; size: number; months: Duration };

/** Returns the plan of the next period; undefined means the free plan. */
function nextOf(subscription: SubscriptionRow): Next | undefined {
  if (subscription.is_cancelled) return undefined;
  const nextPlan = subscription.next;
  const next = {
    planKey: nextPlan?.plan_key ?? subscription.plan_key,
    size: nextPlan?.size ?? subscription.size,
    months: (nextPlan?.months ?? subscription.months) as Duration,
  };
  // Discontinued plans cannot be renewed.
  return findPlanSize(billingSettings().catalog, next.planKey, next.size) ? next : undefined;
}

async function notifyBefore(tx: Tx, subscription: SubscriptionRow): Promise<void> {
  const { account_id: accountId } = subscription;
  await store.saveSubscription(tx, accountId, {
    renew_at: subscription.period_end,
    modified_at: clock.now(),
  });
  const next = nextOf(subscription);
  const method = await methodOf(tx, subscription);
  await billingEmailNeeded.announce(tx, {
    accountId,
    kind: next ? (method ? 'renewalSoon' : 'renewalByHand') : 'planEnding',
    occasion: `soon ${subscription.order_id}`,
    values: await noticeValues(tx, subscription, next, method?.last4 ?? ''),
  });
}

/**
 * Returns the values of the notice, with the price in the current catalog and the account's tax.
 */
async function noticeValues(
  tx: Tx,
  subscription: SubscriptionRow,
  next: Next | undefined,
  card: string,
): Promise<Record<string, string>> {
  const { accountId, language } = await findOwnerLanguage(tx, subscription);
  const untilText = await formatDay(tx, accountId, subscription.period_end, language);
  const soldSize = next && findPlanSize(billingSettings().catalog, next.planKey, next.size);
  if (!next || !soldSize) return { plan: getPlanTitle(subscription), until: untilText, token: '' };
  const currency = subscription.currency as Currency;
  const { percent } = await taxFor(tx, await readAccount(tx, accountId));
  const net = planPrice(soldSize.size, next.months, currency);
  const amount = formatMoney(net + computeTax(net, percent), currency, language);
  return { plan: soldSize.plan.title, until: untilText, amount, card, token: '' };
}

/** Returns the card used for renewals. */
async function methodOf(tx: Tx, { account_id: accountId, method_id: id }: SubscriptionRow) {
  const methods = await store.listMethods(tx, accountId);
  return methods.find((method) => method.id === id) ?? methods.find((method) => method.is_default);
}

async function tryToRenew(
  tx: Tx,
  subscription: SubscriptionRow,
  next: Next,
): Promise<StartedCharge | undefined> {
  const { account_id: accountId } = subscription;
  const at = clock.now();
  const method = await methodOf(tx, subscription);
  const tryCount = subscription.tries + 1;
  const mayTry = method !== undefined && subscription.tries < RENEWAL_DAYS.length;
  await store.saveSubscription(tx, accountId, {
    state: 'past_due',
    tries: tryCount,
    renew_at: mayTry ? nextRenewalAttempt(subscription, tryCount) : graceEnd(subscription),
    modified_at: at,
  });
  const order = await priceOrder(tx, await renewalOrder(tx, subscription, next));
  if (order.total_minor === 0) {
    await settleWithoutCharge(tx, order);
    return undefined;
  }
  const { gateway } = billingSettings();
  if (!mayTry || !gateway) {
    await notifyWithoutCard(tx, subscription, order);
    return undefined;
  }
  const card = { token: unseal(METHOD_SECRET, method.sealed_token) };
  return startCharge(tx, gateway, order, { card, methodId: method.id }, true);
}

/** Notifies once per period that no card is stored. */
async function notifyWithoutCard(
  tx: Tx,
  subscription: SubscriptionRow,
  order: BillingOrderRow,
): Promise<void> {
  await billingEmailNeeded.announce(tx, {
    accountId: subscription.account_id,
    kind: 'renewalUnpaid',
    occasion: `no card ${subscription.order_id}`,
    values: await renewalValues(tx, order, subscription),
  });
}

/** Returns the order of this renewal, which all attempts share. */
async function renewalOrder(
  tx: Tx,
  subscription: SubscriptionRow,
  next: Next,
): Promise<BillingOrderRow> {
  const { account_id: accountId } = subscription;
  await readAccount(tx, accountId);
  const openOrder = await findRenewal(tx, accountId, subscription.period_end);
  if (openOrder) return openOrder;
  return insertOrder(tx, {
    accountId,
    kind: 'plan',
    origin: 'renewal',
    planKey: next.planKey,
    size: next.size,
    months: next.months,
    premium: subscription.premium,
    currency: subscription.currency as Currency,
    coupon: null,
    creditMicros: null,
    at: clock.now(),
  });
}
