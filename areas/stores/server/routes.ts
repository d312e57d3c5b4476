// Calls of stores, each defined as one line.
import { readSubscriber } from '#areas/subscribers/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { type Route, serve } from '#platform/server/http/serve.ts';
import { notFound } from '#platform/server/errors.ts';
import { wholeMeta } from '#platform/server/database/lists.ts';
import { calls } from '../contract.ts';
import * as connections from './connections.ts';
import { connectDemo } from './demo.ts';
import { downloadPlugin } from './plugin-zip.ts';
import { presentStores } from './present.ts';
import { listCategories } from './products.sql.ts';
import { CATEGORIES_OFFERED, ORDERS_SHOWN, PRODUCTS_OFFERED } from '../shared.ts';
import { ordersOf } from './orders.ts';
import * as lists from './store-lists.ts';
import { listProducts, listStores } from './stores.sql.ts';

export const storeRoutes: Route[] = serve('stores', calls, {
  listConnections: async ({ tx, who }) => {
    const data = await presentStores(tx, who.accountId);
    return { data, meta: wholeMeta(data.length) };
  },
  connectStore: async ({ db, who, body: { type, address, ...keys } }) => {
    const id = await connections.connectStore(db, who.accountId, type, {
      address,
      ...connections.keysOf(type, keys),
    });
    return presentStore(db, who.accountId, id);
  },
  connectDemo: async ({ tx, who }) => {
    return presentStore(tx, who.accountId, await connectDemo(tx, who.accountId));
  },
  downloadPlugin: ({ tx, who, body }) => downloadPlugin(tx, who, body.platform),
  readConnection: ({ tx, who, params }) => presentStore(tx, who.accountId, params.id),
  changeConnection: async ({ tx, who, params, body: { group, ...change } }) => {
    await connections.changeSettings(tx, who.accountId, params.id, { ...change, group_id: group });
    return presentStore(tx, who.accountId, params.id);
  },
  renewKeys: async ({ db, who, params, body }) => {
    await connections.renewKeys(db, who.accountId, params.id, body);
    return presentStore(db, who.accountId, params.id);
  },
  syncStore: async ({ tx, who, params }) => {
    await connections.syncNow(tx, who.accountId, params.id);
    return presentStore(tx, who.accountId, params.id);
  },
  disconnectStore: ({ tx, who, params, body }) =>
    connections.disconnectStore(tx, who.accountId, params.id, {
      deleteSubscribers: body.delete_subscribers,
      isByOwner: true,
    }),
  readAdvancedFilter: async ({ tx, who, query }) => {
    const terms = (query.search ?? '').replaceAll('\0', ' ').split(/\s+/).filter(Boolean);
    const stores = await listStores(tx, who.accountId);
    const products = await listProducts(tx, who.accountId, terms.slice(0, 10), PRODUCTS_OFFERED);
    const categories = await listCategories(tx, who.accountId, CATEGORIES_OFFERED);
    return {
      categories: categories.map((category) => ({
        ...category,
        store_id: encodeId('store', category.store_id),
      })),
      stores: stores.map((store) => ({ ...store, id: encodeId('store', store.id) })),
      products: products.map((product) => ({
        ...product,
        id: encodeId('product', product.id),
        store_id: encodeId('store', product.store_id),
      })),
    };
  },
  listAllOrders: ({ tx, who, query }) => lists.listOrders(tx, who.accountId, query.list),
  listAllProducts: ({ tx, who, query }) => lists.listProducts(tx, who.accountId, query.list),
  listOrders: async ({ tx, who, params }) => {
    await readSubscriber(tx, who.accountId, params.id);
    return ordersOf(tx, who.accountId, params.id, ORDERS_SHOWN);
  },
});

/** 404 also for another account's. */
async function presentStore(db: Reader, accountId: number, id: number) {
  const [shown] = await presentStores(db, accountId, id);
  if (!shown || shown.state === 'disconnected') throw notFound();
  return shown;
}
