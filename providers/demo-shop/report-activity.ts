// Reports the demo shop's activity as a plug-in and as WooCommerce do, both signed with the store's
// secret.
import { createHmac, randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { clock } from '#platform/server/clock.ts';
import { DEMO_CATALOG } from './catalog.ts';
import { type DemoOrder, totalOf } from './pages.ts';
import type { ShopSession } from './visit.ts';

/** A plug-in's call, signed with the store's secret. */
export function signed(
  app: FastifyInstance,
  method: 'POST' | 'PATCH',
  url: string,
  found: ShopSession,
  fields: object,
) {
  const payload = JSON.stringify(fields);
  const signature = createHmac('sha256', found.hookSecret).update(payload).digest('base64');
  return app.inject({
    method,
    url,
    payload,
    headers: { 'content-type': 'application/json', 'x-store-signature': signature },
  });
}

/** A WooCommerce webhook. */
export async function hook(
  app: FastifyInstance,
  found: ShopSession,
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
    currency: DEMO_CATALOG.currency,
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
