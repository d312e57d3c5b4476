// Stores from the first import to the disconnection, against a simulated WooCommerce: API keys,
// webhooks, plugin, browser.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { publicClient } from '#testing/setup/public-client.ts';
import { startWooShop, type WooShop } from '#testing/servers/woocommerce-shop.ts';
import { woocommerce } from '#providers/woocommerce/index.ts';
import { configureAdapters } from './adapter.ts';
import { expireCartsPoller, announceAbandonedCarts } from './carts.ts';
import { findDemoStore, listDemoStores } from './demo.ts';
import { cartAbandoned, orderPlaced, orderRefunded, storeFailing } from './events.ts';
import { purgePoller, processInbox } from './inbox.ts';
import { configurePluginCalls } from './plugin-calls.ts';
import { syncPoller } from './sync.ts';

const API = '/client-api/api/connected-stores';
let server: TestServer;
let shop: WooShop;

beforeAll(async () => {
  server = await testServer();
  configureAdapters([woocommerce({ isLocal: true })]);
  shop = await startWooShop(async (url, init) => {
    const response = await server.app.inject({
      method: 'POST',
      url: new URL(url).pathname,
      payload: String(init.body),
      headers: init.headers as Record<string, string>,
    });
    return { status: response.statusCode };
  });
});
afterAll(() => shop.close());

const order = (id: number, overrides: object = {}) => ({
  id,
  number: String(1000 + id),
  status: 'processing',
  currency: 'EUR',
  total: '29.90',
  total_tax: '4.98',
  discount_total: '0.00',
  shipping_total: '5.00',
  customer_id: 0,
  order_key: `wc_order_${id}`,
  billing: { email: `buyer${id % 40}@shop.example`, first_name: 'Åse', last_name: `Nr ${id}` },
  date_created_gmt: '2026-01-05T10:00:00',
  date_modified_gmt: '2026-01-05T10:00:00',
  line_items: [
    { product_id: 1 + (id % 3), name: `Tea ${1 + (id % 3)}`, quantity: 2, price: 12.45 },
  ],
  ...overrides,
});

const sumOrders = async (accountId: number) => {
  const { rows } = await sql<{ orders: number; amount: number; people: number }>`
    select coalesce(sum(order_count), 0)::int as orders,
      coalesce(sum(order_amount), 0)::float8 as amount, count(*)::int as people
    from shoppers where account_id = ${accountId} and order_count > 0`.execute(server.db);
  return rows[0];
};

