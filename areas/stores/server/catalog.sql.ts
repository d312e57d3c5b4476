// SQL that picks products for emails, from the catalog or for each of several subscribers, and that
// finds the pages of carts.
import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '#platform/server/database/database.ts';

export type CatalogRow = {
  id: number;
  title: string;
  price: number | null;
  old_price: number | null;
  currency: string;
  image_url: string;
  url: string;
};

/** Returns SQL for the host of a page, without user, port and www. */
const hostOf = (url: RawBuilder<unknown>) => sql`regexp_replace(
  substring(${url} from '^https?://(?:[^/?#]*@)?([^/?#:]+)'), '^www[.]', '')`;
const OWN_DOMAIN = sql`regexp_replace(regexp_replace(s.domain, '(:[0-9]+)?(/.*)?$', ''), '^www[.]', '')`;

/**
 * Returns an SQL condition that is true if the page is on a host of the store `s`, as in
 * own-hosts.ts. The demo store has no host: its pages are on this installation.
 */
const isOwnPage = (url: RawBuilder<unknown>) => sql`${url} ~ '^https?://' and (s.type = 'demo'
  or ${hostOf(url)} = ${OWN_DOMAIN}
  or right(${hostOf(url)}, length(${OWN_DOMAIN}) + 1) = '.' || ${OWN_DOMAIN}
  or (position('.' in ${hostOf(url)}) > 0
    and right(${OWN_DOMAIN}, length(${hostOf(url)}) + 1) = '.' || ${hostOf(url)})
  or s.settings->'hosts' @> to_jsonb(
    substring(${url} from '^https?://(?:[^/?#]*@)?([^/?#:]+)')))`;
const IS_OWN_PAGE = isOwnPage(sql`p.url`);

/**
 * Returns an SQL condition for products that emails may show: they are listed, have an image (on
 * any host), and have a page on a host of the store. The store must be connected and, if `storeId`
 * is given, have this ID.
 */
const isPresentable = (accountId: number, storeId: number | undefined) => sql`p.is_listed
  and p.image_url ~ '^https?://'
  and exists (select from stores s where s.account_id = ${accountId} and s.id = p.store_id
    and s.state <> 'disconnected' and (${storeId ?? null}::bigint is null or s.id = ${storeId ?? null})
    and ${IS_OWN_PAGE})`;
const COLUMNS = (accountId: number) => sql`p.id, p.title, p.price::float8 as price,
  p.old_price::float8 as old_price, coalesce(p.currency, (select s.currency from stores s
    where s.account_id = ${accountId} and s.id = p.store_id), '') as currency, p.image_url, p.url`;

export async function listNewestProducts(
  db: Reader,
  accountId: number,
  storeId: number | undefined,
  limit: number,
): Promise<CatalogRow[]> {
  const { rows } = await sql<CatalogRow>`
    select ${COLUMNS(accountId)} from products p
    where p.account_id = ${accountId} and ${isPresentable(accountId, storeId)}
    order by p.created_at desc, p.id desc limit ${limit}`.execute(db);
  return rows;
}

/** Lists products by units sold from `since` on; products without sales come last, newest first. */
export async function listBestSellingProducts(
  db: Reader,
  accountId: number,
  storeId: number | undefined,
  since: Date,
  limit: number,
): Promise<CatalogRow[]> {
  const { rows } = await sql<CatalogRow>`
    with sold as materialized (
      select l.product_id, sum(l.quantity) as quantity
      from orders o join order_products l on l.account_id = ${accountId} and l.order_id = o.id
        and not l.is_cancelled and l.product_id is not null
      where o.account_id = ${accountId} and o.placed_at >= ${since} and o.cancelled_at is null
      group by l.product_id
    )
    select ${COLUMNS(accountId)} from products p left join sold on sold.product_id = p.id
    where p.account_id = ${accountId} and ${isPresentable(accountId, storeId)}
    order by sold.quantity desc nulls last, p.created_at desc, p.id desc limit ${limit}`.execute(
    db,
  );
  return rows;
}

