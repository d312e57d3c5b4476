// Queries for connected stores: settings, credentials, sync state, due polls and deletion.
import { sql } from 'kysely';
import { acrossAccounts } from '#platform/server/database/across-accounts.sql.ts';
import type { OrderMeaning } from '../order-meanings.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';

export type StoreState = 'connecting' | 'live' | 'failing' | 'disconnected';

export type StoreSettings = {
  /** Group that every customer joins. */
  group_id?: number | undefined;
  /** Minutes after which a cart is treated as abandoned. */
  abandoned_minutes?: number | undefined;
  /** Time zone of the store, if reported. */
  zone?: string | undefined;
  /** Hosts of product pages as reported by the platform with the owner's keys. */
  hosts?: string[] | undefined;
  /** Host name of a disconnected store at the platform, by which privacy requests identify it. */
  platform_host?: string | undefined;
  /**
   * The meanings that the account chose for order states without a built-in meaning; the keys come
   * from `toStateKey`.
   */
  order_states?: Record<string, OrderMeaning> | undefined;
};

export type Progress = { customers?: number; products?: number; orders?: number };

export type StoreRow = {
  id: number;
  type: string;
  title: string;
  domain: string;
  currency: string;
  state: StoreState;
  credentials: Buffer | null;
  plugin_token: Buffer | null;
  hook_secret: Buffer | null;
  settings: StoreSettings;
  cursors: Record<string, string>;
  progress: Progress;
  created_at: Date;
  synced_at: Date | null;
  reviewed_at: Date | null;
  due_at: Date | null;
  failing_since: Date | null;
  failure: string | null;
  failure_notified_at: Date | null;
  /** Topics without a webhook because its registration failed, each with the reason. */
  refused_hooks: string[];
};

const COLUMNS = sql`id, type, title, domain, currency, state, credentials, plugin_token, hook_secret,
  settings, cursors, progress, created_at, synced_at, reviewed_at, due_at, failing_since, failure, failure_notified_at,
  refused_hooks`;

export async function findStore(
  db: Reader,
  accountId: number,
  storeId: number,
): Promise<StoreRow | undefined> {
  const { rows } = await sql<StoreRow>`
    select ${COLUMNS} from stores where account_id = ${accountId} and id = ${storeId}`.execute(db);
  return rows[0];
}

/**
 * Locks the store until the transaction ends, so that concurrent reports of one store are
 * serialized.
 */
export async function lockStore(
  tx: Tx,
  accountId: number,
  storeId: number,
): Promise<StoreRow | undefined> {
  const { rows } = await sql<StoreRow>`
    select ${COLUMNS} from stores where account_id = ${accountId} and id = ${storeId}
    for no key update`.execute(tx);
  return rows[0];
}

export async function findStoreByDomain(
  db: Reader,
  accountId: number,
  domain: string,
): Promise<StoreRow | undefined> {
  const { rows } = await sql<StoreRow>`
    select ${COLUMNS} from stores where account_id = ${accountId} and domain = ${domain}`.execute(
    db,
  );
  return rows[0];
}

/** Returns all stores of the account by title. */
export async function listAllStores(db: Reader, accountId: number): Promise<StoreRow[]> {
  const { rows } = await sql<StoreRow>`
    select ${COLUMNS} from stores where account_id = ${accountId}
    order by title, id limit 1000`.execute(db);
  return rows;
}

