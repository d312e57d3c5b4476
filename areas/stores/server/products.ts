// Saves a store's catalog and finds the products of order and cart lines.
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { MAX_PRODUCTS } from '../shared.ts';
import type { StoreRow } from './connections.sql.ts';
import * as store from './products.sql.ts';
import type { StoreOrderLine, StoreProduct } from './store-payloads.ts';

/**
 * Inserts and updates products.
 * @throws 422 `too_many_products` at the account's maximum
 */
export async function upsertProducts(
  tx: Tx,
  accountId: number,
  shop: StoreRow,
  products: readonly StoreProduct[],
): Promise<void> {
  const byRemote = new Map(products.map((product) => [product.remoteId, product]));
  if ((await store.countProducts(tx, accountId)) + byRemote.size > MAX_PRODUCTS) {
    const { idByRemoteId: existing } = await store.findProducts(tx, accountId, shop.id, {
      remoteIds: [...byRemote.keys()],
      skus: [],
    });
    if (existing.size < byRemote.size)
      throw new AppError('too_many_products', { values: { most: MAX_PRODUCTS } });
  }
  await store.saveProducts(tx, accountId, shop.id, [...byRemote.values()], clock.now());
}

/**
 * Returns a function that finds the product ID of a line. Missing products are created if the
 * report is trusted.
 */
export async function findProductsOfLines(
  tx: Tx,
  accountId: number,
  shop: StoreRow,
  lines: readonly StoreOrderLine[],
  { isTrusted }: { isTrusted: boolean },
): Promise<(line: StoreOrderLine) => number | null> {
  const linesByRemoteId = new Map(
    lines.flatMap((line) => (line.remoteId ? [[line.remoteId, line] as const] : [])),
  );
  const skus = lines.flatMap((line) => (!line.remoteId && line.sku ? [line.sku] : []));
  const keys = { remoteIds: [...linesByRemoteId.keys()], skus: [...new Set(skus)] };
  if (keys.remoteIds.length + keys.skus.length === 0) return () => null;
  let products = await store.findProducts(tx, accountId, shop.id, keys);
  const missing = [...linesByRemoteId].filter(([remoteId]) => !products.idByRemoteId.has(remoteId));
  if (isTrusted && missing.length > 0) {
    const newProducts = missing.map(([remote_id, line]) => ({
      remote_id,
      title: line.title,
      sku: line.sku,
      price: line.price,
      image_url: line.imageUrl,
      url: line.url,
    }));
    await store.addMissingProducts(tx, accountId, shop.id, newProducts, clock.now());
    products = await store.findProducts(tx, accountId, shop.id, keys);
  }
  const { idByRemoteId, idBySku } = products;
  return ({ remoteId, sku }) =>
    (remoteId ? idByRemoteId.get(remoteId) : sku ? idBySku.get(sku) : undefined) ?? null;
}
