// Applies the result of a charge in one transaction to the order, invoice, plan, credit, coupon and
// card. A repeated result has no further effect. A late success pays the order, or is refunded if
// the order no longer needs it.
import { findOwner, readAccount, saveActivePlan } from '#areas/accounts/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { seal } from '#platform/server/secrets.ts';
import * as billing from './billing.sql.ts';
import { computeEmailLimit } from './catalog.ts';
import { releaseOrderCoupon } from './coupons.ts';
import { recordRenewalDeclined, recordRenewalWaits } from './dunning.ts';
import { billingEmailNeeded, planChanged } from './events.ts';
import type { ChargeOutcome, FoundCharge } from './gateway-provider.ts';
import { issueInvoice } from './invoices.ts';
import type { ChargeRow, BillingOrderRow } from './orders.sql.ts';
import * as store from './orders.sql.ts';
import { requestRefund } from './refunds.ts';
import { formatMoney } from './format-money.ts';

const METHOD_SECRET = 'payment method';
const DAY_MS = 86_400_000;
/** Intervals of the lookups after the first one; further lookups run hourly. */
const POLL_INTERVALS_MS = [10_000, 60_000, 300_000, 1_800_000];
/** If the gateway still does not know a charge after this time, the charge never reached it. */
const NEVER_REACHED_MS = 300_000;

export async function settleCharge(
  tx: Tx,
  accountId: number,
  key: string,
  outcome: FoundCharge,
): Promise<void> {
  const unlockedCharge = await store.findCharge(tx, accountId, key);
  if (!unlockedCharge) return;
  const order = await store.lockOrder(tx, accountId, unlockedCharge.order_id);
  // Read again under the order's lock because another process may have settled it.
  const charge = await store.findCharge(tx, accountId, key);
  if (!order || !charge || charge.state === 'succeeded') return;
  // The charge has been refunded or is being refunded, so a repeated success has no effect.
  if (charge.code === 'paid_twice') return;
  if (outcome.status === 'succeeded') return recordSuccess(tx, order, charge, outcome);
  if (charge.state === 'declined') return;
  if (outcome.status === 'declined') return decline(tx, order, charge, outcome);
  if (outcome.status === 'action_needed') return waitForBank(tx, order, charge, outcome);
  return schedulePoll(tx, order, charge, outcome.status === 'none');
}

async function recordSuccess(
  tx: Tx,
  order: BillingOrderRow,
  charge: ChargeRow,
  { gatewayId, method }: ChargeOutcome & { status: 'succeeded' },
): Promise<void> {
  const { account_id: accountId } = order;
  const at = clock.now();
  const isLate = charge.state === 'declined';
  const otherCharge = isLate ? await store.findOpenCharge(tx, accountId, order.id) : undefined;
  const isUnwanted = otherCharge !== undefined || !['paying', 'failed'].includes(order.state);
  if (isUnwanted || (await isOvertaken(tx, order))) {
    // The order is closed, its plan was replaced, or another attempt is pending, so this payment
    // is refunded.
    await requestRefund(
      tx,
      { ...charge, gateway_id: gatewayId },
      charge.amount_minor,
      'paid_twice',
    );
    if (!isUnwanted)
      await store.saveOrder(tx, accountId, order.id, { state: 'expired', modified_at: at });
    return;
  }
  const methodId =
    method && charge.is_method_saved
      ? await billing.insertMethod(tx, {
          accountId,
          gateway: charge.gateway,
          sealed: seal(METHOD_SECRET, method.token),
          brand: method.brand,
          last4: method.last4,
          expMonth: method.expMonth,
          expYear: method.expYear,
          at,
        })
      : charge.method_id;
  await store.saveCharge(tx, accountId, charge.id, {
    state: 'succeeded',
    gateway_id: gatewayId,
    code: null,
    action: null,
    method_id: methodId,
    poll_at: null,
    modified_at: at,
  });
  const storedMethod =
    method ?? (await billing.listMethods(tx, accountId)).find((method) => method.id === methodId);
  const paidBy = storedMethod ? `${storedMethod.brand} •••• ${storedMethod.last4}` : null;
  await fulfillOrder(tx, order, methodId, paidBy);
}

/** Returns whether a plan bought in the meantime covers the start of this renewal's period. */
async function isOvertaken(
  tx: Tx,
  { account_id: accountId, origin, period_start: start }: BillingOrderRow,
) {
  if (origin !== 'renewal' || !start) return false;
  const subscription = await billing.findSubscription(tx, accountId);
  return subscription !== undefined && subscription.period_end > start;
}

/** Settles a free order without a charge. */
export async function settleWithoutCharge(tx: Tx, order: BillingOrderRow): Promise<void> {
  const previous = await billing.findSubscription(tx, order.account_id);
  await fulfillOrder(tx, order, previous?.method_id ?? null, null);
}

