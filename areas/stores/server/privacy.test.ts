// Privacy webhooks of Shopify: requests for a customer's data, erasure of a customer, and erasure
// of a disconnected store.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { decodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { type TestOwner, type TestServer, testServer } from '#testing/setup/server.ts';
import { type ShopifyShop, startShopifyShop } from '#testing/servers/shopify-shop.ts';
import { shopify } from '#providers/shopify/index.ts';
import { configureAdapters } from './adapter.ts';
import { deleteSecretJob } from './close-store.ts';
import { findStore } from './connections.sql.ts';
import { customerDataRequested } from './events.ts';
import { processInbox } from './inbox.ts';

const API = '/client-api/api/connected-stores';
const SUBSCRIBERS_PATH = '/client-api/api/subscribers';
let server: TestServer;
let shop: ShopifyShop;

beforeAll(async () => {
  server = await testServer();
  configureAdapters([shopify({ isLocal: true })]);
  shop = await startShopifyShop(() => clock.now());
});
afterAll(() => shop.close());
beforeEach(() => {
  shop.hooks = [];
  shop.orders = [1, 2, 3].map((id) => ({
    id: `gid://shopify/Order/${id}`,
    ...{ name: `#${id}`, email: `buyer${id}@mail.example`, currencyCode: 'EUR' },
    ...{ createdAt: '2026-01-01T10:00:00Z', updatedAt: '2026-01-01T10:00:00Z' },
    ...{ displayFinancialStatus: 'PAID', totalPriceSet: { shopMoney: { amount: '10.00' } } },
    customer: { id: `gid://shopify/Customer/${70 + id}` },
  }));
  shop.products = [{ id: 'gid://shopify/Product/1', title: 'Sencha', status: 'ACTIVE' }];
});

async function connect(owner: TestOwner) {
  const body = {
    ...{ type: 'shopify', address: shop.address, key: ` ${shop.clientId}\n` },
    ...{ secret: shop.clientSecret, access: 'client' },
  };
  const { data } = (await owner.post(API, body)).body;
  await server.runJobs();
  const store = (await owner.get(`${API}/${data.id}`)).body.data;
  return { id: String(store.id), path: new URL(store.privacy_url).pathname, store };
}

async function send(path: string, topic: string, body: object, secret?: string): Promise<number> {
  const { headers, payload } = shop.signWebhook(topic, body, secret);
  const { statusCode } = await server.app.inject({ method: 'POST', url: path, headers, payload });
  await processInbox(server.db);
  await server.runJobs();
  return statusCode;
}

const emails = async (owner: TestOwner): Promise<string[]> =>
  (await owner.get(SUBSCRIBERS_PATH)).body.data.map(({ email }: { email: string }) => email).sort();
const request = (id: number) => ({
  ...{ shop_id: 954_889, shop_domain: shop.host, orders_to_redact: [id] },
  customer: { id: 70 + id, email: `buyer${id}@mail.example`, phone: null },
});

test('a store connects by client ID and secret, and a privacy webhook with a wrong signature is refused', async () => {
  const owner = await server.owner();
  const { path, store } = await connect(owner);
  expect(store).toMatchObject({ state: 'live', counts: { orders: 3, products: 1, customers: 3 } });
  expect(await send(path, 'customers/redact', request(1), 'another secret')).toBe(401);
  expect(await emails(owner)).toHaveLength(3);
});

test('an unknown client ID is refused with an error for its field, and no store is created', async () => {
  const owner = await server.owner();
  const keys = { type: 'shopify', address: shop.address, key: 'unknown', secret: 'x' };
  const response = await owner.post(API, { ...keys, access: 'client' });
  expect([response.status, Object.keys(response.body.errors)]).toEqual([422, ['key']]);
  expect((await owner.get(API)).body.data).toEqual([]);
});

test('customers/redact erases a customer whom the store added, but only the purchases of an earlier subscriber', async () => {
  const owner = await server.owner();
  const reader = { email: 'buyer2@mail.example', firstname: 'Ida' };
  expect((await owner.post(SUBSCRIBERS_PATH, reader)).status).toBe(200);
  const { id, path } = await connect(owner);
  expect(await send(path, 'customers/redact', request(1))).toBe(200);
  expect(await send(path, 'customers/redact', request(2))).toBe(200);
  expect(await emails(owner)).toEqual(['buyer2@mail.example', 'buyer3@mail.example']);
  expect((await owner.get(`${API}/${id}`)).body.data.counts).toMatchObject({
    orders: 1,
    customers: 1,
  });
  const [remaining] = (await owner.get(`${SUBSCRIBERS_PATH}?search=buyer2`)).body.data;
  expect(remaining).toMatchObject({ firstname: 'Ida', status: { email: 'active' } });
  // Malformed requests and requests about an unknown customer or another store change nothing.
  for (const body of [{}, { shop_domain: shop.host }, { ...request(9) }])
    expect(await send(path, 'customers/redact', body)).toBe(200);
  const elsewhere = { ...request(3), shop_domain: 'other.myshopify.com' };
  expect(await send(path, 'customers/redact', elsewhere)).toBe(200);
  expect(await emails(owner)).toHaveLength(2);
});

