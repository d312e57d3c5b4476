// Selects the products that emails show.
import type { Reader } from '#platform/server/database/database.ts';
import * as store from './catalog.sql.ts';

export type CatalogProduct = store.CatalogRow;
/** Only sales of this period make a product a best seller. */
const BEST_SELLING_PERIOD_MS = 90 * 86_400_000;

/**
 * Lists products of the given store or, if `storeId` is undefined, of all stores. Products of
 * disconnected stores are left out.
 */
export function pickCatalogProducts(
  db: Reader,
  accountId: number,
  pick: 'newest' | 'best_selling',
  { storeId, limit, now }: { storeId: number | undefined; limit: number; now: Date },
): Promise<CatalogProduct[]> {
  if (pick === 'newest') return store.listNewestProducts(db, accountId, storeId, limit);
  const since = new Date(now.getTime() - BEST_SELLING_PERIOD_MS);
  return store.listBestSellingProducts(db, accountId, storeId, since, limit);
}

const PICKED = {
  cart: store.listCartPicks,
  viewed: store.listViewedPicks,
  ordered: store.listOrderedPicks,
  recommended: store.listRecommendedPicks,
};

/** `quantity`: the number in the cart or the order. */
export type PickedProduct = { id: number; quantity: number };

/** Lists products by subscriber, best first; subscribers without any are left out. */
export async function pickSubscriberProducts(
  db: Reader,
  accountId: number,
  pick: keyof typeof PICKED,
  { subscriberIds, limit }: { subscriberIds: readonly number[]; limit: number },
): Promise<Map<number, PickedProduct[]>> {
  const picksBySubscriber = new Map<number, PickedProduct[]>();
  for (const row of await PICKED[pick](db, accountId, subscriberIds, limit)) {
    const picks = picksBySubscriber.get(row.subscriber_id) ?? [];
    picks.push({ id: row.product_id, quantity: row.quantity ?? 1 });
    picksBySubscriber.set(row.subscriber_id, picks);
  }
  return picksBySubscriber;
}

export { findCarts, findCartPage, findProductsById } from './catalog.sql.ts';
