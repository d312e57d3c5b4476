// Formats a cart for the store's plugin, which restores it.
import type { Reader } from '#platform/server/database/database.ts';
import { notFound } from '#platform/server/errors.ts';
import { readCartLines, readOpenCart } from './carts.sql.ts';
import type { StoreRow } from './connections.sql.ts';

/**
 * Returns the open cart with this number.
 * @throws 404 if there is none, or if several carts have the number and the store itself reported
 * none of them
 */
export async function presentCart(db: Reader, accountId: number, shop: StoreRow, remoteId: string) {
  const cart = await readOpenCart(db, accountId, shop.id, remoteId);
  if (!cart) throw notFound();
  const lines = await readCartLines(db, accountId, cart.id);
  return {
    external_id: cart.remote_id,
    url: cart.url,
    currency: cart.currency,
    order_total: cart.total,
    products: lines.map((line) => ({
      product_id: line.remote_id,
      sku: line.sku,
      name: line.title,
      qty: line.quantity,
      price: line.price,
      image: line.image_url,
    })),
  };
}
