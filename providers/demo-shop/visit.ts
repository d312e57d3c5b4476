// A visitor of the demo shop, with identity, cart, and the events that are reported about the
// visitor.
import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Language } from '#platform/languages.ts';
import { notFound } from '#platform/server/errors.ts';
import { DEMO_CATALOG } from './catalog.ts';
import { type ShopLine, ShopPages, sumLines } from './pages.ts';
import { callSigned } from './report-activity.ts';

/** The shop's access to its store in the product. */
export type ShopSide = {
  /** Finds a store by the public id in its addresses; undefined for an unknown one. */
  find(
    app: FastifyInstance,
    store: string,
  ): Promise<
    { resourceKey: string; storeId: string; hookUrl: string; hookSecret: string } | undefined
  >;
  /** Public ids of connected demo stores. */
  listStores(app: FastifyInstance): Promise<string[]>;
  getLanguage(request: FastifyRequest): Language;
};

export type ShopSession = NonNullable<Awaited<ReturnType<ShopSide['find']>>>;

export const MAX_QUANTITY = 99;
const WEEK_SECONDS = 7 * 86_400;

export type ShopVisit = Awaited<ReturnType<typeof startVisit>>;

export async function startVisit(
  app: FastifyInstance,
  side: ShopSide,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const { store } = request.params as { store: string };
  const match = await side.find(app, store);
  if (!match) throw notFound();
  const visitor = request.cookies.demo_visitor ?? randomUUID();
  storeCookie(reply, store, 'demo_visitor', visitor);
  const pages = new ShopPages(side.getLanguage(request), store);
  const lines = parseCart(request.cookies.demo_cart);
  const report = (url: string, body: object) =>
    callSigned(app, 'POST', url, match, {
      resource_key: match.resourceKey,
      store_id: match.storeId,
      ...body,
    });
  return { store, found: match, visitor, pages, lines, report, base: `/shop/${store}` };
}

export function reportCart(
  visit: ShopVisit,
  request: FastifyRequest,
  lines: readonly ShopLine[],
  email = '',
) {
  return visit.report('/commerce/carts', {
    external_id: visit.visitor,
    visitor: visit.visitor,
    email,
    currency: DEMO_CATALOG.currency,
    url: `${request.protocol}://${request.host}${visit.base}/cart?items=${serializeLines(lines)}`,
    order_total: sumLines(lines),
    products: lines.map(({ product, quantity }) => ({
      product_id: product.id,
      sku: product.sku,
      name: product.title,
      price: product.price,
      qty: quantity,
    })),
  });
}

export const findProduct = (id: string) =>
  DEMO_CATALOG.products.find((product) => product.id === id);

/** Parses product IDs with quantities: `101x2.104x1`. */
export function parseCart(items: string | undefined): ShopLine[] {
  return (items ?? '').split('.').flatMap((item) => {
    const [id = '', count = '1'] = item.split('x');
    const product = findProduct(id);
    const quantity = Math.trunc(Number(count));
    return product && quantity > 0 ? [{ product, quantity: Math.min(quantity, MAX_QUANTITY) }] : [];
  });
}

export const serializeLines = (lines: readonly ShopLine[]): string =>
  lines.map(({ product, quantity }) => `${product.id}x${quantity}`).join('.');

export function storeCookie(reply: FastifyReply, store: string, name: string, value: string): void {
  reply.setCookie(name, value, {
    path: `/shop/${store}`,
    httpOnly: true,
    sameSite: 'lax',
    maxAge: WEEK_SECONDS,
  });
}
