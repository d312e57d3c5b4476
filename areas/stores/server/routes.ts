// Routes for stores.
import { readSubscriber } from '#areas/subscribers/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { type Handlers, type Route, createRoutes } from '#platform/server/http/serve.ts';
import { notFound } from '#platform/server/errors.ts';
import { singlePageMeta } from '#platform/server/database/lists.ts';
import { calls } from '../contract.ts';
import * as connections from './connections.ts';
import { connectDemo } from './demo.ts';
import { downloadPlugin } from './plugin-zip.ts';
import { presentStores } from './present.ts';
import { listCategories } from './products.sql.ts';
import { MAX_CATEGORIES_OFFERED, MAX_ORDERS_SHOWN, MAX_PRODUCTS_OFFERED } from '../shared.ts';
import { listSubscriberOrders } from './orders.ts';
import * as lists from './store-lists.ts';
import { listProducts, listStores } from './stores.sql.ts';

const handlers: Handlers<typeof calls> = {
  listStores: async ({ tx, caller }) => {
    const data = await presentStores(tx, caller.accountId);
    return { data, meta: singlePageMeta(data.length) };
  },
  connectStore: async ({ db, caller, body: { type, address, ...keys } }) => {
    const id = await connections.connectStore(db, caller.accountId, type, {
      address,
      ...connections.toCredentials(type, keys),
    });
    return presentStore(db, caller.accountId, id);
  },
  connectDemo: async ({ tx, caller }) => {
    return presentStore(tx, caller.accountId, await connectDemo(tx, caller.accountId));
  },
  downloadPlugin: ({ tx, caller, body }) => downloadPlugin(tx, caller, body.platform),
  getStore: ({ tx, caller, params }) => presentStore(tx, caller.accountId, params.id),
  changeConnection: async ({ tx, caller, params, body: { group, ...change } }) => {
    await connections.changeSettings(tx, caller.accountId, params.id, {
      ...change,
      group_id: group,
    });
    return presentStore(tx, caller.accountId, params.id);
  },
  renewKeys: async ({ db, caller, params, body }) => {
    await connections.renewKeys(db, caller.accountId, params.id, body);
    return presentStore(db, caller.accountId, params.id);
  },
  syncStore: async ({ tx, caller, params }) => {
    await connections.syncNow(tx, caller.accountId, params.id);
    return presentStore(tx, caller.accountId, params.id);
  },
  disconnectStore: ({ tx, caller, params, body }) =>
    connections.disconnectStore(tx, caller.accountId, params.id, {
      deleteSubscribers: body.delete_subscribers,
      isByOwner: true,
    }),
  listConditionOptions: async ({ tx, caller, query }) => {
    const terms = (query.search ?? '').replaceAll('\0', ' ').split(/\s+/).filter(Boolean);
    const stores = await listStores(tx, caller.accountId);
    const products = await listProducts(
      tx,
      caller.accountId,
      terms.slice(0, 10),
      MAX_PRODUCTS_OFFERED,
    );
    const categories = await listCategories(tx, caller.accountId, MAX_CATEGORIES_OFFERED);
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
  listAllOrders: ({ tx, caller, query }) => lists.listAllOrders(tx, caller.accountId, query.list),
  listAllProducts: ({ tx, caller, query }) =>
    lists.listAllProducts(tx, caller.accountId, query.list),
  listSubscriberOrders: async ({ tx, caller, params }) => {
    await readSubscriber(tx, caller.accountId, params.id);
    return listSubscriberOrders(tx, caller.accountId, params.id, MAX_ORDERS_SHOWN);
  },
};

// The area `accounts` has the message about missing rights of tokens.
export const storeRoutes: Route[] = createRoutes('stores', calls, handlers, {}, 'accounts');

/** @throws `not_found` for disconnected stores and stores of other accounts */
async function presentStore(db: Reader, accountId: number, id: number) {
  const [store] = await presentStores(db, accountId, id);
  if (!store || store.state === 'disconnected') throw notFound();
  return store;
}
