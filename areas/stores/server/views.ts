// Products that known people look at.
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database.ts';
import type { StoreFacts } from './connections.sql.ts';
import { productViewed } from './events.ts';
import { findProducts, insertViews } from './products.sql.ts';
import { readObject, readText } from './reading.ts';

/** By its number or its stock number; what the catalogue lacks is no view. */
export async function viewProduct(
  tx: Tx,
  accountId: number,
  shop: StoreFacts,
  subscriberId: number,
  words: Record<string, unknown>,
): Promise<void> {
  const product = readObject(words.product);
  const remoteId = readText(product.product_id ?? product.id, 200);
  const sku = readText(product.sku, 200);
  if (!remoteId && !sku) return;
  const { byRemote, bySku } = await findProducts(tx, accountId, shop.id, {
    remoteIds: remoteId ? [remoteId] : [],
    skus: sku ? [sku] : [],
  });
  const productId = (remoteId && byRemote.get(remoteId)) || (sku && bySku.get(sku));
  if (!productId) return;
  const views = [{ subscriberId, productId, at: clock.now() }];
  await insertViews(tx, accountId, views);
  await productViewed.announce(tx, { accountId, storeId: shop.id, views, origin: 'store' });
}
