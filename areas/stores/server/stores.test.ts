// Stores, products and orders: lists, buyer totals and erasure.
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { eraseSubscribers } from '#areas/subscribers/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { fillAudience } from '#testing/oracles/segment-audience.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { refreshShoppers } from './index.ts';

const PATH = '/client-api/api/stores-advanced-filter';
let server: TestServer;

beforeAll(async () => {
  server = await testServer();
});

test('stores and products are listed by title, only for their account', async () => {
  const owner = await server.owner();
  expect((await owner.get(PATH)).body).toEqual({
    data: { stores: [], categories: [], products: [] },
  });
  const { namedIds } = await inTransaction(server.db, (tx) =>
    fillAudience(tx, owner.accountId, 1, 1),
  );
  const { data } = (await owner.get(PATH)).body;
  expect(data.stores).toEqual([
    { id: namedIds.stores[0], title: 'north', domain: 'north.example', currency: '' },
    { id: namedIds.stores[1], title: 'south', domain: 'south.example', currency: '' },
  ]);
  expect(data.products[0]).toEqual({
    id: namedIds.products[0],
    title: 'Tea of the north',
    store_id: namedIds.stores[0],
    sku: null,
    price: null,
    old_price: null,
    currency: '',
    image_url: null,
    url: null,
  });
  const response = await owner.get(`${PATH}?search=SOUTH tea`);
  expect(response.body.data.products.map((product: { id: string }) => product.id)).toEqual([
    namedIds.products[1],
  ]);
  expect((await owner.get(`${PATH}?search=%25`)).body.data.products).toEqual([]);
  expect((await (await server.owner()).get(PATH)).body.data.products).toEqual([]);
});

test('orders are listed and sorted, and products are searched, only within their account', async () => {
  const owner = await server.owner();
  const { accountId } = owner;
  const { namedIds } = await inTransaction(server.db, (tx) => fillAudience(tx, accountId, 3, 10));
  await sql`update products set price = 9, old_price = 12, sku = 'N-1'
    where account_id = ${accountId} and title = 'Tea of the north'`.execute(server.db);
  const orders = (await owner.get('/client-api/api/store-orders?order=total&direction=asc')).body;
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from orders
    where account_id = ${accountId} and (is_confirmed or source <> 'browser')`.execute(server.db);
  expect(orders.meta.total).toBe(rows[0]?.count);
  const totals = orders.data.map((row: { total: number }) => row.total);
  expect(totals).toEqual([...totals].sort((a, b) => a - b));
  expect(orders.data[0]).toMatchObject({ email: expect.stringContaining('@') });
  const products = (await owner.get('/client-api/api/store-products?search=n-1')).body.data;
  expect(products).toMatchObject([
    { id: namedIds.products[0], store: 'north', price: 9, old_price: 12, is_listed: true },
  ]);
  const otherOwner = await server.owner();
  expect((await otherOwner.get('/client-api/api/store-orders')).body.data).toEqual([]);
  expect((await otherOwner.get('/client-api/api/store-products')).body.data).toEqual([]);
});

test('a refresh recalculates buyer totals, and an erasure deletes the subscriber’s orders', async () => {
  const { accountId } = await server.owner();
  const { subscribers: subscriberIds } = await inTransaction(server.db, (tx) =>
    fillAudience(tx, accountId, 2, 20),
  );
  const ids = subscriberIds.map((subscriber) => subscriber.id);
  const sumOrders = async () => {
    const { rows } = await sql<{ orders: number; amount: number }>`
      select sum(order_count) as orders, sum(order_amount) as amount from shoppers
      where account_id = ${accountId}`.execute(server.db);
    return rows[0];
  };
  const before = await sumOrders();
  expect(before?.orders).toBeGreaterThan(0);
  await sql`update orders set cancelled_at = placed_at where account_id = ${accountId}`.execute(
    server.db,
  );
  expect(await sumOrders()).toEqual(before);
  await inTransaction(server.db, (tx) => refreshShoppers(tx, accountId, ids));
  expect(await sumOrders()).toEqual({ orders: 0, amount: 0 });
  await inTransaction(server.db, (tx) => eraseSubscribers(tx, accountId, { subscriberIds: ids }));
  for (const table of ['orders', 'order_products', 'carts', 'shop_visits', 'shoppers']) {
    const { rows } = await sql<{ left: number }>`
      select count(*) as left from ${sql.table(table)} where account_id = ${accountId}`.execute(
      server.db,
    );
    expect([table, rows[0]?.left]).toEqual([table, 0]);
  }
});

test('a subscriber’s orders are listed newest first and exported; other accounts get 404', async () => {
  const owner = await server.owner();
  const { subscribers: subscriberIds } = await inTransaction(server.db, (tx) =>
    fillAudience(tx, owner.accountId, 3, 20),
  );
  const { rows } = await sql<{ subscriber_id: number; orders: number }>`
    select subscriber_id, count(*) as orders from orders where account_id = ${owner.accountId}
    group by subscriber_id order by orders desc`.execute(server.db);
  const buyer = rows[0];
  if (!buyer) throw new Error('No order was found');
  const pathOf = (id: number) => `/client-api/api/subscribers/${encodeId('subscriber', id)}/orders`;
  const { data } = (await owner.get(pathOf(buyer.subscriber_id))).body;
  expect(data).toHaveLength(Number(buyer.orders));
  const times = data.map((row: { placed: string }) => row.placed);
  expect(times).toEqual([...times].sort().reverse());
  expect(data[0]).toMatchObject({ store: expect.any(String), total: expect.any(Number) });
  const response = await owner.get(pathOf(buyer.subscriber_id).replace('/orders', '/export'));
  expect(response.body.data.orders).toEqual(data);
  const buyerIds = rows.map((row) => row.subscriber_id);
  const nonBuyer = subscriberIds.find((subscriber) => !buyerIds.includes(subscriber.id));
  if (nonBuyer) expect((await owner.get(pathOf(nonBuyer.id))).body).toEqual({ data: [] });
  expect((await (await server.owner()).get(pathOf(buyer.subscriber_id))).status).toBe(404);
});
