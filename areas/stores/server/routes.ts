// The calls of stores, each as a sentence.
import { readSubscriber } from '#areas/subscribers/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { type Route, serve } from '#platform/server/http/serve.ts';
import { calls } from '../contract.ts';
import { ORDERS_SHOWN, PRODUCTS_OFFERED } from '../limits.ts';
import { ordersOf } from './orders.ts';
import { listProducts, listStores } from './stores.sql.ts';

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
    return { data: await ordersOf(tx, who.accountId, params.id, ORDERS_SHOWN) };
  },
});
