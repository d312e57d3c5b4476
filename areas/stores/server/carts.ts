// The lifecycle of carts: reports of plugins and browsers, abandonment, resumption, and closing by
// a deletion, by an order or after ninety days.
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database/database.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import * as store from './carts.sql.ts';
import { type StoreRow } from './connections.sql.ts';
import { cartAbandoned, cartClosed } from './events.ts';
import { toOwnUrl } from './own-hosts.ts';
import { findProductsOfLines } from './products.ts';
import { refreshShoppers } from './stores.sql.ts';
import type { StoreCart } from './store-payloads.ts';

const MAX_ABANDONED_PER_POLL = 1000;
const RETENTION_MS = 90 * 86_400_000;

/**
 * A trusted call comes from the store's server, its webhooks or the owner's keys; an untrusted one
 * from a visitor with the public key.
 */
type CartCaller = { isTrusted: boolean };

/**
 * Creates a cart or updates its content. An ordered cart and one with a newer report remain as they
 * are; an abandoned cart that changes is resumed. Visitors reach only their own carts, and their
 * lines add no products to the catalog.
 */
export async function upsertCart(
  tx: Tx,
  accountId: number,
  shop: StoreRow,
  cart: StoreCart,
  { isTrusted, subscriberId }: CartCaller & { subscriberId: number | null },
): Promise<void> {
  const before = await cartBefore(tx, accountId, shop, cart, { isTrusted, subscriberId });
  if (before?.state === 'ordered') return;
  if (before && before.modified_at > cart.reportedAt) return;
  const merged = mergedCart(before, shop, cart, { isTrusted, subscriberId });
  const { id } = await store.saveCart(tx, accountId, merged);
  const owner = merged.subscriber_id;
  const productOf = await findProductsOfLines(tx, accountId, shop, cart.lines, { isTrusted });
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
      image_url: isTrusted ? line.imageUrl : null,
      url: isTrusted ? line.url : null,
      sku: line.sku,
    })),
  );
  await closeOrdered(tx, accountId, shop, cart, { id, owner, isTrusted });
  if (owner === null) return;
  await store.insertVisit(tx, accountId, {
    subscriberId: owner,
    storeId: shop.id,
    kind: 'cart',
    at: cart.reportedAt,
  });
  await refreshShoppers(tx, accountId, [owner]);
}

/** Returns the cart to save; subscriber, URL and currency that the call omits remain as before. */
function mergedCart(
  before: store.CartRow | undefined,
  shop: StoreRow,
  cart: StoreCart,
  { isTrusted, subscriberId }: CartCaller & { subscriberId: number | null },
): Parameters<typeof store.saveCart>[2] {
  return {
    store_id: shop.id,
    subscriber_id: subscriberId ?? before?.subscriber_id ?? null,
    remote_id: cart.remoteId,
    url: (isTrusted ? cart.url : toOwnUrl(cart.url, shop)) ?? before?.url ?? null,
    currency: cart.currency ?? before?.currency ?? shop.currency,
    total: cart.total ?? sumOf(cart),
    product_count: cart.lines.reduce((total, line) => total + line.quantity, 0),
    state: before?.state === 'abandoned' || before?.state === 'recovered' ? 'recovered' : 'open',
    ...claimOf(before, cart, isTrusted),
    modified_at: cart.reportedAt,
  };
}

/**
 * A visitor's cart that the store now reports stays linked to the visitor only if the store names
 * them.
 */
function claimOf(before: store.CartRow | undefined, cart: StoreCart, isTrusted: boolean) {
  const claimedBy = isTrusted ? '' : (before?.claimed_by ?? cart.visitor ?? '');
  const visitorBefore = before?.claimed_by === claimedBy ? before.visitor : null;
  return { visitor: cart.visitor ?? visitorBefore, claimed_by: claimedBy };
}

/**
 * Returns the existing cart that the call refers to. If the store has no cart with this number, a
 * trusted call turns the cart that the buyer's browser created into the store's own. It also closes
 * the buyer's other open carts with this number.
 */
async function cartBefore(
  tx: Tx,
  accountId: number,
  shop: StoreRow,
  cart: StoreCart,
  { isTrusted, subscriberId }: CartCaller & { subscriberId: number | null },
): Promise<store.CartRow | undefined> {
  const rows = await store.lockCarts(tx, accountId, shop.id, cart.remoteId);
  if (!isTrusted) return ownCart(rows, cart.visitor);
  const isOfBuyer = ({ claimed_by, visitor, subscriber_id }: store.CartRow) =>
    claimed_by !== '' &&
    ((cart.visitor !== null && visitor === cart.visitor) ||
      (subscriberId !== null && subscriber_id === subscriberId));
  const storeCart = rows.find(({ claimed_by }) => claimed_by === '');
  const buyerCarts = rows.filter(isOfBuyer);
  const [adopted] = storeCart ? [] : buyerCarts;
  if (adopted) await store.adoptCart(tx, accountId, adopted.id);
  for (const twin of buyerCarts)
    if (twin !== adopted && isOpen(twin))
      await store.closeCart(tx, accountId, twin.id, 'given_up', clock.now());
  return storeCart ?? adopted;
}

