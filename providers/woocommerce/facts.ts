// Maps WooCommerce's responses and webhooks to store payloads. Times that end in _gmt are UTC.
import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  type Adapter,
  type HookCall,
  type HookReading,
  imageOf,
  type Kind,
  plain,
  readAmount,
  readCountry,
  readCurrency,
  readHtmlText,
  readList,
  readObject,
  readQuantity,
  readText,
  readUrl,
  readWhen,
  stateOf,
  type ToldCustomer,
  type ToldLine,
  type ToldOrder,
  type ToldProduct,
} from '#areas/stores/server/index.ts';

/** Undefined for an irrelevant topic. */
export function readTold(
  topic: string,
  body: unknown,
  { now }: { now: Date },
): ReturnType<Adapter['readTold']> {
  const [subject, act] = topic.split('.');
  const words = readObject(body);
  if (subject === 'order') {
    const order = orderOf(act === 'deleted' ? { ...words, status: 'trash' } : words);
    if (!order) return {};
    // Deleting and restoring change no time of the order itself, and a deletion contains the id
    // only.
    const isMoved = act === 'deleted' || act === 'restored';
    return { orders: [isMoved && order.toldAt < now ? { ...order, toldAt: now } : order] };
  }
  if (subject === 'product') {
    const id = readText(words.id, 50);
    if (act === 'deleted') return id ? { goneProducts: [id] } : {};
    const product = productOf(words);
    return product ? { products: [product] } : {};
  }
  if (subject !== 'customer') return undefined;
  const customer = customerOf(words);
  return customer ? { customers: [customer] } : {};
}

/**
 * Signed by a base64 HMAC-SHA256 of the body. The first call is an unsigned form `webhook_id=…` and
 * must get 200. Delivery ids repeat within a second, and so do modification times: a store that refunds an
 * order in the second of its payment sends two events. A webhook is therefore identified by its
 * topic, its id and its whole body.
 */
export function readHook({ headers, body }: HookCall, secret: string): HookReading {
  const head = (name: string) => String(headers[name] ?? '');
  if (/^webhook_id=\d+$/.test(body.toString('utf8', 0, 40))) return { is: 'ping' };
  const given = Buffer.from(head('x-wc-webhook-signature'), 'base64');
  const right = createHmac('sha256', secret).update(body).digest();
  if (given.length !== right.length || !timingSafeEqual(given, right)) return { is: 'refused' };
  const topic = head('x-wc-webhook-topic').slice(0, 100);
  let words: Record<string, unknown>;
  try {
    words = readObject(JSON.parse(body.toString('utf8')));
  } catch {
    return { is: 'ping' };
  }
  const id = readText(words.id, 50) ?? head('x-wc-webhook-delivery-id');
  const mark = createHmac('sha256', 'word').update(body).digest('base64url').slice(0, 22);
  return { is: 'told', topic, body: words, key: `${topic} ${id} ${mark}`.slice(0, 300) };
}

export function readRows(kind: Kind, rows: readonly unknown[]) {
  if (kind === 'orders') return { orders: rows.flatMap((row) => orderOf(readObject(row)) ?? []) };
  if (kind === 'products')
    return { products: rows.flatMap((row) => productOf(readObject(row)) ?? []) };
  return { customers: rows.flatMap((row) => customerOf(readObject(row)) ?? []) };
}

type Words = Record<string, unknown>;

const whenOf = (value: unknown) => readWhen(value, 'UTC');

function orderOf(words: Words): ToldOrder | null {
  const id = readText(words.id, 50);
  if (!id) return null;
  const billing = readObject(words.billing);
  const status = readText(words.status, 40) ?? '';
  const key = readText(words.order_key, 100);
  const placedAt = whenOf(words.date_created_gmt);
  const refunds = Array.isArray(words.refunds) ? words.refunds.map(readObject) : null;
  const refunded =
    refunds && refunds.length > 0
      ? refunds.reduce((sum, one) => sum + Math.abs(readAmount(one.total ?? one.amount) ?? 0), 0)
      : null;
  return {
    names: [`order:${id}`, ...(key ? [`cart:${key}`] : [])],
    number: readText(words.number, 50) ?? id,
    customer: customerOf({ ...billing, id: words.customer_id }),
    status,
    ...stateOf(status),
    refunded,
    total: readAmount(words.total),
    subtotal: null,
    tax: readAmount(words.total_tax),
    discount: readAmount(words.discount_total),
    shipping: readAmount(words.shipping_total),
    currency: readCurrency(words.currency),
    placedAt,
    toldAt: whenOf(words.date_modified_gmt) ?? placedAt ?? new Date(0),
    lines: Array.isArray(words.line_items)
      ? words.line_items.flatMap((one) => lineOf(one) ?? [])
      : null,
    cart: key,
  };
}

function lineOf(value: unknown): ToldLine | null {
  const words = readObject(value);
  const remoteId = readText(words.product_id, 50);
  const title = readHtmlText(words.name, 500);
  if (!title) return null;
  return {
    remoteId: remoteId === '0' ? null : remoteId,
    sku: readText(words.sku, 100),
    title,
    quantity: readQuantity(words.quantity),
    price: readAmount(words.price),
    imageUrl: imageOf(words.image),
    url: null,
  };
}

function productOf(words: Words): ToldProduct | null {
  const remoteId = readText(words.id, 50);
  const title = readHtmlText(words.name, 500);
  if (!remoteId || !title) return null;
  const price = readAmount(words.price);
  const regular = readAmount(words.regular_price);
  return {
    remoteId,
    title,
    description: plain(
      readText(words.short_description, 5000) ?? readText(words.description, 5000),
    ),
    sku: readText(words.sku, 100),
    price,
    oldPrice: regular !== null && price !== null && regular > price ? regular : null,
    currency: null,
    imageUrl: imageOf(words.images),
    url: readUrl(words.permalink),
    categories: readList(words.categories).flatMap(
      (one) => readHtmlText(readObject(one).name, 100) ?? [],
    ),
    isListed: words.status === 'publish' && words.catalog_visibility !== 'hidden',
    createdAt: whenOf(words.date_created_gmt),
  };
}

function customerOf(words: Words): ToldCustomer | null {
  const billing = readObject(words.billing);
  const remoteId = readText(words.id, 50);
  const email = readText(words.email ?? billing.email, 320);
  if (!email && (!remoteId || remoteId === '0')) return null;
  return {
    remoteId: remoteId === '0' ? null : remoteId,
    email,
    phone: readText(words.phone ?? billing.phone, 40),
    country: readCountry(words.country ?? billing.country),
    firstname: readText(words.first_name ?? billing.first_name, 200),
    lastname: readText(words.last_name ?? billing.last_name, 200),
    consent: 'open',
    consentAt: null,
    groups: [],
  };
}
