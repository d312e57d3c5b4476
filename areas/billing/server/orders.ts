// Orders: a plan or SMS credit, priced on the server at each change and again at payment.
import { type AccountDetails, readAccount } from '#areas/accounts/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import type { BillingOrder } from '../contract.ts';
import { type Currency, type Duration, ORDER_HOURS } from '../shared.ts';
import {
  getPlanStart,
  findBilling,
  findSubscription,
  findInvoiceOfOrder,
  type SubscriptionRow,
} from './billing.sql.ts';
import type { CatalogPlan, PlanSize } from './catalog.ts';
import { requireUsableCoupon } from './coupons.ts';
import { findFixedCurrency } from './credit.ts';
import type { BillingOrderRow } from './orders.sql.ts';
import * as store from './orders.sql.ts';
import { periodEnd } from './periods.ts';
import {
  type InvoiceLine,
  type OrderPrice,
  planPrice,
  priceLines,
  computeUnusedAmount,
} from './prices.ts';
import { billingSettings, requireGateway } from './settings.ts';
import { taxFor } from './tax.ts';
import { readUsage } from './usage.ts';

const MAX_ORDERS_PER_DAY = 200;
/** Millionths of a whole unit per minor unit. */
const MICROS_PER_MINOR = 10_000;

type PlanChoice = {
  plan_id: string;
  size: number;
  duration: Duration;
  currency: Currency;
  coupon_name?: string | undefined;
};
type CreditChoice = { credit: number; currency: Currency; coupon_name?: string | undefined };

/** Creates an AppError that names the field. */
const fieldError = (code: string, field: string) =>
  new AppError(code, { errors: { [field]: [`billing:errors.${code}`] } });

/**
 * Returns the plan and size, if they are on sale.
 * @throws AppError plan_unknown, size_unknown
 */
export function choosePlan(
  key: string,
  subscribers: number,
): { plan: CatalogPlan; size: PlanSize } {
  const plan = billingSettings().catalog.plans.find((plan) => plan.key === key);
  if (!plan) throw fieldError('plan_unknown', 'plan_id');
  const size = plan.sizes.find((size) => size.subscribers === subscribers);
  if (!size) throw fieldError('size_unknown', 'size');
  return { plan, size };
}

export async function createOrder(
  tx: Tx,
  accountId: number,
  choice: PlanChoice | CreditChoice,
): Promise<BillingOrder> {
  requireGateway();
  const at = clock.now();
  const day = new Date(at.getTime() - 86_400_000);
  if ((await store.countOrdersSince(tx, accountId, day)) >= MAX_ORDERS_PER_DAY) {
    throw new AppError('too_many_orders', { retryAfterSeconds: 3600 });
  }
  await refuseSuspended(tx, accountId);
  const isPlan = 'plan_id' in choice;
  if (isPlan) await refuseTooSmall(tx, accountId, choose(choice).size);
  const row = await store.insertOrder(tx, {
    accountId,
    kind: isPlan ? 'plan' : 'sms_credit',
    origin: 'checkout',
    planKey: isPlan ? choice.plan_id : null,
    size: isPlan ? choice.size : null,
    months: isPlan ? choice.duration : null,
    premium: isPlan && isPremium(choice.plan_id),
    currency: choice.currency,
    coupon: choice.coupon_name?.trim().toUpperCase() || null,
    creditMicros: isPlan ? null : choice.credit * 1_000_000,
    at,
  });
  return presentOrder(tx, await priceOrder(tx, row));
}

const choose = ({ plan_id, size }: PlanChoice) => choosePlan(plan_id, size);

/** Returns whether the plan is above the first one on sale. */
function isPremium(key: string): boolean {
  return billingSettings().catalog.plans.findIndex((plan) => plan.key === key) > 0;
}

async function refuseSuspended(tx: Reader, accountId: number): Promise<void> {
  if ((await findBilling(tx, accountId))?.suspended_at) throw new AppError('account_suspended');
}

/**
 * Refuses a size below the current number of active subscribers, which would stop campaigns at
 * once.
 */
async function refuseTooSmall(tx: Tx, accountId: number, size: PlanSize): Promise<void> {
  const { subscribers } = await readUsage(tx, accountId, clock.now());
  if (subscribers > size.subscribers) throw fieldError('size_too_small', 'size');
}

export async function updateOrder(
  tx: Tx,
  accountId: number,
  id: number,
  change: {
    duration?: Duration | undefined;
    currency?: Currency | undefined;
    coupon_name?: string | null | undefined;
  },
): Promise<BillingOrder> {
  requireGateway();
  const row = await requireOpenOrder(tx, accountId, id);
  const savedOrder = await store.saveOrder(tx, accountId, id, {
    ...(change.duration !== undefined && row.kind === 'plan' ? { months: change.duration } : {}),
    ...(change.currency === undefined ? {} : { currency: change.currency }),
    ...(change.coupon_name === undefined
      ? {}
      : { coupon: change.coupon_name?.trim().toUpperCase() || null }),
    modified_at: clock.now(),
  });
  return presentOrder(tx, await priceOrder(tx, savedOrder));
}

/**
 * Locks an order that can still be changed or paid.
 * @throws AppError order_closed, order_being_paid, or not_found
 */
