// The demo shop: a shelf, a cart, a checkout, refunds. It tells what happens as shops do: carts and visitors by
// the calls of a plugin, orders by WooCommerce hooks, both signed. For this machine alone.
import { createHmac, randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { Language } from '#platform/languages.ts';
import { clock } from '#platform/server/clock.ts';
import { notFound } from '#platform/server/errors.ts';
import { refuseOthers } from '#platform/server/http/this-machine.ts';
import { DEMO_CATALOGUE } from './catalogue.ts';
import { type DemoOrder, type Line, Pages, picture, totalOf } from './pages.ts';

/** What the shop has to know of its store in the product. */
export type ShopSide = {
  /** By the public id in its addresses; undefined for what is none. */
  find(
    app: FastifyInstance,
    store: string,
  ): Promise<
    { resourceKey: string; storeId: string; hookUrl: string; hookSecret: string } | undefined
  >;
  /** Public ids of connected demo stores. */
  all(app: FastifyInstance): Promise<string[]>;
  languageOf(request: FastifyRequest): Language;
};

type InShop = { Params: { store: string } };
type Found = NonNullable<Awaited<ReturnType<ShopSide['find']>>>;

const ORDERS_KEPT = 1000;
const QUANTITY_MOST = 99;
const WEEK_SECONDS = 7 * 86_400;

export function demoShopRoutes(side: ShopSide): FastifyPluginAsync {
  return async (app) => {
    /** The shop's own book: gone with the process, as a demo's may be. */
    const orders = new Map<string, DemoOrder>();
    app.addHook('onRequest', refuseOthers);
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'string', bodyLimit: 16_384 }, (_, body, done) =>
      done(null, body),
    );
    const enter = async (request: FastifyRequest, reply: FastifyReply) => {
      const { store } = request.params as { store: string };
      const found = await side.find(app, store);
      if (!found) throw notFound();
      const visitor = request.cookies.demo_visitor ?? randomUUID();
      keep(reply, store, 'demo_visitor', visitor);
      const pages = new Pages(side.languageOf(request), store);
      const lines = linesOf(request.cookies.demo_cart);
      return { store, found, visitor, pages, lines, base: `/shop/${store}` };
    };
    type Entered = Awaited<ReturnType<typeof enter>>;
    const tell = (url: string, method: 'POST' | 'PATCH', { found }: Entered, body: object) =>
      signed(app, method, url, found, {
        resource_key: found.resourceKey,
        store_id: found.storeId,
        ...body,
      });
    const tellCart = (
      inside: Entered,
      request: FastifyRequest,
      lines: readonly Line[],
      email = '',
    ) => {
      const items = written(lines);
      return tell('/commerce/carts', 'POST', inside, {
        external_id: inside.visitor,
        visitor: inside.visitor,
        email,
        currency: DEMO_CATALOGUE.currency,
        url: `${request.protocol}://${request.host}${inside.base}/cart?items=${items}`,
        order_total: totalOf(lines),
        products: lines.map(({ product, quantity }) => ({
          product_id: product.id,
          sku: product.sku,
          name: product.title,
          price: product.price,
          qty: quantity,
        })),
      });
    };

    app.get('/shop', async (request, reply) => {
      const [store] = await side.all(app);
      if (store) return reply.redirect(`/shop/${store}`, 303);
      const pages = new Pages(side.languageOf(request), '');
      return pages.send(reply, DEMO_CATALOGUE.title, pages.nobody());
    });
    app.get<{ Params: { file: string } }>('/shop/pictures/:file', async (request, reply) => {
      const product = productOf(request.params.file.replace(/\.svg$/, ''));
      if (!product) throw notFound();
      return reply
        .type('image/svg+xml')
        .header('cache-control', 'max-age=86400')
        .send(picture(product));
    });
    app.get<InShop>('/shop/:store', async (request, reply) => {
      const inside = await enter(request, reply);
      await tell('/commerce/visitors', 'POST', inside, { visitor: inside.visitor });
      return inside.pages.send(
        reply,
        DEMO_CATALOGUE.title,
        inside.pages.shelf(),
        inside.lines.length,
      );
    });
    app.get<InShop & { Params: { id: string } }>(
      '/shop/:store/products/:id',
      async (request, reply) => {
        const inside = await enter(request, reply);
        const product = productOf(request.params.id);
        if (!product) throw notFound();
        await tell('/commerce/visitors', 'POST', inside, {
          visitor: inside.visitor,
          product: { product_id: product.id },
        });
        return inside.pages.send(
          reply,
          product.title,
          inside.pages.product(product),
          inside.lines.length,
        );
      },
    );
    app.get<InShop & { Querystring: { items?: string } }>(
      '/shop/:store/cart',
      async (request, reply) => {
        const inside = await enter(request, reply);
        const brought = linesOf(request.query.items);
        const lines = brought.length > 0 ? brought : inside.lines;
        keep(reply, inside.store, 'demo_cart', written(lines));
        return inside.pages.send(
          reply,
          inside.pages.t('cart'),
          inside.pages.cart(lines, request.cookies.demo_email ?? ''),
          lines.length,
        );
      },
    );
    app.post<InShop>('/shop/:store/cart', async (request, reply) => {
      const inside = await enter(request, reply);
      const product = productOf(new URLSearchParams(String(request.body)).get('product') ?? '');
      if (!product) throw notFound();
      const known = inside.lines.find((line) => line.product === product);
      const lines = known
        ? inside.lines.map((line) =>
            line === known
              ? { product, quantity: Math.min(line.quantity + 1, QUANTITY_MOST) }
              : line,
          )
        : [...inside.lines, { product, quantity: 1 }];
      keep(reply, inside.store, 'demo_cart', written(lines));
      await tellCart(inside, request, lines);
      return reply.redirect(`${inside.base}/cart`, 303);
    });
    app.post<InShop>('/shop/:store/checkout', async (request, reply) => {
      const inside = await enter(request, reply);
      const form = new URLSearchParams(String(request.body));
      const email = (form.get('email') ?? '').trim();
      const act = form.get('act');
      if (act === 'drop') {
        keep(reply, inside.store, 'demo_cart', '');
        await tellCart(inside, request, []);
        return reply.redirect(inside.base, 303);
      }
      if (inside.lines.length === 0) return reply.redirect(`${inside.base}/cart`, 303);
      const name = (form.get('name') ?? '').trim();
      const newsletter = form.get('newsletter') === '1';
      const joined = await tell('/commerce/create_subscriber', 'POST', inside, {
        visitor: inside.visitor,
        email,
        firstname: name,
        newsletter,
      });
      if (joined.statusCode !== 200) {
        const page = inside.pages.cart(inside.lines, email, inside.pages.t('emailWrong'));
        return inside.pages.send(
          reply.status(422),
          inside.pages.t('cart'),
          page,
          inside.lines.length,
        );
      }
      keep(reply, inside.store, 'demo_email', email);
      await tellCart(inside, request, inside.lines, email);
      if (act === 'later')
        return inside.pages.send(
          reply,
          inside.pages.t('savedTitle'),
          inside.pages.saved(),
          inside.lines.length,
        );
      const order: DemoOrder = {
        id: String(clock.now().getTime()).slice(-9),
        lines: inside.lines,
        email,
        state: 'processing',
      };
      if (orders.size >= ORDERS_KEPT) orders.delete(orders.keys().next().value as string);
      orders.set(`${inside.store} ${order.id}`, order);
      await hook(app, inside.found, 'order.created', order, { name, cart: inside.visitor });
      keep(reply, inside.store, 'demo_cart', '');
      // The next cart is another one.
      keep(reply, inside.store, 'demo_visitor', randomUUID());
      return reply.redirect(`${inside.base}/orders/${order.id}`, 303);
    });
    app.get<InShop & { Params: { id: string } }>(
      '/shop/:store/orders/:id',
      async (request, reply) => {
        const inside = await enter(request, reply);
        const order = orders.get(`${inside.store} ${request.params.id}`);
        if (!order) throw notFound();
        return inside.pages.send(
          reply,
          inside.pages.t('order'),
          inside.pages.order(order),
          inside.lines.length,
        );
      },
    );
    app.post<InShop & { Params: { id: string } }>(
      '/shop/:store/orders/:id',
      async (request, reply) => {
        const inside = await enter(request, reply);
        const key = `${inside.store} ${request.params.id}`;
        const order = orders.get(key);
        if (!order) throw notFound();
        const act = new URLSearchParams(String(request.body)).get('act');
        const state = act === 'ship' ? 'completed' : act === 'refund' ? 'refunded' : order.state;
        const changed: DemoOrder = { ...order, state };
        orders.set(key, changed);
        if (state !== order.state) await hook(app, inside.found, 'order.updated', changed, {});
        return reply.redirect(`${inside.base}/orders/${order.id}`, 303);
      },
    );
  };
}

