// Product views of known people.
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { StoreRow } from './connections.sql.ts';
import { productViewed } from './events.ts';
import { findProductByPage, findProducts, insertViews } from './products.sql.ts';
import { readObject, readText, readUrl } from './reading.ts';

/**
 * Records a view of the product, which is found by id, SKU, page URL or name. Unknown products are
 * ignored.
 */
export async function recordProductView(
  tx: Tx,
  accountId: number,
  shop: StoreRow,
  subscriberId: number,
  payload: Record<string, unknown>,
): Promise<void> {
  const product = readObject(payload.product);
  const remoteId = readText(product.product_id ?? product.id, 200);
  const sku = readText(product.sku, 200);
  const page = { url: readUrl(product.url), title: readText(product.name, 500) };
  if (!remoteId && !sku && !page.url && !page.title) return;
  const { idByRemoteId, idBySku } = await findProducts(tx, accountId, shop.id, {
    remoteIds: remoteId ? [remoteId] : [],
    skus: sku ? [sku] : [],
  });
  const productId =
    (remoteId && idByRemoteId.get(remoteId)) ||
    (sku && idBySku.get(sku)) ||
    (await findProductByPage(tx, accountId, shop.id, page));
  if (!productId) return;
  const views = [{ subscriberId, productId, at: clock.now() }];
  await insertViews(tx, accountId, views);
  await productViewed.announce(tx, { accountId, storeId: shop.id, views, origin: 'store' });
}
