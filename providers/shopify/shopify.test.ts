// Tests the adapter against a local server of the GraphQL Admin API and with signed webhooks.
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { shopify } from './index.ts';

type GraphqlRequest = {
  query: string;
  variables: Record<string, unknown>;
  token: string | undefined;
};

const requests: GraphqlRequest[] = [];
let hooks: { id: string; topic: string; uri: string }[] = [];
let respond: ((graphqlRequest: GraphqlRequest) => { status?: number; body: unknown }) | undefined;
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { query, variables } = JSON.parse(Buffer.concat(chunks).toString()) as GraphqlRequest;
    const graphqlRequest = {
      query,
      variables,
      token: String(request.headers['x-shopify-access-token']),
    };
    requests.push(graphqlRequest);
    const { status = 200, body } = respond?.(graphqlRequest) ?? {
      body: defaultResponse(graphqlRequest),
    };
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
});

const adapter = shopify({ isLocal: true });
let credentials = { address: '', key: 'shpat_test', secret: 'app secret' };
const { signal } = new AbortController();
const since = new Date('2026-03-01T00:00:00Z');

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  credentials = {
    ...credentials,
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  };
});
afterAll(() => server.close());
beforeEach(() => {
  requests.length = 0;
  hooks = [];
  respond = undefined;
});

const money = (amount: string) => ({ shopMoney: { amount, currencyCode: 'EUR' } });
const ORDER = {
  id: 'gid://shopify/Order/450789469',
  name: '#1001',
  email: 'bob.norman@mail.example',
  createdAt: '2026-03-01T10:00:00Z',
  updatedAt: '2026-03-02T11:00:00Z',
  cancelledAt: null,
  currencyCode: 'EUR',
  displayFinancialStatus: 'PARTIALLY_REFUNDED',
  displayFulfillmentStatus: 'FULFILLED',
  totalPriceSet: money('409.94'),
  subtotalPriceSet: money('398.00'),
  totalTaxSet: money('11.94'),
  totalDiscountsSet: money('0.0'),
  totalShippingPriceSet: money('0.0'),
  totalRefundedSet: money('41.94'),
  customer: {
    id: 'gid://shopify/Customer/207119551',
    firstName: 'Bob',
    lastName: 'Norman',
    defaultEmailAddress: {
      emailAddress: 'bob.norman@mail.example',
      marketingState: 'SUBSCRIBED',
      marketingUpdatedAt: '2026-01-01T00:00:00Z',
    },
    defaultPhoneNumber: { phoneNumber: '+4791234567' },
  },
  lineItems: {
    nodes: [
      {
        title: 'Sencha',
        sku: 'TEA-4',
        quantity: 2,
        product: { id: 'gid://shopify/Product/632910392' },
        image: { url: 'https://cdn.example/sencha.png' },
        originalUnitPriceSet: money('199.00'),
      },
    ],
  },
};

function defaultResponse({ query, variables }: GraphqlRequest): unknown {
  if (query.includes('shop {'))
    return {
      data: {
        shop: {
          name: 'Tea',
          currencyCode: 'EUR',
          ianaTimezone: 'Europe/Oslo',
          myshopifyDomain: 'tea.myshopify.com',
          primaryDomain: { host: 'tea.example' },
        },
      },
    };
  if (query.includes('webhookSubscriptionCreate')) {
    const id = `gid://shopify/WebhookSubscription/${hooks.length + 1}`;
    hooks.push({ id, topic: String(variables.topic), uri: String(variables.url) });
    return { data: { webhookSubscriptionCreate: { webhookSubscription: { id }, userErrors: [] } } };
  }
  if (query.includes('webhookSubscriptionDelete')) {
    hooks = hooks.filter(({ id }) => id !== variables.id);
    return { data: {} };
  }
  if (query.includes('webhookSubscriptions'))
    return { data: { webhookSubscriptions: { nodes: hooks } } };
  const isLast = variables.after === 'page2';
  return {
    data: {
      orders: {
        pageInfo: { hasNextPage: !isLast, endCursor: isLast ? 'end' : 'page2' },
        nodes: isLast ? [] : [ORDER],
      },
    },
    extensions: {
      cost: {
        requestedQueryCost: 500,
        throttleStatus: { currentlyAvailable: 400, restoreRate: 50 },
      },
    },
  };
}