async function fulfillOrder(
  tx: Tx,
  order: BillingOrderRow,
  methodId: number | null,
  paidBy: string | null,
): Promise<void> {
  const { account_id: accountId } = order;
  const at = clock.now();
  const paidOrder = await store.saveOrder(tx, accountId, order.id, {
    state: 'paid',
    failure: null,
    paid_at: at,
    modified_at: at,
  });
  await store.spendCoupon(tx, accountId, order.id);
  await billing.lockBilling(tx, accountId);
  const invoice = await issueInvoice(tx, paidOrder, { kind: 'invoice', corrects: null, paidBy });
  if (order.kind === 'sms_credit') {
    await billing.addCredit(tx, {
      accountId,
      kind: 'bought',
      micros: order.credit_micros ?? 0,
      source: `order ${order.id}`,
      at,
    });
  } else {
    await fulfillPlan(tx, paidOrder, methodId);
  }
  const account = await readAccount(tx, accountId);
  const owner = await findOwner(tx, accountId);
  await billingEmailNeeded.announce(tx, {
    accountId,
    kind: 'receipt',
    occasion: `receipt ${order.id}`,
    values: {
      number: invoice.number,
      amount: formatMoney(
        paidOrder.total_minor,
        paidOrder.currency,
        owner?.language ?? account.language,
      ),
      token: encodeId('invoice', invoice.serial),
    },
  });
}

async function fulfillPlan(tx: Tx, order: BillingOrderRow, methodId: number | null): Promise<void> {
  const {
    account_id: accountId,
    id,
    plan_key: key,
    size,
    months,
    period_start,
    period_end,
    plan,
  } = order;
  if (!plan || !key || !size || !months || !period_start || !period_end) return;
  const at = clock.now();
  const previous =
    order.origin === 'renewal' ? await billing.findSubscription(tx, accountId) : undefined;
  await store.closeRenewals(tx, accountId, at);
  await billing.putSubscription(tx, accountId, {
    order_id: id,
    plan_key: key,
    plan: JSON.stringify(plan),
    size,
    months,
    currency: order.currency,
    premium: order.premium,
    paid_net_minor: order.net_minor,
    period_start,
    period_end,
    anchor_at: previous ? billing.getPlanStart(previous) : period_start,
    method_id: methodId,
    // When renewal notices start.
    renew_at: new Date(period_end.getTime() - 7 * DAY_MS),
    modified_at: at,
  });
  await saveActivePlan(tx, accountId, { orderId: id, validTo: period_end });
  const emails = computeEmailLimit(plan, size);
  await billing.insertUsage(tx, {
    accountId,
    kind: 'allowance',
    emails: emails ?? 0,
    label: plan.title,
    source: `order ${id}`,
    at,
  });
  if (plan.features.includes('sms_credit')) {
    await billing.addCredit(tx, {
      accountId,
      kind: 'included',
      micros: order.net_minor * 10_000,
      source: `plan ${id}`,
      at,
    });
  }
  await planChanged.announce(tx, { accountId, at });
}

async function decline(
  tx: Tx,
  order: BillingOrderRow,
  charge: ChargeRow,
  { code, mayRetry }: { code: string; mayRetry: boolean },
): Promise<void> {
  const at = clock.now();
  await store.saveCharge(tx, order.account_id, charge.id, {
    state: 'declined',
    code,
    action: null,
    poll_at: null,
    modified_at: at,
  });
  await releaseOrderCoupon(tx, order.account_id, order.id);
  await store.saveOrder(tx, order.account_id, order.id, {
    state: 'failed',
    failure: code,
    modified_at: at,
  });
  if (order.origin === 'renewal') await recordRenewalDeclined(tx, order, charge.key, mayRetry);
}

async function waitForBank(
  tx: Tx,
  order: BillingOrderRow,
  charge: ChargeRow,
  { gatewayId, action }: ChargeOutcome & { status: 'action_needed' },
): Promise<void> {
  const at = clock.now();
  await store.saveCharge(tx, charge.account_id, charge.id, {
    state: 'action_needed',
    gateway_id: gatewayId,
    action: JSON.stringify(action),
    // The charge is looked up hourly, because the payer may have closed the page after
    // authentication.
    poll_at: new Date(at.getTime() + 3_600_000),
    modified_at: at,
  });
  if (order.origin === 'renewal') await recordRenewalWaits(tx, order, charge.key);
}

async function schedulePoll(
  tx: Tx,
  order: BillingOrderRow,
  charge: ChargeRow,
  isNone: boolean,
): Promise<void> {
  const at = clock.now();
  const age = at.getTime() - charge.created_at.getTime();
  if (isNone && age > NEVER_REACHED_MS) {
    return decline(tx, order, charge, { code: 'not_reached', mayRetry: true });
  }
  const wait = POLL_INTERVALS_MS[charge.poll_count] ?? 3_600_000;
  await store.saveCharge(tx, charge.account_id, charge.id, {
    state: charge.state === 'action_needed' ? 'action_needed' : 'unknown',
    poll_count: charge.poll_count + 1,
    poll_at: new Date(at.getTime() + wait),
    modified_at: at,
  });
}