/** Inserts a store; undefined if the account has one with this domain. */
export async function insertStore(
  tx: Tx,
  accountId: number,
  store: { type: string; title: string; domain: string; currency: string; at: Date },
): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    insert into stores (account_id, type, title, domain, currency, created_at, modified_at)
    values (${accountId}, ${store.type}, ${store.title}, ${store.domain}, ${store.currency},
      ${store.at}, ${store.at})
    on conflict (account_id, domain) do nothing
    returning id`.execute(tx);
  return rows[0]?.id;
}

export type StoreChange = Partial<{
  domain: string;
  type: string;
  title: string;
  currency: string;
  state: StoreState;
  credentials: Buffer | null;
  plugin_token: Buffer | null;
  hook_secret: Buffer | null;
  settings: StoreSettings;
  cursors: Record<string, string>;
  progress: Progress;
  synced_at: Date | null;
  reviewed_at: Date | null;
  due_at: Date | null;
  failing_since: Date | null;
  failure: string | null;
  failure_notified_at: Date | null;
  refused_hooks: string[];
}>;

export async function changeStore(
  tx: Tx,
  accountId: number,
  storeId: number,
  change: StoreChange,
  at: Date,
): Promise<void> {
  const { settings, cursors, progress, ...plain } = change;
  await tx
    .updateTable('stores')
    .set({
      ...plain,
      ...(settings && { settings: JSON.stringify(settings) }),
      ...(cursors && { cursors: JSON.stringify(cursors) }),
      ...(progress && { progress: JSON.stringify(progress) }),
      modified_at: at,
    })
    .where('account_id', '=', accountId)
    .where('id', '=', storeId)
    .execute();
}

/** Deletes a store with everything it reported; its subscribers are handled before this call. */
export async function deleteStore(tx: Tx, accountId: number, storeId: number): Promise<void> {
  for (const table of ['order_products', 'order_aliases'])
    await sql`
      delete from ${sql.table(table)} s using orders o
      where s.account_id = ${accountId} and o.account_id = ${accountId} and o.id = s.order_id
        and o.store_id = ${storeId}`.execute(tx);
  await sql`
    delete from product_views v using products p
    where v.account_id = ${accountId} and p.account_id = ${accountId} and p.id = v.product_id
      and p.store_id = ${storeId}`.execute(tx);
  await sql`
    delete from stores where account_id = ${accountId} and id = ${storeId}`.execute(tx);
}

/** Stores due for polling, in all accounts. */
export async function listDueStores(
  db: Reader,
  at: Date,
  limit: number,
): Promise<{ accountId: number; storeId: number }[]> {
  return acrossAccounts(
    db,
    (within) => sql<{ accountId: number; storeId: number }>`
      select account_id as "accountId", id as "storeId" from stores
      where due_at <= ${at} and ${within(sql`account_id`)} order by due_at limit ${limit}`,
  );
}

/**
 * Lists stores, in all accounts, that have been failing since before an instant and whose owner has
 * not been notified.
 */
export async function listFailingStores(
  db: Reader,
  since: Date,
  limit: number,
): Promise<{ accountId: number; storeId: number }[]> {
  return acrossAccounts(
    db,
    (within) => sql<{ accountId: number; storeId: number }>`
      select account_id as "accountId", id as "storeId" from stores
      where state = 'failing' and failing_since <= ${since} and failure_notified_at is null and ${within(sql`account_id`)}
      order by account_id, id limit ${limit}`,
  );
}

export type StoreCounts = { products: number; orders: number; customers: number };

export async function countStoreRows(
  db: Reader,
  accountId: number,
  storeId: number,
): Promise<StoreCounts> {
  const { rows } = await sql<StoreCounts>`
    select
      (select count(*) from products where account_id = ${accountId} and store_id = ${storeId}) as products,
      (select count(*) from orders where account_id = ${accountId} and store_id = ${storeId}) as orders,
      (select count(distinct subscriber_id) from store_customers
        where account_id = ${accountId} and store_id = ${storeId}) as customers`.execute(db);
  return rows[0] ?? { products: 0, orders: 0, customers: 0 };
}

/** Finds connected stores of one platform, newest first, in all accounts. */
export async function findStoresOfType(
  db: Reader,
  type: string,
  limit: number,
): Promise<{ accountId: number; storeId: number }[]> {
  const { rows } = await sql<{ accountId: number; storeId: number }>`
    select account_id as "accountId", id as "storeId" from stores
    where type = ${type} and state <> 'disconnected'
    order by created_at desc, account_id, id limit ${limit}`.execute(db);
  return rows;
}