test('a WooCommerce store is imported page by page, updated by webhooks, survives downtime and is disconnected', async () => {
  const owner = await server.owner();
  const otherOwner = await server.owner();
  const keys = { type: 'woocommerce', address: shop.address, key: shop.key, secret: 'wrong' };
  const rejection = await owner.post(API, keys);
  expect([rejection.status, Object.keys(rejection.body.errors)]).toEqual([422, ['key']]);
  shop.errorResponse = { status: 200, body: '<html>A page</html>' };
  const page = await owner.post(API, { ...keys, secret: shop.secret });
  expect([page.status, Object.keys(page.body.errors)]).toEqual([422, ['address']]);
  shop.errorResponse = undefined;

  shop.products = [1, 2, 3].map((id) => ({
    id,
    name: `Tea ${id}`,
    price: '12.45',
    regular_price: '15.00',
    status: 'publish',
    permalink: `https://tea.example/${id}`,
    images: [{ src: `https://tea.example/${id}.png` }],
    categories: [{ name: 'Tea' }],
    date_created_gmt: '2025-01-01T00:00:00',
  }));
  shop.orders = Array.from({ length: 250 }, (_, i) => order(i + 1));
  shop.customers = [{ id: 7, email: 'buyer7@shop.example', first_name: 'Bo', last_name: 'Lund' }];
  const reader = { email: 'buyer9@shop.example', firstname: 'Ida' };
  expect((await owner.post('/client-api/api/subscribers', reader)).status).toBe(200);
  const { data } = (await owner.post(API, { ...keys, secret: shop.secret })).body;
  expect(data).toMatchObject({ title: 'Tea & Co', state: 'connecting', currency: 'EUR' });
  const path = `${API}/${data.id}`;
  expect((await owner.post(API, { ...keys, secret: shop.secret })).body.code).toBe('store_taken');
  for (const call of ['get', 'delete'] as const)
    expect((await otherOwner[call](path)).status).toBe(404);
  expect((await otherOwner.post(`${path}/disconnect`, { delete_subscribers: true })).status).toBe(
    404,
  );

  await server.runJobs();
  const importedStore = (await owner.get(path)).body.data;
  expect(importedStore).toMatchObject({
    state: 'live',
    counts: { products: 3, orders: 250, customers: 40 },
    progress: { products: 3, orders: 250, customers: 1 },
  });
  expect(await sumOrders(owner.accountId)).toEqual({ orders: 250, amount: 7475, people: 40 });
  const subscriber = (await owner.get('/client-api/api/subscribers?search=buyer7@')).body.data[0];
  expect(subscriber).toMatchObject({ firstname: 'Bo', status: { email: 'non-subscribed' } });
  const filter = (await owner.get('/client-api/api/stores-advanced-filter')).body.data;
  expect(filter.categories).toEqual([{ store_id: data.id, title: 'Tea', products: 3 }]);

  const placedAmounts: number[] = [];
  const refundedAmounts: number[] = [];
  const listeners = [
    orderPlaced.on(
      async (_, { orders }) => void placedAmounts.push(...orders.map((order) => order.amount)),
    ),
    orderRefunded.on(
      async (_, { orders }) => void refundedAmounts.push(...orders.map((order) => order.amount)),
    ),
  ];
  const minutesFromNow = (minutes: number) =>
    new Date(clock.now().getTime() + minutes * 60_000).toISOString().slice(0, 19);
  const newOrder = order(900, {
    date_created_gmt: minutesFromNow(1),
    date_modified_gmt: minutesFromNow(1),
  });
  expect(await shop.sendWebhook('order.created', newOrder, { signature: 'forged' })).toBe(401);
  expect(await shop.sendWebhook('order.created', newOrder)).toBe(200);
  expect(await shop.sendWebhook('order.updated', newOrder)).toBe(200);
  for (let i = 0; i < 20; i++) expect(await shop.sendWebhook('order.created', newOrder)).toBe(200);
  await processInbox(server.db);
  expect(placedAmounts).toEqual([29.9]);
  const refund = {
    ...newOrder,
    status: 'processing',
    refunds: [{ total: '-9.90' }],
    date_modified_gmt: minutesFromNow(3),
  };
  expect(await shop.sendWebhook('order.updated', refund)).toBe(200);
  // An older report that arrives late changes nothing.
  expect(
    await shop.sendWebhook('order.updated', {
      ...newOrder,
      total: '1.00',
      date_modified_gmt: minutesFromNow(2),
    }),
  ).toBe(200);
  await processInbox(server.db);
  await processInbox(server.db);
  expect(refundedAmounts).toEqual([9.9]);
  expect(await sumOrders(owner.accountId)).toMatchObject({ orders: 251, amount: 7495 });
  for (const disconnect of listeners) disconnect();

  // Downtime loses no data and is shown.
  shop.errorResponse = { status: 500, body: 'Fatal error' };
  expect((await owner.post(`${path}/sync`)).status).toBe(200);
  await server.runJobs();
  expect((await owner.get(path)).body.data).toMatchObject({
    state: 'failing',
    failure: 'unreachable',
  });
  shop.errorResponse = undefined;
  shop.orders.push(
    order(901, { date_created_gmt: minutesFromNow(30), date_modified_gmt: minutesFromNow(30) }),
  );
  await owner.post(`${path}/sync`);
  await server.runJobs();
  expect((await owner.get(path)).body.data).toMatchObject({
    state: 'live',
    counts: { orders: 252 },
  });

  // A busy store is retried and is not treated as failing, but a store that returns HTML is.
  const syncDuring = async (errorResponse: WooShop['errorResponse']) => {
    shop.errorResponse = errorResponse;
    await owner.post(`${path}/sync`);
    await server.runJobs();
    shop.errorResponse = undefined;
    return (await owner.get(path)).body.data;
  };
  const busy = await syncDuring({ status: 429, headers: { 'retry-after': '120' } });
  expect(busy).toMatchObject({ state: 'live', failure: null });
  expect(Date.parse(busy.next_sync)).toBeGreaterThan(clock.now().getTime() + 60_000);
  expect(await syncDuring({ status: 200, body: '<html>Maintenance</html>' })).toMatchObject({
    state: 'failing',
    failure: 'not_a_shop',
  });
  // After a week of downtime, one poll finds a new order and a refund of an old one.
  await sql`update stores set synced_at = (synced_at at time zone 'UTC' - interval '8 days') at time zone 'UTC',
    reviewed_at = (reviewed_at at time zone 'UTC' - interval '8 days') at time zone 'UTC', state = 'failing', failing_since = now() - interval '7 days'
    where account_id = ${owner.accountId}`.execute(server.db);
  const daysAgo = (days: number) => minutesFromNow(-days * 24 * 60);
  const missedDates = { date_created_gmt: daysAgo(6), date_modified_gmt: daysAgo(6) };
  shop.orders.push(order(902, missedDates));
  Object.assign(shop.orders[0] as object, {
    ...{ status: 'refunded', refunds: [{ total: '-29.90' }], date_modified_gmt: daysAgo(5) },
  });
  const sumBefore = await sumOrders(owner.accountId);
  expect(await syncDuring(undefined)).toMatchObject({
    state: 'live',
    failure: null,
    counts: { orders: 253 },
  });
  expect((await sumOrders(owner.accountId))?.orders).toBe(sumBefore?.orders);

  const response = await owner.post(`${path}/disconnect`, { delete_subscribers: true });
  expect(response.status).toBe(200);
  await server.runJobs();
  expect(shop.hooks).toEqual([]);
  expect((await owner.get(API)).body.data).toEqual([]);
  // Subscribers added by the store are deleted; an earlier newsletter subscriber remains.
  const remaining = (await owner.get('/client-api/api/subscribers')).body.data;
  expect(remaining.map((subscriber: { email: string }) => subscriber.email)).toEqual([
    reader.email,
  ]);
});

