// Connects Shopify stores over the GraphQL Admin API and webhooks, through the owner's app (client
// id and secret) or an older custom app (access token and secret).
import {
  type Adapter,
  type StoreCredentials,
  type SyncedKind,
  readCurrency,
  readList,
  readObject,
  readText,
  StoreError,
} from '#areas/stores/server/index.ts';
import { requestShop, type ShopOptions } from '../shop-http.ts';
import { readRows } from './graphql-facts.ts';
import { verifyWebhook, readStoreWebhook } from './hook-facts.ts';
import { CUSTOMERS, HOOKS, CREATE_HOOK, DELETE_HOOK, ORDERS, PRODUCTS, SHOP } from './queries.ts';
import { PRIVACY_TOPICS } from './privacy-facts.ts';
import { nodes, type JsonObject } from './shared-facts.ts';
import { newTokens } from './tokens.ts';

/** A fixed version, because fields change between versions. */
const VERSION = '2026-07';
const TOPICS = [
  'ORDERS_CREATE',
  'ORDERS_UPDATED',
  'ORDERS_CANCELLED',
  'ORDERS_FULFILLED',
  'ORDERS_DELETE',
  'CUSTOMERS_CREATE',
  'CUSTOMERS_UPDATE',
  'PRODUCTS_CREATE',
  'PRODUCTS_UPDATE',
  'PRODUCTS_DELETE',
  'APP_UNINSTALLED',
] as const;

export function shopify(options: ShopOptions = {}): Adapter {
  const tokens = newTokens(options);
  const runQuery: ShopifyQuery = async (credentials, query, variables, signal) => {
    const base = baseOf(credentials, options);
    return tokens.withToken(base, credentials, signal, (token) =>
      requestGraphql(base, token, { query, variables }, options, signal),
    );
  };
  return {
    type: 'shopify',
    check: (credentials, signal) => check(runQuery, credentials, signal),
    /** Creates the missing webhooks. Returns the app's secret, which Shopify signs them with. */
    async registerWebhooks(credentials, { url, onRefused }, signal) {
      const hooks = await hooksTo(runQuery, credentials, url, signal);
      const existingTopics = new Set(hooks.map((hook) => hook.topic));
      for (const topic of TOPICS) {
        if (existingTopics.has(topic)) continue;
        const { data } = await runQuery(credentials, CREATE_HOOK, { topic, url }, signal);
        const reason = refusalOf(data);
        if (reason !== undefined) onRefused?.(topic, reason);
      }
      return credentials.secret;
    },
    fetchChanges: (credentials, kind, from, signal) =>
      pull(runQuery, credentials, kind, from, signal),
    verifyWebhook,
    parseWebhook: readStoreWebhook,
    privacyTopics: PRIVACY_TOPICS,
    async disconnect(credentials, { url }, signal) {
      for (const hook of await hooksTo(runQuery, credentials, url, signal))
        await runQuery(credentials, DELETE_HOOK, { id: hook.id }, signal);
    },
  };
}

/** `waitMs` is the time until the rate limit allows the next query of this cost. */
type GraphqlResponse = { data: JsonObject; waitMs: number };
type ShopifyQuery = (
  credentials: StoreCredentials,
  query: string,
  variables: object,
  signal: AbortSignal,
) => Promise<GraphqlResponse>;

async function requestGraphql(
  base: string,
  token: string,
  graphqlBody: { query: string; variables: object },
  options: ShopOptions,
  signal: AbortSignal,
): Promise<GraphqlResponse> {
  const headers = {
    'x-shopify-access-token': token,
    'content-type': 'application/json',
    accept: 'application/json',
  };
  const { json } = await requestShop(
    `${base}/admin/api/${VERSION}/graphql.json`,
    { method: 'POST', headers, body: JSON.stringify(graphqlBody) },
    options,
    signal,
  );
  const { data, errors, extensions } = readObject(json);
  const waitMs = waitOf(readObject(readObject(extensions).cost));
  const [error] = readList(errors).map(readObject);
  if (error) throw errorOf(error, waitMs);
  return { data: readObject(data), waitMs };
}

