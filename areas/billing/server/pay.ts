// Pays an order. The attempt is committed before the call to the gateway, the call runs outside any
// transaction, and its result is recorded in another transaction. To prevent double charges, an
// order has at most one pending attempt (a partial unique index), and an unknown result is looked
// up instead of retried. If an attempt that was treated as declined succeeds later although the
// order was paid, it is refunded.
import { findOwner, readAccount } from '#areas/accounts/server/index.ts';
import { encodePublicId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import {
  type Db,
  inTransaction,
  isUniqueViolation,
  type Tx,
} from '#platform/server/database/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import { log } from '#platform/server/log.ts';
import { unseal } from '#platform/server/secrets.ts';
import type { OrderPayment } from '../contract.ts';
import type { Currency } from '../shared.ts';
import { findBilling, listMethods } from './billing.sql.ts';
import { findCoupon, claimForOrder } from './coupons.ts';
import type { ChargeOutcome, ChargeRequest, Gateway } from './gateway-provider.ts';
import * as store from './orders.sql.ts';
import { requireOpenOrder, presentOrder, priceOrder } from './orders.ts';
import { requireGateway } from './settings.ts';
import { settleCharge, settleWithoutCharge } from './settle.ts';

/** Age of a pending attempt at its first scheduled lookup. */
export const FIRST_POLL_MS = 30_000;
export const METHOD_SECRET = 'payment method';

export type PaymentChoice = {
  card?: string | undefined;
  method_id?: number | undefined;
  save: boolean;
  total: number;
};

type PaymentStart =
  | { state: 'paid' }
  | { state: 'under_way'; charge: store.ChargeRow }
  | { state: 'begun'; charge: store.ChargeRow; request: ChargeRequest };

/**
 * Pays an order once, no matter how often it is called.
 * @throws AppError order_changed if the total now differs
 */
export async function payOrder(
  db: Db,
  accountId: number,
  id: number,
  pay: PaymentChoice,
): Promise<OrderPayment> {
  const gateway = requireGateway();
  await cancelPendingAction(db, gateway, accountId, id);
  const charge = await inTransaction(db, (tx) =>
    startPayment(tx, gateway, accountId, id, pay),
  ).catch((error: unknown) => {
    // A concurrent call created the attempt.
    if (isUniqueViolation(error)) return undefined;
    throw error;
  });
  if (charge?.state === 'begun') await chargeAndSettle(db, gateway, accountId, charge);
  return readPayment(db, accountId, id);
}

/** Calls the gateway with the committed attempt and records the result. */
export async function chargeAndSettle(
  db: Db,
  gateway: Gateway,
  accountId: number,
  { charge, request }: { charge: store.ChargeRow; request: ChargeRequest },
): Promise<void> {
  const saveGatewayId = (gatewayId: string) =>
    store.saveGatewayId(db, accountId, charge.id, gatewayId);
  const outcome = await gateway
    .charge(request, saveGatewayId)
    .catch((error: unknown): ChargeOutcome => {
      log.warn('Payment gateway did not respond to a charge', { reason: (error as Error).message });
      return { status: 'unknown' };
    });
  await inTransaction(db, (tx) => settleCharge(tx, accountId, charge.key, outcome));
}

async function startPayment(
  tx: Tx,
  gateway: Gateway,
  accountId: number,
  id: number,
  pay: PaymentChoice,
): Promise<PaymentStart> {
  const locked = await store.lockOrder(tx, accountId, id);
  if (!locked) throw notFound();
  if (locked.state === 'paid') return { state: 'paid' };
  const openCharge = await store.findOpenCharge(tx, accountId, id);
  if (openCharge) return { state: 'under_way', charge: openCharge };
  if ((await findBilling(tx, accountId))?.suspended_at) throw new AppError('account_suspended');
  const order = await priceOrder(tx, await requireOpenOrder(tx, accountId, id));
  if (order.total_minor !== pay.total) throw new AppError('order_changed');
  const coupon = order.coupon === null ? undefined : findCoupon(order.coupon);
  if (coupon) await claimForOrder(tx, accountId, id, coupon);
  if (order.total_minor === 0) {
    await settleWithoutCharge(tx, order);
    return { state: 'paid' };
  }
  return startCharge(tx, gateway, order, await payWith(tx, accountId, pay), false);
}

async function payWith(
  tx: Tx,
  accountId: number,
  pay: PaymentChoice,
): Promise<{ card: ChargeRequest['card']; methodId: number | null }> {
  if (pay.method_id !== undefined) {
    const method = (await listMethods(tx, accountId)).find((method) => method.id === pay.method_id);
    if (!method) throw notFound();
    return { card: { token: unseal(METHOD_SECRET, method.sealed_token) }, methodId: method.id };
  }
  if (pay.card === undefined) {
    throw new AppError('card_needed', { errors: { card: ['billing:errors.card_needed'] } });
  }
  return { card: { nonce: pay.card, save: pay.save }, methodId: null };
}

/** Inserts the attempt, which the caller commits before it calls the gateway. */
export async function startCharge(
  tx: Tx,
  gateway: Gateway,
  order: store.BillingOrderRow,
  payer: { card: ChargeRequest['card']; methodId: number | null },
  isOffSession: boolean,
): Promise<PaymentStart & { state: 'begun' }> {
  const accountId = order.account_id;
  const at = clock.now();
  const publicId = encodePublicId('order', accountId, order.id);
  await store.saveOrder(tx, accountId, order.id, {
    state: 'paying',
    failure: null,
    modified_at: at,
  });
  const charge = await store.insertCharge(tx, {
    accountId,
    orderId: order.id,
    keyBase: publicId,
    gateway: gateway.name,
    methodId: payer.methodId,
    amount: order.total_minor,
    currency: order.currency,
    saveMethod: 'save' in payer.card && payer.card.save,
    pollAt: new Date(at.getTime() + FIRST_POLL_MS),
    at,
  });
  const account = await readAccount(tx, accountId);
  const owner = await findOwner(tx, accountId);
  return {
    state: 'begun',
    charge,
    request: {
      key: charge.key,
      order: publicId,
      amount: order.total_minor,
      currency: order.currency as Currency,
      card: payer.card,
      isOffSession,
      customer: { id: encodePublicId('account', accountId, account.id), email: owner?.email ?? '' },
    },
  };
}

/** Cancels an attempt that waits for the bank before a new one starts. */
async function cancelPendingAction(
  db: Db,
  gateway: Gateway,
  accountId: number,
  id: number,
): Promise<void> {
  const charge = await store.findOpenCharge(db, accountId, id);
  if (charge?.state !== 'action_needed' || charge.gateway_id === null) return;
  const cancellation = await gateway
    .cancel({ key: charge.key, gatewayId: charge.gateway_id })
    .catch(() => ({ status: 'cannot_tell' as const }));
  if (cancellation.status === 'cannot_tell' || cancellation.status === 'action_needed') return;
  const outcome: ChargeOutcome =
    cancellation.status === 'none'
      ? { status: 'declined', code: 'given_up', mayRetry: true }
      : cancellation;
  await inTransaction(db, (tx) => settleCharge(tx, accountId, charge.key, outcome));
}

/** Returns the state of the payment in the form that the payer sees. */
export function readPayment(db: Db, accountId: number, id: number): Promise<OrderPayment> {
  return inTransaction(db, async (tx) => {
    const order = await store.findOrder(tx, accountId, id);
    if (!order) throw notFound();
    const charge = await store.findOpenCharge(tx, accountId, id);
    const waits = charge?.state === 'action_needed';
    const state =
      order.state === 'paid' || order.state === 'refunded'
        ? 'paid'
        : waits
          ? 'action_needed'
          : order.state === 'paying'
            ? 'processing'
            : 'declined';
    return {
      order: await presentOrder(tx, order),
      is: state,
      code: state === 'declined' ? order.failure : null,
      action: waits ? (charge.action as Record<string, string>) : null,
    };
  });
}
