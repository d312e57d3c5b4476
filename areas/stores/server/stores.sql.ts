// Lists stores, products and a subscriber's orders, recomputes subscribers' totals, and deletes
// store data about subscribers.

import { sql } from 'kysely';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { toContainsPattern } from '#platform/server/database/like.ts';
import { createTextRewriter } from '#platform/server/erasure/texts.sql.ts';

/** Removes the addresses of erased subscribers from titles of stores. */
export const rewriteTitles = createTextRewriter('stores');

export type StoreSummaryRow = { id: number; title: string; domain: string; currency: string };
export type ProductRow = {
  id: number;
  title: string;
  store_id: number;
  sku: string | null;
  price: number | null;
  old_price: number | null;
  currency: string;
  image_url: string | null;
  url: string | null;
};

export function listStores(db: Reader, accountId: number): Promise<StoreSummaryRow[]> {
  return db
    .selectFrom('stores')
    .select(['id', 'title', 'domain', 'currency'])
    .where('account_id', '=', accountId)
    .orderBy('title')
    .orderBy('id')
    .limit(1000)
    .execute();
}

export type OrderRow = {
  number: string;
  store: string;
  total: number;
  currency: string;
  placed_at: Date;
  cancelled_at: Date | null;
  refunded_at: Date | null;
  products: { title: string; quantity: number }[];
};

/**
 * Finds orders of a subscriber and their lines, newest first, by the index orders_by_subscriber.
 */
export async function findSubscriberOrders(
  db: Reader,
  accountId: number,
  subscriberId: number,
  limit: number,
): Promise<OrderRow[]> {
  const { rows } = await sql<OrderRow>`
    select coalesce(o.number, o.remote_id) as number, s.title as store, o.total::float8 as total,
      o.currency, o.placed_at, o.cancelled_at, o.refunded_at,
      coalesce((select jsonb_agg(jsonb_build_object('title', p.title, 'quantity', p.quantity)
          order by p.position)
        from order_products p
        where p.account_id = ${accountId} and p.order_id = o.id), '[]'::jsonb) as products
    from orders o
    join stores s on s.account_id = ${accountId} and s.id = o.store_id
    where o.account_id = ${accountId} and o.subscriber_id = ${subscriberId}
      -- An order that only a browser reported does not count yet.
      and (o.is_confirmed or o.source <> 'browser')
    order by o.placed_at desc, o.id desc
    limit ${limit}`.execute(db);
  return rows;
}

/** Lists products by title. A search keeps only titles that contain all of its words. */
export async function listProducts(
  db: Reader,
  accountId: number,
  terms: readonly string[],
  limit: number,
): Promise<ProductRow[]> {
  const patterns = terms.map((term) => toContainsPattern(term));
  const { rows } = await sql<ProductRow>`
    select p.id, p.title, p.store_id, p.sku, p.price::float8 as price,
      p.old_price::float8 as old_price, coalesce(p.currency, s.currency) as currency, p.image_url,
      p.url
    from products p
    join stores s on s.account_id = ${accountId} and s.id = p.store_id
    where p.account_id = ${accountId} and p.title ilike all(${patterns}::text[])
    order by p.title collate "und-x-icu", p.id limit ${limit}`.execute(db);
  return rows;
}

/** Finds the titles of the ids that belong to the account. */
export async function findTitles(
  db: Reader,
  table: 'stores' | 'products',
  accountId: number,
  ids: readonly number[],
): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom(table)
    .select(['id', 'title'])
    .where('account_id', '=', accountId)
    .where('id', 'in', [...ids])
    .execute();
  return new Map(rows.map((row) => [row.id, row.title]));
}

/**
 * SQL: the order is neither canceled nor fully refunded. A refund without an amount is a full one.
 */
const COUNTS = sql`o.cancelled_at is null
  and (o.refunded_at is null or (o.refunded > 0 and o.refunded < o.total))`;

/**
 * Recomputes the totals of these subscribers' orders, carts and visits from the rows. Uses index
 * lookups per subscriber, which are fast even without statistics, as in a first import.
 */
export async function refreshShoppers(
  tx: Tx,
  accountId: number,
  subscriberIds: readonly number[],
): Promise<void> {
  if (subscriberIds.length === 0) return;
  const ids = [...subscriberIds].sort((a, b) => a - b);
  await sql`
    insert into shoppers (account_id, subscriber_id, order_count, order_amount, first_order_at,
      last_order_at, last_refund_at, cart_product_count, last_cart_at, last_checkout_at)
    select ${accountId}::bigint, p.id, b.orders, coalesce(b.amount, 0), b.first, b.last, b.refunded,
      coalesce(c.products, 0), v.cart, v.checkout
    from unnest(${ids}::bigint[]) p (id)
    cross join lateral (
      select count(*) filter (where ${COUNTS}) as orders,
        sum(case when o.refunded_at is null then o.total else o.total - o.refunded end)
          filter (where ${COUNTS} and (o.currency = s.currency or o.currency = '' or s.currency = ''))
          as amount,
        min(o.placed_at) filter (where o.cancelled_at is null) as first,
        max(o.placed_at) filter (where o.cancelled_at is null) as last,
        max(o.refunded_at) as refunded
      from (
        -- OFFSET keeps the subquery separate: with outdated statistics, the planner would read all orders of a store instead of one person's.
        select * from orders
        where account_id = ${accountId} and subscriber_id = p.id and is_confirmed offset 0
      ) o join stores s on s.account_id = ${accountId} and s.id = o.store_id
    ) b
    cross join lateral (
      select sum(product_count) as products from carts
      where account_id = ${accountId} and subscriber_id = p.id and closed_at is null
    ) c
    cross join lateral (
      select max(at) filter (where kind = 'cart') as cart,
        max(at) filter (where kind = 'checkout') as checkout
      from shop_visits where account_id = ${accountId} and subscriber_id = p.id
    ) v
    on conflict (account_id, subscriber_id) do update set
      order_count = excluded.order_count, order_amount = excluded.order_amount,
      first_order_at = excluded.first_order_at, last_order_at = excluded.last_order_at,
      last_refund_at = excluded.last_refund_at,
      cart_product_count = excluded.cart_product_count, last_cart_at = excluded.last_cart_at,
      last_checkout_at = excluded.last_checkout_at`.execute(tx);
}

/**
 * Deletes all data of stores about erased subscribers, such as orders, carts, visits and totals.
 */
export async function deletePurchaseData(
  tx: Tx,
  accountId: number,
  subscriberIds: readonly number[],
): Promise<void> {
  for (const table of ['order_products', 'order_aliases'])
    await sql`
      delete from ${sql.table(table)} s using orders o
      where s.account_id = ${accountId} and o.account_id = ${accountId} and o.id = s.order_id
        and o.subscriber_id = any(${[...subscriberIds]}::bigint[])`.execute(tx);
  for (const table of [
    'orders',
    'carts',
    'shop_visits',
    'shoppers',
    'store_customers',
    'visitors',
    'product_views',
    'store_confirmations',
  ] as const) {
    await tx
      .deleteFrom(table)
      .where('account_id', '=', accountId)
      .where('subscriber_id', 'in', [...subscriberIds])
      .execute();
  }
}
