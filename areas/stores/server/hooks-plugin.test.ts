// WooCommerce webhooks: values and rows that the database refuses, reports of the same second,
// deleted orders, and phone numbers.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from 'kysely';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { startWooShop, type WooShop } from '#testing/servers/woocommerce-shop.ts';
import { woocommerce } from '#providers/woocommerce/index.ts';
import { configureAdapters } from './adapter.ts';
import { processInbox } from './inbox.ts';

const API = '/client-api/api/connected-stores';
let server: TestServer;
const shops: WooShop[] = [];

beforeAll(async () => {
  server = await testServer();
  configureAdapters([woocommerce({ isLocal: true })]);
});
afterAll(() => Promise.all(shops.map((shop) => shop.close())));

/** Creates an account with a connected store; `orders` processes the received webhooks first. */
async function connect() {
  const shop = await startWooShop(async (url, init) => {
    const { statusCode } = await server.app.inject({
      method: 'POST',
      url: new URL(url).pathname,
      payload: String(init.body),
      headers: init.headers as Record<string, string>,
    });
    return { status: statusCode };
  });
  shops.push(shop);
  const owner = await server.owner();
  const keys = { type: 'woocommerce', address: shop.address, key: shop.key, secret: shop.secret };
  expect((await owner.post(API, keys)).status).toBe(200);
  await server.runJobs();
  const orders = async () => {
    await processInbox(server.db);
    const { rows } = await sql<{
      number: string;
      status: string;
      refunded: number;
      is_cancelled: boolean;
    }>`
      select number, status, refunded::float8 as refunded, cancelled_at is not null as is_cancelled
      from orders where account_id = ${owner.accountId} order by number`.execute(server.db);
    return rows;
  };
  return { shop, owner, orders };
}

const order = (id: number, overrides: object = {}) => ({
  ...{ id, number: String(id), status: 'processing', currency: 'EUR', total: '30.00' },
  ...{ date_created_gmt: '2026-01-05T10:00:00', date_modified_gmt: '2026-01-05T10:00:00' },
  billing: { email: `buyer${id}@shop.example` },
  ...{ line_items: [], refunds: [] },
  ...overrides,
});

/** Builds JSON of this many nested objects. */
const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

test('webhooks with NUL, unpaired surrogates or deep nesting are stored together with others', async () => {
  const [bad, good] = [await connect(), await connect()];
  const statuses = await Promise.all([
    bad.shop.sendWebhook(
      'order.created',
      order(1, { meta_data: [{ value: { '\0*\0data': 'x' } }] }),
    ),
    good.shop.sendWebhook('order.created', order(2)),
    bad.shop.sendWebhook('order.created', order(3, { customer_note: 'thanks \ud83d' })),
    bad.shop.sendWebhook('order.created', order(4, { meta_data: JSON.parse(deep(2_000)) })),
    good.shop.sendWebhook('order.created', order(5)),
  ]);
  expect(statuses).toEqual([200, 200, 200, 200, 200]);
  expect((await bad.orders()).map(({ number }) => number)).toEqual(['1', '3', '4']);
  expect((await good.orders()).map(({ number }) => number)).toEqual(['2', '5']);
});

test('a webhook that the database refuses does not affect the rest of the batch', async () => {
  const [bad, good] = [await connect(), await connect()];
  await sql`alter table store_inbox add constraint refused check (body->>'number' <> '66')`.execute(
    server.db,
  );
  const statuses = await Promise.all([
    good.shop.sendWebhook('order.created', order(7)),
    bad.shop.sendWebhook('order.created', order(66)),
    bad.shop.sendWebhook('order.created', order(8)),
    good.shop.sendWebhook('order.created', order(9)),
  ]);
  await sql`alter table store_inbox drop constraint refused`.execute(server.db);
  expect(statuses).toEqual([200, 500, 200, 200]);
  expect((await bad.orders()).map(({ number }) => number)).toEqual(['8']);
  expect((await good.orders()).map(({ number }) => number)).toEqual(['7', '9']);
});

test.each([
  [0, 1, 2],
  [2, 1, 0],
  [1, 2, 0],
  [2, 0, 1],
])(
  'an order is refunded after three reports from the same second arrive in the sequence %i, %i, %i',
  async (...sequence) => {
    const { shop, orders } = await connect();
    const payloads = [
      order(1),
      order(1, { refunds: [{ total: '-10.00' }] }),
      order(1, { status: 'refunded', refunds: [{ total: '-10.00' }, { total: '-20.00' }] }),
    ];
    for (const at of sequence)
      expect(await shop.sendWebhook('order.updated', payloads[at] as object)).toBe(200);
    expect(await orders()).toMatchObject([{ status: 'refunded', refunded: 30 }]);
  },
);

test('a deleted order is canceled and counts again once it is restored', async () => {
  const { shop, orders } = await connect();
  const now = new Date(Date.now() - 60_000).toISOString().slice(0, 19);
  const placedOrder = order(701, { date_created_gmt: now, date_modified_gmt: now });
  expect(await shop.sendWebhook('order.created', placedOrder)).toBe(200);
  expect(await orders()).toMatchObject([{ is_cancelled: false }]);
  // WooCommerce sends only the ID of the order.
  expect(await shop.sendWebhook('order.deleted', { id: 701 })).toBe(200);
  expect(await orders()).toMatchObject([{ number: '701', is_cancelled: true }]);
  expect(await shop.sendWebhook('order.restored', placedOrder)).toBe(200);
  expect(await orders()).toMatchObject([{ is_cancelled: false, status: 'processing' }]);
});

test.each([
  ['(479) 255-1234', 'US', '+14792551234'],
  ['8 612 34567', 'LT', '+37061234567'],
  ['07911 123456', 'GB', '+447911123456'],
  ['+47 912 34 567', 'US', '+4791234567'],
])('the phone number %s of an order from %s is stored as %s', async (phone, country, stored) => {
  const { shop, owner, orders } = await connect();
  const billing = { email: 'ann@home.example', phone, country };
  expect(await shop.sendWebhook('order.created', order(1, { billing }))).toBe(200);
  expect(await orders()).toHaveLength(1);
  const { data } = (await owner.get('/client-api/api/subscribers?search=ann@')).body;
  expect(data).toMatchObject([{ phone: stored }]);
});
