// Two subscribers of an account, with attributes and events that workflows react to.
import { sql } from 'kysely';
import { beforeEach, expect } from 'vitest';
import { setFieldValue } from '#areas/subscribers/server/index.ts';
import { decodeId, encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction, type Tx } from '#platform/server/database/database.ts';
import { addPeople } from './sending-helpers.ts';
import { type TestOwner, testServer } from '../setup/server.ts';
import { workflowBuilder } from './workflow-builder.ts';

export const server = await testServer();
const API = '/client-api/api';
export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
export const SALE = 'https://tea.example/sale';
export let owner: TestOwner;
export let kit: ReturnType<typeof workflowBuilder>;
export let ada: number;
export let bo: number;

beforeEach(async () => {
  owner = await server.owner();
  kit = workflowBuilder(server, owner);
  [ada, bo] = (await addPeople(server.db, owner.accountId, 2)) as [number, number];
  return () => clock.reset();
});

export const runInTransaction = <T>(work: (tx: Tx) => Promise<T>) => inTransaction(server.db, work);

export async function insert(table: string, row: Record<string, unknown>): Promise<number> {
  const values = { account_id: owner.accountId, ...row };
  const names = Object.keys(values).map((name) => sql.ref(name));
  const { rows } = await sql<{ id: number }>`
    insert into ${sql.table(table)} (${sql.join(names)})
    values (${sql.join(Object.values(values))}) returning *`.execute(server.db);
  return (rows[0] as { id: number }).id;
}

export const timestamps = () => ({ created_at: clock.now(), modified_at: clock.now() });

export async function shop() {
  const store = await insert('stores', {
    ...{ type: 'custom', title: 'Tea', domain: 'tea.example', currency: 'EUR', ...timestamps() },
  });
  const [cup, pot] = [await product(store, 'Cup'), await product(store, 'Pot')];
  return { store, cup, pot, id: encodeId('store', store) };
}

const product = (store_id: number, title: string) =>
  insert('products', { store_id, remote_id: title, title, ...timestamps() });

export async function recordOrder(
  store: number,
  subscriberId: number,
  productId: number,
  overrides: object = {},
) {
  const at = clock.now();
  const id = await insert('orders', {
    ...{ store_id: store, subscriber_id: subscriberId, remote_id: `of ${subscriberId}`, total: 20 },
    ...{ currency: 'EUR', placed_at: at, ...timestamps(), ...overrides },
  });
  await insert('order_products', {
    ...{
      order_id: id,
      position: 0,
      subscriber_id: subscriberId,
      product_id: productId,
      title: 'Cup',
    },
  });
  const fact = { orderId: id, subscriberId: subscriberId, productIds: [productId], at };
  return { ...fact, amount: 20, currency: 'EUR' };
}

export const recordCart = (store_id: number, subscriber_id: number) =>
  insert('carts', {
    ...{ store_id, subscriber_id, remote_id: `of ${subscriber_id}`, product_count: 1 },
    ...{ state: 'abandoned', abandoned_at: clock.now(), ...timestamps() },
  });

export async function createField(title: string, type: string) {
  const { id } = (await owner.post(`${API}/fields`, { title, type })).body.data;
  return { id: id as string, number: decodeId('field', id) as number };
}

export const setField = (id: number, fieldId: number, value: string) =>
  runInTransaction((tx) =>
    setFieldValue(tx, owner.accountId, [id], { fieldId, value }, { origin: 'form', depth: 0 }),
  );
export const dayFromNow = (days: number) =>
  `${new Date(Date.now() + days * DAY).toISOString().slice(0, 10)} 00:00:00`;
export const inGroup = (group: string) => ({ type: 'tag', operator: 'have', operand: group });
export const withDefaults = (condition: object) => ({
  ...{ operand: '', group: 1, outside_concat: 'and', inside_concat: 'and', key: '', more: [] },
  ...condition,
});

export async function segment(condition: object): Promise<string> {
  const conditions = [withDefaults(condition)];
  const response = await owner.post(`${API}/filters`, { title: 'Those', conditions });
  expect(response.status, response.text).toBe(200);
  return response.body.data.id;
}
