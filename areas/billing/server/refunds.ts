// Refunds are requested in the transaction that decides them, carried out at the gateway on a
// schedule, and reported to the account. Each refund of an invoiced amount has a credit note.
import { findOwner, readAccount } from '#areas/accounts/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import { log } from '#platform/server/log.ts';
import type { Currency } from '../shared.ts';
import * as billing from './billing.sql.ts';
import { endPlan } from './dunning.ts';
import { billingEmailNeeded } from './events.ts';
import { issueInvoice } from './invoices.ts';
import * as store from './orders.sql.ts';
import { requireGateway } from './settings.ts';
import { formatMoney } from './format-money.ts';

/**
 * Requests the refund of a charge, once per charge and reason. A charge that has not been recorded
 * as successful is closed as declined. A poller carries out the refund.
 */
export async function requestRefund(
  tx: Tx,
  charge: store.ChargeRow,
  amount: number,
  reason: 'paid_twice' | 'operator',
): Promise<void> {
  const at = clock.now();
  if (charge.state !== 'succeeded') {
    await store.saveCharge(tx, charge.account_id, charge.id, {
      state: 'declined',
      code: reason,
      gateway_id: charge.gateway_id,
      poll_at: null,
      modified_at: at,
    });
  }
  await store.insertRefund(tx, {
    accountId: charge.account_id,
    chargeId: charge.id,
    key: `${charge.key}-${reason}`,
    amount,
    reason,
    at: new Date(at.getTime() - RETRY_MS),
  });
}

const RETRY_MS = 60_000;

/**
 * Refunds on behalf of the operator: returns the remaining money, issues a credit note and ends the
 * purchase.
 */
export async function refundOrder(tx: Tx, accountId: number, orderId: number): Promise<void> {
  const order = await store.lockOrder(tx, accountId, orderId);
  if (!order) throw notFound();
  if (order.state !== 'paid') throw new AppError('order_closed');
  const charge = await store.findOpenCharge(tx, accountId, orderId);
  await billing.lockBilling(tx, accountId);
  const refundedBefore = charge ? await store.sumRefunds(tx, accountId, charge.id) : 0;
  if (charge) await requestRefund(tx, charge, charge.amount_minor - refundedBefore, 'operator');
  await revokePurchase(tx, order, {
    amount: order.total_minor - refundedBefore,
    isAll: true,
    source: '',
  });
}

/**
 * Records a refund made at the gateway. At least `refundedTotal` has been refunded so far, by
 * default the whole charge. Amounts known from our refunds or earlier events have no further
 * effect.
 */
export async function recordGatewayRefund(
  db: Db,
  charge: store.ChargeRow,
  refundedTotal = charge.amount_minor,
): Promise<void> {
  await inTransaction(db, async (tx) => {
    const { account_id: accountId } = charge;
    const order = await store.lockOrder(tx, accountId, charge.order_id);
    if (order?.state !== 'paid' || charge.state !== 'succeeded') return;
    await billing.lockBilling(tx, accountId);
    const total = Math.min(refundedTotal, charge.amount_minor);
    const amount = total - (await store.sumRefunds(tx, accountId, charge.id));
    if (amount <= 0) return;
    const at = clock.now();
    const refund = await store.insertRefund(tx, {
      ...{ accountId, chargeId: charge.id, amount, at },
      ...{ key: `${charge.key}-gateway-${total}`, reason: 'gateway' },
    });
    if (!refund) return;
    const isAll = total === charge.amount_minor;
    await revokePurchase(tx, order, { amount, isAll, source: isAll ? '' : ` ${total}` });
    const { currency } = charge;
    const row = { account_id: accountId, id: refund.id, amount_minor: amount, currency };
    await recordRefundResult(tx, row, 'succeeded');
  });
}

/**
 * Issues a credit note, removes the refunded part of purchased credit and, after a full refund,
 * ends the purchase.
 */
async function revokePurchase(
  tx: Tx,
  order: store.BillingOrderRow,
  { amount, isAll, source }: { amount: number; isAll: boolean; source: string },
): Promise<void> {
  const { account_id: accountId, id: orderId } = order;
  const at = clock.now();
  if (isAll) await store.saveOrder(tx, accountId, orderId, { state: 'refunded', modified_at: at });
  const invoice = await billing.findInvoiceOfOrder(tx, accountId, orderId);
  if (invoice)
    await issueInvoice(tx, order, { kind: 'credit_note', corrects: invoice.serial, amount });
  if (order.kind === 'sms_credit') {
    const fraction = order.total_minor === 0 ? 1 : amount / order.total_minor;
    const micros = Math.round((order.credit_micros ?? 0) * fraction);
    await reclaimCredit(tx, order, { micros, source: `refund ${orderId}${source}` });
  }
  const subscription = await billing.lockSubscription(tx, accountId);
  const isPlanOfOrder = subscription?.order_id === orderId && subscription.state !== 'ended';
  if (isAll && subscription && isPlanOfOrder) await endPlan(tx, subscription);
}

/** Removes unused credit; used credit is not recovered. */
async function reclaimCredit(
  tx: Tx,
  { account_id: accountId }: store.BillingOrderRow,
  reclaimed: { micros: number; source: string },
): Promise<void> {
  const { balance_micros, held_micros } = await billing.lockBilling(tx, accountId);
  const micros = Math.min(reclaimed.micros, balance_micros - held_micros);
  if (micros <= 0) return;
  await billing.addCredit(tx, {
    ...{ accountId, kind: 'refunded', micros: -micros, source: reclaimed.source, at: clock.now() },
  });
}

/** Carries out requested refunds; calls without a response are retried with the same key. */
export async function carryOutRefunds(db: Db): Promise<void> {
  const before = new Date(clock.now().getTime() - RETRY_MS);
  for (const refund of await store.listPendingRefunds(db, before)) {
    if (refund.gateway_id === null) continue;
    const outcome = await requireGateway()
      .refund({
        key: refund.key,
        gatewayId: refund.gateway_id,
        amount: refund.amount_minor,
        currency: refund.currency as Currency,
      })
      .catch((error: unknown) => {
        log.warn('Payment gateway did not respond to a refund', {
          reason: (error as Error).message,
        });
        return { status: 'unknown' as const };
      });
    await inTransaction(db, (tx) => recordRefundResult(tx, refund, outcome.status));
  }
}

async function recordRefundResult(
  tx: Tx,
  refund: { account_id: number; id: number; amount_minor: number; currency: string },
  result: 'succeeded' | 'failed' | 'unknown',
): Promise<void> {
  const state = result === 'unknown' ? 'pending' : result;
  await store.saveRefund(tx, refund.account_id, refund.id, state, clock.now());
  if (result === 'failed')
    log.error('Refund failed; see the payment gateway’s dashboard for the reason', {
      ...{ account: refund.account_id, refund: refund.id },
      ...{ amountMinor: refund.amount_minor, currency: refund.currency },
    });
  if (result !== 'succeeded') return;
  const account = await readAccount(tx, refund.account_id);
  const owner = await findOwner(tx, refund.account_id);
  await billingEmailNeeded.announce(tx, {
    accountId: refund.account_id,
    kind: 'refunded',
    occasion: `refund ${refund.id}`,
    values: {
      amount: formatMoney(
        refund.amount_minor,
        refund.currency,
        owner?.language ?? account.language,
      ),
    },
  });
}
