// Public interface of stores for higher areas.
import { subscribersErased, subscribersPurged } from '#areas/subscribers/server/index.ts';
import { type Area, answer, on } from '#platform/server/area.ts';
import type { Config } from '#platform/server/config.ts';
import { type Adapter, configureAdapters } from './adapter.ts';
import { cartsPoller, oldCartsPoller } from './carts.ts';
import { commercePlugin } from './commerce-plugin.ts';
import { allStores } from './connections.sql.ts';
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
import { eraseOrders, titlesOf } from './stores.sql.ts';
import { searched } from '#platform/server/search/search.ts';
import { searchOrders } from './search-orders.ts';

/**
 * `adapters`: the platforms that can be connected. `callPlugin`: calls a store's plugin. `demo`:
 * the catalog of the demo store, if there is one.
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
    routes: [...storeRoutes, ...publicStoreRoutes],
    plugins: [commercePlugin, storeHooksPlugin],
    jobs: [syncJob, removeCustomersJob, pluginJob, orderStatesJob, deleteSecretJob, redactShopJob],
    pollers: [inboxPoller, purgePoller, cartsPoller, oldCartsPoller, syncPoller],
    listens: [on(subscribersErased, eraseShoppers), on(subscribersPurged, eraseShoppers)],
    answers: [answer(searched, searchOrders)],
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
  cartsOf,
  findCartPage,
  productsByCatalog,
  productsById,
  type PickedProduct,
  productsForPeople,
} from './catalog.ts';
export { CONFIRM_PATH } from './confirmations.ts';
export { earnedBy, messageOrders, messagesEarned } from './earned.ts';
export type {
  Adapter,
  Credentials,
  HookCall,
  HookReading,
  Kind,
  PrivacyRequest,
} from './adapter.ts';
export { ShopError } from './adapter.ts';
export { SHOPIFY_SCOPES } from '../shared.ts';
export { DEMO_TYPE, demoStore, demoStores } from './demo.ts';
export type { CallPlugin } from './plugin-calls.ts';
export * from './reading.ts';
export { stateOf } from './order-states.ts';
export type { StoreCustomer, StoreOrderLine, StoreOrder, StoreProduct } from './store-payloads.ts';
export { imageOf, plain } from './plugin-payloads.ts';
export { ordersOf } from './orders.ts';
export { refreshShoppers } from './stores.sql.ts';
export { worthOf, worthOfMany } from './purchases.ts';
export { hasStores } from './purchases.sql.ts';

async function eraseShoppers(
  tx: Tx,
  erased: { accountId: number; subscriberIds: number[] },
): Promise<void> {
  await eraseOrders(tx, erased.accountId, erased.subscriberIds);
}

/** Titles of the account's connected stores. */
export async function connectedStores(db: Reader, accountId: number): Promise<string[]> {
  const stores = await allStores(db, accountId);
  return stores.filter(({ state }) => state !== 'disconnected').map(({ title }) => title);
}

/** Titles by id; deleted stores are missing. */
export function storeTitles(
  db: Reader,
  accountId: number,
  ids: readonly number[],
): Promise<Map<number, string>> {
  return titlesOf(db, 'stores', accountId, ids);
}

/** Titles by id; deleted products are missing. */
export function productTitles(
  db: Reader,
  accountId: number,
  ids: readonly number[],
): Promise<Map<number, string>> {
  return titlesOf(db, 'products', accountId, ids);
}
