// What stores announce upward, in the transaction that made it true.
import type { Cause } from '#platform/origins.ts';
import { defineEvent } from '#platform/server/events.ts';

/** One order, as the facts of it are told. */
export type OrderFact = {
  orderId: number;
  subscriberId: number;
  /** Of the store's catalogue; what the store never told of is missing. */
  productIds: number[];
  /** In the order's own currency. */
  amount: number;
  currency: string;
  /** When it was placed, fulfilled or refunded: for what is told late, long ago. */
  at: Date;
};

type Orders = { accountId: number; storeId: number; orders: OrderFact[] } & Cause;

/** Bought after the store was connected; each order once, when the store itself says so. Never empty. */
export const orderPlaced = defineEvent<Orders>('order.placed');
/** Everything of it was sent. Each order once. */
export const orderFulfilled = defineEvent<Orders>('order.fulfilled');
/** Money went back; `amount` is what went back this time. */
export const orderRefunded = defineEvent<Orders>('order.refunded');
/** The shop says another total of an order that was told; `amount` is what it comes to now. */
export const orderCorrected = defineEvent<Orders>('order.corrected');
/** It will not be paid. Each order once. */
export const orderCancelled = defineEvent<Orders>('order.cancelled');

export type CartFact = { cartId: number; subscriberId: number; productIds: number[]; at: Date };

/** Left alone for as long as the store's owner chose: at most one a day per person and store. */
export const cartAbandoned = defineEvent<
  { accountId: number; storeId: number; carts: CartFact[] } & Cause
>('cart.abandoned');

/** These people's carts were bought or emptied: what waits because of them need not be sent. */
export const cartClosed = defineEvent<{
  accountId: number;
  storeId: number;
  carts: { cartId: number; subscriberId: number }[];
}>('cart.closed');

/** A known person looked at products. */
export const productViewed = defineEvent<
  {
    accountId: number;
    storeId: number;
    views: { subscriberId: number; productId: number; at: Date }[];
  } & Cause
>('product.viewed');

/** A shop has not answered, or not let us in, for a day. */
export const storeFailing = defineEvent<{
  accountId: number;
  storeId: number;
  title: string;
  since: Date;
}>('store.failing');

/** A visitor asked for the shop's newsletter with the public key alone: the link in an email confirms it. */
export const consentAsked = defineEvent<{
  accountId: number;
  storeId: number;
  title: string;
  subscriberId: number;
  email: string;
  /** What the link of CONFIRM_PATH ends with; a secret. */
  token: string;
}>('store.consent-asked');