const ownCart = (rows: readonly store.CartRow[], visitor: string | null) =>
  visitor === null ? undefined : rows.find((row) => row.visitor === visitor);

const isOpen = ({ state }: store.CartRow) => state !== 'ordered' && state !== 'given_up';

/** Closes the cart if its order was reported before the cart. */
async function closeOrdered(
  tx: Tx,
  accountId: number,
  shop: StoreRow,
  cart: StoreCart,
  { id, owner, isTrusted }: { id: number; owner: number | null; isTrusted: boolean },
): Promise<void> {
  const orderId = await store.findOrderByAlias(tx, accountId, shop.id, `cart:${cart.remoteId}`);
  if (orderId === undefined) return;
  if (!isTrusted) return store.closeCart(tx, accountId, id, 'ordered', clock.now());
  const order = { orderId, remoteIds: [cart.remoteId], subscriberId: null, buyerId: owner };
  await closeCartsOfOrders(tx, accountId, shop.id, [{ ...order, placedAt: cart.reportedAt }]);
}

function sumOf({ lines }: StoreCart): number {
  return lines.reduce((total, line) => total + line.quantity * (line.price ?? 0), 0);
}

/**
 * Closes a cart that the store deleted, or that its visitor emptied or ordered. Visitors close only
 * their own carts. The number of another cart causes no error, because that would reveal which
 * carts exist.
 */
export async function endCart(
  tx: Tx,
  accountId: number,
  shop: StoreRow,
  remoteId: string,
  change: CartCaller & { visitor: string | null; state: 'ordered' | 'given_up' },
): Promise<void> {
  const rows = await store.lockCarts(tx, accountId, shop.id, remoteId);
  const [first] = rows;
  const ofShop = first?.claimed_by === '' || rows.length === 1 ? first : undefined;
  const cart = change.isTrusted ? ofShop : ownCart(rows, change.visitor);
  if (!cart || !isOpen(cart)) return;
  await store.closeCart(tx, accountId, cart.id, change.state, clock.now());
  if (cart.subscriber_id === null) return;
  await refreshShoppers(tx, accountId, [cart.subscriber_id]);
  await cartClosed.announce(tx, {
    accountId,
    storeId: shop.id,
    carts: [{ cartId: cart.id, subscriberId: cart.subscriber_id }],
  });
}

/**
 * Closes the carts that became these orders, and older carts of their subscribers in the same
 * store.
 */
export async function closeCartsOfOrders(
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
  intervalMs: 10_000,
  run: (db) => announceAbandonedCarts(db),
};

export const expireCartsPoller: Poller = {
  name: 'stores.old-carts',
  intervalMs: 3_600_000,
  async run(db) {
    const at = clock.now();
    const before = new Date(at.getTime() - RETENTION_MS);
    for (const accountId of await store.listAccountsWithOldCarts(db, before))
      await inTransaction(db, async (tx) => {
        const subscriberIds = await store.closeAbandonedCarts(
          tx,
          accountId,
          before,
          at,
          MAX_ABANDONED_PER_POLL,
        );
        await refreshShoppers(tx, accountId, [...new Set(subscriberIds)]);
      });
  },
};

/** Marks carts as abandoned and announces the carts that `markAbandoned` returns. */
export async function announceAbandonedCarts(db: Db): Promise<void> {
  const at = clock.now();
  const idle = await store.findIdleCarts(db, at, MAX_ABANDONED_PER_POLL);
  const byStore = Map.groupBy(idle, ({ accountId, storeId }) => `${accountId} ${storeId}`);
  for (const carts of byStore.values()) {
    const { accountId, storeId } = carts[0] as store.IdleCart;
    await inTransaction(db, async (tx) => {
      const abandonedCarts = await store.markAbandoned(tx, accountId, storeId, carts, at);
      if (abandonedCarts.length === 0) return;
      const products = await store.listCartProducts(
        tx,
        accountId,
        abandonedCarts.map(({ cartId }) => cartId),
      );
      await cartAbandoned.announce(tx, {
        accountId,
        storeId,
        origin: 'store',
        carts: abandonedCarts.map(({ cartId, subscriberId }) => ({
          cartId,
          subscriberId,
          productIds: products.get(cartId) ?? [],
          at,
        })),
      });
    });
  }
}
