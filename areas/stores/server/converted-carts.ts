// Completes an order with products, currency and total of the cart that became it. Also confirms an
// order that only a browser reported, when the store's server names its number.
import { resolveAddresses } from '#areas/subscribers/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { type CartRow, lockCarts, readCartLines } from './carts.sql.ts';
import type { StoreRow } from './connections.sql.ts';
import { findOrderAliases, findSeenOrders, lockOrders } from './orders.sql.ts';
import { UNREPORTED } from './plugin-payloads.ts';
import { resolveOrderState } from './order-states.ts';
import type { StoreCustomer, StoreOrder, StoreOrderLine } from './store-payloads.ts';
import { upsertOrders } from './save-orders.ts';

type ConversionCaller = { isTrusted: boolean; visitor: string | null };

/** Fills in the order's missing products, currency and total from the converted cart. */
export async function addTrackedCart(
  tx: Tx,
  accountId: number,
  shop: StoreRow,
  order: StoreOrder & { cart: string },
  caller: ConversionCaller,
): Promise<StoreOrder> {
  const hasLines = order.lines !== null && order.lines.length > 0;
  if (hasLines && order.currency !== null && order.total !== null) return order;
  const cart = await trackedCart(tx, accountId, shop, order, caller);
  if (!cart) return order;
  const isStoreCart = cart.claimed_by === '';
  const lines = hasLines ? order.lines : await linesOfCart(tx, accountId, cart);
  const total = (lines ?? []).reduce((total, line) => total + line.quantity * (line.price ?? 0), 0);
  const currency = isStoreCart ? cart.currency : shop.currency || cart.currency;
  return {
    ...order,
    lines,
    currency: order.currency ?? (currency || null),
    total: order.total ?? (isStoreCart ? cart.total : total),
  };
}

/**
 * Finds the store's own cart with this number. If there is none, the cart of the visitor or the
 * buyer is used, and otherwise the only cart with this number, if it has no subscriber. A browser's
 * report can use only the cart of its visitor.
 */
async function trackedCart(
  tx: Tx,
  accountId: number,
  shop: StoreRow,
  order: StoreOrder & { cart: string },
  { isTrusted, visitor }: ConversionCaller,
): Promise<CartRow | undefined> {
  const rows = await lockCarts(tx, accountId, shop.id, order.cart);
  const isOfVisitor = (row: CartRow) => visitor !== null && row.visitor === visitor;
  if (!isTrusted) return rows.find(isOfVisitor);
  const email = order.customer?.email;
  const { idByInput: byAddress } = await resolveAddresses(tx, accountId, email ? [email] : []);
  const buyer = email ? byAddress.get(email) : undefined;
  const isOfBuyer = (row: CartRow) => buyer !== undefined && row.subscriber_id === buyer;
  return (
    rows.find(({ claimed_by }) => claimed_by === '') ??
    rows.find((row) => isOfVisitor(row) || isOfBuyer(row)) ??
    (rows.length === 1 && rows[0]?.subscriber_id === null ? rows[0] : undefined)
  );
}

/**
 * Uses only quantities and ids of synced products from a visitor's cart; other product data comes
 * from the catalog.
 */
async function linesOfCart(tx: Tx, accountId: number, cart: CartRow): Promise<StoreOrderLine[]> {
  const lines = await readCartLines(tx, accountId, cart.id);
  return lines.flatMap((line): StoreOrderLine[] => {
    const { remote_id: remoteId, quantity } = line;
    const emptyLine = { imageUrl: null, url: null };
    if (cart.claimed_by === '')
      return [
        { remoteId, sku: line.sku, title: line.title, quantity, price: line.price, ...emptyLine },
      ];
    if (remoteId === null || line.product_title === null) return [];
    const { product_title: title, product_price: price } = line;
    return [{ remoteId, sku: null, title, quantity, price, ...emptyLine }];
  });
}

/**
 * Confirms the order that this subscriber's browser reported on the thank-you page, because the
 * store's server has named its number. Several reports of one number are ambiguous, and unpaid
 * orders wait for their state.
 */
export async function confirmSeenOrder(
  tx: Tx,
  accountId: number,
  shop: StoreRow,
  {
    customer,
    subscriberId,
    number,
  }: { customer: StoreCustomer; subscriberId: number; number: string },
): Promise<void> {
  const name = `order:${number}`;
  // The store itself has already reported this order and its state.
  if ((await findOrderAliases(tx, accountId, shop.id, [name])).size > 0) return;
  const seenOrders = await findSeenOrders(tx, accountId, shop.id, [name]);
  const ofSubscriber = seenOrders.filter((order) => order.subscriberId === subscriberId);
  if (ofSubscriber.length !== 1) return;
  const [order] = await lockOrders(tx, accountId, [ofSubscriber[0]?.orderId ?? 0]);
  if (!order || (order.status !== '' && resolveOrderState(order.status).isPaid !== true)) return;
  const { email } = customer;
  const buyer = { ...customer, email, consent: 'open', smsConsent: 'open', groups: [], fields: {} };
  const confirmation = {
    ...{ ...UNREPORTED, aliases: [name], number, status: '', cart: null },
    ...{ customer: buyer as StoreCustomer, reportedAt: clock.now() },
    ...{ isPaid: true, isFulfilled: undefined, isCancelled: undefined, isRefunded: undefined },
  };
  await upsertOrders(tx, accountId, shop.id, [confirmation], 'plugin');
}
