// Queries for carts: their lines and subscribers, abandonment, closing by orders, and visits to
// stores.
import { sql } from 'kysely';
import { acrossAccounts } from '#platform/server/database/across-accounts.sql.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';

export type CartRow = {
  id: number;
  store_id: number;
  subscriber_id: number | null;
  remote_id: string;
  url: string | null;
  currency: string;
  total: number;
  product_count: number;
  state: 'open' | 'abandoned' | 'recovered' | 'ordered' | 'given_up';
  visitor: string | null;
  /** Visitor who created the cart through the public API; empty for the store's own cart. */
  claimed_by: string;
  version: number;
  modified_at: Date;
};

const COLUMNS = sql`id, store_id, subscriber_id, remote_id, url, currency, total::float8 as total,
  product_count, state, visitor, claimed_by, version, modified_at`;

/**
 * Returns up to a hundred carts with this number, locked until the transaction ends; the store's
 * own cart precedes visitors' carts.
 */
export async function lockCarts(
  tx: Tx,
  accountId: number,
  storeId: number,
  remoteId: string,
): Promise<CartRow[]> {
  const { rows } = await sql<CartRow>`
    select ${COLUMNS} from carts
    where account_id = ${accountId} and store_id = ${storeId} and remote_id = ${remoteId}
    order by claimed_by limit ${MAX_CARTS_OF_NUMBER} for update`.execute(tx);
  return rows;
}

/** Only an abuser of the public key creates more carts with one number. */
const MAX_CARTS_OF_NUMBER = 100;

/** Turns a visitor's cart into the store's own cart with the same number. */
export async function adoptCart(tx: Tx, accountId: number, cartId: number): Promise<void> {
  await tx
    .updateTable('carts')
    .set({ claimed_by: '' })
    .where('account_id', '=', accountId)
    .where('id', '=', cartId)
    .execute();
}

/**
 * Lists stores of the account with an open cart of this number, for callers that do not name their
 * store.
 */
export async function findStoresOfCart(
  db: Reader,
  accountId: number,
  remoteId: string,
): Promise<number[]> {
  const { rows } = await sql<{ store_id: number }>`
    select store_id from carts
    where account_id = ${accountId} and remote_id = ${remoteId} and closed_at is null
    order by store_id limit 10`.execute(db);
  return rows.map((row) => row.store_id);
}

export async function saveCart(
  tx: Tx,
  accountId: number,
  cart: Omit<CartRow, 'id' | 'version'>,
): Promise<{ id: number; version: number }> {
  const { rows } = await sql<{ id: number; version: number }>`
    insert into carts (account_id, store_id, subscriber_id, remote_id, url, currency, total,
      product_count, state, visitor, claimed_by, created_at, modified_at)
    values (${accountId}, ${cart.store_id}, ${cart.subscriber_id}, ${cart.remote_id}, ${cart.url},
      ${cart.currency}, ${cart.total}, ${cart.product_count}, ${cart.state}, ${cart.visitor},
      ${cart.claimed_by}, ${cart.modified_at}, ${cart.modified_at})
    on conflict (account_id, store_id, remote_id, claimed_by) do update set
      subscriber_id = excluded.subscriber_id, url = excluded.url, currency = excluded.currency,
      total = excluded.total, product_count = excluded.product_count, state = excluded.state,
      visitor = excluded.visitor, modified_at = excluded.modified_at, closed_at = null,
      version = carts.version + 1
    returning id, version`.execute(tx);
  return rows[0] as { id: number; version: number };
}

export async function replaceCartLines(
  tx: Tx,
  accountId: number,
  cartId: number,
  lines: readonly Record<string, unknown>[],
): Promise<void> {
  await sql`
    delete from cart_products where account_id = ${accountId} and cart_id = ${cartId}`.execute(tx);
  await sql`
    insert into cart_products (account_id, cart_id, position, product_id, title, quantity, price,
      image_url, url, sku)
    select ${accountId}::bigint, ${cartId}::bigint, position, product_id, title, quantity, price,
      image_url, url, sku
    from jsonb_to_recordset(${JSON.stringify(lines)}::jsonb) as reported (position integer,
      product_id bigint, title text, quantity integer, price numeric, image_url text, url text,
      sku text)`.execute(tx);
}

