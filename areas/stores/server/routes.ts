// The calls of stores, each as a sentence.
import { readSubscriber } from '#areas/subscribers/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { type Route, serve } from '#platform/server/http/serve.ts';
import { calls, type Order } from '../contract.ts';
import { ORDERS_SHOWN, PRODUCTS_OFFERED } from '../limits.ts';
import { listOrders, listProducts, listStores, type OrderRow } from './stores.sql.ts';

export const storeRoutes: Route[] = serve('stores', calls, {
  readAdvancedFilter: async ({ tx, who, query }) => {
    const words = (query.search ?? '').replaceAll('\0', ' ').split(/\s+/).filter(Boolean);
    const stores = await listStores(tx, who.accountId);
    const products = await listProducts(tx, who.accountId, words.slice(0, 10), PRODUCTS_OFFERED);
    return {
      data: {
        stores: stores.map((store) => ({ ...store, id: encodeId('store', store.id) })),
        products: products.map((product) => ({
          ...product,
          id: encodeId('product', product.id),
          store_id: encodeId('store', product.store_id),
        })),
      },
    };
  },
  listOrders: async ({ tx, who, params }) => {
    await readSubscriber(tx, who.accountId, params.id);
    const orders = await listOrders(tx, who.accountId, params.id, ORDERS_SHOWN);
    return {
      data: orders.map(({ placed_at, cancelled_at, refunded_at, ...order }) => ({
        ...order,
        placed: placed_at.toISOString(),
        state: stateOf({ cancelled_at, refunded_at }),
      })),
    };
  },
});

function stateOf(row: Pick<OrderRow, 'cancelled_at' | 'refunded_at'>): Order['state'] {
  if (row.refunded_at) return 'refunded';
  return row.cancelled_at ? 'cancelled' : 'placed';
}
