// Public interface of stores for higher areas.
import { subscribersErased, subscribersPurged } from '#areas/subscribers/server/index.ts';
import { type Area, handleQuestion, on } from '#platform/server/area.ts';
import type { Config } from '#platform/server/config.ts';
import { type Adapter, configureAdapters } from './adapter.ts';
import { cartsPoller, expireCartsPoller } from './carts.ts';
import { commercePlugin } from './commerce-plugin.ts';
import { listAllStores } from './connections.sql.ts';
import { storeHooksPlugin } from './hooks-plugin.ts';
import { purgePoller, inboxPoller } from './inbox.ts';
import { type CallPlugin, configurePluginCalls, pluginJob } from './plugin-calls.ts';
import { publicStoreRoutes } from './public-routes.ts';
import { storeRoutes } from './routes.ts';
import { configureStores, type DemoCatalog } from './settings.ts';
import { orderStatesJob } from './owner-states.ts';
import { deleteSecretJob } from './close-store.ts';
import { redactShopJob } from './privacy.ts';
import { removeCustomersJob, syncJob, syncPoller } from './sync.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { deletePurchaseData, findTitles, rewriteTitles } from './stores.sql.ts';
import { searchQuestion } from '#platform/server/search/search.ts';
import { searchOrders } from './search-orders.ts';
import { addressesErased, eraseFromTexts } from '#platform/server/erasure/erasure.ts';
import { eraseStoreHooks } from './inbox.sql.ts';

/**
 * `adapters`: one per platform that can be connected. `callPlugin`: sends a request to a store's
 * plugin; undefined if the installation calls no plugins. `demo`: the catalog of the demo store;
 * undefined if there is none.
 */
export function area(
  config: Config,
  {
    adapters,
    callPlugin,
    demo,
  }: {
    adapters: readonly Adapter[];
    callPlugin: CallPlugin | undefined;
    demo: DemoCatalog | undefined;
  },
): Area {
  return {
    name: 'stores',
    description: 'Connected stores: orders, carts, products and customers.',
    routes: [...storeRoutes, ...publicStoreRoutes],
    plugins: [commercePlugin, storeHooksPlugin],
    jobs: [syncJob, removeCustomersJob, pluginJob, orderStatesJob, deleteSecretJob, redactShopJob],
    pollers: [inboxPoller, purgePoller, cartsPoller, expireCartsPoller, syncPoller],
    eventHandlers: [
      on(subscribersErased, eraseStoreData),
      on(subscribersPurged, eraseStoreData),
      on(addressesErased, eraseFromTexts(rewriteTitles)),
      on(addressesErased, eraseStoreHooks),
    ],
    questionHandlers: [handleQuestion(searchQuestion, searchOrders)],
    setUp: () => {
      configureAdapters(adapters);
      configurePluginCalls(callPlugin);
      configureStores({ publicUrl: config.publicUrl, demo });
    },
  };
}

export * from './events.ts';
export {
  type CatalogProduct,
  findCarts,
  findCartPage,
  pickCatalogProducts,
  findProductsById,
  type PickedProduct,
  pickSubscriberProducts,
} from './catalog.ts';
export { CONFIRM_PATH } from './confirmations.ts';
export { readAttributedRevenue, messageOrders, revenueOfMessages } from './earned.ts';
export type {
  Adapter,
  StoreCredentials,
  StoreWebhookRequest,
  StoreWebhookResult,
  SyncedKind,
  PrivacyRequest,
} from './adapter.ts';
export { StoreError } from './adapter.ts';
export { SHOPIFY_SCOPES } from '../shared.ts';
export { DEMO_TYPE, findDemoStore, listDemoStores } from './demo.ts';
export type { CallPlugin } from './plugin-calls.ts';
export * from './reading.ts';
export { resolveOrderState } from './order-states.ts';
export type { StoreCustomer, StoreOrderLine, StoreOrder, StoreProduct } from './store-payloads.ts';
export { readImage, htmlToPlainText } from './plugin-payloads.ts';
export { listSubscriberOrders } from './orders.ts';
export { refreshShoppers } from './stores.sql.ts';
export { readCustomerValue, readCustomerValues } from './purchases.ts';
export { hasStores } from './purchases.sql.ts';

async function eraseStoreData(
  tx: Tx,
  erasure: { accountId: number; subscriberIds: number[] },
): Promise<void> {
  await deletePurchaseData(tx, erasure.accountId, erasure.subscriberIds);
}

/** Returns titles of the account's connected stores. */
export async function readConnectedStoreTitles(db: Reader, accountId: number): Promise<string[]> {
  const stores = await listAllStores(db, accountId);
  return stores.filter(({ state }) => state !== 'disconnected').map(({ title }) => title);
}

/**
 * Returns titles by ID, including disconnected stores. The map omits IDs without a store in the
 * account.
 */
export function storeTitles(
  db: Reader,
  accountId: number,
  ids: readonly number[],
): Promise<Map<number, string>> {
  return findTitles(db, 'stores', accountId, ids);
}

/**
 * Returns titles by ID, including products that the store no longer lists. The map omits IDs
 * without a product in the account.
 */
export function readProductTitles(
  db: Reader,
  accountId: number,
  ids: readonly number[],
): Promise<Map<number, string>> {
  return findTitles(db, 'products', accountId, ids);
}
