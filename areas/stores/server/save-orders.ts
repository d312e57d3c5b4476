// Saves orders in batches, with subscribers, lines, totals, carts and events. An order known by
// several identifiers is saved once.
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { closeCartsOfOrders } from './carts.ts';
import { lockStore, type StoreRow } from './connections.sql.ts';
import { upsertCustomers } from './customers.ts';
import {
  type OrderFact,
  orderCanceled,
  orderCorrected,
  orderFulfilled,
  orderPlaced,
  orderRefunded,
} from './events.ts';
import { joinOrders, mergeOrder, createStoredOrder, computeRefundedAmount } from './merge-order.ts';
import { applyChosenOrderMeaning } from './order-states.ts';
import * as store from './orders.sql.ts';
import { findProductsOfLines } from './products.ts';
import { refreshShoppers } from './stores.sql.ts';
import type { UnusedEntries, OrderSource, StoreOrderLine, StoreOrder } from './store-payloads.ts';

type PendingOrder = {
  before: store.StoredOrder | undefined;
  after: store.StoredOrder;
  /** Lines of the newest report with lines; null if this call has none. */
  lines: readonly StoreOrderLine[] | null;
  carts: Set<string>;
  /** Lines of this order are moved to the current one. */
  linesOrderId?: number;
};

/** An order merged into another order. */
type MergedOrder = { id: number; targetId: number; before: store.StoredOrder | undefined };

/**
 * Saves reports of orders. The store is locked, so that concurrent calls about one order are
 * serialized. Repeated reports change nothing and publish nothing.
 */
export async function upsertOrders(
  tx: Tx,
  accountId: number,
  storeId: number,
  reports: readonly StoreOrder[],
  source: OrderSource,
): Promise<UnusedEntries | undefined> {
  const shop = await lockStore(tx, accountId, storeId);
  if (!shop || reports.length === 0) return undefined;
  const orders = reports.map((order) => applyChosenOrderMeaning(order, shop.settings.order_states));
  const isTrusted = source !== 'browser';
  const { findSubscriberId, findings } = await upsertCustomers(
    tx,
    accountId,
    { store: shop, isTrusted, isQuiet: source === 'import' },
    orders.flatMap(({ customer }) => customer ?? []),
  );
  const { pending, aliases, dropped } = await gather(tx, accountId, shop, orders, (order) => ({
    order,
    source,
    subscriberId: findSubscriberId(order.customer),
    currency: order.currency ?? shop.currency,
  }));
  const changedOrders = [...pending.values()];
  await saveOrders(tx, accountId, storeId, changedOrders);
  await store.insertOrderAliases(tx, accountId, storeId, aliases);
  const movedLines = changedOrders.flatMap(({ after, linesOrderId }) =>
    linesOrderId === undefined ? [] : [{ from: linesOrderId, into: after.id }],
  );
  await store.moveLines(tx, accountId, movedLines);
  await store.dropOrders(tx, accountId, storeId, dropped);
  await saveLines(tx, accountId, shop, changedOrders, isTrusted);
  await closeCartsOfOrders(tx, accountId, storeId, changedOrders.map(cartsToClose).filter(isThere));
  const subscriberIds = [
    ...changedOrders.flatMap(peopleOf),
    ...dropped.flatMap(({ before }) => before?.subscriber_id ?? []),
  ];
  await refreshShoppers(tx, accountId, [...new Set(subscriberIds)]);
  await publishRemovals(tx, accountId, shop, dropped);
  await publishEvents(tx, accountId, shop, changedOrders);
  return findings;
}

const isThere = <T>(value: T | undefined): value is T => value !== undefined;

const peopleOf = ({ before, after }: PendingOrder): number[] =>
  [before?.subscriber_id, after.subscriber_id].filter((id) => id !== null && id !== undefined);

async function saveOrders(
  tx: Tx,
  accountId: number,
  storeId: number,
  orders: readonly PendingOrder[],
): Promise<void> {
  const at = clock.now();
  const newOrders = orders.filter(({ before }) => !before).map(({ after }) => after);
  const existingOrders = orders.filter(({ before }) => before).map(({ after }) => after);
  await store.insertOrders(tx, accountId, storeId, newOrders, at);
  await store.changeOrders(tx, accountId, existingOrders, at);
}

