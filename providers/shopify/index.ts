// Shopify shops by their GraphQL Admin API and webhooks: the owner's own app, its access token and secret.
import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  type Adapter,
  type Credentials,
  type HookCall,
  type HookReading,
  type Kind,
  plain,
  readAmount,
  readCurrency,
  readList,
  readObject,
  readQuantity,
  readText,
  readUrl,
  readWhen,
  ShopError,
  type ToldCustomer,
  type ToldLine,
  type ToldOrder,
  type ToldProduct,
} from '#areas/stores/server/index.ts';
import { askShop, type ShopOptions } from '../shop-http.ts';
import { CUSTOMERS, HOOKS, NEW_HOOK, NO_HOOK, ORDERS, PRODUCTS, SHOP } from './queries.ts';

/** Pinned: fields come and go with versions. */
const VERSION = '2026-07';
const TOPICS = [
  'ORDERS_CREATE',
  'ORDERS_UPDATED',
  'ORDERS_CANCELLED',
  'ORDERS_FULFILLED',
  'CUSTOMERS_CREATE',
  'CUSTOMERS_UPDATE',
  'PRODUCTS_CREATE',
  'PRODUCTS_UPDATE',
  'PRODUCTS_DELETE',
  'APP_UNINSTALLED',
] as const;

type Words = Record<string, unknown>;