export async function requireOpenOrder(
  tx: Tx,
  accountId: number,
  id: number,
): Promise<BillingOrderRow> {
  const row = await store.lockOrder(tx, accountId, id);
  if (!row) throw notFound();
  if (row.state === 'paying') throw new AppError('order_being_paid');
  const isOver = clock.now().getTime() - row.created_at.getTime() > ORDER_HOURS * 3_600_000;
  if (isOver && row.origin === 'checkout') throw new AppError('order_closed');
  if (row.state !== 'draft' && row.state !== 'failed') throw new AppError('order_closed');
  return row;
}

/** Calculates the current price from the operator's file and stores it with the order. */
export async function priceOrder(tx: Tx, row: BillingOrderRow): Promise<BillingOrderRow> {
  const account = await readAccount(tx, row.account_id);
  const tax = await taxFor(tx, account);
  const currency = row.currency as Currency;
  const fixedCurrencyCode = await findFixedCurrency(tx, row.account_id);
  if (
    row.origin === 'checkout' &&
    fixedCurrencyCode !== undefined &&
    fixedCurrencyCode !== currency
  ) {
    throw fieldError('currency_fixed', 'currency');
  }
  const coupon =
    row.coupon === null
      ? undefined
      : await requireUsableCoupon(tx, {
          accountId: row.account_id,
          orderId: row.id,
          name: row.coupon,
          planKey: row.plan_key,
          zone: account.timezone ?? 'UTC',
        });
  if (row.kind === 'sms_credit') {
    const item = {
      kind: 'sms_credit' as const,
      title: 'sms_credit',
      net: Math.round((row.credit_micros ?? 0) / MICROS_PER_MINOR),
    };
    return saveOrderPrice(tx, row, priceLines(item, { coupon, currency }, tax.percent));
  }
  return pricePlan(tx, row, account, { coupon, currency, percent: tax.percent });
}

async function pricePlan(
  tx: Tx,
  row: BillingOrderRow,
  account: AccountDetails,
  terms: {
    coupon: Parameters<typeof priceLines>[1]['coupon'];
    currency: Currency;
    percent: number;
  },
): Promise<BillingOrderRow> {
  const { plan, size } = choosePlan(row.plan_key ?? '', row.size ?? 0);
  const months = (row.months ?? 12) as Duration;
  const now = clock.now();
  const subscription = await findSubscription(tx, row.account_id);
  const running = isRunning(subscription, now) ? subscription : undefined;
  const isRenewal = row.origin === 'renewal';
  const unusedAmount =
    running && !isRenewal
      ? computeUnusedAmount(
          { net: running.paid_net_minor, start: running.period_start, end: running.period_end },
          now,
        )
      : 0;
  const item: Omit<InvoiceLine, 'tax'> = {
    kind: 'plan',
    title: plan.title,
    size: size.subscribers,
    months,
    net: planPrice(size, months, terms.currency),
  };
  const period =
    isRenewal && subscription
      ? { start: subscription.period_end, anchor: getPlanStart(subscription) }
      : { start: now, anchor: now };
  return saveOrderPrice(
    tx,
    row,
    priceLines(
      item,
      { unusedAmount, coupon: terms.coupon, currency: terms.currency },
      terms.percent,
    ),
    {
      plan: JSON.stringify({
        title: plan.title,
        features: plan.features,
        emails_per_subscriber: plan.emails_per_subscriber,
      }),
      period_start: period.start,
      period_end: periodEnd(period, months, account.timezone ?? 'UTC'),
    },
  );
}

/** Returns whether the plan's paid period is still running. */
export function isRunning(
  subscription: SubscriptionRow | undefined,
  now: Date,
): subscription is SubscriptionRow {
  return subscription?.state === 'active' && subscription.period_end > now;
}

function saveOrderPrice(
  tx: Tx,
  row: BillingOrderRow,
  price: OrderPrice,
  extra: { plan?: string; period_start?: Date; period_end?: Date } = {},
): Promise<BillingOrderRow> {
  return store.saveOrder(tx, row.account_id, row.id, {
    lines: JSON.stringify(price.lines),
    net_minor: price.net,
    tax_minor: price.tax,
    total_minor: price.total,
    ...extra,
    modified_at: clock.now(),
  });
}

export async function readOrder(db: Reader, accountId: number, id: number): Promise<BillingOrder> {
  const row = await store.findOrder(db, accountId, id);
  if (!row) throw notFound();
  return presentOrder(db, row);
}

export async function presentOrder(db: Reader, row: BillingOrderRow): Promise<BillingOrder> {
  const account = await readAccount(db, row.account_id);
  const tax = await taxFor(db, account);
  const invoice = await findInvoiceOfOrder(db, row.account_id, row.id);
  return {
    id: encodeId('order', row.id),
    order_id: encodeId('order', row.id),
    kind: row.kind as BillingOrder['kind'],
    state: row.state as BillingOrder['state'],
    failure: row.failure,
    plan_id: row.plan_key,
    size: row.size,
    duration: row.months as BillingOrder['duration'],
    currency: row.currency as Currency,
    premium: row.premium,
    coupon_name: row.coupon,
    lines: row.lines.map((line) => ({
      kind: line.kind,
      title: line.title,
      size: line.size ?? null,
      months: line.months ?? null,
      net: line.net,
      tax: line.tax,
    })),
    net: row.net_minor,
    tax: row.tax_minor,
    tax_name: tax.name,
    tax_percent: tax.percent,
    is_reverse_charge: tax.isReverseCharge,
    total: row.total_minor,
    valid_from: row.period_start?.toISOString() ?? null,
    valid_to: row.period_end?.toISOString() ?? null,
    created: row.created_at.toISOString(),
    paid: row.paid_at?.toISOString() ?? null,
    invoice: invoice?.number ?? null,
  };
}