const productOf = (id: string) => DEMO_CATALOGUE.products.find((one) => one.id === id);

/** `101x2.104x1` */
function linesOf(items: string | undefined): Line[] {
  return (items ?? '').split('.').flatMap((item) => {
    const [id = '', count = '1'] = item.split('x');
    const product = productOf(id);
    const quantity = Math.trunc(Number(count));
    return product && quantity > 0
      ? [{ product, quantity: Math.min(quantity, QUANTITY_MOST) }]
      : [];
  });
}

const written = (lines: readonly Line[]): string =>
  lines.map(({ product, quantity }) => `${product.id}x${quantity}`).join('.');

function keep(reply: FastifyReply, store: string, name: string, value: string): void {
  reply.setCookie(name, value, {
    path: `/shop/${store}`,
    httpOnly: true,
    sameSite: 'lax',
    maxAge: WEEK_SECONDS,
  });
}

/** As a plugin tells: signed by the store's secret. */
function signed(
  app: FastifyInstance,
  method: 'POST' | 'PATCH',
  url: string,
  found: Found,
  words: object,
) {
  const payload = JSON.stringify(words);
  const signature = createHmac('sha256', found.hookSecret).update(payload).digest('base64');
  return app.inject({
    method,
    url,
    payload,
    headers: { 'content-type': 'application/json', 'x-store-signature': signature },
  });
}