test('the adapter describes the store and pauses between pages as the rate limit requires', async () => {
  expect(await adapter.check(credentials, signal)).toEqual({
    title: 'Tea',
    domain: 'tea.example',
    currency: 'EUR',
    zone: 'Europe/Oslo',
  });
  expect(requests[0]?.token).toBe('shpat_test');
  const cursorOptions = { since, cursor: null, zone: 'UTC' };
  const firstPage = await adapter.fetchChanges(credentials, 'orders', cursorOptions, signal);
  expect(firstPage).toMatchObject({ next: 'page2', waitMs: 2000 });
  expect(requests.at(-1)?.variables.query).toBe("updated_at:>='2026-03-01T00:00:00.000Z'");
  expect(firstPage.orders).toMatchObject([
    {
      aliases: ['order:450789469'],
      number: '#1001',
      isPaid: true,
      isFulfilled: true,
      isCancelled: false,
      total: 409.94,
      refunded: 41.94,
      currency: 'EUR',
      placedAt: new Date('2026-03-01T10:00:00Z'),
      reportedAt: new Date('2026-03-02T11:00:00Z'),
      customer: { remoteId: '207119551', firstname: 'Bob', consent: 'subscribed' },
      lines: [{ remoteId: '632910392', sku: 'TEA-4', quantity: 2, price: 199 }],
    },
  ]);
  const lastPage = await adapter.fetchChanges(
    credentials,
    'orders',
    { ...cursorOptions, cursor: 'page2' },
    signal,
  );
  expect(lastPage).toMatchObject({ orders: [], next: null });
});

test.each([
  ['refused', { status: 401, body: { errors: '[API] Invalid API key or access token' } }],
  ['refused', { body: { errors: [{ message: 'no', extensions: { code: 'ACCESS_DENIED' } }] } }],
  ['busy', { body: { errors: [{ message: 'slow', extensions: { code: 'THROTTLED' } }] } }],
  ['busy', { status: 429, body: '' }],
  ['not_a_shop', { body: '<html>A page</html>' }],
  ['not_a_shop', { body: { data: { shop: null } } }],
  ['unreachable', { status: 500, body: 'broken' }],
] as const)('an error response of the store is reported as %s', async (fault, failure) => {
  respond = () => failure;
  await expect(adapter.check(credentials, signal)).rejects.toMatchObject({ code: fault });
});

test('an address outside Shopify is not a store', async () => {
  const otherHost = { ...credentials, address: 'https://tea.example' };
  await expect(shopify().check(otherHost, signal)).rejects.toMatchObject({ code: 'not_a_shop' });
});

test('webhooks are registered once and deleted on disconnect', async () => {
  const hook = { url: 'https://news.tea.example/hooks/stores/x', secret: 'unused' };
  expect(await adapter.registerWebhooks(credentials, hook, signal)).toBe('app secret');
  const count = hooks.length;
  await adapter.registerWebhooks(credentials, hook, signal);
  expect(hooks).toHaveLength(count);
  expect(hooks.map(({ topic }) => topic)).toContain('APP_UNINSTALLED');
  await adapter.disconnect(credentials, hook, signal);
  expect(hooks).toEqual([]);
});

const hookOf = (topic: string, payload: object, extraHeaders: Record<string, string> = {}) => {
  const body = Buffer.from(JSON.stringify(payload));
  const signature = createHmac('sha256', 'app secret').update(body).digest('base64');
  const headers = {
    'x-shopify-topic': topic,
    'x-shopify-hmac-sha256': signature,
    'x-shopify-event-id': 'event-1',
    ...extraHeaders,
  };
  return { headers, body };
};
const moment = { zone: 'UTC', now: new Date('2026-03-05T00:00:00Z') };

test('a webhook is accepted only with a valid signature, and a repeated webhook has the same key', () => {
  const payload = {
    id: 450789469,
    name: '#1001',
    email: 'bob.norman@mail.example',
    created_at: '2026-03-01T12:00:00+02:00',
    updated_at: '2026-03-02T12:00:00+02:00',
    financial_status: 'paid',
    fulfillment_status: null,
    total_price: '409.94',
    currency: 'EUR',
    refunds: [
      { transactions: [{ kind: 'refund', status: 'success', amount: '41.94' }] },
      { transactions: [{ kind: 'refund', status: 'failure', amount: '100.00' }] },
    ],
    customer: { id: 207119551, email_marketing_consent: { state: 'unsubscribed' } },
    line_items: [{ product_id: 632910392, title: 'Sencha', quantity: 2, price: '199.00' }],
  };
  const call = hookOf('orders/updated', payload);
  const hookResult = adapter.verifyWebhook(call, 'app secret');
  expect(hookResult).toMatchObject({ kind: 'accepted', topic: 'orders/updated' });
  expect(adapter.verifyWebhook(call, 'app secret')).toEqual(hookResult);
  expect(adapter.verifyWebhook(call, 'another secret')).toEqual({ kind: 'refused' });
  const forgedHook = hookOf('orders/updated', payload, { 'x-shopify-hmac-sha256': '' });
  expect(adapter.verifyWebhook(forgedHook, 'app secret')).toEqual({ kind: 'refused' });
  expect(adapter.parseWebhook('orders/updated', payload, moment)?.orders).toMatchObject([
    {
      aliases: ['order:450789469'],
      total: 409.94,
      refunded: 41.94,
      isPaid: true,
      placedAt: new Date('2026-03-01T10:00:00Z'),
      customer: { email: 'bob.norman@mail.example', consent: 'unsubscribed' },
    },
  ]);
});