test('forged webhooks block only their sender', async () => {
  const owner = await server.owner();
  const keys = { type: 'woocommerce', address: shop.address, key: shop.key, secret: shop.secret };
  shop.orders = [];
  shop.customers = [];
  expect((await owner.post(API, keys)).status).toBe(200);
  await server.runJobs();
  const url = new URL(String(shop.hooks[0]?.delivery_url)).pathname;
  const forge = (to: string, remoteAddress: string) =>
    server.app.inject({
      ...{ method: 'POST', url: to, payload: JSON.stringify(order(1)), remoteAddress },
      headers: { 'content-type': 'application/json', 'x-wc-webhook-signature': 'Zm9yZ2Vk' },
    });
  const countsByStatus = new Map<number, number>();
  for (let i = 0; i < 1000; i++) {
    const { statusCode } = await forge(url, '203.0.113.9');
    countsByStatus.set(statusCode, (countsByStatus.get(statusCode) ?? 0) + 1);
  }
  expect([...countsByStatus.keys()]).toEqual([401, 429]);
  expect(countsByStatus.get(401)).toBeLessThan(200);
  expect((await forge(url, '198.51.100.7')).statusCode).toBe(401);
  expect((await forge('/hooks/stores/nonsense', '198.51.100.7')).statusCode).toBe(404);
  expect(await shop.sendWebhook('order.created', order(1))).toBe(200);
  await processInbox(server.db);
  expect((await owner.get(API)).body.data[0].counts.orders).toBe(1);
});

