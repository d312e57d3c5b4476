// Connects WooCommerce stores over their REST API, version 3, and webhooks. Stores accept Basic
// authentication over https only.
import {
  type Adapter,
  type StoreCredentials,
  type SyncedKind,
  readCurrency,
  readHtmlText,
  readList,
  readObject,
  readText,
  StoreError,
} from '#areas/stores/server/index.ts';
import { requestShop, type ShopOptions } from '../shop-http.ts';
import { verifyWebhook, readRows, readStoreWebhook } from './payloads.ts';

const PER_PAGE = 100;
const TOPICS = [
  'order.created',
  'order.updated',
  'order.deleted',
  'order.restored',
  'product.created',
  'product.updated',
  'product.deleted',
  'product.restored',
  'customer.created',
  'customer.updated',
] as const;

export function woocommerce(options: ShopOptions = {}, type = 'woocommerce'): Adapter {
  const request: WooCommerceRequest = (credentials, path, signal, method, body) =>
    requestAt(baseOf(credentials, options), credentials, { path, method, body }, options, signal);
  return {
    type,
    check: (credentials, signal) =>
      check(request, credentials, baseOf(credentials, options), signal),
    async registerWebhooks(credentials, { url, secret }, signal) {
      await registerHooks(request, credentials, { url, secret }, signal);
      return secret;
    },
    fetchChanges: (credentials, kind, from, signal) =>
      pull(request, credentials, kind, from, signal),
    verifyWebhook,
    parseWebhook: readStoreWebhook,
    async disconnect(credentials, { url }, signal) {
      for (const hook of await hooksTo(request, credentials, url, signal)) {
        const path = `${WEBHOOKS}/${String(hook.id)}?force=true`;
        await request(credentials, path, signal, 'DELETE');
      }
    },
  };
}

const WEBHOOKS = '/wp-json/wc/v3/webhooks';

type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';
type WooCommerceRequest = (
  credentials: StoreCredentials,
  path: string,
  signal: AbortSignal,
  method?: HttpMethod,
  body?: object,
) => ReturnType<typeof requestShop>;

function requestAt(
  base: string,
  { key, secret }: StoreCredentials,
  {
    path,
    method = 'GET',
    body,
  }: { path: string; method: HttpMethod | undefined; body?: object | undefined },
  options: ShopOptions,
  signal: AbortSignal,
): ReturnType<typeof requestShop> {
  const headers = {
    authorization: `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`,
    accept: 'application/json',
    'user-agent': 'Sendloom',
    ...(body && { 'content-type': 'application/json' }),
  };
  const request = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  return requestShop(`${base}${path}`, request, options, signal);
}

async function check(
  request: WooCommerceRequest,
  credentials: StoreCredentials,
  base: string,
  signal: AbortSignal,
): ReturnType<Adapter['check']> {
  const { json } = await request(credentials, '/wp-json/wc/v3/settings/general', signal);
  const settings = new Map(
    readList(json).map((setting) => [readObject(setting).id, readObject(setting).value] as const),
  );
  if (!settings.has('woocommerce_currency'))
    throw new StoreError('not_a_shop', 'The response names no currency.');
  const { host, pathname } = new URL(base);
  const { json: site } = await request(credentials, '/wp-json/', signal);
  const { name, timezone_string: zone } = readObject(site);
  return {
    title: readHtmlText(name, 200) ?? host,
    domain: host + pathname,
    currency: readCurrency(settings.get('woocommerce_currency')) ?? '',
    zone: zoneOf(zone),
  };
}

async function hooksTo(
  request: WooCommerceRequest,
  credentials: StoreCredentials,
  url: string,
  signal: AbortSignal,
) {
  const { json } = await request(credentials, `${WEBHOOKS}?per_page=100`, signal);
  return readList(json)
    .map(readObject)
    .filter((hook) => hook.delivery_url === url);
}

async function registerHooks(
  request: WooCommerceRequest,
  credentials: StoreCredentials,
  { url, secret }: { url: string; secret: string },
  signal: AbortSignal,
): Promise<void> {
  const existingHooks = await hooksTo(request, credentials, url, signal);
  for (const topic of TOPICS) {
    const hook = existingHooks.find((setting) => setting.topic === topic);
    const body = { name: `Sendloom: ${topic}`, topic, delivery_url: url, secret, status: 'active' };
    const path = hook ? `${WEBHOOKS}/${String(hook.id)}` : WEBHOOKS;
    await request(credentials, path, signal, hook ? 'PUT' : 'POST', body);
  }
}

async function pull(
  request: WooCommerceRequest,
  credentials: StoreCredentials,
  kind: SyncedKind,
  { since, cursor }: Parameters<Adapter['fetchChanges']>[2],
  signal: AbortSignal,
): ReturnType<Adapter['fetchChanges']> {
  const page = Number(cursor ?? 1);
  const query = new URLSearchParams({
    per_page: String(PER_PAGE),
    page: String(page),
    ...orderOfPages(kind, since),
  });
  const { response, json } = await request(credentials, `/wp-json/wc/v3/${kind}?${query}`, signal);
  if (!Array.isArray(json)) throw new StoreError('not_a_shop', 'The response is not a list.');
  const pages = Number(response.headers['x-wp-totalpages'] ?? 0);
  const hasMore = pages > 0 ? page < pages : json.length === PER_PAGE;
  return { ...readRows(kind, json), next: hasMore ? String(page + 1) : null };
}

/**
 * Parameters for a stable order, so that pages neither overlap nor skip rows while data changes.
 */
function orderOfPages(kind: SyncedKind, since: Date | null): Record<string, string> {
  if (kind === 'customers') return { orderby: 'id', order: 'asc', role: 'all' };
  return {
    orderby: since ? 'modified' : 'id',
    order: 'asc',
    dates_are_gmt: 'true',
    ...(since ? { modified_after: since.toISOString().slice(0, 19) } : {}),
  };
}

/** Returns the store's URL without a trailing slash. Basic authentication requires https. */
function baseOf({ address }: StoreCredentials, { isLocal }: ShopOptions): string {
  const text = address.trim().replace(/^(?!https?:\/\/)/i, 'https://');
  if (!URL.canParse(text)) throw new StoreError('unreachable', 'The address is invalid.');
  const url = new URL(text);
  if (url.protocol !== 'https:' && !isLocal)
    throw new StoreError('https_needed', 'The address does not use https.');
  return `${url.origin}${url.pathname.replace(/\/((wp-json|wp-admin)[^]*)?$/, '')}`;
}

const zoneOf = (value: unknown): string | null => {
  const zone = readText(value, 60);
  if (!zone) return null;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
};