test('webhooks about deleted products and uninstalled apps are parsed, and irrelevant topics are ignored', () => {
  expect(adapter.parseWebhook('products/delete', { id: 5 }, moment)).toEqual({
    deletedProducts: ['5'],
  });
  expect(adapter.parseWebhook('app/uninstalled', {}, moment)).toEqual({ isUninstalled: true });
  expect(adapter.parseWebhook('themes/publish', {}, moment)).toBeUndefined();
  for (const nonsense of [null, 7, 'x', [], { id: null }, { id: { a: 1 } }])
    expect(adapter.parseWebhook('orders/create', nonsense, moment)).toEqual({});
});

const orderOf = (extraFields: object) => ({
  ...{ id: 5003, name: '#5003', email: 'pia@home.example', currency: 'EUR', total_price: '100.00' },
  ...{ presentment_currency: 'USD', financial_status: 'partially_refunded', line_items: [] },
  ...extraFields,
});
const refundOf = (transaction: object) => ({ transactions: [{ kind: 'refund', ...transaction }] });
const inShopMoney = (amount: string) => ({ shop_money: { amount, currency_code: 'EUR' } });

test.each([
  [
    'a failed refund and a refund in the buyer’s currency',
    [
      refundOf({ status: 'error', amount: '100.00', currency: 'EUR' }),
      refundOf({
        ...{ status: 'success', amount: '55.00', currency: 'USD' },
        amount_set: inShopMoney('50.00'),
      }),
    ],
    50,
  ],
  ['a pending refund', [refundOf({ status: 'pending', amount: '9.00', currency: 'EUR' })], 0],
  [
    'a refund with an amount only in another currency',
    [refundOf({ status: 'success', amount: '9', currency: 'USD' })],
    null,
  ],
  [
    'two refunds in the order’s currency',
    [
      refundOf({ status: 'success', amount: '9.00', currency: 'EUR' }),
      refundOf({ status: 'success', amount: '1.50' }),
    ],
    10.5,
  ],
])('the refunded amount is in the currency of the order: %s', (_, refunds, refundedAmount) => {
  const webhook = adapter.parseWebhook('orders/updated', orderOf({ refunds }), moment);
  expect(webhook?.orders?.[0]).toMatchObject({
    refunded: refundedAmount,
    currency: 'EUR',
    total: 100,
  });
});

test('a test order is ignored', async () => {
  expect(adapter.parseWebhook('orders/create', orderOf({ test: true }), moment)).toEqual({});
  const orders = { pageInfo: { hasNextPage: false }, nodes: [{ ...ORDER, test: true }, ORDER] };
  respond = () => ({ body: { data: { orders } } });
  const pulledPage = await adapter.fetchChanges(
    credentials,
    'orders',
    { since, cursor: null, zone: 'UTC' },
    signal,
  );
  expect(pulledPage.orders).toHaveLength(1);
  expect(requests.at(-1)?.query).toContain(' test ');
});

test('a deleted order is canceled at the time of the webhook', () => {
  expect(adapter.parseWebhook('orders/delete', { id: 5003 }, moment)?.orders).toMatchObject([
    {
      aliases: ['order:5003'],
      isCancelled: true,
      reportedAt: moment.now,
      total: null,
      lines: null,
    },
  ]);
});

test('a product webhook has no collections, and its title is not decoded', () => {
  const payload = {
    ...{ id: 11, title: 'Salt &amp; Pepper', body_html: '<p>Strong &amp; dark</p>' },
    ...{ product_type: 'Tea', status: 'active', variants: [{ sku: 'S1', price: '14.00' }] },
  };
  expect(adapter.parseWebhook('products/update', payload, moment)?.products).toMatchObject([
    { title: 'Salt &amp; Pepper', description: 'Strong & dark', categories: [], price: 14 },
  ]);
});

test('a phone number without a country code is parsed as a number of the country of the order', () => {
  const payload = orderOf({ phone: '07911 123456', billing_address: { country_code: 'GB' } });
  expect(
    adapter.parseWebhook('orders/create', payload, moment)?.orders?.[0]?.customer,
  ).toMatchObject({
    phone: '07911 123456',
    country: 'GB',
  });
});

test('a topic that the store refuses is reported with the reason', async () => {
  respond = (request) =>
    request.variables.topic === 'ORDERS_CREATE'
      ? {
          body: {
            data: {
              webhookSubscriptionCreate: {
                webhookSubscription: null,
                userErrors: [{ field: ['topic'], message: 'You need the scope read_orders.' }],
              },
            },
          },
        }
      : { body: defaultResponse(request) };
  const refusedHooks: string[] = [];
  await adapter.registerWebhooks(
    credentials,
    {
      ...{ url: 'https://news.tea.example/hooks/stores/x', secret: 'unused' },
      onRefused: (topic, reason) => void refusedHooks.push(`${topic}: ${reason}`),
    },
    signal,
  );
  expect(refusedHooks).toEqual(['ORDERS_CREATE: You need the scope read_orders.']);
  expect(hooks.map(({ topic }) => topic)).toContain('PRODUCTS_UPDATE');
});
