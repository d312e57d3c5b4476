// Polling of stores: recent changes every hour, the changes of the last seven days once a day, and
// all changes that were missed during a week of downtime.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { markJobAsAbandoned } from '#testing/setup/killed-jobs.ts';
import { type TestOwner, type TestServer, testServer } from '#testing/setup/server.ts';
import { startWooShop, type WooShop } from '#testing/servers/woocommerce-shop.ts';
import { woocommerce } from '#providers/woocommerce/index.ts';
import { configureAdapters } from './adapter.ts';
import { storeFailing } from './events.ts';
import { syncPoller } from './sync.ts';

const API = '/client-api/api/connected-stores';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
let server: TestServer;
let shop: WooShop;
let nextOrder = 1;

beforeAll(async () => {
  server = await testServer();
  configureAdapters([woocommerce({ isLocal: true })]);
  shop = await startWooShop(async () => ({ status: 200 }));
});
afterAll(() => shop.close());

/** Adds an order to the store, placed now. */
function buy(): void {
  const id = nextOrder++;
  const at = clock.now().toISOString().slice(0, 19);
  shop.orders.push({
    ...{ id, number: String(id), status: 'processing', currency: 'EUR', total: '10.00' },
    ...{ customer_id: 0, order_key: `key_${id}`, date_created_gmt: at, date_modified_gmt: at },
    billing: { email: `buyer${id}@shop.example` },
    line_items: [{ product_id: 1, name: 'Tea', quantity: 1, price: 10 }],
  });
}

async function connect(): Promise<TestOwner> {
  const owner = await server.owner();
  const keys = { type: 'woocommerce', address: shop.address, key: shop.key, secret: shop.secret };
  expect((await owner.post(API, keys)).status).toBe(200);
  await server.runJobs();
  return owner;
}

/**
 * Advances the clock and polls the store.
 * @returns how many milliseconds before now each requested range of orders starts
 */
async function pollAfter(ms: number): Promise<number[]> {
  clock.advance(ms);
  shop.requestedPaths = [];
  await syncPoller.run(server.db, new AbortController().signal);
  await server.runJobs();
  return shop.requestedPaths.flatMap((request) => {
    const url = new URL(request.split(' ')[1] as string, 'http://shop');
    const since = url.searchParams.get('modified_after');
    if (!url.pathname.endsWith('/orders') || since === null) return [];
    return [clock.now().getTime() - Date.parse(`${since.replace(/Z?$/, '')}Z`)];
  });
}

async function stateOf({ accountId }: { accountId: number }) {
  const { rows } = await sql<{ state: string; orders: number }>`
    select s.state, (select count(*)::int from orders o where o.account_id = s.account_id) as orders
    from stores s where s.account_id = ${accountId}`.execute(server.db);
  return rows[0];
}

test('the hourly poll overlaps by ten minutes and one poll a day reaches a week back', async () => {
  buy();
  const owner = await connect();
  expect(await stateOf(owner)).toEqual({ state: 'live', orders: 1 });
  expect(await pollAfter(30 * MINUTE)).toEqual([]);
  buy();
  const near = (ms: number) => [expect.closeTo(ms / MINUTE, -1)];
  const minutes = async (ms: number) => (await pollAfter(ms)).map((since) => since / MINUTE);
  expect(await minutes(31 * MINUTE)).toEqual(near(71 * MINUTE));
  expect(await stateOf(owner)).toEqual({ state: 'live', orders: 2 });
  for (let hour = 2; hour < 24; hour++)
    expect(await minutes(61 * MINUTE)).toEqual(near(71 * MINUTE));
  buy();
  expect(await minutes(61 * MINUTE)).toEqual(near(7 * DAY + 61 * MINUTE));
  expect(await minutes(61 * MINUTE)).toEqual(near(71 * MINUTE));
  expect(await stateOf(owner)).toEqual({ state: 'live', orders: 3 });
});

test('after a week of downtime with various errors, no orders of a store are missing', async () => {
  const owner = await connect();
  const { orders: ordersBefore } = (await stateOf(owner)) as { orders: number };
  const notified: string[] = [];
  const stop = storeFailing.on(async (_, { accountId, title }) => {
    if (accountId === owner.accountId) notified.push(title);
  });
  const responses = [
    { status: 500, body: 'Fatal error' },
    { status: 200, body: '<html>Maintenance</html>' },
    { status: 503, headers: { 'retry-after': '3600' } },
    { status: 429, headers: { 'retry-after': '7200' } },
    { status: 404, body: '{"code":"rest_no_route"}' },
    { status: 200, body: '{"code":' },
    { status: 502, body: '' },
  ];
  for (const response of responses) {
    shop.errorResponse = response;
    buy();
    await pollAfter(DAY);
    expect(await stateOf(owner), JSON.stringify(response)).toEqual({
      state: 'failing',
      orders: ordersBefore,
    });
  }
  stop();
  expect(notified).toEqual(['Tea & Co']);
  shop.errorResponse = undefined;
  await pollAfter(DAY);
  expect(await stateOf(owner)).toEqual({ state: 'live', orders: ordersBefore + responses.length });
});

test('a poll that kills its worker twice marks the store as failing and runs again after an hour', async () => {
  const owner = await connect();
  clock.advance(61 * MINUTE);
  await syncPoller.run(server.db, new AbortController().signal);
  await markJobAsAbandoned(server.db, 'stores.sync', owner.accountId);
  await server.runJobs();
  expect(await stateOf(owner)).toMatchObject({ state: 'failing' });
  await pollAfter(61 * MINUTE);
  expect(await stateOf(owner)).toMatchObject({ state: 'live' });
});
