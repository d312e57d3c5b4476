// Events that stores publish for higher areas, in the transaction of the change.
import type { Cause } from '#platform/origins.ts';
import { defineEvent } from '#platform/server/events.ts';

/** One order in an event. */
export type OrderFact = {
  orderId: number;
  subscriberId: number;
  /** Ids in the catalog; products that the store never reported are left out. */
  productIds: number[];
  /** In the currency of the order. */
  amount: number;
  currency: string;
  /** Time of the placement, fulfillment, refund or cancellation; may be long ago. */
  at: Date;
};

type Orders = { accountId: number; storeId: number; orders: OrderFact[] } & Cause;

/**
 * Orders placed after the store was connected, each once, when the store itself confirms them.
 * Never empty.
 */
export const orderPlaced = defineEvent<Orders>('order.placed');
/** Orders completely shipped, each once. */
export const orderFulfilled = defineEvent<Orders>('order.fulfilled');
/** Refunds; `amount` covers this refund only. */
export const orderRefunded = defineEvent<Orders>('order.refunded');
/** Orders whose total or currency changed since `orderPlaced`; `amount` is the new total. */
export const orderCorrected = defineEvent<Orders>('order.corrected');
/** Canceled orders, and orders that were merged into others; the origin of the latter is `undo`. */
export const orderCanceled = defineEvent<Orders>('order.cancelled');

export type CartFact = { cartId: number; subscriberId: number; productIds: number[]; at: Date };

/** Carts that are abandoned by the store's setting: at most one a day per person and store. */
export const cartAbandoned = defineEvent<
  { accountId: number; storeId: number; carts: CartFact[] } & Cause
>('cart.abandoned');

/** Carts that were ordered or given up, so that no reminder is needed. */
export const cartClosed = defineEvent<{
  accountId: number;
  storeId: number;
  carts: { cartId: number; subscriberId: number }[];
}>('cart.closed');

/** Product views of known people. */
export const productViewed = defineEvent<
  {
    accountId: number;
    storeId: number;
    views: { subscriberId: number; productId: number; at: Date }[];
  } & Cause
>('product.viewed');

/** A store was unreachable, or refused access, for a day. */
export const storeFailing = defineEvent<{
  accountId: number;
  storeId: number;
  title: string;
  since: Date;
}>('store.failing');

/** A customer's request for the stored data about them, forwarded by the platform. */
export const customerDataRequested = defineEvent<{
  accountId: number;
  storeId: number;
  title: string;
  email: string;
  /** Key of the request; the same for repeated webhooks of one request. */
  request: string;
}>('store.data-requested');

/**
 * A newsletter sign-up by a caller with only the public key; the person must confirm it by an
 * emailed link.
 */
export const consentRequested = defineEvent<{
  accountId: number;
  storeId: number;
  title: string;
  subscriberId: number;
  email: string;
  /** Last part of CONFIRM_PATH; a secret. */
  token: string;
}>('store.consent-asked');
