// Selects the products that emails show.
import type { Reader } from '#platform/server/database/database.ts';
import * as store from './catalog.sql.ts';

export type CatalogProduct = store.CatalogRow;
/** Only sales of this period make a product a best seller. */
const BEST_SELLING_PERIOD_MS = 90 * 86_400_000;

/** With `storeId`, only products of this store. Products of disconnected stores are left out. */
export function productsByCatalog(
  db: Reader,
  accountId: number,
  pick: 'newest' | 'best_selling',
  { storeId, limit, now }: { storeId: number | undefined; limit: number; now: Date },
): Promise<CatalogProduct[]> {
  if (pick === 'newest') return store.newestProducts(db, accountId, storeId, limit);
  const since = new Date(now.getTime() - BEST_SELLING_PERIOD_MS);
  return store.bestSellingProducts(db, accountId, storeId, since, limit);
}

const PICKED = {
  cart: store.cartPicks,
  viewed: store.viewedPicks,
  ordered: store.orderedPicks,
  recommended: store.recommendedPicks,
};

/** `quantity`: the number in the cart or the order. */
export type PickedProduct = { id: number; quantity: number };

/** Products by subscriber, best first; subscribers without any are left out. */
export async function productsBySubscriber(
  db: Reader,
  accountId: number,
  pick: keyof typeof PICKED,
  { people, limit }: { people: readonly number[]; limit: number },
): Promise<Map<number, PickedProduct[]>> {
  const found = new Map<number, PickedProduct[]>();
  for (const row of await PICKED[pick](db, accountId, people, limit)) {
    const picks = found.get(row.subscriber_id) ?? [];
    picks.push({ id: row.product_id, quantity: row.quantity ?? 1 });
    found.set(row.subscriber_id, picks);
  }
  return found;
}

export { findCarts, findCartPage, productsById } from './catalog.sql.ts';
