// Verifies and maps Shopify's webhooks. Their bodies have the form of Shopify's REST API; the pulls
// of the adapter use GraphQL.
import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  type Adapter,
  type StoreWebhookRequest,
  type StoreWebhookResult,
  htmlToPlainText,
  selectOldPrice,
  readAmount,
  readCountry,
  readCurrency,
  readList,
  readObject,
  readQuantity,
  readText,
  readUrl,
  type StoreCustomer,
  type StoreOrderLine,
  type StoreOrder,
  type StoreProduct,
} from '#areas/stores/server/index.ts';
import { readPrivacyRequest } from './privacy-facts.ts';
import { CONSENTS, readGidNumber, payment, type JsonObject, readUtcTime } from './shared-facts.ts';

/** Maps a webhook; undefined if the topic is irrelevant. */
export function readStoreWebhook(
  topic: string,
  body: unknown,
  { now }: { now: Date },
): ReturnType<Adapter['parseWebhook']> {
  const payload = readObject(body);
  const request = readPrivacyRequest(topic, payload);
  if (request) return { privacyRequests: [request] };
  if (topic === 'app/uninstalled') return { isUninstalled: true };
  if (topic === 'products/delete') return { deletedProducts: [String(payload.id)] };
  // A test order is not a purchase.
  if (topic.startsWith('orders/') && payload.test === true) return {};
  if (topic === 'orders/delete') {
    const order = orderOf({ id: payload.id, cancelled_at: now, financial_status: 'deleted' });
    return order ? { orders: [{ ...order, reportedAt: now, lines: null }] } : {};
  }
  if (topic.startsWith('orders/')) {
    const order = orderOf(payload);
    return order ? { orders: [order] } : {};
  }
  if (topic.startsWith('products/')) {
    const product = productOf(payload);
    return product ? { products: [product] } : {};
  }
  if (!topic.startsWith('customers/')) return undefined;
  const customer = customerOf(payload);
  return customer ? { customers: [customer] } : {};
}

/**
 * Verifies the signature, a base64 HMAC-SHA256 of the body. The `key` identifies an event by its id
 * or, if it has none, by a digest of the body.
 */
export function verifyWebhook(
  { headers, body }: StoreWebhookRequest,
  secret: string,
): StoreWebhookResult {
  const head = (name: string) => String(headers[name] ?? '');
  const receivedHmac = Buffer.from(head('x-shopify-hmac-sha256'), 'base64');
  const expectedHmac = createHmac('sha256', secret).update(body).digest();
  if (receivedHmac.length !== expectedHmac.length || !timingSafeEqual(receivedHmac, expectedHmac))
    return { kind: 'refused' };
  let payload: unknown;
  try {
    payload = JSON.parse(body.toString('utf8'));
  } catch {
    return { kind: 'ping' };
  }
  const topic = head('x-shopify-topic').toLowerCase().slice(0, 100);
  const id = head('x-shopify-event-id') || head('x-shopify-webhook-id');
  const bodyDigest = createHmac('sha256', 'word').update(body).digest('base64url').slice(0, 16);
  return {
    kind: 'accepted',
    topic,
    body: payload,
    key: `${topic} ${id || bodyDigest}`.slice(0, 300),
  };
}

