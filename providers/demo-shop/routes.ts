// The demo shop has a catalog, a cart, a checkout and refunds. It reports activity as real shops
// do: carts and visitors by a plug-in's calls, and orders by WooCommerce webhooks, both signed. It
// serves this machine only.
import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { clock } from '#platform/server/clock.ts';
import { notFound } from '#platform/server/errors.ts';
import { requireThisMachine } from '#platform/server/http/this-machine.ts';
import { DEMO_CATALOG } from './catalog.ts';
import { type DemoOrder, type ShopLine, ShopPages, renderProductImage } from './pages.ts';
import { sendOrderHook } from './report-activity.ts';
import {
  startVisit,
  storeCookie,
  parseCart,
  findProduct,
  MAX_QUANTITY,
  type ShopSide,
  reportCart,
  type ShopVisit,
  serializeLines,
} from './visit.ts';

type ShopRoute = { Params: { store: string } };
type ItemRoute = { Params: { store: string; id: string } };
type Enter = (request: FastifyRequest, reply: FastifyReply) => Promise<ShopVisit>;
/** Keys are the store and the order's number. */
type OrdersByKey = Map<string, DemoOrder>;

const MAX_ORDERS = 1000;

export function demoShopRoutes(side: ShopSide): FastifyPluginAsync {
  return async (app) => {
    app.addHook('onRequest', requireThisMachine);
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'string', bodyLimit: 16_384 }, (_, body, done) =>
      done(null, body),
    );
    const visitOf: Enter = (request, reply) => startVisit(app, side, request, reply);
    /** The shop's orders, in memory only. */
    const orders: OrdersByKey = new Map();
    addEntryPage(app, side);
    addShelf(app, visitOf);
    addCart(app, visitOf);
    addCheckout(app, visitOf, orders);
    addOrders(app, visitOf, orders);
  };
}

/** Adds the shop's entry page and the product images. */
function addEntryPage(app: FastifyInstance, side: ShopSide): void {
  app.get('/shop', async (request, reply) => {
    const [store] = await side.listStores(app);
    if (store) return reply.redirect(`/shop/${store}`, 303);
    const pages = new ShopPages(side.getLanguage(request), '');
    return pages.send(reply, DEMO_CATALOG.title, pages.renderUnconnected());
  });
  app.get<{ Params: { file: string } }>('/shop/pictures/:file', async (request, reply) => {
    const product = findProduct(request.params.file.replace(/\.svg$/, ''));
    if (!product) throw notFound();
    return reply
      .type('image/svg+xml')
      .header('cache-control', 'max-age=86400')
      .send(renderProductImage(product));
  });
}

function addShelf(app: FastifyInstance, visitOf: Enter): void {
  app.get<ShopRoute>('/shop/:store', async (request, reply) => {
    const { pages, lines, report, visitor } = await visitOf(request, reply);
    await report('/commerce/visitors', { visitor });
    return pages.send(reply, DEMO_CATALOG.title, pages.renderCatalog(), lines.length);
  });
  app.get<ItemRoute>('/shop/:store/products/:id', async (request, reply) => {
    const { pages, lines, report, visitor } = await visitOf(request, reply);
    const product = findProduct(request.params.id);
    if (!product) throw notFound();
    await report('/commerce/visitors', { visitor, product: { product_id: product.id } });
    return pages.send(reply, product.title, pages.renderProduct(product), lines.length);
  });
}

function addCart(app: FastifyInstance, visitOf: Enter): void {
  app.get<ShopRoute & { Querystring: { items?: string } }>(
    '/shop/:store/cart',
    async (request, reply) => {
      const visit = await visitOf(request, reply);
      const { pages, store } = visit;
      const requestedLines = parseCart(request.query.items);
      const lines = requestedLines.length > 0 ? requestedLines : visit.lines;
      storeCookie(reply, store, 'demo_cart', serializeLines(lines));
      const page = pages.renderCart(lines, request.cookies.demo_email ?? '');
      return pages.send(reply, pages.t('cart'), page, lines.length);
    },
  );
  app.post<ShopRoute>('/shop/:store/cart', async (request, reply) => {
    const visit = await visitOf(request, reply);
    const product = findProduct(new URLSearchParams(String(request.body)).get('product') ?? '');
    if (!product) throw notFound();
    const lines = addToCart(visit.lines, product);
    storeCookie(reply, visit.store, 'demo_cart', serializeLines(lines));
    await reportCart(visit, request, lines);
    return reply.redirect(`${visit.base}/cart`, 303);
  });
}

