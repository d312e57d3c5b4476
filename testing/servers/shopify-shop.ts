// A local Shopify store: expiring tokens for a client ID and secret, the queries of its GraphQL
// Admin API that the adapter uses, and signed webhooks.
import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Node = Record<string, unknown>;
type Hook = { id: string; topic: string; uri: string };

type ShopAccount = {
  clientId: string;
  clientSecret: string;
  /** The fixed token of an older app. */
  fixedToken: string;
  /** Seconds until a token expires. */
  expiresIn: number;
  scope: string;
  /** While set, the response to token requests. */
  refusal: { status: number; body: string } | undefined;
  /** Delay of token requests in milliseconds. */
  tokenDelayMs: number;
  /** All issued tokens in the order of their issue. */
  issuedTokens: string[];
  orders: Node[];
  products: Node[];
  customers: Node[];
  hooks: Hook[];
};

export type ShopifyShop = ShopAccount & {
  address: string;
  host: string;
  /** Revokes all tokens, as a rotation of the secret does. */
  revokeTokens(): void;
  /** Headers and body of a signed webhook. */
  signWebhook(
    topic: string,
    body: object,
    secret?: string,
  ): { headers: Record<string, string>; payload: string };
  close(): Promise<void>;
};

export async function startShopifyShop(now: () => Date): Promise<ShopifyShop> {
  const expiryByToken = new Map<string, number>();
  const account: ShopAccount = {
    ...{ clientId: 'client-id', clientSecret: 'shpss_secret', fixedToken: 'shpat_fixed' },
    ...{ expiresIn: 86_399, scope: 'read_customers,read_orders,write_products' },
    ...{ refusal: undefined, tokenDelayMs: 0, issuedTokens: [] },
    ...{ orders: [], products: [], customers: [], hooks: [] },
  };
  const server = createServer((request, response) => {
    void respond(account, expiryByToken, now, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  let events = 0;
  return Object.assign(account, {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    host: '127.0.0.1',
    revokeTokens: () => expiryByToken.clear(),
    signWebhook(topic: string, body: object, secret = account.clientSecret) {
      const payload = JSON.stringify(body);
      const signature = createHmac('sha256', secret).update(payload).digest('base64');
      return {
        payload,
        headers: {
          'content-type': 'application/json',
          'x-shopify-topic': topic,
          'x-shopify-hmac-sha256': signature,
          'x-shopify-event-id': `event-${(events += 1)}`,
        },
      };
    },
    close: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  });
}

async function respond(
  account: ShopAccount,
  expiryByToken: Map<string, number>,
  now: () => Date,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const send = (status: number, body: unknown) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
  if (request.url === '/admin/oauth/access_token') {
    await new Promise((resolve) => setTimeout(resolve, account.tokenDelayMs));
    if (account.refusal) return send(account.refusal.status, account.refusal.body);
    const form = new URLSearchParams(text);
    const isExpected =
      request.headers['content-type'] === 'application/x-www-form-urlencoded' &&
      form.get('grant_type') === 'client_credentials' &&
      form.get('client_id') === account.clientId &&
      form.get('client_secret') === account.clientSecret;
    if (!isExpected) return send(400, { error: 'invalid_client' });
    const token = `shpat_${account.issuedTokens.length + 1}`;
    account.issuedTokens.push(token);
    expiryByToken.set(token, now().getTime() + account.expiresIn * 1000);
    return send(200, { access_token: token, scope: account.scope, expires_in: account.expiresIn });
  }
  const token = String(request.headers['x-shopify-access-token']);
  const isValid = token === account.fixedToken || (expiryByToken.get(token) ?? 0) > now().getTime();
  if (!isValid) return send(401, { errors: '[API] Invalid API key or access token' });
  const { query, variables } = JSON.parse(text) as { query: string; variables: Node };
  return send(200, { data: dataOf(account, query, variables) });
}

function dataOf(account: ShopAccount, query: string, variables: Node): unknown {
  if (query.includes('shop {'))
    return {
      shop: {
        ...{ name: 'Tea', currencyCode: 'EUR', ianaTimezone: 'Europe/Oslo' },
        ...{ myshopifyDomain: 'tea.myshopify.com', primaryDomain: { host: 'tea.example' } },
      },
    };
  if (query.includes('webhookSubscriptionCreate')) {
    const id = `gid://shopify/WebhookSubscription/${account.hooks.length + 1}`;
    account.hooks.push({ id, topic: String(variables.topic), uri: String(variables.url) });
    return { webhookSubscriptionCreate: { webhookSubscription: { id }, userErrors: [] } };
  }
  if (query.includes('webhookSubscriptionDelete')) {
    account.hooks = account.hooks.filter(({ id }) => id !== variables.id);
    return {};
  }
  if (query.includes('webhookSubscriptions'))
    return { webhookSubscriptions: { nodes: account.hooks } };
  const listName = (['orders', 'products', 'customers'] as const).find((name) =>
    query.includes(`${name}(first`),
  );
  return listName && { [listName]: { pageInfo: { hasNextPage: false }, nodes: account[listName] } };
}