export async function insertVisit(
  tx: Tx,
  accountId: number,
  visit: { subscriberId: number; storeId: number; kind: 'cart' | 'checkout'; at: Date },
): Promise<void> {
  await sql`
    insert into shop_visits (account_id, subscriber_id, at, kind, store_id)
    values (${accountId}, ${visit.subscriberId}, ${visit.at}, ${visit.kind}, ${visit.storeId})
    on conflict do nothing`.execute(tx);
}

/** Returns whether the store has any carts: stores that are only polled for orders have none. */
export async function hasCarts(db: Reader, accountId: number, storeId: number): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from carts
      where account_id = ${accountId} and store_id = ${storeId}) as found`.execute(db);
  return rows[0]?.found === true;
}

/**
 * Closes carts that became these orders, and older open carts of their subscribers in the same
 * store, and links orders to carts. A cart that was closed without an order is linked too. Returns
 * the changed carts of known subscribers.
 */
// oxlint-disable-next-line eslint/max-lines-per-function -- One statement.
export async function closeCarts(
  tx: Tx,
  accountId: number,
  storeId: number,
  orders: readonly {
    orderId: number;
    remoteIds: readonly string[];
    /** The order also closes older carts of this subscriber; null for none. */
    subscriberId: number | null;
    /**
     * The subscriber whose visitor carts with one of `remoteIds` are closed; if missing, the same as
     * `subscriberId`.
     */
    buyerId?: number | null;
    placedAt: Date;
  }[],
  at: Date,
): Promise<{ cartId: number; subscriberId: number }[]> {
  const orderAliases = orders.flatMap(({ orderId, remoteIds, subscriberId, buyerId }) =>
    remoteIds.map((remoteId) => ({
      ...{ order_id: orderId, remote_id: remoteId },
      subscriber_id: buyerId ?? subscriberId,
    })),
  );
  const subscriberOrders = orders.filter(({ subscriberId }) => subscriberId !== null);
  const { rows } = await sql<{ cartId: number; subscriberId: number | null }>`
    with ordered as (
      select c.id, min(reported.order_id) as order_id
      from jsonb_to_recordset(${JSON.stringify(orderAliases)}::jsonb)
        as reported (order_id bigint, remote_id text, subscriber_id bigint)
      join carts c on c.account_id = ${accountId} and c.store_id = ${storeId}
        and c.remote_id = reported.remote_id
        -- Among visitors' carts, the buyer's own; or that of an unknown visitor if no other cart has the number.
        and (c.claimed_by = '' or c.subscriber_id = reported.subscriber_id
          or (c.subscriber_id is null and not exists (select from carts o
            where o.account_id = ${accountId} and o.store_id = ${storeId}
              and o.remote_id = reported.remote_id and o.id <> c.id)))
      group by c.id
    ), older as (
      select c.id, min(p.order_id) as order_id
      from unnest(${subscriberOrders.map((order) => order.subscriberId)}::bigint[],
        ${subscriberOrders.map((order) => order.orderId)}::bigint[],
        ${subscriberOrders.map((order) => order.placedAt.toISOString())}::timestamptz[])
        as p (subscriber_id, order_id, placed_at)
      join carts c on c.account_id = ${accountId} and c.subscriber_id = p.subscriber_id
        and c.store_id = ${storeId} and c.closed_at is null and c.modified_at <= p.placed_at
      where c.id not in (select id from ordered)
      group by c.id
    ), found as (
      select id, order_id, 'ordered' as state from ordered
      union all select id, order_id, 'given_up' from older
    )
    update carts c set state = found.state, order_id = found.order_id, closed_at = ${at}
    from found
    where c.account_id = ${accountId} and c.id = found.id
      and (c.closed_at is null or c.order_id is null)
    returning c.id as "cartId", c.subscriber_id as "subscriberId"`.execute(tx);
  await sql`
    update orders o set cart_id = c.id from carts c
    where c.account_id = ${accountId} and o.account_id = ${accountId} and o.id = c.order_id
      and c.state = 'ordered' and o.id = any(${orders.map((order) => order.orderId)}::bigint[])
      and o.cart_id is distinct from c.id`.execute(tx);
  return rows.flatMap(({ cartId, subscriberId }) =>
    subscriberId === null ? [] : [{ cartId, subscriberId }],
  );
}

/** Returns the order with this alias, in case it was reported before its cart. */
export async function findOrderByAlias(
  db: Reader,
  accountId: number,
  storeId: number,
  name: string,
): Promise<number | undefined> {
  const { rows } = await sql<{ order_id: number }>`
    select order_id from order_aliases
    where account_id = ${accountId} and store_id = ${storeId} and name = ${name}`.execute(db);
  return rows[0]?.order_id;
}

/**
 * Assigns a visitor's carts that have no subscriber to the given one. Returns whether there were
 * any.
 */
export async function claimCarts(
  tx: Tx,
  accountId: number,
  visitor: string,
  subscriberId: number,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update carts set subscriber_id = ${subscriberId}
    where account_id = ${accountId} and visitor = ${visitor} and subscriber_id is null`.execute(tx);
  return Number(numAffectedRows ?? 0) > 0;
}