function addToCart(lines: readonly ShopLine[], product: ShopLine['product']): ShopLine[] {
  if (!lines.some((line) => line.product === product)) return [...lines, { product, quantity: 1 }];
  return lines.map((line) =>
    line.product === product
      ? { product, quantity: Math.min(line.quantity + 1, MAX_QUANTITY) }
      : line,
  );
}

function addCheckout(app: FastifyInstance, visitOf: Enter, orders: OrdersByKey): void {
  app.post<ShopRoute>('/shop/:store/checkout', async (request, reply) => {
    const visit = await visitOf(request, reply);
    const { pages, lines, store, base } = visit;
    const form = new URLSearchParams(String(request.body));
    const email = (form.get('email') ?? '').trim();
    const name = (form.get('name') ?? '').trim();
    if (form.get('act') === 'drop') {
      storeCookie(reply, store, 'demo_cart', '');
      await reportCart(visit, request, []);
      return reply.redirect(base, 303);
    }
    if (lines.length === 0) return reply.redirect(`${base}/cart`, 303);
    const subscription = await visit.report('/commerce/create_subscriber', {
      visitor: visit.visitor,
      email,
      firstname: name,
      newsletter: form.get('newsletter') === '1',
    });
    if (subscription.statusCode !== 200) {
      const page = pages.renderCart(lines, email, pages.t('emailWrong'));
      return pages.send(reply.status(422), pages.t('cart'), page, lines.length);
    }
    storeCookie(reply, store, 'demo_email', email);
    await reportCart(visit, request, lines, email);
    if (form.get('act') === 'later')
      return pages.send(reply, pages.t('savedTitle'), pages.renderSaved(), lines.length);
    const order = placeOrder(orders, visit, email);
    await sendOrderHook(app, visit.found, 'order.created', order, { name, cart: visit.visitor });
    storeCookie(reply, store, 'demo_cart', '');
    // The next cart gets a new id.
    storeCookie(reply, store, 'demo_visitor', randomUUID());
    return reply.redirect(`${base}/orders/${order.id}`, 303);
  });
}

function placeOrder(orders: OrdersByKey, { store, lines }: ShopVisit, email: string): DemoOrder {
  const id = String(clock.now().getTime()).slice(-9);
  const order: DemoOrder = { id, lines, email, state: 'processing' };
  if (orders.size >= MAX_ORDERS) orders.delete(orders.keys().next().value as string);
  orders.set(`${store} ${id}`, order);
  return order;
}

function addOrders(app: FastifyInstance, visitOf: Enter, orders: OrdersByKey): void {
  app.get<ItemRoute>('/shop/:store/orders/:id', async (request, reply) => {
    const { pages, lines, store } = await visitOf(request, reply);
    const order = orders.get(`${store} ${request.params.id}`);
    if (!order) throw notFound();
    return pages.send(reply, pages.t('order'), pages.renderOrder(order), lines.length);
  });
  app.post<ItemRoute>('/shop/:store/orders/:id', async (request, reply) => {
    const { store, found, base } = await visitOf(request, reply);
    const key = `${store} ${request.params.id}`;
    const order = orders.get(key);
    if (!order) throw notFound();
    const action = new URLSearchParams(String(request.body)).get('act');
    const state = action === 'ship' ? 'completed' : action === 'refund' ? 'refunded' : order.state;
    const updatedOrder: DemoOrder = { ...order, state };
    orders.set(key, updatedOrder);
    if (state !== order.state) await sendOrderHook(app, found, 'order.updated', updatedOrder, {});
    return reply.redirect(`${base}/orders/${order.id}`, 303);
  });
}
