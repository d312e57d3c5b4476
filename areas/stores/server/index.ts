// The door of stores: what higher floors may call.
import { subscribersErased, subscribersPurged } from '#areas/subscribers/server/index.ts';
import { type Area, on } from '#platform/server/area.ts';
import { storeRoutes } from './routes.ts';
import type { Reader, Tx } from '#platform/server/database.ts';
import { forgetOrders, titlesOf } from './stores.sql.ts';

export const area: Area = {
  name: 'stores',
  routes: storeRoutes,
  listens: [on(subscribersErased, forgetShoppers), on(subscribersPurged, forgetShoppers)],
};

export * from './events.ts';
export { earnedBy, messagesEarned } from './earned.ts';
export { ordersOf } from './orders.ts';
export { refreshShoppers } from './stores.sql.ts';
export { worthOf } from './worth.ts';
export { hasStores } from './worth.sql.ts';

async function forgetShoppers(
  tx: Tx,
  erased: { accountId: number; subscriberIds: number[] },
): Promise<void> {
  await forgetOrders(tx, erased.accountId, erased.subscriberIds);
}

/** Titles by number; stores that are gone are missing. */
export function storeTitles(
  db: Reader,
  accountId: number,
  ids: readonly number[],
): Promise<Map<number, string>> {
  return titlesOf(db, 'stores', accountId, ids);
}

/** Titles by number; products that are gone are missing. */
export function productTitles(
  db: Reader,
  accountId: number,
  ids: readonly number[],
): Promise<Map<number, string>> {
  return titlesOf(db, 'products', accountId, ids);
}