export type IdleCart = {
  accountId: number;
  storeId: number;
  cartId: number;
  subscriberId: number;
  version: number;
  at: Date;
};

/**
 * Finds carts of known subscribers in connected stores, in all accounts, that are not empty and
 * were last changed within seven days, but not within the store's abandonment time. `markAbandoned`
 * decides which ones are reported.
 */
export async function findIdleCarts(db: Reader, at: Date, limit: number): Promise<IdleCart[]> {
  return acrossAccounts(
    db,
    (within) => sql<IdleCart>`
    select c.account_id as "accountId", c.store_id as "storeId", c.id as "cartId",
      c.subscriber_id as "subscriberId", c.version, c.modified_at as at
    from carts c
    join stores s on s.account_id = c.account_id and s.id = c.store_id
    where c.state in ('open', 'recovered') and c.subscriber_id is not null and c.product_count > 0
      and c.modified_at <= ${at}::timestamptz - interval '5 minutes'
      and c.modified_at > ${at}::timestamptz - interval '7 days'
      and c.modified_at <= ${at}::timestamptz
        - coalesce((s.settings->>'abandoned_minutes')::int, 60) * interval '1 minute'
      and s.state <> 'disconnected' and ${within(sql`c.account_id`)} and ${within(sql`s.account_id`)}
    order by c.account_id, c.store_id, c.modified_at
    limit ${limit}`,
  );
}

/**
 * Marks these carts as abandoned if they are unchanged since they were read. Returns those to
 * report: one a day per subscriber and store, without a later purchase there.
 */
export async function markAbandoned(
  tx: Tx,
  accountId: number,
  storeId: number,
  carts: readonly { cartId: number; version: number }[],
  at: Date,
): Promise<{ cartId: number; subscriberId: number }[]> {
  const { rows } = await sql<{ cartId: number; subscriberId: number }>`
    with found as (
      select c.id, c.subscriber_id, c.modified_at
      from carts c
      join unnest(${carts.map((cart) => cart.cartId)}::bigint[],
        ${carts.map((cart) => cart.version)}::int[]) as r (id, version)
        on r.id = c.id and r.version = c.version
      where c.account_id = ${accountId} and c.store_id = ${storeId}
        and c.state in ('open', 'recovered')
      order by c.id for update of c
    ), evaluated as (
      select f.id, f.subscriber_id,
        row_number() over (partition by f.subscriber_id order by f.modified_at desc, f.id desc) = 1
          and not exists (select from carts o where o.account_id = ${accountId}
            and o.subscriber_id = f.subscriber_id and o.store_id = ${storeId}
            and o.abandoned_at > ${at}::timestamptz - interval '1 day')
          and not exists (select from orders b where b.account_id = ${accountId}
            and b.is_confirmed and b.subscriber_id = f.subscriber_id and b.store_id = ${storeId}
            and b.placed_at >= f.modified_at) as is_reported
      from found f
    )
    update carts c set state = 'abandoned',
      abandoned_at = case when j.is_reported then ${at}::timestamptz else c.abandoned_at end,
      abandoned_version = case when j.is_reported then c.version else c.abandoned_version end
    from evaluated j where c.account_id = ${accountId} and c.id = j.id
    returning c.id as "cartId", c.subscriber_id as "subscriberId", j.is_reported`.execute(tx);
  return (rows as { cartId: number; subscriberId: number; is_reported: boolean }[]).filter(
    (row) => row.is_reported,
  );
}

