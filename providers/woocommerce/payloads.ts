// Maps WooCommerce's responses and webhooks to store payloads. Fields that end in _gmt are in UTC.
import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  type Adapter,
  type StoreWebhookRequest,
  type StoreWebhookResult,
  readImage,
  type SyncedKind,
  htmlToPlainText,
  selectOldPrice,
  readAmount,
  readCountry,
  readCurrency,
  readHtmlText,
  readList,
  readObject,
  readQuantity,
  readText,
  readUrl,
  parseTimestamp,
  resolveOrderState,
  type StoreCustomer,
  type StoreOrderLine,
  type StoreOrder,
  type StoreProduct,
} from '#areas/stores/server/index.ts';

/** Maps a webhook; undefined if the topic is irrelevant. */
export function readStoreWebhook(
  topic: string,
  body: unknown,
  { now }: { now: Date },
): ReturnType<Adapter['parseWebhook']> {
  const [subject, act] = topic.split('.');
  const payload = readObject(body);
  if (subject === 'order') {
    const order = orderOf(act === 'deleted' ? { ...payload, status: 'trash' } : payload);
    if (!order) return {};
    // Deleting and restoring an order do not change its modification time, and a deletion contains
    // only the ID.
    const hasNoOwnTime = act === 'deleted' || act === 'restored';
    return {
      orders: [hasNoOwnTime && order.reportedAt < now ? { ...order, reportedAt: now } : order],
    };
  }
  if (subject === 'product') {
    const id = readText(payload.id, 50);
    if (act === 'deleted') return id ? { deletedProducts: [id] } : {};
    const product = productOf(payload);
    return product ? { products: [product] } : {};
  }
  if (subject !== 'customer') return undefined;
  const customer = customerOf(payload);
  return customer ? { customers: [customer] } : {};
}

/**
 * Verifies the signature, a base64 HMAC-SHA256 of the body. The first call is an unsigned form
 * `webhook_id=…` and must get 200. Delivery IDs repeat within a second, and so do modification
 * times: a store that refunds an order in the second of its payment sends two events. A webhook is
 * therefore identified by its topic, the ID of the order or product, and its whole body.
 */
export function verifyWebhook(
  { headers, body }: StoreWebhookRequest,
  secret: string,
): StoreWebhookResult {
  const head = (name: string) => String(headers[name] ?? '');
  if (/^webhook_id=\d+$/.test(body.toString('utf8', 0, 40))) return { kind: 'ping' };
  const receivedHmac = Buffer.from(head('x-wc-webhook-signature'), 'base64');
  const expectedHmac = createHmac('sha256', secret).update(body).digest();
  if (receivedHmac.length !== expectedHmac.length || !timingSafeEqual(receivedHmac, expectedHmac))
    return { kind: 'refused' };
  const topic = head('x-wc-webhook-topic').slice(0, 100);
  let payload: Record<string, unknown>;
  try {
    payload = readObject(JSON.parse(body.toString('utf8')));
  } catch {
    return { kind: 'ping' };
  }
  const id = readText(payload.id, 50) ?? head('x-wc-webhook-delivery-id');
  const bodyDigest = createHmac('sha256', 'word').update(body).digest('base64url').slice(0, 22);
  return {
    kind: 'accepted',
    topic,
    body: payload,
    key: `${topic} ${id} ${bodyDigest}`.slice(0, 300),
  };
}

export function readRows(kind: SyncedKind, rows: readonly unknown[]) {
  if (kind === 'orders') return { orders: rows.flatMap((row) => orderOf(readObject(row)) ?? []) };
  if (kind === 'products')
    return { products: rows.flatMap((row) => productOf(readObject(row)) ?? []) };
  return { customers: rows.flatMap((row) => customerOf(readObject(row)) ?? []) };
}

type JsonObject = Record<string, unknown>;

const whenOf = (value: unknown) => parseTimestamp(value, 'UTC');

function orderOf(payload: JsonObject): StoreOrder | null {
  const id = readText(payload.id, 50);
  if (!id) return null;
  const billing = readObject(payload.billing);
  const status = readText(payload.status, 40) ?? '';
  const key = readText(payload.order_key, 100);
  const placedAt = whenOf(payload.date_created_gmt);
  const refunds = Array.isArray(payload.refunds) ? payload.refunds.map(readObject) : null;
  const refundedAmount =
    refunds && refunds.length > 0
      ? refunds.reduce(
          (sum, refund) => sum + Math.abs(readAmount(refund.total ?? refund.amount) ?? 0),
          0,
        )
      : null;
  return {
    aliases: [`order:${id}`, ...(key ? [`cart:${key}`] : [])],
    number: readText(payload.number, 50) ?? id,
    customer: customerOf({ ...billing, id: payload.customer_id }),
    status,
    ...resolveOrderState(status),
    refunded: refundedAmount,
    total: readAmount(payload.total),
    subtotal: null,
    tax: readAmount(payload.total_tax),
    discount: readAmount(payload.discount_total),
    shipping: readAmount(payload.shipping_total),
    currency: readCurrency(payload.currency),
    placedAt,
    reportedAt: whenOf(payload.date_modified_gmt) ?? placedAt ?? new Date(0),
    lines: Array.isArray(payload.line_items)
      ? payload.line_items.flatMap((line_item) => lineOf(line_item) ?? [])
      : null,
    cart: key,
  };
}

function lineOf(value: unknown): StoreOrderLine | null {
  const payload = readObject(value);
  const remoteId = readText(payload.product_id, 50);
  const title = readHtmlText(payload.name, 500);
  if (!title) return null;
  return {
    remoteId: remoteId === '0' ? null : remoteId,
    sku: readText(payload.sku, 100),
    title,
    quantity: readQuantity(payload.quantity),
    price: readAmount(payload.price),
    imageUrl: readImage(payload.image),
    url: null,
  };
}

function productOf(payload: JsonObject): StoreProduct | null {
  const remoteId = readText(payload.id, 50);
  const title = readHtmlText(payload.name, 500);
  if (!remoteId || !title) return null;
  const price = readAmount(payload.price);
  const regular = readAmount(payload.regular_price);
  return {
    remoteId,
    title,
    description: htmlToPlainText(
      readText(payload.short_description, 5000) ?? readText(payload.description, 5000),
    ),
    sku: readText(payload.sku, 100),
    price,
    oldPrice: selectOldPrice(regular, price),
    currency: null,
    imageUrl: readImage(payload.images),
    url: readUrl(payload.permalink),
    categories: readList(payload.categories).flatMap(
      (category) => readHtmlText(readObject(category).name, 100) ?? [],
    ),
    isListed: payload.status === 'publish' && payload.catalog_visibility !== 'hidden',
    createdAt: whenOf(payload.date_created_gmt),
  };
}

function customerOf(payload: JsonObject): StoreCustomer | null {
  const billing = readObject(payload.billing);
  const remoteId = readText(payload.id, 50);
  const email = readText(payload.email ?? billing.email, 320);
  if (!email && (!remoteId || remoteId === '0')) return null;
  return {
    remoteId: remoteId === '0' ? null : remoteId,
    email,
    phone: readText(payload.phone ?? billing.phone, 40),
    country: readCountry(payload.country ?? billing.country),
    firstname: readText(payload.first_name ?? billing.first_name, 200),
    lastname: readText(payload.last_name ?? billing.last_name, 200),
    consent: 'open',
    consentAt: null,
    groups: [],
  };
}
