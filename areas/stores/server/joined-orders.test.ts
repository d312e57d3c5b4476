// Orders that were stored separately until a store reports that they are the same order; erased
// subscribers; webhooks of disconnected stores.
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { eraseSubscribers } from '#areas/subscribers/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { orderCanceled, orderCorrected, orderPlaced } from './events.ts';
import { insertStoreHooks } from './inbox.sql.ts';
import { processInbox } from './inbox.ts';
import { upsertOrders } from './save-orders.ts';
import { resolveOrderState } from './order-states.ts';
import type { StoreOrder } from './store-payloads.ts';

let server: TestServer;
const START = Date.now() + 60_000;

beforeAll(async () => {
  server = await testServer();
});

async function storeFor(accountId: number): Promise<number> {
  const at = clock.now();
  const { rows } = await sql<{ id: number }>`
    insert into stores (account_id, type, title, domain, currency, created_at, modified_at)
    values (${accountId}, 'woocommerce', 'Tea', 'tea.example', 'EUR', ${at}, ${at})
    returning id`.execute(server.db);
  return rows[0]?.id as number;
}

const storeOrder = (
  aliases: string[],
  minute: number,
  overrides: Partial<StoreOrder> = {},
): StoreOrder => ({
  aliases,
  ...{ number: null, customer: null, status: '', ...resolveOrderState('') },
  ...{ refunded: null, total: null, subtotal: null, tax: null, discount: null, shipping: null },
  ...{ currency: 'EUR', placedAt: null, lines: null, cart: null },
  reportedAt: new Date(START + minute * 60_000),
  ...overrides,
});

const buyer = (email: string): StoreOrder['customer'] => ({
  ...{ remoteId: null, email, phone: null, firstname: null, lastname: null },
  ...{ consent: 'open', consentAt: null, groups: [] },
});

const line = (title: string, quantity: number) => ({
  ...{ remoteId: title, sku: null, title, quantity, price: 5, imageUrl: null, url: null },
});

const paidOrder = (total: number, email = 'bo@tea.example'): Partial<StoreOrder> => ({
  ...{ status: 'processing', ...resolveOrderState('processing'), total, customer: buyer(email) },
});

const selectAll = async <T>(table: string, accountId: number): Promise<T[]> =>
  (
    await sql<T>`select * from ${sql.table(table)} where account_id = ${accountId} order by 1, 2, 3`.execute(
      server.db,
    )
  ).rows;