/** Finds the orders known by any of the aliases and merges the reports into them. */
async function gather(
  tx: Tx,
  accountId: number,
  shop: StoreRow,
  orders: readonly StoreOrder[],
  reportOf: (order: StoreOrder) => Parameters<typeof mergeOrder>[1],
) {
  const names = [...new Set(orders.flatMap((order) => order.aliases))];
  const idOf = await store.findOrderAliases(tx, accountId, shop.id, names);
  const seenByOrder = await seenOrders(tx, accountId, shop, orders, reportOf);
  const lockedOrders = await store.lockOrders(tx, accountId, [
    ...new Set([...idOf.values(), ...[...seenByOrder.values()].flat()]),
  ]);
  const pending = new Map<number, PendingOrder>(
    lockedOrders.map((before) => [
      before.id,
      { before, after: before, lines: null, carts: new Set() },
    ]),
  );
  const before = new Set(idOf.keys());
  const unknown = orders.filter((order) => !order.aliases.some((name) => before.has(name)));
  const free = await store.reserveOrderIds(tx, unknown.length);
  const droppedOrders: MergedOrder[] = [];
  for (const order of orders) {
    const report = reportOf(order);
    const aliasIds = order.aliases.flatMap((name) => idOf.get(name) ?? []);
    const openIds = (seenByOrder.get(order) ?? []).filter((id) => pending.has(id));
    const orderIds = [...new Set([...aliasIds, ...openIds])].sort((a, b) => a - b);
    const id = orderIds[0] ?? (free.shift() as number);
    const pendingMerge = pending.get(id) ?? {
      before: undefined,
      after: createStoredOrder(id, report),
      lines: null,
      carts: new Set<string>(),
    };
    const linesBefore = pendingMerge.after.field_times.lines ?? -1;
    pendingMerge.after = mergeOrder(pendingMerge.after, report);
    if ((pendingMerge.after.field_times.lines ?? -1) > linesBefore)
      pendingMerge.lines = order.lines;
    if (order.cart) pendingMerge.carts.add(order.cart);
    for (const otherId of orderIds.slice(1)) {
      // Two aliases that were reported separately turn out to belong to one order: the first order
      // remains.
      const absorbedOrder = pending.get(otherId);
      if (absorbedOrder) absorb(pendingMerge, absorbedOrder);
      for (const earlier of droppedOrders) if (earlier.targetId === otherId) earlier.targetId = id;
      droppedOrders.push({ id: otherId, targetId: id, before: absorbedOrder?.before });
      pending.delete(otherId);
      for (const [name, was] of idOf) if (was === otherId) idOf.set(name, id);
    }
    for (const name of order.aliases) idOf.set(name, id);
    pending.set(id, pendingMerge);
  }
  const aliases = names.flatMap((name) => {
    const orderId = idOf.get(name);
    return orderId === undefined || before.has(name) ? [] : [{ name, orderId }];
  });
  return { pending, aliases, dropped: droppedOrders };
}

/**
 * Returns the browser-reported orders that each report of the store replaces. If the report names
 * the buyer, these are the buyer's orders with the same number or cart. Otherwise, they have the
 * same number and the same cart. Anyone can report any number, so a number alone proves nothing.
 */
async function seenOrders(
  tx: Tx,
  accountId: number,
  shop: StoreRow,
  orders: readonly StoreOrder[],
  reportOf: (order: StoreOrder) => Parameters<typeof mergeOrder>[1],
): Promise<Map<StoreOrder, number[]>> {
  const trustedOrders = orders.filter((order) => reportOf(order).source !== 'browser');
  const names = [...new Set(trustedOrders.flatMap((order) => order.aliases))];
  const seenRows =
    names.length === 0 ? [] : await store.findSeenOrders(tx, accountId, shop.id, names);
  if (seenRows.length === 0) return new Map();
  const isOf = (order: StoreOrder, seenOrder: store.SeenOrder): boolean => {
    const { subscriberId } = reportOf(order);
    const common = order.aliases.filter((name) => seenOrder.names.includes(name));
    return subscriberId === undefined
      ? order.aliases.length > 1 && common.length === order.aliases.length
      : common.length > 0 && seenOrder.subscriberId === subscriberId;
  };
  return new Map(
    trustedOrders.map((order) => [
      order,
      seenRows.filter((seenOrder) => isOf(order, seenOrder)).map(({ orderId }) => orderId),
    ]),
  );
}

/** Merges the order `absorbed` into `pending`, and its lines if they are newer. */
function absorb(pending: PendingOrder, absorbed: PendingOrder): void {
  const linesBefore = pending.after.field_times.lines ?? -1;
  pending.after = joinOrders(pending.after, absorbed.after);
  if ((pending.after.field_times.lines ?? -1) > linesBefore) {
    pending.lines = absorbed.lines;
    if (absorbed.lines === null) pending.linesOrderId = absorbed.linesOrderId ?? absorbed.after.id;
  }
  for (const cart of absorbed.carts) pending.carts.add(cart);
}

