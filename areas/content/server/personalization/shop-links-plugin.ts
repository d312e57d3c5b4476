// Redirects from emails to a store's product, its image and the recipient's cart. The URLs are
// constant except for a public id, so no recipient value decides the host.
import type { FastifyPluginAsync } from 'fastify';
import { readAccount } from '#areas/accounts/server/index.ts';
import { DEMO_TYPE, findCartPage, findProductsById } from '#areas/stores/server/index.ts';
import { decodePublicId } from '#platform/ids.ts';
import type { Db } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { findSampleImagePath } from './sample-products.ts';
import { cartPath, imagePath, productPath } from './shop-blocks.ts';

export const shopLinksPlugin: FastifyPluginAsync = async (app) => {
  app.get<{ Params: { id: string } }>(productPath(':id'), async ({ params }, reply) => {
    const sample = findSampleImagePath(params.id);
    const { url } = sample ? { url: sample } : await findProduct(app.db, params.id);
    return reply.header('cache-control', 'no-store').redirect(url, 302);
  });
  app.get<{ Params: { id: string } }>(imagePath(':id'), async ({ params }, reply) => {
    const sample = findSampleImagePath(params.id);
    const { image_url: url } = sample
      ? { image_url: sample }
      : await findProduct(app.db, params.id);
    return reply.header('cache-control', 'public, max-age=3600').redirect(url, 302);
  });
  app.get<{ Params: { id: string } }>(cartPath(':id'), async ({ params }, reply) => {
    const url = await findCartUrl(app.db, params.id);
    return reply.header('cache-control', 'no-store').redirect(url, 302);
  });
};

/**
 * Returns the URL of the recipient's cart, or of its store if the cart has none; for recipients
 * without a cart, the account's website. @throws not_found if that is missing
 */
async function findCartUrl(db: Db, publicId: string): Promise<string> {
  const cart = decodePublicId('cart', publicId);
  const page = cart ? await findCartPage(db, cart.accountId, cart.id) : undefined;
  if (page) return page.url ?? (page.type === DEMO_TYPE ? '/shop' : `https://${page.domain}/`);
  const account = decodePublicId('account', publicId);
  const { website } = account ? await readAccount(db, account.accountId) : { website: null };
  if (!website || !/^https?:\/\//i.test(website)) throw new AppError('not_found');
  return website;
}

async function findProduct(db: Db, publicId: string) {
  const productIds = decodePublicId('product', publicId);
  const [product] = productIds
    ? await findProductsById(db, productIds.accountId, [productIds.id])
    : [];
  const isWeb = (url: string) => /^https?:\/\//i.test(url);
  if (!product || !isWeb(product.url) || !isWeb(product.image_url)) throw new AppError('not_found');
  return product;
}