export async function findProductsById(
  db: Reader,
  accountId: number,
  ids: readonly number[],
): Promise<CatalogRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<CatalogRow>`
    select ${COLUMNS(accountId)} from products p
    where p.account_id = ${accountId} and p.id = any(${[...ids]}::bigint[])
      and p.image_url is not null
      and exists (select from stores s where s.account_id = ${accountId} and s.id = p.store_id
        and ${IS_OWN_PAGE})`.execute(db);
  return rows;
}

export type PickedRow = { subscriber_id: number; product_id: number; quantity?: number };

const IN_CARTS = (accountId: number, subscribers: RawBuilder<unknown>) => sql`
  select c.subscriber_id, l.product_id, c.modified_at, l.position
  from carts c join cart_products l on l.account_id = ${accountId} and l.cart_id = c.id
    and l.product_id is not null
  where c.account_id = ${accountId} and c.subscriber_id = ${subscribers} and c.closed_at is null
    and c.state in ('open', 'abandoned', 'recovered')`;

/**
 * Selects one open cart in a connected store per subscriber: the newest abandoned one, otherwise
 * the newest.
 */
const CART_OF = (accountId: number, subscribers: RawBuilder<unknown>) => sql`
  select distinct on (c.subscriber_id) c.subscriber_id, c.id
  from carts c
  where c.account_id = ${accountId} and c.subscriber_id = ${subscribers} and c.closed_at is null
    and c.state in ('open', 'abandoned', 'recovered')
    and exists (select from stores s where s.account_id = ${accountId} and s.id = c.store_id
      and s.state <> 'disconnected')
  order by c.subscriber_id, (c.state = 'abandoned') desc, c.modified_at desc, c.id desc`;

/** Returns the cart that `listCartPicks` shows, by subscriber. */
export async function findCarts(
  db: Reader,
  accountId: number,
  subscriberIds: readonly number[],
): Promise<Map<number, number>> {
  const anySubscriber = sql`any(${[...subscriberIds]}::bigint[])`;
  const { rows } = await sql<{ subscriber_id: number; id: number }>`
    ${CART_OF(accountId, anySubscriber)}`.execute(db);
  return new Map(rows.map((row) => [row.subscriber_id, row.id]));
}

/**
 * Returns the cart's page, with the store's domain and type; `url` is null unless it is on a host
 * of the store.
 */
export async function findCartPage(
  db: Reader,
  accountId: number,
  cartId: number,
): Promise<{ url: string | null; domain: string; type: string } | undefined> {
  const { rows } = await sql<{ url: string | null; domain: string; type: string }>`
    select case when ${isOwnPage(sql`c.url`)} then c.url end as url, s.domain, s.type
    from carts c join stores s on s.account_id = ${accountId} and s.id = c.store_id
    where c.account_id = ${accountId} and c.id = ${cartId}`.execute(db);
  return rows[0];
}

/** Returns up to `limit` products in the cart of each subscriber, in the order of the cart. */
export async function listCartPicks(
  db: Reader,
  accountId: number,
  subscriberIds: readonly number[],
  limit: number,
): Promise<PickedRow[]> {
  const anySubscriber = sql`any(${[...subscriberIds]}::bigint[])`;
  const { rows } = await sql<PickedRow>`
    with carried as (
      select c.subscriber_id, l.product_id, min(l.position) as position,
        sum(l.quantity)::integer as quantity
      from (${CART_OF(accountId, anySubscriber)}) c
      join cart_products l on l.account_id = ${accountId} and l.cart_id = c.id
        and l.product_id is not null
      group by 1, 2
    ), ranked as (
      select c.subscriber_id, c.product_id, c.quantity,
        row_number() over (partition by c.subscriber_id order by c.position, c.product_id) as rank
      from carried c join products p on p.account_id = ${accountId} and p.id = c.product_id
      where ${isPresentable(accountId, undefined)}
    )
    select subscriber_id, product_id, quantity from ranked where rank <= ${limit}
    order by subscriber_id, rank`.execute(db);
  return rows;
}

