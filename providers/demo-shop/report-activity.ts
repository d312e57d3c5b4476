// Reports the demo shop's activity in two ways, both signed with the store's secret: as a plug-in's
// calls and as WooCommerce webhooks.
import { createHmac, randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { clock } from '#platform/server/clock.ts';
import { DEMO_CATALOG } from './catalog.ts';
import { type DemoOrder, sumLines } from './pages.ts';
import type { ShopSession } from './visit.ts';

/** Makes a plug-in's call, signed with the store's secret. */
export function callSigned(
  app: FastifyInstance,
  method: 'POST' | 'PATCH',
  url: string,
  shopSession: ShopSession,
  fields: object,
) {
  const payload = JSON.stringify(fields);
  const signature = createHmac('sha256', shopSession.hookSecret).update(payload).digest('base64');
  return app.inject({
    method,
    url,
    payload,
    headers: { 'content-type': 'application/json', 'x-store-signature': signature },
  });
}

/** Sends a WooCommerce webhook about the order. */
export async function sendOrderHook(
  app: FastifyInstance,
  shopSession: ShopSession,
  topic: string,
  order: DemoOrder,
  { name = '', cart }: { name?: string; cart?: string },
): Promise<void> {
  const reportedAt = clock.now().toISOString().slice(0, 19);
  const total = sumLines(order.lines).toFixed(2);
  const body = JSON.stringify({
    id: Number(order.id),
    number: order.id,
    status: order.state,
    currency: DEMO_CATALOG.currency,
    total,
    customer_id: 0,
    ...(cart && { order_key: cart }),
    billing: { email: order.email, first_name: name },
    ...(topic === 'order.created' && { date_created_gmt: reportedAt }),
    date_modified_gmt: reportedAt,
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
    url: new URL(shopSession.hookUrl).pathname,
    payload: body,
    headers: {
      'content-type': 'application/json',
      'x-wc-webhook-topic': topic,
      'x-wc-webhook-delivery-id': randomUUID(),
      'x-wc-webhook-signature': createHmac('sha256', shopSession.hookSecret)
        .update(body)
        .digest('base64'),
    },
  });
}
