// The demo's online store: two years of orders, refunds and abandoned carts.
import { sql } from 'kysely';
import { refreshShoppers } from '#areas/stores/server/index.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { chance, type DemoHistory } from './history.sql.ts';
import { teaUrl } from './shop.ts';
import { fillIn } from './texts.ts';

/** Prices of the teas, in the order of their names. */
const PRICES = [9.5, 12.9, 8.5, 11.2, 10.4, 16.8, 7.9, 13.6];
const SLICE = 5000;

export type DemoStoreIds = { store: number; products: number[] };

export async function insertShop(tx: Tx, history: DemoHistory): Promise<DemoStoreIds> {
  const since = new Date(history.now.getTime() - 730 * 86_400_000);
  const times = { created_at: since, modified_at: since };
  const { id: store } = await tx
    .insertInto('stores')
    .values({
      account_id: history.accountId,
      type: 'woocommerce',
      title: 'Harbour Tea House',
      domain: 'harbourtea.example',
      currency: 'EUR',
      ...times,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const products = await tx
    .insertInto('products')
    .values(
      history.teas.map((tea, index) => ({
        account_id: history.accountId,
        store_id: store,
        remote_id: String(index + 1),
        title: fillIn(history.texts.packet, 'tea', tea),
        sku: `TEA-${index + 1}`,
        price: PRICES[index % PRICES.length] as number,
        currency: 'EUR',
        url: teaUrl(index),
        ...times,
      })),
    )
    .returning('id')
    .execute();
  const ids = products.map((product) => product.id);
  await insertOrders(tx, history, store, ids);
  await insertCarts(tx, history, store, ids);
  await addUp(tx, history.accountId);
  return { store, products: ids };
}

/**
 * Two of five subscribers buy, some of them repeatedly. Some clicks in campaigns lead to an order
 * within two days. A few orders are canceled or refunded.
 */
async function insertOrders(
  tx: Tx,
  history: DemoHistory,
  store: number,
  products: number[],
): Promise<void> {
  const lineChance = (salt: number) => chance('s.id * 16 + k', salt);
  const clickChance = (salt: number) => chance('e.subscriber_id * 1000 + e.message_id', salt);
  await sql`
    insert into orders (account_id, store_id, subscriber_id, remote_id, number, currency, placed_at,
      cancelled_at, refunded_at, created_at, modified_at)
    select account_id, ${store}, id, remote_id, '#' || (10000 + row_number() over (order by placed_at)),
      'EUR', placed_at, case when luck < 0.02 then placed_at + interval '3 hours' end,
      case when luck > 0.97 then least(placed_at + interval '9 days', ${history.now}::timestamptz) end,
      placed_at, placed_at
    from (
      select s.account_id, s.id, s.id || '-' || k as remote_id, ${lineChance(41)} as luck,
        s.created_at + (${history.now}::timestamptz - s.created_at) * ${lineChance(42)} as placed_at
      from subscribers s cross join generate_series(1, 9) k
      where s.account_id = ${history.accountId} and ${chance('s.id', 43)} < 0.4
        and k <= 1 + floor(9 * power(${chance('s.id', 44)}, 3))
      union all
      select ${history.accountId}::bigint, e.subscriber_id, 'click-' || e.subscriber_id || '-' || e.message_id,
        ${clickChance(53)}, e.at + make_interval(secs => 600 + 172800 * power(${clickChance(54)}, 3))
      from demo_events e where e.kind = 'click' and e.sequence = 4 and ${clickChance(52)} < 0.09
    ) bought where placed_at < ${history.now}::timestamptz`.execute(tx);
  const index = chance('o.id * 4 + k', 45);
  await sql`
    insert into order_products (account_id, order_id, position, subscriber_id, product_id, title, quantity, price, is_cancelled)
    select o.account_id, o.id, k, o.subscriber_id, p.id, p.title, 1 + floor(2 * ${chance('o.id * 4 + k', 46)}), p.price,
      o.cancelled_at is not null
    from orders o cross join generate_series(1, 3) k
    join products p on p.account_id = ${history.accountId}
      and p.id = (${products}::bigint[])[1 + floor(${index} * ${products.length}::int)::int]
    where o.account_id = ${history.accountId} and k <= 1 + floor(3 * ${chance('o.id', 47)})`.execute(
    tx,
  );
  await sql`
    update orders o set total = lines.total
    from (select order_id, sum(quantity * price) as total from order_products
      where account_id = ${history.accountId} group by order_id) lines
    where o.account_id = ${history.accountId} and o.id = lines.order_id`.execute(tx);
}

/** Inserts visits of the cart and the checkout for every order, and some carts that remain open. */
async function insertCarts(
  tx: Tx,
  history: DemoHistory,
  store: number,
  products: number[],
): Promise<void> {
  await sql`
    insert into shop_visits (account_id, subscriber_id, at, kind, store_id)
    select account_id, subscriber_id, placed_at - minutes * interval '1 minute', kind, store_id
    from orders cross join (values ('cart', 12), ('checkout', 4)) v (kind, minutes)
    where account_id = ${history.accountId}`.execute(tx);
  await sql`
    with left_standing as (
      select id, ${history.now}::timestamptz - ${chance('id', 48)} * interval '60 days' as at,
        1 + floor(3 * ${chance('id', 49)})::int as things
      from subscribers where account_id = ${history.accountId} and deleted_at is null
        and ${chance('id', 50)} < 0.03
    ), visits as (
      insert into shop_visits (account_id, subscriber_id, at, kind, store_id)
      select ${history.accountId}, id, at, 'cart', ${store} from left_standing
    )
    insert into carts (account_id, store_id, subscriber_id, remote_id, url, currency, product_count,
      created_at, modified_at)
    select ${history.accountId}, ${store}, id, 'cart-' || id, 'https://harbourtea.example/cart', 'EUR',
      things, at, at from left_standing`.execute(tx);
  await sql`
    insert into cart_products (account_id, cart_id, position, product_id, title, quantity, price)
    select c.account_id, c.id, 1, p.id, p.title, c.product_count, p.price
    from carts c join products p on p.account_id = ${history.accountId}
      and p.id = (${products}::bigint[])[1 + floor(${chance('c.id', 51)} * ${products.length}::int)::int]
    where c.account_id = ${history.accountId}`.execute(tx);
  await sql`
    update carts c set total = p.price * p.quantity from cart_products p
    where c.account_id = ${history.accountId} and p.account_id = ${history.accountId} and p.cart_id = c.id`.execute(
    tx,
  );
}

/** Computes the purchase totals of all subscribers who visited the shop, as for any store. */
async function addUp(tx: Tx, accountId: number): Promise<void> {
  const { rows } = await sql<{ id: number }>`
    select distinct subscriber_id as id from shop_visits where account_id = ${accountId}`.execute(
    tx,
  );
  for (let offset = 0; offset < rows.length; offset += SLICE) {
    const ids = rows.slice(offset, offset + SLICE).map((row) => row.id);
    await refreshShoppers(tx, accountId, ids);
  }
}

/** Returns all orders, sorted by the time they were placed. */
export async function readOrders(tx: Tx, accountId: number) {
  const { rows } = await sql<{
    orderId: number;
    subscriberId: number;
    at: Date;
    amount: number;
    currency: string;
    cancelledAt: Date | null;
    refundedAt: Date | null;
  }>`
    select id as "orderId", subscriber_id as "subscriberId", placed_at as at, total::float8 as amount,
      currency, cancelled_at as "cancelledAt", refunded_at as "refundedAt"
    from orders where account_id = ${accountId} order by placed_at, id`.execute(tx);
  return rows;
}
