// The demo store: its catalog exists immediately, and its orders and carts arrive as in any other
// store.
import { decodePublicId, encodePublicId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { notFound } from '#platform/server/errors.ts';
import { generateSecret } from '#platform/server/secrets.ts';
import { changeStore, findStore, findStoreByDomain, findStoresOfType } from './connections.sql.ts';
import { registerStore } from './connections.ts';
import { readHookSecret, hookUrl, sealSecret } from './keys.ts';
import { upsertProducts } from './products.ts';
import { getStoresSettings } from './settings.ts';

export const DEMO_TYPE = 'demo';

/**
 * Connects or reconnects the demo store and saves its catalog.
 * @throws 404 if the installation has no demo store
 */
export async function connectDemo(tx: Tx, accountId: number): Promise<number> {
  const { demo, publicUrl } = getStoresSettings();
  if (!demo) throw notFound();
  const existingStore = await findStoreByDomain(tx, accountId, demo.domain);
  const id = await registerStore(tx, accountId, {
    domain: demo.domain,
    name: existingStore?.title ?? demo.title,
    type: DEMO_TYPE,
    token: undefined,
  });
  const at = clock.now();
  await changeStore(
    tx,
    accountId,
    id,
    {
      currency: demo.currency,
      synced_at: at,
      hook_secret: existingStore?.hook_secret ?? sealSecret(generateSecret()),
    },
    at,
  );
  const shop = await findStore(tx, accountId, id);
  if (!shop) throw new Error('Could not connect the demo store.');
  const page = `${publicUrl}/shop/${encodePublicId('store', accountId, id)}`;
  await upsertProducts(
    tx,
    accountId,
    shop,
    demo.products.map((product) => ({
      remoteId: product.id,
      title: product.title,
      description: product.description,
      sku: product.sku,
      price: product.price,
      oldPrice: product.oldPrice ?? null,
      currency: demo.currency,
      imageUrl: `${publicUrl}/shop/pictures/${product.id}.svg`,
      url: `${page}/products/${product.id}`,
      categories: [product.category],
      isListed: true,
      createdAt: null,
    })),
  );
  return id;
}

/** The data of a connected demo store that its simulation needs. */
export type DemoStore = {
  accountId: number;
  storeId: number;
  title: string;
  hookUrl: string;
  hookSecret: string;
};

/**
 * Finds the demo store by the public id in its URLs; undefined if it is unknown or disconnected.
 */
export async function findDemoStore(db: Reader, publicId: string): Promise<DemoStore | undefined> {
  const decodedId = decodePublicId('store', publicId);
  const shop = decodedId && (await findStore(db, decodedId.accountId, decodedId.id));
  if (!decodedId || shop?.type !== DEMO_TYPE || shop.state === 'disconnected') return undefined;
  return {
    accountId: decodedId.accountId,
    storeId: decodedId.id,
    title: shop.title,
    hookUrl: hookUrl(decodedId.accountId, decodedId.id),
    hookSecret: readHookSecret(shop) ?? '',
  };
}

/** Lists public ids of connected demo stores, newest first, in all accounts. */
export async function listDemoStores(db: Reader): Promise<string[]> {
  const rows = await findStoresOfType(db, DEMO_TYPE, 20);
  return rows.map(({ accountId, storeId }) => encodePublicId('store', accountId, storeId));
}
