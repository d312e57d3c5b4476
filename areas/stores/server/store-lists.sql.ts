// Queries for the lists of all orders and products of an account's stores and the search by order
// number.
import { sql } from 'kysely';
import type { ListRequest } from '#platform/contract.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { toContainsPattern } from '#platform/server/database/like.ts';
import type { Slice } from '#platform/server/database/lists.ts';

type ListedOrder = {
  id: number;
  subscriber_id: number;
  number: string;
  store: string;
  total: number;
  currency: string;
  placed_at: Date;
  cancelled_at: Date | null;
  refunded_at: Date | null;
  products: { title: string; quantity: number }[];
};

/** Orders that only a browser reported are not listed until the store confirms them. */
const orderFilter = (accountId: number, search: string | undefined) => sql`
  o.account_id = ${accountId} and (o.is_confirmed or o.source <> 'browser')
  and ${search ? sql`coalesce(o.number, o.remote_id) ilike ${toContainsPattern(search)}` : sql`true`}`;

const ORDER_SORTS = { placed: sql`o.placed_at`, total: sql`o.total` } as const;

export async function listAllOrders(
  db: Reader,
  accountId: number,
  list: ListRequest<keyof typeof ORDER_SORTS>,
  { limit, offset }: Slice,
): Promise<ListedOrder[]> {
  const direction = list.direction === 'asc' ? sql`asc` : sql`desc`;
  const { rows } = await sql<ListedOrder>`
    select o.id, o.subscriber_id, coalesce(o.number, o.remote_id) as number, s.title as store,
      o.total::float8 as total, o.currency, o.placed_at, o.cancelled_at, o.refunded_at,
      coalesce((select jsonb_agg(jsonb_build_object('title', p.title, 'quantity', p.quantity)
          order by p.position)
        from order_products p
        where p.account_id = ${accountId} and p.order_id = o.id), '[]'::jsonb) as products
    from orders o join stores s on s.account_id = ${accountId} and s.id = o.store_id
    where ${orderFilter(accountId, list.search)}
    order by ${ORDER_SORTS[list.order]} ${direction}, o.id ${direction}
    limit ${limit} offset ${offset}`.execute(db);
  return rows;
}

export async function countAllOrders(
  db: Reader,
  accountId: number,
  search: string | undefined,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from orders o where ${orderFilter(accountId, search)}`.execute(db);
  return rows[0]?.count ?? 0;
}

type ListedProduct = {
  id: number;
  title: string;
  store: string;
  sku: string | null;
  price: number | null;
  old_price: number | null;
  currency: string;
  image_url: string | null;
  url: string | null;
  is_listed: boolean;
};

const productFilter = (accountId: number, search: string | undefined) => sql`
  p.account_id = ${accountId}
  and ${search ? sql`(p.title ilike ${toContainsPattern(search)} or p.sku ilike ${toContainsPattern(search)})` : sql`true`}`;

const PRODUCT_SORTS = {
  title: sql`p.title collate "und-x-icu"`,
  price: sql`p.price`,
  created: sql`p.created_at`,
} as const;

export async function listAllProducts(
  db: Reader,
  accountId: number,
  list: ListRequest<keyof typeof PRODUCT_SORTS>,
  { limit, offset }: Slice,
): Promise<ListedProduct[]> {
  const direction = list.direction === 'asc' ? sql`asc` : sql`desc`;
  const { rows } = await sql<ListedProduct>`
    select p.id, p.title, s.title as store, p.sku, p.price::float8 as price,
      p.old_price::float8 as old_price, coalesce(p.currency, s.currency) as currency, p.image_url,
      p.url, p.is_listed
    from products p join stores s on s.account_id = ${accountId} and s.id = p.store_id
    where ${productFilter(accountId, list.search)}
    order by ${PRODUCT_SORTS[list.order]} ${direction} nulls last, p.id ${direction}
    limit ${limit} offset ${offset}`.execute(db);
  return rows;
}

export async function countAllProducts(
  db: Reader,
  accountId: number,
  search: string | undefined,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from products p where ${productFilter(accountId, search)}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** The number as in the index orders_by_number. */
const NUMBER = sql`ltrim(lower(coalesce(o.number, o.remote_id)), '#') collate "C"`;

/**
 * Finds orders of existing subscribers by order number prefix, sorted by order number, then newest
 * first.
 */
export async function findOrdersByNumber(
  db: Reader,
  accountId: number,
  number: string,
  limit: number,
): Promise<{ id: number; subscriber_id: number; number: string; customer: string | null }[]> {
  const { rows } = await sql<{
    id: number;
    subscriber_id: number;
    number: string;
    customer: string | null;
  }>`
    select o.id, o.subscriber_id, coalesce(o.number, o.remote_id) as number,
      coalesce(p.email, p.phone) as customer
    from (
      select o.* from orders o
      where o.account_id = ${accountId} and ${NUMBER} >= ${number}
        and ${NUMBER} < ${number + LAST_CHARACTER} and (o.is_confirmed or o.source <> 'browser')
      order by ${NUMBER} limit ${limit}
    ) as o
    join subscribers p on p.account_id = ${accountId} and p.id = o.subscriber_id
      and p.deleted_at is null
    order by ${NUMBER}, o.placed_at desc, o.id`.execute(db);
  return rows;
}

/** Sorts after every text that begins with the same letters. */
const LAST_CHARACTER = '\u{10FFFF}';