function errorOf({ extensions, message }: JsonObject, waitMs: number): StoreError {
  const { code } = readObject(extensions);
  if (code === 'THROTTLED')
    return new StoreError('busy', 'The API limits the rate of requests.', Math.max(waitMs, 1000));
  if (code === 'ACCESS_DENIED') return new StoreError('refused', String(message));
  return new StoreError('not_a_shop', readText(message, 300) ?? 'The API responded with an error.');
}

async function hooksTo(
  runQuery: ShopifyQuery,
  credentials: StoreCredentials,
  url: string,
  signal: AbortSignal,
) {
  const { data } = await runQuery(credentials, HOOKS, {}, signal);
  return nodes(data.webhookSubscriptions).filter(
    (hook) => hook.uri === url || readObject(hook.endpoint).callbackUrl === url,
  );
}

async function check(
  runQuery: ShopifyQuery,
  credentials: StoreCredentials,
  signal: AbortSignal,
): ReturnType<Adapter['check']> {
  const { data } = await runQuery(credentials, SHOP, {}, signal);
  const shop = readObject(data.shop);
  const domain = readText(readObject(shop.primaryDomain).host ?? shop.myshopifyDomain, 255);
  if (!domain) throw new StoreError('not_a_shop', 'The response names no domain.');
  return {
    title: readText(shop.name, 200) ?? domain,
    domain,
    currency: readCurrency(shop.currencyCode) ?? '',
    zone: readText(shop.ianaTimezone, 60),
  };
}

async function pull(
  runQuery: ShopifyQuery,
  credentials: StoreCredentials,
  kind: SyncedKind,
  { since, cursor }: Parameters<Adapter['fetchChanges']>[2],
  signal: AbortSignal,
): ReturnType<Adapter['fetchChanges']> {
  const query = { orders: ORDERS, products: PRODUCTS, customers: CUSTOMERS }[kind];
  const updatedFilter = since ? `updated_at:>='${since.toISOString()}'` : null;
  const { data, waitMs } = await runQuery(
    credentials,
    query,
    { after: cursor, query: updatedFilter },
    signal,
  );
  const connection = readObject(data[kind]);
  const page = readObject(connection.pageInfo);
  return {
    ...readRows(kind, nodes(connection)),
    next: page.hasNextPage === true ? readText(page.endCursor, 2000) : null,
    waitMs,
  };
}

function baseOf({ address }: StoreCredentials, { isLocal }: ShopOptions): string {
  const text = address.trim().replace(/^(?!https?:\/\/)/i, 'https://');
  if (!URL.canParse(text)) throw new StoreError('unreachable', 'The address is invalid.');
  const url = new URL(text);
  if (isLocal) return url.origin;
  if (!/^[a-z0-9-]+\.myshopify\.com$/i.test(url.hostname))
    throw new StoreError('not_a_shop', 'The address is not a myshopify.com address.');
  return `https://${url.hostname}`;
}

/**
 * Returns the reasons why Shopify did not create the webhook, which it reports with status 200 in
 * `userErrors`; undefined if it was created.
 */
function refusalOf(data: JsonObject): string | undefined {
  const subscription = readObject(data.webhookSubscriptionCreate);
  if (readText(readObject(subscription.webhookSubscription).id, 200)) return undefined;
  const reasons = readList(subscription.userErrors).flatMap(
    (error) => readText(readObject(error).message, 200) ?? [],
  );
  return reasons.join(' ') || 'Shopify names no reason.';
}

function waitOf(cost: JsonObject): number {
  const status = readObject(cost.throttleStatus);
  const neededCost = Number(cost.requestedQueryCost ?? 0);
  const available = Number(status.currentlyAvailable ?? neededCost);
  const rate = Number(status.restoreRate ?? 50);
  return neededCost > available && rate > 0
    ? Math.ceil(((neededCost - available) / rate) * 1000)
    : 0;
}
