// SQL that saves orders in batches. An order known by several identifiers is saved once.
import { sql } from 'kysely';
import type { Reader, Tx } from '#platform/server/database/database.ts';

/**
 * Time of the newest report per group of fields, in milliseconds since 1970; a fraction sorts
 * reports of the same moment by the order's state (merge-order.ts).
 */
export type ReportTimes = Partial<
  Record<
    'amounts' | 'state' | 'lines' | 'number' | 'customer' | 'placed' | 'refund' | 'any',
    number
  >
>;

export type StoredOrder = {
  id: number;
  subscriber_id: number | null;
  remote_id: string;
  number: string | null;
  total: number;
  subtotal: number | null;
  tax: number | null;
  discount: number | null;
  shipping: number | null;
  currency: string;
  refunded: number;
  status: string;
  source: string;
  is_confirmed: boolean;
  placed_at: Date;
  cancelled_at: Date | null;
  refunded_at: Date | null;
  fulfilled_at: Date | null;
  cart_id: number | null;
  field_times: ReportTimes;
};

export async function findOrderAliases(
  tx: Tx,
  accountId: number,
  storeId: number,
  names: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await sql<{ name: string; order_id: number }>`
    select s.name, s.order_id
    from unnest(${[...names]}::text[]) as asked (name)
    -- Looked up alias by alias: without statistics, PostgreSQL would read all aliases of a store to find a hundred.
    cross join lateral (
      select name, order_id from order_aliases
      where account_id = ${accountId} and store_id = ${storeId} and name = asked.name collate "C"
      limit 1
    ) s`.execute(tx);
  return new Map(rows.map((row) => [row.name, row.order_id]));
}

/** Returns the alias of an order reported by a visitor's browser. */
export const toSeenName = (name: string, visitor: string): string => `${name}@${visitor}`;

export type SeenOrder = {
  orderId: number;
  subscriberId: number | null;
  /** The requested aliases that the browser reported, without the visitor. */
  names: readonly string[];
};

/**
 * Finds unconfirmed orders that any visitor's browser reported under these store aliases; at most
 * 20 per alias.
 */
export async function findSeenOrders(
  tx: Tx,
  accountId: number,
  storeId: number,
  names: readonly string[],
): Promise<SeenOrder[]> {
  const { rows } = await sql<{ orderId: number; subscriberId: number | null; names: string[] }>`
    select o.id as "orderId", o.subscriber_id as "subscriberId", array_agg(s.shown) as names
    from unnest(${[...names]}::text[]) as asked (name)
    cross join lateral (
      select asked.name as shown, order_id from order_aliases
      where account_id = ${accountId} and store_id = ${storeId}
        and name > (asked.name || '@') collate "C" and name < (asked.name || 'A') collate "C"
      order by name limit 20
    ) s
    join orders o on o.account_id = ${accountId} and o.id = s.order_id
      and o.store_id = ${storeId} and not o.is_confirmed
    group by o.id, o.subscriber_id`.execute(tx);
  return rows;
}

/** Reads these orders, locked until the transaction ends. */
export async function lockOrders(
  tx: Tx,
  accountId: number,
  ids: readonly number[],
): Promise<StoredOrder[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<StoredOrder>`
    select id, subscriber_id, remote_id, number, total::float8 as total, subtotal::float8 as subtotal,
      tax::float8 as tax, discount::float8 as discount, shipping::float8 as shipping, currency,
      refunded::float8 as refunded, status, source, is_confirmed, placed_at, cancelled_at, refunded_at,
      fulfilled_at, cart_id, field_times
    from orders where account_id = ${accountId} and id = any(${[...ids]}::bigint[])
    order by id for update`.execute(tx);
  return rows;
}

/** Allocates ids for new orders. */
export async function reserveOrderIds(tx: Tx, count: number): Promise<number[]> {
  if (count === 0) return [];
  const { rows } = await sql<{ id: number }>`
    with counter as materialized (select pg_get_serial_sequence('orders', 'id')::regclass as name)
    select nextval(name) as id from counter, generate_series(1, ${count}::int)`.execute(tx);
  return rows.map((row) => Number(row.id));
}