/** Returns up to `limit` products that each subscriber viewed, most recent first. */
export async function listViewedPicks(
  db: Reader,
  accountId: number,
  subscriberIds: readonly number[],
  limit: number,
): Promise<PickedRow[]> {
  const { rows } = await sql<PickedRow>`
    with viewed as (
      select subscriber_id, product_id, max(at) as at from product_views
      where account_id = ${accountId} and subscriber_id = any(${[...subscriberIds]}::bigint[])
      group by 1, 2
    ), ranked as (
      select v.subscriber_id, v.product_id, row_number() over (partition by v.subscriber_id
        order by v.at desc, v.product_id) as rank
      from viewed v join products p on p.account_id = ${accountId} and p.id = v.product_id
      where ${isPresentable(accountId, undefined)}
    )
    select subscriber_id, product_id from ranked where rank <= ${limit}
    order by subscriber_id, rank`.execute(db);
  return rows;
}

/**
 * Returns up to `limit` products of each subscriber's last order that is confirmed and not
 * canceled.
 */
export async function listOrderedPicks(
  db: Reader,
  accountId: number,
  subscriberIds: readonly number[],
  limit: number,
): Promise<PickedRow[]> {
  const { rows } = await sql<PickedRow>`
    with latest as (
      select distinct on (subscriber_id) subscriber_id, id from orders
      where account_id = ${accountId} and subscriber_id = any(${[...subscriberIds]}::bigint[])
        and is_confirmed and cancelled_at is null
      order by subscriber_id, placed_at desc, id desc
    ), bought as (
      select o.subscriber_id, l.product_id, min(l.position) as position,
        sum(l.quantity)::integer as quantity
      from latest o join order_products l on l.account_id = ${accountId} and l.order_id = o.id
        and l.product_id is not null and not l.is_cancelled
      group by 1, 2
    ), ranked as (
      select b.subscriber_id, b.product_id, b.quantity,
        row_number() over (partition by b.subscriber_id order by b.position, b.product_id) as rank
      from bought b join products p on p.account_id = ${accountId} and p.id = b.product_id
      where ${isPresentable(accountId, undefined)}
    )
    select subscriber_id, product_id, quantity from ranked where rank <= ${limit}
    order by subscriber_id, rank`.execute(db);
  return rows;
}

/**
 * Returns up to `limit` products per subscriber that are most often bought together with products
 * that the subscriber bought or has in a cart, excluding these products. Reads only 500 orders per
 * product, a sufficient sample for a popular one.
 */
export async function listRecommendedPicks(
  db: Reader,
  accountId: number,
  subscriberIds: readonly number[],
  limit: number,
): Promise<PickedRow[]> {
  const anySubscriber = sql`any(${[...subscriberIds]}::bigint[])`;
  const { rows } = await sql<PickedRow>`
    with own as materialized (
      select subscriber_id, product_id from order_products
      where account_id = ${accountId} and subscriber_id = ${anySubscriber} and product_id is not null
        and not is_cancelled
      union
      select subscriber_id, product_id from (${IN_CARTS(accountId, anySubscriber)}) carried
    ), together as materialized (
      select s.product_id as own_id, b.product_id, count(*) as orders
      from (select distinct product_id from own) s
      cross join lateral (select order_id from order_products
        where account_id = ${accountId} and product_id = s.product_id and not is_cancelled
        limit 500) o
      join order_products b on b.account_id = ${accountId} and b.order_id = o.order_id
        and b.product_id <> s.product_id and not b.is_cancelled
      group by s.product_id, b.product_id
    ), scored as (
      select own.subscriber_id, t.product_id, sum(t.orders) as orders
      from own join together t on t.own_id = own.product_id
      where not exists (select 1 from own mine where mine.subscriber_id = own.subscriber_id
        and mine.product_id = t.product_id)
      group by own.subscriber_id, t.product_id
    ), ranked as (
      select s.subscriber_id, s.product_id, row_number() over (partition by s.subscriber_id
        order by s.orders desc, s.product_id) as rank
      from scored s join products p on p.account_id = ${accountId} and p.id = s.product_id
      where ${isPresentable(accountId, undefined)}
    )
    select subscriber_id, product_id from ranked where rank <= ${limit}
    order by subscriber_id, rank`.execute(db);
  return rows;
}