export function shopify(options: ShopOptions = {}): Adapter {
  /** `waitMs`: until the bucket holds what such a question costs. */
  const ask = async (
    credentials: Credentials,
    query: string,
    variables: object,
    signal: AbortSignal,
  ): Promise<{ data: Words; waitMs: number }> => {
    const { json } = await askShop(
      `${baseOf(credentials, options)}/admin/api/${VERSION}/graphql.json`,
      {
        method: 'POST',
        headers: {
          'x-shopify-access-token': credentials.key,
          'content-type': 'application/json',
          accept: 'application/json',
        },
        body: JSON.stringify({ query, variables }),
      },
      options,
      signal,
    );
    const { data, errors, extensions } = readObject(json);
    const waitMs = waitOf(readObject(readObject(extensions).cost));
    const [error] = readList(errors).map(readObject);
    if (error) {
      const code = readObject(error.extensions).code;
      if (code === 'THROTTLED')
        throw new ShopError('busy', 'It is throttled.', Math.max(waitMs, 1000));
      if (code === 'ACCESS_DENIED') throw new ShopError('refused', String(error.message));
      throw new ShopError('not_a_shop', readText(error.message, 300) ?? 'It answers an error.');
    }
    return { data: readObject(data), waitMs };
  };
  const hooksTo = async (credentials: Credentials, url: string, signal: AbortSignal) => {
    const { data } = await ask(credentials, HOOKS, {}, signal);
    return nodes(data.webhookSubscriptions).filter(
      (hook) => hook.uri === url || readObject(hook.endpoint).callbackUrl === url,
    );
  };
  return {
    type: 'shopify',
    async check(credentials, signal) {
      const { data } = await ask(credentials, SHOP, {}, signal);
      const shop = readObject(data.shop);
      const domain = readText(readObject(shop.primaryDomain).host ?? shop.myshopifyDomain, 255);
      if (!domain) throw new ShopError('not_a_shop', 'It names no domain.');
      return {
        title: readText(shop.name, 200) ?? domain,
        domain,
        currency: readCurrency(shop.currencyCode) ?? '',
        zone: readText(shop.ianaTimezone, 60),
      };
    },
    /** Signed by the app's own secret, which the owner gave. */
    async registerHooks(credentials, { url }, signal) {
      const known = new Set((await hooksTo(credentials, url, signal)).map((hook) => hook.topic));
      for (const topic of TOPICS) {
        if (!known.has(topic)) await ask(credentials, NEW_HOOK, { topic, url }, signal);
      }
      return credentials.secret;
    },
    async pull(credentials, kind, { since, cursor }, signal) {
      const query = { orders: ORDERS, products: PRODUCTS, customers: CUSTOMERS }[kind];
      const { data, waitMs } = await ask(
        credentials,
        query,
        { after: cursor, query: since ? `updated_at:>='${since.toISOString()}'` : null },
        signal,
      );
      const connection = readObject(data[kind]);
      const page = readObject(connection.pageInfo);
      return {
        ...readRows(kind, nodes(connection)),
        next: page.hasNextPage === true ? readText(page.endCursor, 2000) : null,
        waitMs,
      };
    },
    readHook,
    readTold(topic, body) {
      const words = readObject(body);
      switch (topic) {
        case 'app/uninstalled':
          return { isUninstalled: true };
        case 'products/delete':
          return { goneProducts: [String(words.id)] };
        default:
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
    },
    async disconnect(credentials, { url }, signal) {
      for (const hook of await hooksTo(credentials, url, signal))
        await ask(credentials, NO_HOOK, { id: hook.id }, signal);
    },
  };
}

function baseOf({ address }: Credentials, { isLocal }: ShopOptions): string {
  const text = address.trim().replace(/^(?!https?:\/\/)/i, 'https://');
  if (!URL.canParse(text)) throw new ShopError('unreachable', 'It is no address.');
  const url = new URL(text);
  if (isLocal) return url.origin;
  if (!/^[a-z0-9-]+\.myshopify\.com$/i.test(url.hostname))
    throw new ShopError('not_a_shop', 'It is no myshopify.com address.');
  return `https://${url.hostname}`;
}

function waitOf(cost: Words): number {
  const status = readObject(cost.throttleStatus);
  const needed = Number(cost.requestedQueryCost ?? 0);
  const there = Number(status.currentlyAvailable ?? needed);
  const rate = Number(status.restoreRate ?? 50);
  return needed > there && rate > 0 ? Math.ceil(((needed - there) / rate) * 1000) : 0;
}

const nodes = (connection: unknown): Words[] =>
  readList(readObject(connection).nodes).map(readObject);

/** Signed by a base64 HMAC-SHA256 of the body; each event has an id of its own. */
function readHook({ headers, body }: HookCall, secret: string): HookReading {
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

function readRows(kind: Kind, rows: readonly Words[]) {
  if (kind === 'orders') return { orders: rows.flatMap((row) => orderOf(row) ?? []) };
  if (kind === 'products') return { products: rows.flatMap((row) => productOf(row) ?? []) };
  return { customers: rows.flatMap((row) => customerOf(row) ?? []) };
}

/** `gid://shopify/Order/123` → `123` */
const numberOf = (value: unknown): string | null =>
  readText(value, 200)?.split('/').at(-1)?.split('?')[0] ?? null;

const whenOf = (value: unknown) => readWhen(value, 'UTC');
const moneyOf = (value: unknown): number | null =>
  readAmount(readObject(readObject(value).shopMoney).amount);

function orderOf(words: Words): ToldOrder | null {
  const id = numberOf(words.id);
  if (!id) return null;
  const placedAt = whenOf(words.createdAt);
  const paid = String(words.displayFinancialStatus ?? '').toLowerCase();
  const cart = readText(words.cartToken, 100);
  return {
    names: [`order:${id}`],
    number: readText(words.name, 50),
    customer: customerOf({
      ...readObject(words.customer),
      ...(readText(words.email, 320) ? { email: words.email } : {}),
    }),
    status: paid,
    ...payment(paid, whenOf(words.cancelledAt) !== null),
    isFulfilled: words.displayFulfillmentStatus === 'FULFILLED' || undefined,
    refunded: moneyOf(words.totalRefundedSet),
    total: moneyOf(words.totalPriceSet),
    subtotal: moneyOf(words.subtotalPriceSet),
    tax: moneyOf(words.totalTaxSet),
    discount: moneyOf(words.totalDiscountsSet),
    shipping: moneyOf(words.totalShippingPriceSet),
    currency: readCurrency(words.currencyCode),
    placedAt,
    toldAt: whenOf(words.updatedAt) ?? placedAt ?? new Date(0),
    lines: nodes(words.lineItems).map((line): ToldLine => {
      const product = readObject(line.product);
      return {
        remoteId: numberOf(product.id),
        sku: readText(line.sku, 100),
        title: readText(line.title, 500) ?? '',
        quantity: readQuantity(line.quantity),
        price: moneyOf(line.originalUnitPriceSet),
        imageUrl: readUrl(readObject(line.image).url),
        url: null,
      };
    }),
    cart,
  };
}

function payment(status: string, isCancelled: boolean) {
  return {
    isPaid: !['pending', 'authorized', 'voided', 'expired', ''].includes(status),
    isCancelled,
    isRefunded: status === 'refunded' || undefined,
  };
}

function productOf(words: Words): ToldProduct | null {
  const remoteId = numberOf(words.id);
  const title = readText(words.title, 500);
  if (!remoteId || !title) return null;
  const [variant] = nodes(words.variants);
  const price = readAmount(variant?.price);
  const before = readAmount(variant?.compareAtPrice);
  return {
    remoteId,
    title,
    description: plain(readText(words.description, 5000)),
    sku: readText(variant?.sku, 100),
    price,
    oldPrice: before !== null && price !== null && before > price ? before : null,
    currency: null,
    imageUrl: readUrl(readObject(readObject(readObject(words.featuredMedia).preview).image).url),
    url: readUrl(words.onlineStoreUrl),
    categories: [
      ...new Set(nodes(words.collections).flatMap((one) => readText(one.title, 100) ?? [])),
    ],
    isListed: words.status === 'ACTIVE',
    createdAt: whenOf(words.createdAt),
  };
}

const CONSENTS: Record<string, ToldCustomer['consent']> = {
  subscribed: 'subscribed',
  unsubscribed: 'unsubscribed',
};

function customerOf(words: Words): ToldCustomer | null {
  const address = readObject(words.defaultEmailAddress);
  const remoteId = numberOf(words.id);
  const email = readText(words.email ?? address.emailAddress, 320);
  if (!email && !remoteId) return null;
  return {
    remoteId,
    email,
    phone: readText(readObject(words.defaultPhoneNumber).phoneNumber, 40),
    firstname: readText(words.firstName, 200),
    lastname: readText(words.lastName, 200),
    consent: CONSENTS[String(address.marketingState ?? '').toLowerCase()] ?? 'open',
    consentAt: whenOf(address.marketingUpdatedAt),
    groups: [],
  };
}

// Hooks speak the older form of the same facts.

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
