// Queries that link subscribers to the customer ids of stores, and to visitors.
import { sql } from 'kysely';
import { acrossAccounts } from '#platform/server/database/across-accounts.sql.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';

/** Finds subscribers by the store's customer id. */
export async function findCustomers(
  db: Reader,
  accountId: number,
  storeId: number,
  remoteIds: readonly string[],
): Promise<Map<string, number>> {
  if (remoteIds.length === 0) return new Map();
  const { rows } = await sql<{ remote_id: string; subscriber_id: number }>`
    select remote_id, subscriber_id from store_customers
    where account_id = ${accountId} and store_id = ${storeId}
      and remote_id = any(${[...remoteIds]}::text[])`.execute(db);
  return new Map(rows.map((row) => [row.remote_id, row.subscriber_id]));
}

export async function saveCustomers(
  tx: Tx,
  accountId: number,
  storeId: number,
  customers: readonly { remoteId: string; subscriberId: number }[],
): Promise<void> {
  if (customers.length === 0) return;
  await sql`
    insert into store_customers (account_id, store_id, remote_id, subscriber_id)
    select ${accountId}::bigint, ${storeId}::bigint, remote_id, subscriber_id
    from unnest(${customers.map((customer) => customer.remoteId)}::text[],
      ${customers.map((customer) => customer.subscriberId)}::bigint[]) as given (remote_id, subscriber_id)
    order by remote_id
    on conflict (account_id, store_id, remote_id) do update
      set subscriber_id = excluded.subscriber_id
      where store_customers.subscriber_id <> excluded.subscriber_id`.execute(tx);
}

/**
 * Lists subscribers with a customer record or an order in this store, and with IDs above `after`.
 */
export async function listCustomersAfter(
  db: Reader,
  accountId: number,
  storeId: number,
  after: number,
  limit: number,
): Promise<number[]> {
  const { rows } = await sql<{ subscriber_id: number }>`
    select distinct subscriber_id from (
      select subscriber_id from store_customers
      where account_id = ${accountId} and store_id = ${storeId} and subscriber_id > ${after}
      union all
      select subscriber_id from orders
      where account_id = ${accountId} and store_id = ${storeId} and subscriber_id > ${after}
    ) people
    order by subscriber_id limit ${limit}`.execute(db);
  return rows.map((row) => row.subscriber_id);
}

/** Returns the subscriber linked to the visitor, if any. */
export async function findSubscriberOfVisitor(
  db: Reader,
  accountId: number,
  key: string,
): Promise<number | undefined> {
  const { rows } = await sql<{ subscriber_id: number | null }>`
    select subscriber_id from visitors
    where account_id = ${accountId} and key = ${key}`.execute(db);
  return rows[0]?.subscriber_id ?? undefined;
}

/** Records a visitor. A known subscriber is never replaced. */
export async function recordVisitor(
  tx: Tx,
  accountId: number,
  visitor: { key: string; subscriberId: number | null; at: Date },
): Promise<void> {
  await sql`
    insert into visitors (account_id, key, subscriber_id, seen_at)
    values (${accountId}, ${visitor.key}, ${visitor.subscriberId}, ${visitor.at})
    on conflict (account_id, key) do update set
      subscriber_id = coalesce(visitors.subscriber_id, excluded.subscriber_id),
      seen_at = greatest(visitors.seen_at, excluded.seen_at)`.execute(tx);
}

/** Lists accounts with visitors last seen before `before`. */
export async function listAccountsWithVisitors(db: Reader, before: Date): Promise<number[]> {
  const rows = await acrossAccounts(
    db,
    (within) => sql<{ account_id: number }>`
    select distinct account_id from visitors where ${within(sql`account_id`)} and seen_at < ${before} limit 1000`,
  );
  return rows.map((row) => row.account_id);
}

/** Deletes up to `limit` visitors last seen before `before`. */
export async function deleteVisitors(
  tx: Tx,
  accountId: number,
  before: Date,
  limit: number,
): Promise<void> {
  await sql`
    delete from visitors where account_id = ${accountId} and key in (
      select key from visitors where account_id = ${accountId} and seen_at < ${before}
      order by key limit ${limit})`.execute(tx);
}
