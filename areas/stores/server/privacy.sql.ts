// Queries for privacy requests: finds the subscribers that a store has data about, and deletes that
// data.
import { sql } from 'kysely';
import type { Reader, Tx } from '#platform/server/database/database.ts';

/**
 * Returns up to `limit` subscribers with a customer ID, an order, a cart, a visit, a product view or
 * a confirmation link of this store.
 */
export async function findSubscribersOfStore(
  db: Reader,
  accountId: number,
  storeId: number,
  limit: number,
): Promise<number[]> {
  const { rows } = await sql<{ subscriber_id: number }>`
    select distinct subscriber_id from (
      select subscriber_id from store_customers
      where account_id = ${accountId} and store_id = ${storeId}
      union all
      select subscriber_id from orders
      where account_id = ${accountId} and store_id = ${storeId}
      union all
      select subscriber_id from carts
      where account_id = ${accountId} and store_id = ${storeId} and subscriber_id is not null
      union all
      select subscriber_id from shop_visits
      where account_id = ${accountId} and store_id = ${storeId}
      union all
      select subscriber_id from store_confirmations
      where account_id = ${accountId} and store_id = ${storeId}
      union all
      select v.subscriber_id from product_views v
      join products p on p.account_id = ${accountId} and p.id = v.product_id
      where v.account_id = ${accountId} and p.store_id = ${storeId}
    ) subscribers_of_store
    order by subscriber_id limit ${limit}`.execute(db);
  return rows.map((row) => row.subscriber_id);
}

/**
 * Returns those of the subscribers about whom this store has data or, with `isOther`, about whom any
 * other store of the account has data. The kinds of data are those of `findSubscribersOfStore`.
 */
export async function findSubscribersWithData(
  db: Reader,
  accountId: number,
  subscriberIds: readonly number[],
  { storeId, isOther }: { storeId: number; isOther: boolean },
): Promise<Set<number>> {
  if (subscriberIds.length === 0) return new Set();
  const ids = sql`${[...subscriberIds]}::bigint[]`;
  const storeCondition = isOther ? sql`store_id <> ${storeId}` : sql`store_id = ${storeId}`;
  const { rows } = await sql<{ subscriber_id: number }>`
    select subscriber_id from store_customers
    where account_id = ${accountId} and subscriber_id = any(${ids}) and ${storeCondition}
    union
    select subscriber_id from orders
    where account_id = ${accountId} and subscriber_id = any(${ids}) and ${storeCondition}
    union
    select subscriber_id from carts
    where account_id = ${accountId} and subscriber_id = any(${ids}) and ${storeCondition}
    union
    select subscriber_id from shop_visits
    where account_id = ${accountId} and subscriber_id = any(${ids}) and ${storeCondition}
    union
    select subscriber_id from store_confirmations
    where account_id = ${accountId} and subscriber_id = any(${ids}) and ${storeCondition}
    union
    select v.subscriber_id from product_views v
    join products p on p.account_id = ${accountId} and p.id = v.product_id
    where v.account_id = ${accountId} and v.subscriber_id = any(${ids}) and ${storeCondition}`.execute(
    db,
  );
  return new Set(rows.map((row) => row.subscriber_id));
}

/**
 * Deletes this store's data about these subscribers: orders, carts, visits, product views, customer
 * IDs and the links that confirm sign-ups.
 */
export async function deleteStoreData(
  tx: Tx,
  accountId: number,
  storeId: number,
  subscriberIds: readonly number[],
): Promise<void> {
  const ids = sql`${[...subscriberIds]}::bigint[]`;
  for (const table of ['order_products', 'order_aliases'])
    await sql`
      delete from ${sql.table(table)} s using orders o
      where s.account_id = ${accountId} and o.account_id = ${accountId} and o.id = s.order_id
        and o.store_id = ${storeId} and o.subscriber_id = any(${ids})`.execute(tx);
  await sql`
    delete from product_views v using products p
    where v.account_id = ${accountId} and v.subscriber_id = any(${ids})
      and p.account_id = ${accountId} and p.id = v.product_id and p.store_id = ${storeId}`.execute(
    tx,
  );
  for (const table of ['orders', 'carts', 'shop_visits', 'store_customers', 'store_confirmations'])
    await sql`
      delete from ${sql.table(table)}
      where account_id = ${accountId} and store_id = ${storeId}
        and subscriber_id = any(${ids})`.execute(tx);
}