test('orders reported under separate aliases merge when a report has both aliases, and nothing counts twice', async () => {
  const { accountId } = await server.owner();
  const storeId = await storeFor(accountId);
  const upsert = (...orders: StoreOrder[]) =>
    inTransaction(server.db, (tx) => upsertOrders(tx, accountId, storeId, orders, 'plugin'));
  const sumOrders = async () => {
    const [row] = await selectAll<{ order_count: number; order_amount: string }>(
      'shoppers',
      accountId,
    );
    return [row?.order_count, Number(row?.order_amount)];
  };
  const observedOrders: [string, number][] = [];
  const listeners = [
    orderPlaced.on(async (_, { orders }) => {
      observedOrders.push(...orders.map((order): [string, number] => ['placed', order.amount]));
    }),
    orderCorrected.on(async (_, { orders }) => {
      observedOrders.push(...orders.map((order): [string, number] => ['corrected', order.amount]));
    }),
    orderCanceled.on(async (_, { orders }) => {
      observedOrders.push(...orders.map((order): [string, number] => ['cancelled', order.amount]));
    }),
  ];
  await upsert(storeOrder(['order:5'], 1, { ...paidOrder(20), lines: [line('Sencha', 1)] }));
  await upsert(
    storeOrder(['cart:9', 'reference:X'], 2, {
      ...paidOrder(30),
      cart: '9',
      lines: [line('Assam', 2), line('Oolong', 1)],
    }),
  );
  expect(await sumOrders()).toEqual([2, 50]);
  await sql`insert into carts (account_id, store_id, remote_id, order_id, created_at, modified_at)
    select account_id, store_id, 'kept', order_id, now(), now() from order_aliases
    where account_id = ${accountId} and name = 'reference:X'`.execute(server.db);
  await upsert(storeOrder(['order:5', 'reference:X'], 3));
  expect(await sumOrders()).toEqual([1, 30]);
  expect(observedOrders).toEqual([
    ['placed', 20],
    ['placed', 30],
    ['cancelled', 30],
    ['corrected', 30],
  ]);
  const orders = await selectAll<{ id: number }>('orders', accountId);
  expect(orders).toHaveLength(1);
  const id = orders[0]?.id;
  const names = await selectAll<{ name: string; order_id: number }>('order_aliases', accountId);
  expect(names.map((name) => [name.name, name.order_id])).toEqual([
    ['cart:9', id],
    ['order:5', id],
    ['reference:X', id],
  ]);
  const carts = await selectAll<{ order_id: number }>('carts', accountId);
  expect(carts.map((cart) => cart.order_id)).toEqual([id]);
  const lines = await selectAll<{ title: string; quantity: number }>('order_products', accountId);
  expect(lines.map((line) => [line.title, line.quantity])).toEqual([
    ['Assam', 2],
    ['Oolong', 1],
  ]);

  // All aliases refer to the merged order from now on.
  await upsert(
    storeOrder(['reference:X'], 4, paidOrder(31)),
    storeOrder(['cart:9'], 5, paidOrder(32)),
  );
  expect(await selectAll('orders', accountId)).toHaveLength(1);
  expect(await sumOrders()).toEqual([1, 32]);

  // Three orders merge step by step within one call.
  await upsert(storeOrder(['order:7'], 6, paidOrder(1)), storeOrder(['cart:7'], 6, paidOrder(2)));
  await upsert(storeOrder(['reference:Z'], 7, { ...paidOrder(3), lines: [line('Pu-erh', 4)] }));
  await upsert(storeOrder(['cart:7', 'reference:Z'], 8), storeOrder(['order:7', 'cart:7'], 9));
  expect(await sumOrders()).toEqual([2, 35]);
  const aliases = await selectAll<{ name: string; order_id: number }>('order_aliases', accountId);
  const three = aliases.filter(({ name }) => ['order:7', 'cart:7', 'reference:Z'].includes(name));
  expect(new Set(three.map((alias) => alias.order_id)).size).toBe(1);
  const mergedLines = await selectAll<{ title: string; order_id: number }>(
    'order_products',
    accountId,
  );
  expect(mergedLines.find(({ title }) => title === 'Pu-erh')?.order_id).toBe(three[0]?.order_id);
  for (const disconnect of listeners) disconnect();
});

test('erasing a subscriber deletes their orders with the aliases, and no other aliases', async () => {
  const { accountId } = await server.owner();
  const storeId = await storeFor(accountId);
  await inTransaction(server.db, (tx) =>
    upsertOrders(
      tx,
      accountId,
      storeId,
      [
        storeOrder(['order:1', 'cart:1'], 1, paidOrder(10, 'gone@tea.example')),
        storeOrder(['order:2'], 1, paidOrder(10, 'stays@tea.example')),
      ],
      'import',
    ),
  );
  const { rows } = await sql<{ id: number }>`
    select id from subscribers where account_id = ${accountId}
      and email = 'gone@tea.example'`.execute(server.db);
  await inTransaction(server.db, (tx) =>
    eraseSubscribers(tx, accountId, { subscriberIds: rows.map(({ id }) => id) }),
  );
  const names = await selectAll<{ name: string }>('order_aliases', accountId);
  expect(names.map(({ name }) => name)).toEqual(['order:2']);
  expect(await selectAll('orders', accountId)).toHaveLength(1);
});

test('webhooks received before a disconnection are settled without processing', async () => {
  const { accountId } = await server.owner();
  const storeId = await storeFor(accountId);
  const hook = { accountId, storeId, key: 'order.created 1', topic: 'order.created' };
  const body = { id: 1, status: 'processing', total: '9.00', billing: { email: 'a@tea.example' } };
  await insertStoreHooks(server.db, accountId, [{ ...hook, body }], clock.now());
  await sql`update stores set state = 'disconnected' where account_id = ${accountId}`.execute(
    server.db,
  );
  await processInbox(server.db);
  const [storedHook] = await selectAll<{ done_at: Date | null; failure: string | null }>(
    'store_inbox',
    accountId,
  );
  expect([storedHook?.done_at !== null, storedHook?.failure]).toEqual([true, null]);
  expect(await selectAll('orders', accountId)).toEqual([]);
  expect(await selectAll('subscribers', accountId)).toEqual([]);
});