/** Lists accounts with open carts last changed before this instant. */
export async function listAccountsWithOldCarts(db: Reader, before: Date): Promise<number[]> {
  const rows = await acrossAccounts(
    db,
    (within) => sql<{ account_id: number }>`
    select distinct account_id from carts
    where ${within(sql`account_id`)} and closed_at is null and modified_at < ${before} limit 1000`,
  );
  return rows.map((row) => row.account_id);
}

/** Closes up to `limit` open carts last changed before an instant. Returns their subscribers. */
export async function closeAbandonedCarts(
  tx: Tx,
  accountId: number,
  before: Date,
  at: Date,
  limit: number,
): Promise<number[]> {
  const { rows } = await sql<{ subscriber_id: number | null }>`
    update carts set state = 'given_up', closed_at = ${at}
    where account_id = ${accountId} and id in (select id from carts
      where account_id = ${accountId} and closed_at is null and modified_at < ${before}
      order by id limit ${limit})
    returning subscriber_id`.execute(tx);
  return rows.flatMap((row) => row.subscriber_id ?? []);
}

/** Lists products in these carts, by cart. */
export async function listCartProducts(
  db: Reader,
  accountId: number,
  cartIds: readonly number[],
): Promise<Map<number, number[]>> {
  const { rows } = await sql<{ cart_id: number; products: number[] }>`
    select cart_id, array_agg(distinct product_id) as products from cart_products
    where account_id = ${accountId} and cart_id = any(${[...cartIds]}::bigint[])
      and product_id is not null
    group by cart_id`.execute(db);
  return new Map(rows.map((row) => [row.cart_id, row.products.map(Number)]));
}

export async function closeCart(
  tx: Tx,
  accountId: number,
  cartId: number,
  state: 'ordered' | 'given_up',
  at: Date,
): Promise<void> {
  await tx
    .updateTable('carts')
    .set({ state, closed_at: at })
    .where('account_id', '=', accountId)
    .where('id', '=', cartId)
    .execute();
}

/**
 * Returns the store's own open cart with this number, otherwise the only open cart of a visitor:
 * carts of several visitors are ambiguous.
 */
export async function readOpenCart(
  db: Reader,
  accountId: number,
  storeId: number,
  remoteId: string,
): Promise<CartRow | undefined> {
  const { rows } = await sql<CartRow>`
    select ${COLUMNS} from carts
    where account_id = ${accountId} and store_id = ${storeId} and remote_id = ${remoteId}
      and closed_at is null
    order by claimed_by limit 2`.execute(db);
  const [first] = rows;
  return first && (first.claimed_by === '' || rows.length === 1) ? first : undefined;
}

export type CartLine = {
  remote_id: string | null;
  sku: string | null;
  title: string;
  quantity: number;
  price: number | null;
  image_url: string | null;
  product_title: string | null;
  product_price: number | null;
};

export async function readCartLines(
  db: Reader,
  accountId: number,
  cartId: number,
): Promise<CartLine[]> {
  const { rows } = await sql<CartLine>`
    select p.remote_id, coalesce(l.sku, p.sku) as sku, l.title, l.quantity, l.price::float8 as price,
      l.image_url, p.title as product_title, p.price::float8 as product_price
    from cart_products l
    left join products p on p.account_id = ${accountId} and p.id = l.product_id
    where l.account_id = ${accountId} and l.cart_id = ${cartId}
    order by l.position`.execute(db);
  return rows;
}