test('the plugin and browser have separate permissions, and an order remains one order under all its external IDs', async () => {
  const owner = await server.owner();
  const bearer = { authorization: `Bearer ${(await publicClient(server, owner)).token}` };
  const client = server.client();
  const v2 = (method: 'post' | 'patch', url: string, body: object) =>
    client[method](url, body, bearer);
  const registration = await v2('post', '/v2/stores', {
    domain: 'https://www.tea.example/shop/',
    name: 'Tea',
    type: 'wordpress',
  });
  expect(registration.status).toBe(200);
  const store_id = registration.body.data.id;
  const secondRegistration = await v2('post', '/v2/stores', {
    domain: 'tea.example',
    name: 'Tea',
    type: 'wordpress',
  });
  expect(secondRegistration.body.data.id).toBe(store_id);
  // The owner can have the plugin send everything again; the token is sent only to that store.
  const pluginCalls: object[] = [];
  configurePluginCalls(async (payload) => void pluginCalls.push(payload));
  const response = await owner.get(`${API}/${store_id}`);
  expect(response.body.data, response.text).toMatchObject({ has_keys: false, can_sync: true });
  expect((await owner.post(`${API}/${store_id}/sync`)).status).toBe(200);
  await server.runJobs();
  const token = bearer.authorization.slice('Bearer '.length);
  expect(pluginCalls).toEqual([{ domain: 'tea.example', token, topic: 'import-shop-data' }]);
  const importResponse = await v2('post', `/v2/stores/${store_id}/import_shop_data`, {
    customers: [
      { id: 5, email: 'ada@tea.example', firstname: 'Ada', newsletter: true, tags: ['Club'] },
      { email: 'nonsense' },
      7,
    ],
    products: [
      {
        remote_productId: 11,
        title: 'Sencha',
        price: '1,234.50',
        image: ['https://tea.example/1.png'],
      },
    ],
    orders: [
      {
        orderId: 4,
        remoteId: 'c4',
        email: 'ada@tea.example',
        order_details: { total: '10,00' },
        created_at: '2025-03-01 10:00:00',
        products: [{ product_id: 11, name: 'Sencha', qty: '2', price: '5' }],
      },
    ],
  });
  expect([importResponse.status, importResponse.body.success]).toEqual([200, true]);
  const ada = (await owner.get('/client-api/api/subscribers?search=ada@')).body.data[0];
  expect(ada).toMatchObject({ status: { email: 'active' } });
  expect(
    (
      await v2('post', `/v2/stores/${store_id}/import_shop_data`, {
        customers: Array(501).fill({}),
      })
    ).status,
  ).toBe(422);

  // With the public key, a browser reads nothing, and adds carts and subscribers only from the
  // store's pages.
  const resource_key = (await client.get('/v2/users', bearer)).body.account.resource_key;
  const page = { origin: 'https://tea.example' };
  const visitor = 'visitor-1234567890';
  const browser = (method: 'post' | 'patch' | 'get', url: string, body: object, headers = page) =>
    client.send({ method: method.toUpperCase() as 'POST', url, payload: body, headers });
  for (const origin of ['https://evil.example', 'https://tea_shop.example']) {
    const body = { resource_key, external_id: '1' };
    expect((await browser('post', '/commerce/carts', body, { origin })).status, origin).toBe(403);
  }
  const cart = {
    resource_key,
    external_id: 'c9',
    visitor,
    currency: 'EUR',
    order_total: '2,469.00',
    products: [{ product_id: 11, name: 'Sencha', price: '1234.5', qty: 2 }],
  };
  expect((await browser('post', '/commerce/carts', cart)).status).toBe(200);
  expect((await browser('get', `/commerce/carts/c9?resource_key=${resource_key}`, {})).status).toBe(
    403,
  );
  const signUp = await browser('post', '/commerce/create_subscriber', {
    resource_key,
    visitor,
    email: 'bo@tea.example',
  });
  expect(signUp.body).toEqual({ success: true });
  // A browser cannot claim the address of a known subscriber.
  const claim = { resource_key, visitor: 'another-1234567890', email: 'ada@tea.example' };
  expect((await browser('post', '/commerce/create_subscriber', claim)).body).toEqual({
    success: true,
  });
  const visitorRows = await sql`select from visitors where account_id = ${owner.accountId}
    and key = 'another-1234567890' and subscriber_id is not null`.execute(server.db);
  expect(visitorRows.rows).toEqual([]);
  const forgedHeaders = { ...page, 'x-store-signature': 'AAAA' };
  expect(
    (await browser('post', '/commerce/carts', { ...cart, store_id }, forgedHeaders)).status,
  ).toBe(401);
  const convert = {
    resource_key,
    order_id: 99,
    email: 'bo@tea.example',
    order_details: { total: '2469' },
  };
  expect((await browser('post', '/commerce/carts/c8/convert', convert)).status).toBe(200);
  expect(await sumOrders(owner.accountId)).toMatchObject({ orders: 1, amount: 10 });

  const abandonedIds: number[][] = [];
  const stop = cartAbandoned.on(
    async (_, { carts }) => void abandonedIds.push(...carts.map((cart) => cart.productIds)),
  );
  await announceAbandonedCarts(server.db);
  clock.advance(61 * 60_000);
  await announceAbandonedCarts(server.db);
  await announceAbandonedCarts(server.db);
  expect(abandonedIds.map((ids) => ids.length)).toEqual([1]);
  stop();

  const conversion = {
    external_id: 'c9',
    order_id: 5,
    email: 'bo@tea.example',
    store_id,
    order_details: { total: '2469.00', order_date: '' },
    currency: 'EUR',
  };
  expect((await v2('post', '/commerce/carts/c9/convert', conversion)).status).toBe(200);
  expect(
    (
      await v2('patch', '/commerce/carts/c9/status', {
        order_id: 5,
        cart_status: 'wc-completed',
        store_id,
      })
    ).status,
  ).toBe(200);
  // The same order in a later import, with the ID of the cart as its alias, is still one order.
  await v2('post', `/v2/stores/${store_id}/import_shop_data`, {
    orders: [
      {
        orderId: 5,
        remoteId: 'c9',
        email: 'bo@tea.example',
        status: 'wc-completed',
        order_details: { total: '2,469.00' },
      },
    ],
  });
  expect(await sumOrders(owner.accountId)).toEqual({ orders: 2, amount: 2479, people: 2 });
  const { rows } = await sql<{ state: string; products: number }>`
    select c.state, s.cart_product_count as products from carts c
    join shoppers s on s.account_id = c.account_id and s.subscriber_id = c.subscriber_id
    where c.account_id = ${owner.accountId} and c.remote_id = 'c9'`.execute(server.db);
  expect(rows).toEqual([{ state: 'ordered', products: 0 }]);

  for (const body of [
    '',
    '[]',
    '"x"',
    '{"resource_key":{"a":1}}',
    `{"resource_key":"${'x'.repeat(5000)}"}`,
  ])
    expect(
      (await client.send({ method: 'POST', url: '/commerce/carts', payload: body, headers: page }))
        .status,
    ).toBe(401);
  expect(
    (
      await client.post(
        '/commerce/carts',
        {},
        { authorization: 'Bearer sl_1_forged-forged-forged-f' },
      )
    ).status,
  ).toBe(401);
  const otherOwner = await server.owner();
  expect((await otherOwner.post(`${API}/${store_id}/sync`)).status).toBe(404);
  const otherHeaders = {
    authorization: `Bearer ${(await publicClient(server, otherOwner)).token}`,
  };
  expect((await client.get(`/v2/stores/${store_id}`, otherHeaders)).status).toBe(404);
  expect((await client.post('/commerce/carts', { ...cart, store_id }, otherHeaders)).status).toBe(
    404,
  );
});

