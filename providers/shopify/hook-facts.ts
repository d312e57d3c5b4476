// What Shopify tells by itself: its hooks speak the older form of the same facts.
import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  type Adapter,
  type HookCall,
  type HookReading,
  plain,
  readAmount,
  readCurrency,
  readList,
  readObject,
  readQuantity,
  readText,
  readUrl,
  type ToldCustomer,
  type ToldLine,
  type ToldOrder,
  type ToldProduct,
} from '#areas/stores/server/index.ts';
import { CONSENTS, numberOf, payment, type Words, whenOf } from './shared-facts.ts';

/** Undefined for a topic that means nothing here. */
export function readTold(topic: string, body: unknown): ReturnType<Adapter['readTold']> {
  const words = readObject(body);
  if (topic === 'app/uninstalled') return { isUninstalled: true };
  if (topic === 'products/delete') return { goneProducts: [String(words.id)] };
  if (topic.startsWith('orders/')) {
    const order = orderHook(words);
    return order ? { orders: [order] } : {};
  }
  if (topic.startsWith('products/')) {
    const product = productHook(words);
    return product ? { products: [product] } : {};
  }
  if (!topic.startsWith('customers/')) return undefined;
  const customer = customerHook(words);
  return customer ? { customers: [customer] } : {};
}

/** Signed by a base64 HMAC-SHA256 of the body; each event has an id of its own. */
export function readHook({ headers, body }: HookCall, secret: string): HookReading {
  const head = (name: string) => String(headers[name] ?? '');
  const given = Buffer.from(head('x-shopify-hmac-sha256'), 'base64');
  const right = createHmac('sha256', secret).update(body).digest();
  if (given.length !== right.length || !timingSafeEqual(given, right)) return { is: 'refused' };
  let words: unknown;
  try {
    words = JSON.parse(body.toString('utf8'));
  } catch {
    return { is: 'ping' };
  }
  const topic = head('x-shopify-topic').toLowerCase().slice(0, 100);
  const id = head('x-shopify-event-id') || head('x-shopify-webhook-id');
  const mark = createHmac('sha256', 'word').update(body).digest('base64url').slice(0, 16);
  return { is: 'told', topic, body: words, key: `${topic} ${id || mark}`.slice(0, 300) };
}

function orderHook(words: Words): ToldOrder | null {
  const id = numberOf(words.id);
  if (!id) return null;
  const placedAt = whenOf(words.created_at);
  const status = String(words.financial_status ?? '').toLowerCase();
  const refunds = readList(words.refunds).map(readObject);
  return {
    names: [`order:${id}`],
    number: readText(words.name, 50),
    customer: customerHook({
      ...readObject(words.customer),
      ...(readText(words.email, 320) ? { email: words.email } : {}),
    }),
    status,
    ...payment(status, whenOf(words.cancelled_at) !== null),
    isFulfilled: words.fulfillment_status === 'fulfilled' || undefined,
    refunded: refunds.length > 0 ? refunds.reduce((sum, one) => sum + backOf(one), 0) : null,
    total: readAmount(words.total_price),
    subtotal: readAmount(words.subtotal_price),
    tax: readAmount(words.total_tax),
    discount: readAmount(words.total_discounts),
    shipping: moneyHook(words.total_shipping_price_set),
    currency: readCurrency(words.currency),
    placedAt,
    toldAt: whenOf(words.updated_at) ?? placedAt ?? new Date(0),
    lines: readList(words.line_items).map((value): ToldLine => {
      const line = readObject(value);
      return {
        remoteId: numberOf(line.product_id),
        sku: readText(line.sku, 100),
        title: readText(line.title, 500) ?? '',
        quantity: readQuantity(line.quantity),
        price: readAmount(line.price),
        imageUrl: null,
        url: null,
      };
    }),
    cart: readText(words.cart_token, 100),
  };
}

const moneyHook = (value: unknown): number | null =>
  readAmount(readObject(readObject(value).shop_money).amount);

const backOf = (refund: Words): number =>
  readList(refund.transactions)
    .map(readObject)
    .filter((one) => one.kind === 'refund' && one.status !== 'failure')
    .reduce((sum, one) => sum + (readAmount(one.amount) ?? 0), 0);

function productHook(words: Words): ToldProduct | null {
  const remoteId = numberOf(words.id);
  const title = readText(words.title, 500);
  if (!remoteId || !title) return null;
  const [variant] = readList(words.variants).map(readObject);
  const price = readAmount(variant?.price);
  const before = readAmount(variant?.compare_at_price);
  return {
    remoteId,
    title,
    description: plain(readText(words.body_html, 5000)),
    sku: readText(variant?.sku, 100),
    price,
    oldPrice: before !== null && price !== null && before > price ? before : null,
    currency: null,
    imageUrl: readUrl(readObject(words.image).src),
    url: null,
    categories: readText(words.product_type, 100) ? [String(words.product_type)] : [],
    isListed: words.status === undefined || words.status === 'active',
    createdAt: whenOf(words.created_at),
  };
}

function customerHook(words: Words): ToldCustomer | null {
  const consent = readObject(words.email_marketing_consent);
  const remoteId = numberOf(words.id);
  const email = readText(words.email, 320);
  if (!email && !remoteId) return null;
  return {
    remoteId,
    email,
    phone: readText(words.phone, 40),
    firstname: readText(words.first_name, 200),
    lastname: readText(words.last_name, 200),
    consent: CONSENTS[String(consent.state ?? '').toLowerCase()] ?? 'open',
    consentAt: whenOf(consent.consent_updated_at),
    groups: [],
  };
}