/** Converts orders to one array per column, which PostgreSQL reads in half the time of objects. */
function orderColumns(orders: readonly StoredOrder[]) {
  const column = <Key extends keyof StoredOrder>(key: Key) => orders.map((order) => order[key]);
  return sql`unnest(${column('id')}::bigint[], ${column('subscriber_id')}::bigint[],
    ${column('remote_id')}::text[], ${column('number')}::text[], ${column('total')}::numeric[],
    ${column('subtotal')}::numeric[], ${column('tax')}::numeric[], ${column('discount')}::numeric[],
    ${column('shipping')}::numeric[], ${column('currency')}::text[], ${column('refunded')}::numeric[],
    ${column('status')}::text[], ${column('source')}::text[], ${column('is_confirmed')}::boolean[],
    ${column('placed_at')}::timestamptz[], ${column('cancelled_at')}::timestamptz[],
    ${column('refunded_at')}::timestamptz[], ${column('fulfilled_at')}::timestamptz[],
    ${column('cart_id')}::bigint[], ${orders.map((order) => JSON.stringify(order.field_times))}::jsonb[])
    as reported (id, subscriber_id, remote_id, number, total, subtotal, tax, discount, shipping, currency,
      refunded, status, source, is_confirmed, placed_at, cancelled_at, refunded_at, fulfilled_at,
      cart_id, field_times)`;
}

/** Inserts new orders; the lock of the store excludes concurrent inserts. */
export async function insertOrders(
  tx: Tx,
  accountId: number,
  storeId: number,
  orders: readonly StoredOrder[],
  at: Date,
): Promise<void> {
  if (orders.length === 0) return;
  await sql`
    insert into orders (account_id, store_id, id, subscriber_id, remote_id, number, total, subtotal,
      tax, discount, shipping, currency, refunded, status, source, is_confirmed, placed_at,
      cancelled_at, refunded_at, fulfilled_at, cart_id, field_times, created_at, modified_at)
    select ${accountId}::bigint, ${storeId}::bigint, id, subscriber_id, remote_id, number, total,
      subtotal, tax, discount, shipping, currency, refunded, status, source, is_confirmed, placed_at,
      cancelled_at, refunded_at, fulfilled_at, cart_id, field_times, ${at}, ${at}
    from ${orderColumns(orders)}`.execute(tx);
}

/** Updates existing orders. */
export async function changeOrders(
  tx: Tx,
  accountId: number,
  orders: readonly StoredOrder[],
  at: Date,
): Promise<void> {
  if (orders.length === 0) return;
  await sql`
    update orders o set
      subscriber_id = reported.subscriber_id, number = reported.number, total = reported.total,
      subtotal = reported.subtotal, tax = reported.tax, discount = reported.discount, shipping = reported.shipping,
      currency = reported.currency, refunded = reported.refunded, status = reported.status,
      is_confirmed = reported.is_confirmed, placed_at = reported.placed_at,
      cancelled_at = reported.cancelled_at, refunded_at = reported.refunded_at,
      fulfilled_at = reported.fulfilled_at, cart_id = reported.cart_id, field_times = reported.field_times,
      modified_at = ${at}
    from ${orderColumns(orders)}
    where o.account_id = ${accountId} and o.id = reported.id`.execute(tx);
}

/** Inserts aliases that no order of the store has yet. */
export async function insertOrderAliases(
  tx: Tx,
  accountId: number,
  storeId: number,
  aliases: readonly { name: string; orderId: number }[],
): Promise<void> {
  if (aliases.length === 0) return;
  await sql`
    insert into order_aliases (account_id, store_id, name, order_id)
    select ${accountId}::bigint, ${storeId}::bigint, name, order_id
    from unnest(${aliases.map((alias) => alias.name)}::text[],
      ${aliases.map((alias) => alias.orderId)}::bigint[]) as seen (name, order_id)`.execute(tx);
}

/** Moves lines from one order to another, where they replace the existing lines. */
export async function moveLines(
  tx: Tx,
  accountId: number,
  moves: readonly { from: number; into: number }[],
): Promise<void> {
  if (moves.length === 0) return;
  const from = moves.map((move) => move.from);
  const into = moves.map((move) => move.into);
  await sql`
    delete from order_products
    where account_id = ${accountId} and order_id = any(${into}::bigint[])`.execute(tx);
  await sql`
    update order_products l set order_id = m.into_id
    from unnest(${from}::bigint[], ${into}::bigint[]) as m (from_id, into_id)
    where l.account_id = ${accountId} and l.order_id = m.from_id`.execute(tx);
}

/** Deletes merged orders and moves their aliases and carts to the remaining orders. */
export async function dropOrders(
  tx: Tx,
  accountId: number,
  storeId: number,
  dropped: readonly { id: number; targetId: number }[],
): Promise<void> {
  if (dropped.length === 0) return;
  const ids = dropped.map((merge) => merge.id);
  await sql`
    update order_aliases s set order_id = d.into_id
    from unnest(${ids}::bigint[], ${dropped.map((merge) => merge.targetId)}::bigint[]) as d (id, into_id)
    where s.account_id = ${accountId} and s.store_id = ${storeId} and s.order_id = d.id`.execute(
    tx,
  );
  await sql`
    update carts c set order_id = d.into_id
    from unnest(${ids}::bigint[], ${dropped.map((merge) => merge.targetId)}::bigint[]) as d (id, into_id)
    where c.account_id = ${accountId} and c.store_id = ${storeId} and c.order_id = d.id`.execute(
    tx,
  );
  await sql`
    delete from order_products
    where account_id = ${accountId} and order_id = any(${ids}::bigint[])`.execute(tx);
  await tx
    .deleteFrom('orders')
    .where('account_id', '=', accountId)
    .where('id', 'in', ids)
    .execute();
}