test('scheduled work reports a failing store once, closes old carts, and deletes old webhooks and visitors', async () => {
  const owner = await server.owner();
  const response = await owner.post(`${API}/demo`);
  expect(response.status).toBe(200);
  expect((await owner.post(`${API}/demo`)).body.data.id).toBe(response.body.data.id);
  const [publicId] = await listDemoStores(server.db);
  expect(await findDemoStore(server.db, String(publicId))).toMatchObject({
    accountId: owner.accountId,
  });
  expect(await findDemoStore(server.db, 'nonsense')).toBeUndefined();
  const at = clock.now();
  const longAgo = new Date(at.getTime() - 500 * 86_400_000);
  await sql`update stores set state = 'failing', failing_since = ${longAgo}, due_at = ${longAgo}
    where account_id = ${owner.accountId}`.execute(server.db);
  await sql`insert into visitors (account_id, key, seen_at)
    values (${owner.accountId}, 'long-gone-1234567', ${longAgo})`.execute(server.db);
  await sql`insert into carts (account_id, store_id, remote_id, created_at, modified_at)
    select account_id, id, 'old', ${longAgo}, ${longAgo} from stores
    where account_id = ${owner.accountId}`.execute(server.db);
  await sql`insert into store_inbox (account_id, store_id, key, topic, body, received_at, retry_at, done_at)
    select account_id, id, 'old', 'x', '{}', ${longAgo}, ${longAgo}, ${longAgo} from stores
    where account_id = ${owner.accountId}`.execute(server.db);
  const notified: string[] = [];
  const stop = storeFailing.on(async (_, { title }) => void notified.push(title));
  const { signal } = new AbortController();
  for (const poller of [syncPoller, syncPoller, purgePoller, expireCartsPoller])
    await poller.run(server.db, signal);
  stop();
  expect(notified).toEqual(['Harbour Tea Shop']);
  const { rows: emails } = await sql<{ count: number }>`
    select count(*) as count from single_sends where account_id = ${owner.accountId}
      and created_at >= ${at}`.execute(server.db);
  expect(emails[0]?.count).toBe(1);
  for (const [table, left] of [
    ['visitors', 0],
    ['store_inbox', 0],
    ['carts', 0],
  ] as const) {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from ${sql.table(table)} where account_id = ${owner.accountId}
        and ${table === 'carts' ? sql`closed_at is null` : sql`true`}`.execute(server.db);
    expect([table, rows[0]?.count]).toEqual([table, left]);
  }
});
