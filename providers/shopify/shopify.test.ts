// The adapter against a shop on this machine that speaks the GraphQL Admin API, and against recorded hooks.
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { shopify } from './index.ts';

type Asked = { query: string; variables: Record<string, unknown>; token: string | undefined };

const asked: Asked[] = [];
let hooks: { id: string; topic: string; uri: string }[] = [];
let answer: ((one: Asked) => { status?: number; body: unknown }) | undefined;
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { query, variables } = JSON.parse(Buffer.concat(chunks).toString()) as Asked;
    const one = { query, variables, token: String(request.headers['x-shopify-access-token']) };
    asked.push(one);
    const { status = 200, body } = answer?.(one) ?? { body: usual(one) };
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
});

const adapter = shopify({ isLocal: true });
let credentials = { address: '', key: 'shpat_test', secret: 'app secret' };
const { signal } = new AbortController();
const since = new Date('2026-03-01T00:00:00Z');

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  credentials = {
    ...credentials,
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  };
});
afterAll(() => server.close());
beforeEach(() => {
  asked.length = 0;
  hooks = [];
  answer = undefined;
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

function usual({ query, variables }: Asked): unknown {
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

test('says who the shop is, and pulls by pages as fast as it may', async () => {
  expect(await adapter.check(credentials, signal)).toEqual({
    title: 'Tea',
    domain: 'tea.example',
    currency: 'EUR',
    zone: 'Europe/Oslo',
  });
  expect(asked[0]?.token).toBe('shpat_test');
  const at = { since, cursor: null, zone: 'UTC' };
  const first = await adapter.pull(credentials, 'orders', at, signal);
  expect(first).toMatchObject({ next: 'page2', waitMs: 2000 });
  expect(asked.at(-1)?.variables.query).toBe("updated_at:>='2026-03-01T00:00:00.000Z'");
  expect(first.orders).toMatchObject([
    {
      names: ['order:450789469'],
      number: '#1001',
      isPaid: true,
      isFulfilled: true,
      isCancelled: false,
      total: 409.94,
      refunded: 41.94,
      currency: 'EUR',
      placedAt: new Date('2026-03-01T10:00:00Z'),
      toldAt: new Date('2026-03-02T11:00:00Z'),
      customer: { remoteId: '207119551', firstname: 'Bob', consent: 'subscribed' },
      lines: [{ remoteId: '632910392', sku: 'TEA-4', quantity: 2, price: 199 }],
    },
  ]);
  const last = await adapter.pull(credentials, 'orders', { ...at, cursor: 'page2' }, signal);
  expect(last).toMatchObject({ orders: [], next: null });
});

test.each([
  ['refused', { status: 401, body: { errors: '[API] Invalid API key or access token' } }],
  ['refused', { body: { errors: [{ message: 'no', extensions: { code: 'ACCESS_DENIED' } }] } }],
  ['busy', { body: { errors: [{ message: 'slow', extensions: { code: 'THROTTLED' } }] } }],
  ['busy', { status: 429, body: '' }],
  ['not_a_shop', { body: '<html>A page</html>' }],
  ['not_a_shop', { body: { data: { shop: null } } }],
  ['unreachable', { status: 500, body: 'broken' }],
] as const)('a shop that answers otherwise is %s', async (fault, given) => {
  answer = () => given;
  await expect(adapter.check(credentials, signal)).rejects.toMatchObject({ fault });
});

test('an address of somebody else is no shop', async () => {
  const elsewhere = { ...credentials, address: 'https://tea.example' };
  await expect(shopify().check(elsewhere, signal)).rejects.toMatchObject({ fault: 'not_a_shop' });
});

test('hooks are registered once, and taken back', async () => {
  const hook = { url: 'https://news.tea.example/hooks/stores/x', secret: 'unused' };
  expect(await adapter.registerHooks(credentials, hook, signal)).toBe('app secret');
  const count = hooks.length;
  await adapter.registerHooks(credentials, hook, signal);
  expect(hooks).toHaveLength(count);
  expect(hooks.map(({ topic }) => topic)).toContain('APP_UNINSTALLED');
  await adapter.disconnect(credentials, hook, signal);
  expect(hooks).toEqual([]);
});

const hookOf = (topic: string, words: object, more: Record<string, string> = {}) => {
  const body = Buffer.from(JSON.stringify(words));
  const signature = createHmac('sha256', 'app secret').update(body).digest('base64');
  const headers = {
    'x-shopify-topic': topic,
    'x-shopify-hmac-sha256': signature,
    'x-shopify-event-id': 'event-1',
    ...more,
  };
  return { headers, body };
};
const moment = { zone: 'UTC', now: new Date('2026-03-05T00:00:00Z') };

test('a hook is read by its signature alone, and repeated under the same key', () => {
  const words = {
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
  const call = hookOf('orders/updated', words);
  const read = adapter.readHook(call, 'app secret');
  expect(read).toMatchObject({ is: 'told', topic: 'orders/updated' });
  expect(adapter.readHook(call, 'app secret')).toEqual(read);
  expect(adapter.readHook(call, 'another secret')).toEqual({ is: 'refused' });
  const forged = hookOf('orders/updated', words, { 'x-shopify-hmac-sha256': '' });
  expect(adapter.readHook(forged, 'app secret')).toEqual({ is: 'refused' });
  expect(adapter.readTold('orders/updated', words, moment)?.orders).toMatchObject([
    {
      names: ['order:450789469'],
      total: 409.94,
      refunded: 41.94,
      isPaid: true,
      placedAt: new Date('2026-03-01T10:00:00Z'),
      customer: { email: 'bob.norman@mail.example', consent: 'unsubscribed' },
    },
  ]);
});

test('other topics: a product that is gone, an app that was taken off, one that means nothing', () => {
  expect(adapter.readTold('products/delete', { id: 5 }, moment)).toEqual({ goneProducts: ['5'] });
  expect(adapter.readTold('app/uninstalled', {}, moment)).toEqual({ isUninstalled: true });
  expect(adapter.readTold('themes/publish', {}, moment)).toBeUndefined();
  for (const nonsense of [null, 7, 'x', [], { id: null }, { id: { a: 1 } }])
    expect(adapter.readTold('orders/create', nonsense, moment)).toEqual({});
});