function orderOf(payload: JsonObject): StoreOrder | null {
  const id = readGidNumber(payload.id);
  if (!id) return null;
  const placedAt = readUtcTime(payload.created_at);
  const status = String(payload.financial_status ?? '').toLowerCase();
  const currency = readCurrency(payload.currency);
  const address = readObject(payload.billing_address ?? payload.shipping_address);
  return {
    aliases: [`order:${id}`],
    number: readText(payload.name, 50),
    customer: customerOf({
      ...readObject(payload.customer),
      ...(readText(payload.email, 320) ? { email: payload.email } : {}),
      ...(readText(payload.phone, 40) ? { phone: payload.phone } : {}),
      country: address.country_code,
    }),
    status,
    ...payment(status, readUtcTime(payload.cancelled_at) !== null),
    isFulfilled: payload.fulfillment_status === 'fulfilled' || undefined,
    refunded: refundedOf(readList(payload.refunds), currency),
    total: readAmount(payload.total_price),
    subtotal: readAmount(payload.subtotal_price),
    tax: readAmount(payload.total_tax),
    discount: readAmount(payload.total_discounts),
    shipping: moneyOf(payload.total_shipping_price_set),
    currency,
    placedAt,
    reportedAt: readUtcTime(payload.updated_at) ?? placedAt ?? new Date(0),
    lines: readList(payload.line_items).map((value): StoreOrderLine => {
      const line = readObject(value);
      return {
        remoteId: readGidNumber(line.product_id),
        sku: readText(line.sku, 100),
        title: readText(line.title, 500) ?? '',
        quantity: readQuantity(line.quantity),
        price: readAmount(line.price),
        imageUrl: null,
        url: null,
      };
    }),
    cart: readText(payload.cart_token, 100),
  };
}

const moneyOf = (value: unknown): number | null =>
  readAmount(readObject(readObject(value).shop_money).amount);

/**
 * Returns the sum of successful refunds in the order's currency; null if the order has no refunds
 * at all, or if an amount is only in another currency.
 */
function refundedOf(refunds: readonly unknown[], currency: string | null): number | null {
  if (refunds.length === 0) return null;
  const amounts = refunds
    .flatMap((refund) => readList(readObject(refund).transactions).map(readObject))
    .filter((transaction) => transaction.kind === 'refund' && transaction.status === 'success')
    .map((transaction) => amountIn(transaction, currency));
  return amounts.reduce<number | null>(
    (sum, amount) => (sum === null || amount === null ? null : sum + amount),
    0,
  );
}

/**
 * Returns the amount in the order's currency, which may be the currency of the store or of the
 * buyer; null if the transaction has no amount in this currency. An amount without a currency is
 * treated as being in the order's currency.
 */
function amountIn(transaction: JsonObject, currency: string | null): number | null {
  const { shop_money: shop, presentment_money: presentment } = readObject(transaction.amount_set);
  const matchingAmount = [readObject(shop), readObject(presentment)].find(
    (money) => readCurrency(money.currency_code) === currency,
  );
  if (matchingAmount) return readAmount(matchingAmount.amount);
  const transactionCurrency = readCurrency(transaction.currency);
  return transactionCurrency === null || transactionCurrency === currency
    ? readAmount(transaction.amount)
    : null;
}

function productOf(payload: JsonObject): StoreProduct | null {
  const remoteId = readGidNumber(payload.id);
  const title = readText(payload.title, 500);
  if (!remoteId || !title) return null;
  const [variant] = readList(payload.variants).map(readObject);
  const price = readAmount(variant?.price);
  const compareAtPrice = readAmount(variant?.compare_at_price);
  return {
    remoteId,
    title,
    description: htmlToPlainText(readText(payload.body_html, 5000)),
    sku: readText(variant?.sku, 100),
    price,
    oldPrice: selectOldPrice(compareAtPrice, price),
    currency: null,
    imageUrl: readUrl(readObject(payload.image).src),
    url: null,
    // Webhooks omit collections, so collections of an earlier pull remain.
    categories: [],
    isListed: payload.status === undefined || payload.status === 'active',
    createdAt: readUtcTime(payload.created_at),
  };
}

function customerOf(payload: JsonObject): StoreCustomer | null {
  const consent = readObject(payload.email_marketing_consent);
  const address = readObject(payload.default_address);
  const remoteId = readGidNumber(payload.id);
  const email = readText(payload.email, 320);
  if (!email && !remoteId) return null;
  return {
    remoteId,
    email,
    phone: readText(payload.phone ?? address.phone, 40),
    country: readCountry(payload.country ?? address.country_code),
    firstname: readText(payload.first_name, 200),
    lastname: readText(payload.last_name, 200),
    consent: CONSENTS[String(consent.state ?? '').toLowerCase()] ?? 'open',
    consentAt: readUtcTime(consent.consent_updated_at),
    groups: [],
  };
}
