// Redirects from emails to a store's product and its image: the URLs are constant up to the
// product's public id, so no recipient value decides the host.
import type { FastifyPluginAsync } from 'fastify';
import { productsById } from '#areas/stores/server/index.ts';
import { decodePublicId } from '#platform/ids.ts';
import type { Db } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { picturePath, productPath } from './shop-blocks.ts';

export const shopLinksPlugin: FastifyPluginAsync = async (app) => {
  app.get<{ Params: { id: string } }>(productPath(':id'), async ({ params }, reply) => {
    const { url } = await productOf(app.db, params.id);
    return reply.header('cache-control', 'no-store').redirect(url, 302);
  });
  app.get<{ Params: { id: string } }>(picturePath(':id'), async ({ params }, reply) => {
    const { image_url: url } = await productOf(app.db, params.id);
    return reply.header('cache-control', 'public, max-age=3600').redirect(url, 302);
  });
};

async function productOf(db: Db, publicId: string) {
  const named = decodePublicId('product', publicId);
  const [product] = named ? await productsById(db, named.accountId, [named.id]) : [];
  const isWeb = (url: string) => /^https?:\/\//i.test(url);
  if (!product || !isWeb(product.url) || !isWeb(product.image_url)) throw new AppError('not_found');
  return product;
}
