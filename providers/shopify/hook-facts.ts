// Maps Shopify's webhooks, which use the older form of the same data.
import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  type Adapter,
  type HookCall,
  type HookReading,
  plain,
  readAmount,
  readCountry,
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

/** Undefined for an irrelevant topic. */
export function readTold(
  topic: string,
  body: unknown,
  { now }: { now: Date },
): ReturnType<Adapter['readTold']> {
  const words = readObject(body);
  if (topic === 'app/uninstalled') return { isUninstalled: true };
  if (topic === 'products/delete') return { goneProducts: [String(words.id)] };
  // A test order is not a purchase.
  if (topic.startsWith('orders/') && words.test === true) return {};
  if (topic === 'orders/delete') {
    const order = orderHook({ id: words.id, cancelled_at: now, financial_status: 'deleted' });
    return order ? { orders: [{ ...order, toldAt: now, lines: null }] } : {};
  }
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

/** Signed by a base64 HMAC-SHA256 of the body; each event has a unique id. */
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
  const currency = readCurrency(words.currency);
  const address = readObject(words.billing_address ?? words.shipping_address);
  return {
    names: [`order:${id}`],
    number: readText(words.name, 50),
    customer: customerHook({
      ...readObject(words.customer),
      ...(readText(words.email, 320) ? { email: words.email } : {}),
      ...(readText(words.phone, 40) ? { phone: words.phone } : {}),
      country: address.country_code,
    }),
    status,
    ...payment(status, whenOf(words.cancelled_at) !== null),
    isFulfilled: words.fulfillment_status === 'fulfilled' || undefined,
    refunded: refundedOf(readList(words.refunds), currency),
    total: readAmount(words.total_price),
    subtotal: readAmount(words.subtotal_price),
    tax: readAmount(words.total_tax),
    discount: readAmount(words.total_discounts),
    shipping: moneyHook(words.total_shipping_price_set),
    currency,
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

/**
 * Successful refunds in the order's currency; null without refunds, or where an amount is in
 * another currency only.
 */
function refundedOf(refunds: readonly unknown[], currency: string | null): number | null {
  if (refunds.length === 0) return null;
  const amounts = refunds
    .flatMap((refund) => readList(readObject(refund).transactions).map(readObject))
    .filter((one) => one.kind === 'refund' && one.status === 'success')
    .map((one) => amountIn(one, currency));
  return amounts.reduce<number | null>(
    (sum, amount) => (sum === null || amount === null ? null : sum + amount),
    0,
  );
}

/** A buyer may pay in another currency; the store's currency is included too. */
function amountIn(transaction: Words, currency: string | null): number | null {
  const { shop_money: shop, presentment_money: presentment } = readObject(transaction.amount_set);
  const own = [readObject(shop), readObject(presentment)].find(
    (money) => readCurrency(money.currency_code) === currency,
  );
  if (own) return readAmount(own.amount);
  const told = readCurrency(transaction.currency);
  return told === null || told === currency ? readAmount(transaction.amount) : null;
}

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
    // Webhooks omit collections, so collections of an earlier pull remain.
    categories: [],
    isListed: words.status === undefined || words.status === 'active',
    createdAt: whenOf(words.created_at),
  };
}

function customerHook(words: Words): ToldCustomer | null {
  const consent = readObject(words.email_marketing_consent);
  const address = readObject(words.default_address);
  const remoteId = numberOf(words.id);
  const email = readText(words.email, 320);
  if (!email && !remoteId) return null;
  return {
    remoteId,
    email,
    phone: readText(words.phone ?? address.phone, 40),
    country: readCountry(words.country ?? address.country_code),
    firstname: readText(words.first_name, 200),
    lastname: readText(words.last_name, 200),
    consent: CONSENTS[String(consent.state ?? '').toLowerCase()] ?? 'open',
    consentAt: whenOf(consent.consent_updated_at),
    groups: [],
  };
}
