// Saving of a store's catalog in batches.
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { PRODUCTS_MOST } from '../shared.ts';
import type { StoreFacts } from './connections.sql.ts';
import * as store from './products.sql.ts';
import type { ToldLine, ToldProduct } from './store-payloads.ts';

/** Inserts and updates products. 422 `too_many_products` at the account's maximum. */
export async function upsertProducts(
  tx: Tx,
  accountId: number,
  shop: StoreFacts,
  told: readonly ToldProduct[],
): Promise<void> {
  const byRemote = new Map(told.map((product) => [product.remoteId, product]));
  if ((await store.countProducts(tx, accountId)) + byRemote.size > PRODUCTS_MOST) {
    const { byRemote: known } = await store.findProducts(tx, accountId, shop.id, {
      remoteIds: [...byRemote.keys()],
      skus: [],
    });
    if (known.size < byRemote.size)
      throw new AppError('too_many_products', { values: { most: PRODUCTS_MOST } });
  }
  await store.saveProducts(tx, accountId, shop.id, [...byRemote.values()], clock.now());
}

/** Product ids of lines; missing products are created if the store itself names them. */
export async function productsOfLines(
  tx: Tx,
  accountId: number,
  shop: StoreFacts,
  lines: readonly ToldLine[],
  { isTrusted }: { isTrusted: boolean },
): Promise<(line: ToldLine) => number | null> {
  const named = new Map(
    lines.flatMap((line) => (line.remoteId ? [[line.remoteId, line] as const] : [])),
  );
  const skus = lines.flatMap((line) => (!line.remoteId && line.sku ? [line.sku] : []));
  const asked = { remoteIds: [...named.keys()], skus: [...new Set(skus)] };
  if (asked.remoteIds.length + asked.skus.length === 0) return () => null;
  let found = await store.findProducts(tx, accountId, shop.id, asked);
  const missing = [...named].filter(([remoteId]) => !found.byRemote.has(remoteId));
  if (isTrusted && missing.length > 0) {
    const begun = missing.map(([remote_id, line]) => ({
      remote_id,
      title: line.title,
      sku: line.sku,
      price: line.price,
      image_url: line.imageUrl,
      url: line.url,
    }));
    await store.addMissingProducts(tx, accountId, shop.id, begun, clock.now());
    found = await store.findProducts(tx, accountId, shop.id, asked);
  }
  const { byRemote, bySku } = found;
  return ({ remoteId, sku }) =>
    (remoteId ? byRemote.get(remoteId) : sku ? bySku.get(sku) : undefined) ?? null;
}
