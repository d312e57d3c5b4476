// Queries for a store's catalog: products, categories and views.
import { sql } from 'kysely';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { StoreProduct } from './store-payloads.ts';

/**
 * Inserts and updates products by their IDs in the store; `products` must not contain an ID twice.
 * Values that the store did not report remain, except for the previous price.
 */
export async function saveProducts(
  tx: Tx,
  accountId: number,
  storeId: number,
  products: readonly StoreProduct[],
  at: Date,
): Promise<void> {
  if (products.length === 0) return;
  const rows = products.map((product) => ({
    remote_id: product.remoteId,
    title: product.title,
    description: product.description,
    sku: product.sku,
    price: product.price,
    old_price: product.oldPrice,
    currency: product.currency,
    image_url: product.imageUrl,
    url: product.url,
    categories: product.categories,
    is_listed: product.isListed,
    created_at: product.createdAt,
  }));
  await sql`
    insert into products (account_id, store_id, remote_id, title, description, sku, price, old_price,
      currency, image_url, url, categories, is_listed, created_at, modified_at)
    select ${accountId}::bigint, ${storeId}::bigint, remote_id, title, description, sku, price,
      old_price, currency, image_url, url, categories, is_listed, coalesce(created_at, ${at}), ${at}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as reported (remote_id text, title text,
      description text, sku text, price numeric, old_price numeric, currency text, image_url text,
      url text, categories text[], is_listed boolean, created_at timestamptz)
    order by remote_id
    on conflict (account_id, store_id, remote_id) do update set
      title = excluded.title, description = coalesce(excluded.description, products.description),
      sku = coalesce(excluded.sku, products.sku), price = coalesce(excluded.price, products.price),
      old_price = excluded.old_price, currency = coalesce(excluded.currency, products.currency),
      image_url = coalesce(excluded.image_url, products.image_url),
      url = coalesce(excluded.url, products.url),
      categories = case when excluded.categories = '{}' then products.categories
        else excluded.categories end,
      is_listed = excluded.is_listed, modified_at = excluded.modified_at`.execute(tx);
}

export type LineProduct = {
  remote_id: string;
  title: string;
  sku: string | null;
  price: number | null;
  image_url: string | null;
  url: string | null;
};

/** Inserts placeholders for products in carts or orders that are missing in the catalog. */
export async function addMissingProducts(
  tx: Tx,
  accountId: number,
  storeId: number,
  lines: readonly LineProduct[],
  at: Date,
): Promise<void> {
  if (lines.length === 0) return;
  await sql`
    insert into products (account_id, store_id, remote_id, title, sku, price, image_url, url,
      created_at, modified_at)
    select ${accountId}::bigint, ${storeId}::bigint, remote_id, title, sku, price, image_url, url,
      ${at}, ${at}
    from jsonb_to_recordset(${JSON.stringify(lines)}::jsonb) as reported (remote_id text, title text,
      sku text, price numeric, image_url text, url text)
    where remote_id not in (select p.remote_id from products p where p.account_id = ${accountId}
      and p.store_id = ${storeId} and p.remote_id = any(${lines.map((line) => line.remote_id)}))
    order by remote_id
    on conflict (account_id, store_id, remote_id) do nothing`.execute(tx);
}

/** Products' IDs by their IDs in the store, and by SKU. */
export async function findProducts(
  db: Reader,
  accountId: number,
  storeId: number,
  keys: { remoteIds: readonly string[]; skus: readonly string[] },
): Promise<{ idByRemoteId: Map<string, number>; idBySku: Map<string, number> }> {
  const { rows } = await sql<{ id: number; remote_id: string; sku: string | null }>`
    select id, remote_id, sku from products
    where account_id = ${accountId} and store_id = ${storeId}
      and remote_id = any(${[...keys.remoteIds]}::text[])
    union
    select id, remote_id, sku from products
    where account_id = ${accountId} and store_id = ${storeId} and sku is not null
      and sku = any(${[...keys.skus]}::text[])
    order by id`.execute(db);
  return {
    idByRemoteId: new Map(rows.map((row) => [row.remote_id, row.id])),
    idBySku: new Map(rows.flatMap((row) => (row.sku ? [[row.sku, row.id]] : []))),
  };
}

/** Finds the listed product shown on a page, by URL or else by exact title. */
export async function findProductByPage(
  db: Reader,
  accountId: number,
  storeId: number,
  { url, title }: { url: string | null; title: string | null },
): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    select id from products
    where account_id = ${accountId} and store_id = ${storeId} and is_listed
      and (url = ${url}::text or title = ${title}::text)
    order by (url = ${url}::text) desc nulls last, id limit 1`.execute(db);
  return rows[0]?.id;
}

/** Marks products as no longer sold; they are retained for their orders. */
export async function unlistProducts(
  tx: Tx,
  accountId: number,
  storeId: number,
  remoteIds: readonly string[],
  at: Date,
): Promise<void> {
  await tx
    .updateTable('products')
    .set({ is_listed: false, modified_at: at })
    .where('account_id', '=', accountId)
    .where('store_id', '=', storeId)
    .where('remote_id', 'in', [...remoteIds])
    .execute();
}

export async function countProducts(db: Reader, accountId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from products where account_id = ${accountId}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Lists categories of listed products by store, in alphabetical order, with product counts. */
export async function listCategories(
  db: Reader,
  accountId: number,
  limit: number,
): Promise<{ store_id: number; title: string; products: number }[]> {
  const { rows } = await sql<{ store_id: number; title: string; products: number }>`
    select store_id, c.name as title, count(*) as products
    from products cross join unnest(categories) as c (name)
    where account_id = ${accountId} and is_listed
    group by store_id, c.name order by c.name, store_id limit ${limit}`.execute(db);
  return rows;
}

/** Records the product views of known subscribers. */
export async function insertViews(
  tx: Tx,
  accountId: number,
  views: readonly { subscriberId: number; productId: number; at: Date }[],
): Promise<void> {
  for (const { subscriberId, productId, at } of views)
    await sql`
      insert into product_views (account_id, subscriber_id, at, product_id)
      values (${accountId}, ${subscriberId}, ${at}, ${productId})
      on conflict do nothing`.execute(tx);
}