async function saveLines(
  tx: Tx,
  accountId: number,
  shop: StoreRow,
  orders: readonly PendingOrder[],
  isTrusted: boolean,
): Promise<void> {
  const withLines = orders.filter(({ lines }) => lines !== null);
  const productOf = await findProductsOfLines(
    tx,
    accountId,
    shop,
    withLines.flatMap(({ lines }) => lines ?? []),
    { isTrusted },
  );
  await store.replaceLines(
    tx,
    accountId,
    withLines.flatMap(({ before, after }) => (before ? [after.id] : [])),
    withLines.flatMap(({ after, lines }) =>
      (lines ?? []).map((line, position) => ({
        order_id: after.id,
        position,
        subscriber_id: after.subscriber_id ?? 0,
        product_id: productOf(line),
        title: line.title,
        quantity: line.quantity,
        price: line.price,
        is_cancelled: after.cancelled_at !== null || !after.is_confirmed,
      })),
    ),
  );
  const existingOrders = orders.filter(({ before, lines }) => before && lines === null);
  await store.alignLines(
    tx,
    accountId,
    existingOrders.map(({ after }) => after.id),
  );
}

/**
 * A confirmed order closes its carts and the subscriber's older carts in the store; an unconfirmed
 * order closes only its carts.
 */
function cartsToClose({ after, carts }: PendingOrder) {
  if (!after.is_confirmed && carts.size === 0) return undefined;
  return {
    orderId: after.id,
    remoteIds: [...carts],
    subscriberId: after.is_confirmed ? after.subscriber_id : null,
    buyerId: after.subscriber_id,
    placedAt: after.placed_at,
  };
}

/**
 * Publishes events about confirmed orders of subscribers, each once and only for orders placed
 * since the store was connected.
 */
async function publishEvents(
  tx: Tx,
  accountId: number,
  shop: StoreRow,
  orders: readonly PendingOrder[],
): Promise<void> {
  const countedOrders = orders.filter(
    ({ after }) =>
      after.is_confirmed && after.subscriber_id !== null && after.placed_at >= shop.created_at,
  );
  if (countedOrders.length === 0) return;
  const products = await store.listOrderProducts(
    tx,
    accountId,
    countedOrders.map(({ after }) => after.id),
  );
  const publish = async (
    event: typeof orderPlaced,
    pendingOrders: readonly PendingOrder[],
    atOf: (pending: PendingOrder) => Date,
    amountOf?: (pending: PendingOrder) => number,
  ) => {
    if (pendingOrders.length === 0) return;
    const orders = pendingOrders.map((pending) => ({
      ...factOf(pending, atOf(pending), amountOf?.(pending)),
      productIds: products.get(pending.after.id) ?? [],
    }));
    await event.announce(tx, { accountId, storeId: shop.id, origin: 'store', orders });
  };
  await publish(
    orderPlaced,
    countedOrders.filter((pending) => !wasCounted(pending)),
    ({ after }) => after.placed_at,
  );
  await publish(
    orderCorrected,
    countedOrders.filter((pending) => wasCounted(pending) && isOtherTotal(pending)),
    () => clock.now(),
  );
  await publish(
    orderFulfilled,
    countedOrders.filter(({ before, after }) => after.fulfilled_at && !before?.fulfilled_at),
    ({ after }) => after.fulfilled_at as Date,
  );
  await publish(
    orderRefunded,
    countedOrders.filter((pending) => newlyRefunded(pending) !== 0),
    ({ after }) => after.refunded_at ?? clock.now(),
    newlyRefunded,
  );
  await publish(
    orderCanceled,
    countedOrders.filter(({ before, after }) => after.cancelled_at && !before?.cancelled_at),
    ({ after }) => after.cancelled_at as Date,
  );
}

/** Publishes the removal of merged orders. Their revenue belongs to the remaining order. */
async function publishRemovals(
  tx: Tx,
  accountId: number,
  shop: StoreRow,
  droppedOrders: readonly MergedOrder[],
): Promise<void> {
  const orders = droppedOrders.flatMap(({ before }): OrderFact[] => {
    if (!before?.is_confirmed || before.subscriber_id === null) return [];
    if (before.cancelled_at || before.placed_at < shop.created_at) return [];
    const { id, subscriber_id: subscriberId, total, currency } = before;
    return [
      { orderId: id, subscriberId, productIds: [], amount: total, currency, at: clock.now() },
    ];
  });
  if (orders.length === 0) return;
  await orderCanceled.announce(tx, { accountId, storeId: shop.id, origin: 'undo', orders });
}

const factOf = ({ after }: PendingOrder, at: Date, amount = after.total) => ({
  orderId: after.id,
  subscriberId: after.subscriber_id as number,
  amount,
  currency: after.currency,
  at,
});

const wasCounted = ({ before }: PendingOrder) =>
  before !== undefined && before.is_confirmed && before.subscriber_id !== null;

function isOtherTotal({ before, after }: PendingOrder): boolean {
  return before?.total !== after.total || before.currency !== after.currency;
}

/** Returns the amount refunded by these reports, rounded to 1/100 cent. */
function newlyRefunded({ before, after }: PendingOrder): number {
  const refundedBefore = before?.is_confirmed ? computeRefundedAmount(before) : 0;
  return Math.round((computeRefundedAmount(after) - refundedBefore) * 10_000) / 10_000;
}