test('customers/redact also deletes the visits and product views of a subscriber without purchases', async () => {
  const owner = await server.owner();
  const { accountId } = owner;
  await owner.post(SUBSCRIBERS_PATH, { email: 'buyer9@mail.example' });
  const { id, path } = await connect(owner);
  const storeId = decodeId('store', id) as number;
  const common = { account_id: accountId, at: clock.now() };
  const subscribers = server.db.selectFrom('subscribers').where('account_id', '=', accountId);
  const { id: subscriberId } = await subscribers
    .select('id')
    .where('email_key', '=', 'buyer9@mail.example')
    .executeTakeFirstOrThrow();
  const product = await server.db
    .selectFrom('products')
    .select('id')
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  const view = { ...common, subscriber_id: subscriberId, product_id: product.id };
  const visit = { ...common, subscriber_id: subscriberId, store_id: storeId, kind: 'checkout' };
  const remaining = async () =>
    await Promise.all(
      (['product_views', 'shop_visits'] as const).map(
        async (table) =>
          (
            await server.db
              .selectFrom(table)
              .select('subscriber_id')
              .where('account_id', '=', accountId)
              .execute()
          ).length,
      ),
    );
  await server.db.insertInto('product_views').values(view).execute();
  expect(await send(path, 'customers/redact', request(9))).toBe(200);
  expect(await remaining()).toEqual([0, 0]);
  await server.db.insertInto('shop_visits').values(visit).execute();
  expect(await send(path, 'customers/redact', { ...request(9), shop_id: 954_890 })).toBe(200);
  expect(await remaining()).toEqual([0, 0]);
  expect(await emails(owner)).toContain('buyer9@mail.example');
});

test('customers/data_request raises one event with the address of the customer', async () => {
  const owner = await server.owner();
  const { path } = await connect(owner);
  const requests: object[] = [];
  const stopListening = customerDataRequested.on(async (_, payload) => void requests.push(payload));
  expect(await send(path, 'customers/data_request', request(3))).toBe(200);
  stopListening();
  expect(requests).toMatchObject([
    { accountId: owner.accountId, title: 'Tea', email: 'buyer3@mail.example' },
  ]);
  expect(await emails(owner)).toHaveLength(3);
});

test('shop/redact after an uninstallation deletes the store, its data and the subscribers that it added', async () => {
  const owner = await server.owner();
  const otherOwner = await server.owner();
  await owner.post(SUBSCRIBERS_PATH, { email: 'buyer2@mail.example' });
  const { path } = await connect(owner);
  await connect(otherOwner);
  expect(await send(path, 'app/uninstalled', {})).toBe(200);
  expect((await owner.get(API)).body.data).toEqual([]);
  expect(await emails(owner)).toHaveLength(3);
  // A disconnected store accepts only privacy webhooks.
  await send(path, 'products/create', { id: 9, title: 'Assam' });
  expect((await owner.get('/client-api/api/store-products')).body.data).toHaveLength(1);
  expect(await send(path, 'shop/redact', { shop_id: 1, shop_domain: shop.host })).toBe(200);
  expect(await emails(owner)).toEqual(['buyer2@mail.example']);
  expect((await owner.get('/client-api/api/store-orders')).body.data).toEqual([]);
  expect((await owner.get('/client-api/api/store-products')).body.data).toEqual([]);
  await send(path, 'shop/redact', { shop_domain: shop.host });
  expect(await emails(otherOwner)).toHaveLength(3);
});

test.each(['product_views', 'shop_visits'] as const)(
  'shop/redact deletes a subscriber whose only data from the store is in %s',
  async (table) => {
    const owner = await server.owner();
    const { accountId } = owner;
    const { id, path } = await connect(owner);
    const subscriberId = await server.db
      .selectFrom('store_customers')
      .select('subscriber_id')
      .where('account_id', '=', accountId)
      .executeTakeFirstOrThrow()
      .then((row) => row.subscriber_id);
    for (const purchaseTable of ['orders', 'store_customers'] as const)
      await server.db
        .deleteFrom(purchaseTable)
        .where('account_id', '=', accountId)
        .where('subscriber_id', '=', subscriberId)
        .execute();
    const activity = { account_id: accountId, subscriber_id: subscriberId, at: clock.now() };
    if (table === 'shop_visits') {
      const visit = { ...activity, kind: 'cart', store_id: decodeId('store', id) as number };
      await server.db.insertInto('shop_visits').values(visit).execute();
    } else {
      const product = await server.db
        .selectFrom('products')
        .select('id')
        .where('account_id', '=', accountId)
        .executeTakeFirstOrThrow();
      const view = { ...activity, product_id: product.id };
      await server.db.insertInto('product_views').values(view).execute();
    }
    expect(await send(path, 'app/uninstalled', {})).toBe(200);
    expect(await emails(owner)).toHaveLength(3);
    expect(await send(path, 'shop/redact', { shop_id: 1, shop_domain: shop.host })).toBe(200);
    expect(await emails(owner)).toEqual([]);
  },
);

test('a disconnected store still processes erasure requests, has its secret deleted later, and can be reconnected', async () => {
  const owner = await server.owner();
  const { id, path } = await connect(owner);
  await owner.post(`${API}/${id}/disconnect`, { delete_subscribers: false });
  await server.runJobs();
  expect(shop.hooks).toEqual([]);
  expect(await send(path, 'customers/redact', request(1))).toBe(200);
  expect(await emails(owner)).toEqual(['buyer2@mail.example', 'buyer3@mail.example']);
  const payload = { accountId: owner.accountId, storeId: decodeId('store', id) as number };
  const tools = { db: server.db, signal: new AbortController().signal };
  const hasSecret = async () =>
    (await findStore(server.db, owner.accountId, payload.storeId))?.hook_secret !== null;
  expect(await hasSecret()).toBe(true);
  await deleteSecretJob.run(payload, tools);
  expect(await hasSecret()).toBe(false);
  const secondStore = await connect(owner);
  expect(secondStore.id).toBe(id);
  expect(shop.hooks.length).toBeGreaterThan(0);
  // The job of the earlier disconnection does not affect the new connection.
  await deleteSecretJob.run(payload, tools);
  expect(await hasSecret()).toBe(true);
});