/** As WooCommerce tells. */
async function hook(
  app: FastifyInstance,
  found: Found,
  topic: string,
  order: DemoOrder,
  { name = '', cart }: { name?: string; cart?: string },
): Promise<void> {
  const at = clock.now().toISOString().slice(0, 19);
  const total = totalOf(order.lines).toFixed(2);
  const body = JSON.stringify({
    id: Number(order.id),
    number: order.id,
    status: order.state,
    currency: DEMO_CATALOGUE.currency,
    total,
    customer_id: 0,
    ...(cart && { order_key: cart }),
    billing: { email: order.email, first_name: name },
    ...(topic === 'order.created' && { date_created_gmt: at }),
    date_modified_gmt: at,
    line_items: order.lines.map(({ product, quantity }) => ({
      product_id: product.id,
      sku: product.sku,
      name: product.title,
      quantity,
      price: product.price,
    })),
    refunds: order.state === 'refunded' ? [{ total: `-${total}` }] : [],
  });
  await app.inject({
    method: 'POST',
    url: new URL(found.hookUrl).pathname,
    payload: body,
    headers: {
      'content-type': 'application/json',
      'x-wc-webhook-topic': topic,
      'x-wc-webhook-delivery-id': randomUUID(),
      'x-wc-webhook-signature': createHmac('sha256', found.hookSecret)
        .update(body)
        .digest('base64'),
    },
  });
}
