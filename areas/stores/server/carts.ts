// Carts: told by plugin or browser, left, taken up again, bought.
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database.ts';
import type { Poller } from '#platform/server/pollers.ts';
import * as store from './carts.sql.ts';
import { type StoreFacts } from './connections.sql.ts';
import { cartAbandoned, cartClosed } from './events.ts';
import { productsOfLines } from './products.ts';
import { refreshShoppers } from './stores.sql.ts';
import type { ToldCart } from './told.ts';

const LEFT_AT_ONCE = 1000;
const KEPT_MS = 90 * 86_400_000;

/**
 * What lies in a cart now. One that was ordered stays ordered; one that was left and changes is taken up
 * again; an empty one is given up.
 */
export async function upsertCart(
  tx: Tx,
  accountId: number,
  shop: StoreFacts,
  cart: ToldCart,
  subscriberId: number | null,
): Promise<void> {
  const before = await store.lockCart(tx, accountId, shop.id, cart.remoteId);
  if (before?.state === 'ordered') return;
  if (before && before.modified_at > cart.toldAt) return;
  const owner = subscriberId ?? before?.subscriber_id ?? null;
  const { id } = await store.saveCart(tx, accountId, {
    store_id: shop.id,
    subscriber_id: owner,
    remote_id: cart.remoteId,
    url: cart.url ?? before?.url ?? null,
    currency: cart.currency ?? before?.currency ?? shop.currency,
    total: cart.total ?? sumOf(cart),
    product_count: cart.lines.reduce((sum, line) => sum + line.quantity, 0),
    state: before?.state === 'abandoned' || before?.state === 'recovered' ? 'recovered' : 'open',
    visitor: cart.visitor ?? before?.visitor ?? null,
    modified_at: cart.toldAt,
  });
  const productOf = await productsOfLines(tx, accountId, shop, cart.lines);
  await store.replaceCartLines(
    tx,
    accountId,
    id,
    cart.lines.map((line, position) => ({
      position,
      product_id: productOf(line),
      title: line.title,
      quantity: line.quantity,
      price: line.price,
      image_url: line.imageUrl,
      url: line.url,
      sku: line.sku,
    })),
  );
  const orderId = await store.orderOfCart(tx, accountId, shop.id, `cart:${cart.remoteId}`);
  if (orderId !== undefined) {
    const order = {
      orderId,
      remoteIds: [cart.remoteId],
      subscriberId: null,
      placedAt: cart.toldAt,
    };
    await closeCartsOf(tx, accountId, shop.id, [order]);
  }
  if (owner === null) return;
  await store.visit(tx, accountId, {
    subscriberId: owner,
    storeId: shop.id,
    kind: 'cart',
    at: cart.toldAt,
  });
  await refreshShoppers(tx, accountId, [owner]);
}

function sumOf({ lines }: ToldCart): number {
  return lines.reduce((sum, line) => sum + line.quantity * (line.price ?? 0), 0);
}

/** The shop took it away, or its owner emptied it. */
export async function dropCart(
  tx: Tx,
  accountId: number,
  shop: StoreFacts,
  remoteId: string,
): Promise<void> {
  const cart = await store.lockCart(tx, accountId, shop.id, remoteId);
  if (!cart || cart.state === 'ordered' || cart.state === 'given_up') return;
  await store.dropCartRow(tx, accountId, cart.id, clock.now());
  if (cart.subscriber_id === null) return;
  await refreshShoppers(tx, accountId, [cart.subscriber_id]);
  await cartClosed.announce(tx, {
    accountId,
    storeId: shop.id,
    carts: [{ cartId: cart.id, subscriberId: cart.subscriber_id }],
  });
}

/** Orders were placed: the carts that they were, and what those people left there before, are closed. */
export async function closeCartsOf(
  tx: Tx,
  accountId: number,
  storeId: number,
  orders: Parameters<typeof store.closeCarts>[3],
): Promise<void> {
  if (orders.length === 0 || !(await store.hasCarts(tx, accountId, storeId))) return;
  const carts = await store.closeCarts(tx, accountId, storeId, orders, clock.now());
  if (carts.length > 0) await cartClosed.announce(tx, { accountId, storeId, carts });
}

export const cartsPoller: Poller = {
  name: 'stores.carts',
  everyMs: 10_000,
  run: (db) => tellLeftCarts(db),
};

export const oldCartsPoller: Poller = {
  name: 'stores.old-carts',
  everyMs: 3_600_000,
  async run(db) {
    const at = clock.now();
    const before = new Date(at.getTime() - KEPT_MS);
    for (const accountId of await store.accountsWithOldCarts(db, before))
      await inTransaction(db, async (tx) => {
        const people = await store.giveUpCarts(tx, accountId, before, at, LEFT_AT_ONCE);
        await refreshShoppers(tx, accountId, [...new Set(people)]);
      });
  },
};

/** Tells of carts that are left. */
export async function tellLeftCarts(db: Db): Promise<void> {
  const at = clock.now();
  const left = await store.leftCarts(db, at, LEFT_AT_ONCE);
  const byStore = Map.groupBy(left, ({ accountId, storeId }) => `${accountId} ${storeId}`);
  for (const carts of byStore.values()) {
    const { accountId, storeId } = carts[0] as store.LeftCart;
    await inTransaction(db, async (tx) => {
      const told = await store.markLeft(tx, accountId, storeId, carts, at);
      if (told.length === 0) return;
      const products = await store.productsOfCarts(
        tx,
        accountId,
        told.map(({ cartId }) => cartId),
      );
      await cartAbandoned.announce(tx, {
        accountId,
        storeId,
        origin: 'store',
        carts: told.map(({ cartId, subscriberId }) => ({
          cartId,
          subscriberId,
          productIds: products.get(cartId) ?? [],
          at,
        })),
      });
    });
  }
}