export type LineRow = {
  order_id: number;
  position: number;
  subscriber_id: number;
  product_id: number | null;
  title: string;
  quantity: number;
  price: number | null;
  is_cancelled: boolean;
};

/** Replaces all lines of the orders with the given ids. */
export async function replaceLines(
  tx: Tx,
  accountId: number,
  orderIds: readonly number[],
  lines: readonly LineRow[],
): Promise<void> {
  if (orderIds.length > 0)
    await sql`
      delete from order_products
      where account_id = ${accountId} and order_id = any(${[...orderIds]}::bigint[])`.execute(tx);
  if (lines.length === 0) return;
  const column = <Key extends keyof LineRow>(key: Key) => lines.map((line) => line[key]);
  await sql`
    insert into order_products (account_id, order_id, position, subscriber_id, product_id, title,
      quantity, price, is_cancelled)
    select ${accountId}::bigint, order_id, position, subscriber_id, product_id, title, quantity,
      price, is_cancelled
    from unnest(${column('order_id')}::bigint[], ${column('position')}::integer[],
      ${column('subscriber_id')}::bigint[], ${column('product_id')}::bigint[], ${column('title')}::text[],
      ${column('quantity')}::integer[], ${column('price')}::numeric[], ${column('is_cancelled')}::boolean[])
      as reported (order_id, position, subscriber_id, product_id, title, quantity, price,
        is_cancelled)`.execute(tx);
}

/** Copies the subscriber of orders to their lines, and whether the order counts. */
export async function alignLines(
  tx: Tx,
  accountId: number,
  orderIds: readonly number[],
): Promise<void> {
  if (orderIds.length === 0) return;
  await sql`
    update order_products l
    set is_cancelled = o.cancelled_at is not null or not o.is_confirmed,
      subscriber_id = coalesce(o.subscriber_id, 0)
    from orders o
    where l.account_id = ${accountId} and o.account_id = ${accountId} and o.id = l.order_id
      and l.order_id = any(${[...orderIds]}::bigint[])
      and (l.is_cancelled <> (o.cancelled_at is not null or not o.is_confirmed)
        or l.subscriber_id <> coalesce(o.subscriber_id, 0))`.execute(tx);
}

/** Lists products of orders, by order. */
export async function listOrderProducts(
  tx: Tx,
  accountId: number,
  orderIds: readonly number[],
): Promise<Map<number, number[]>> {
  const { rows } = await sql<{ order_id: number; products: number[] }>`
    select order_id, array_agg(distinct product_id) as products from order_products
    where account_id = ${accountId} and order_id = any(${[...orderIds]}::bigint[])
      and product_id is not null
    group by order_id`.execute(tx);
  return new Map(rows.map((row) => [row.order_id, row.products.map(Number)]));
}

/**
 * Returns the store's own states of orders that do not count, with the number of orders in each,
 * most frequent first.
 */
export async function listUncountedStates(
  db: Reader,
  accountId: number,
  storeId: number,
): Promise<{ status: string; orders: number }[]> {
  const { rows } = await sql<{ status: string; orders: number }>`
    select status, count(*)::int as orders from orders
    where account_id = ${accountId} and store_id = ${storeId} and not is_confirmed
      and status <> '' and source <> 'browser' and cancelled_at is null
    group by status order by count(*) desc, status limit 200`.execute(db);
  return rows;
}

/** Lists orders that do not count and have one of these states, with IDs above `after.id`. */
export async function listUncountedOrders(
  db: Reader,
  accountId: number,
  storeId: number,
  after: { id: number; statuses: readonly string[]; limit: number },
): Promise<Pick<StoredOrder, 'id' | 'remote_id' | 'status' | 'field_times'>[]> {
  const { rows } = await sql<Pick<StoredOrder, 'id' | 'remote_id' | 'status' | 'field_times'>>`
    select id, remote_id, status, field_times from orders
    where account_id = ${accountId} and store_id = ${storeId} and not is_confirmed
      and status = any(${[...after.statuses]}::text[]) and source <> 'browser'
      and id > ${after.id} order by id limit ${after.limit}`.execute(db);
  return rows;
}
