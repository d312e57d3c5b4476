// Queries for attribution: orders with the messages that led to them, refunds, revenue, and the
// windows.

import { sql } from 'kysely';
import { filterKinds } from '#areas/delivery/message-kinds.ts';
import { smsDelivered } from '#areas/delivery/server/ledger/index.ts';
import type { OrderFact } from '#areas/stores/server/index.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { type Interaction, WINDOW_HOURS, MAX_WINDOW } from '../shared.ts';

/**
 * Kinds of messages that orders may be attributed to: marketing only, not messages that recipients
 * requested.
 */
const EARNING = filterKinds((payload) => payload.permission === 'marketing' && payload.isCounted);
const HOUR_MS = 3_600_000;

const columnsOf = (orders: readonly OrderFact[]) => sql`
  unnest(${orders.map((order) => order.orderId)}::bigint[], ${orders.map((order) => order.at)}::timestamptz[],
    ${orders.map((order) => order.amount)}::numeric[], ${orders.map((order) => order.currency)}::text[])`;

/** Inserts an entry per order, which has no message yet. Existing entries are unchanged. */
export async function insertPlaced(
  tx: Tx,
  accountId: number,
  orders: readonly OrderFact[],
): Promise<void> {
  await sql`
    insert into attributions (account_id, order_id, entry, at, amount, currency)
    select ${accountId}::bigint, o.id, 'order', o.at, o.amount, o.currency
    from ${columnsOf(orders)} o (id, at, amount, currency) order by o.id
    on conflict (account_id, order_id, entry) where entry <> 'refund' do nothing`.execute(tx);
}

/**
 * Records refunds and cancellations as negative entries of the order's message. A refund subtracts
 * the reported sum, but at most what is left of the order. A cancellation subtracts all that is
 * left.
 */
export async function insertReversals(
  tx: Tx,
  accountId: number,
  entry: 'refund' | 'cancellation',
  orders: readonly OrderFact[],
): Promise<void> {
  await sql`
    insert into attributions
      (account_id, order_id, entry, at, amount, currency, message_id, touch, touch_at)
    select a.account_id, a.order_id, ${entry}::text, o.at,
      -case when ${entry === 'cancellation'}::boolean then left_over.amount
        else least(o.amount, left_over.amount) end,
      a.currency, a.message_id, a.touch, a.touch_at
    from ${columnsOf(orders)} o (id, at, amount, currency)
    join attributions a on a.account_id = ${accountId} and a.order_id = o.id and a.entry = 'order'
    join (
      select account_id, order_id, greatest(sum(amount), 0) as amount from attributions
      where account_id = ${accountId} and order_id = any(${orders.map((order) => order.orderId)}::bigint[])
      group by account_id, order_id) left_over
      on left_over.account_id = a.account_id and left_over.order_id = o.id
    where ${entry === 'cancellation'}::boolean or (o.amount > 0 and left_over.amount > 0)
    order by o.id
    on conflict (account_id, order_id, entry) where entry <> 'refund' do nothing`.execute(tx);
}

/** Corrects the totals of orders, except for canceled ones, which stay fully refunded. */
export async function correctPlacedOrders(
  tx: Tx,
  accountId: number,
  orders: readonly OrderFact[],
): Promise<void> {
  await sql`
    update attributions a set amount = o.amount, currency = o.currency
    from ${columnsOf(orders)} o (id, at, amount, currency)
    where a.account_id = ${accountId} and a.order_id = o.id and a.entry = 'order'
      and not exists (select from attributions c where c.account_id = ${accountId}
        and c.order_id = o.id and c.entry = 'cancellation')`.execute(tx);
}

const HUMAN_INTERACTION = sql`case when e.is_sms then 'sms_click' when e.kind = 'click' then 'email_click'
  else 'email_open' end`;

const windowOf = (interaction: Interaction) =>
  sql`make_interval(hours => coalesce(w.${sql.ref(interaction)}, ${WINDOW_HOURS[interaction]}))`;

/**
 * Attributes each order to an earlier interaction within the windows that applied at the time of
 * the order. Clicks take precedence over opens, and opens over deliveries of SMS; among
 * interactions of the same kind the latest counts. A repeated call also finds events that were
 * recorded since, and never removes an attribution. `from` and `to` are the times of the first and
 * the last order.
 */
export async function attributeToInteractions(
  tx: Tx,
  accountId: number,
  orders: { ids: readonly number[]; subscriberIds: readonly number[]; from: Date; to: Date },
): Promise<void> {
  const earliest = new Date(orders.from.getTime() - MAX_WINDOW * HOUR_MS);
  const latest = new Date(orders.to.getTime() + 999);
  await sql`
    with placed as materialized (
      -- Stores report whole seconds: an order in the same second as a click is attributed to it.
      select o.id, o.subscriber_id, a.at, a.at + case when extract(milliseconds from a.at)::int % 1000 = 0
          then interval '999 ms' else interval '0' end as until,
        ${windowOf('email_click')} as email_click,
        ${windowOf('email_open')} as email_open, ${windowOf('sms_click')} as sms_click,
        ${windowOf('sms_delivery')} as sms_delivery
      from attributions a
      join orders o on o.account_id = ${accountId} and o.id = a.order_id
      left join lateral (select * from attribution_windows
        where account_id = ${accountId} and since <= a.at order by since desc limit 1) w on true
      where a.account_id = ${accountId} and a.order_id = any(${[...orders.ids]}::bigint[])
        and a.entry = 'order'
    ), touches as (
      select p.id, e.message_id, e.at, ${HUMAN_INTERACTION} as touch
      from placed p
      join events e on e.account_id = ${accountId} and e.subscriber_id = p.subscriber_id
        and e.verdict = 'human' and e.at between ${earliest} and ${latest} and e.at <= p.until
        and (e.kind = 'click' or (e.kind = 'open' and not e.is_sms))
      where e.at >= p.at - case when e.is_sms then p.sms_click
        when e.kind = 'click' then p.email_click else p.email_open end
      union all
      select p.id, d.message_id, d.at, 'sms_delivery'
      from placed p
      join (${smsDelivered(accountId, orders.subscriberIds)}) d on d.subscriber_id = p.subscriber_id
        and d.at <= p.until and d.at >= p.at - p.sms_delivery
    ), last as (
      select distinct on (t.id) t.id, t.message_id, t.touch, t.at
      from touches t
      join placed p on p.id = t.id
      join messages m on m.account_id = ${accountId} and m.id = t.message_id
        and m.kind = any(${EARNING}::text[])
      where case when t.touch = 'email_click' then p.email_click when t.touch = 'email_open' then p.email_open
        when t.touch = 'sms_click' then p.sms_click else p.sms_delivery end > interval '0'
      order by t.id, case when t.touch = 'email_open' then 1 when t.touch = 'sms_delivery' then 2 else 0 end,
        t.at desc, t.message_id desc
    )
    update attributions a set message_id = l.message_id, touch = l.touch, touch_at = l.at
    from last l
    where a.account_id = ${accountId} and a.order_id = l.id
      and (a.message_id, a.touch, a.touch_at) is distinct from (l.message_id, l.touch, l.at)`.execute(
    tx,
  );
}

export type PlacedOrder = { id: number; subscriber_id: number; at: Date };

/** Returns whether the account has an order from `since` on. */
export async function hasOrders(tx: Tx, accountId: number, since: Date): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select 1 from attributions
      where account_id = ${accountId} and at >= ${since} and entry = 'order') as found`.execute(tx);
  return rows[0]?.found === true;
}

/** Lists the orders of these subscribers from `since` on. */
export async function listOrdersSince(
  tx: Tx,
  accountId: number,
  subscriberIds: readonly number[],
  since: Date,
): Promise<PlacedOrder[]> {
  const { rows } = await sql<PlacedOrder>`
    select o.id, o.subscriber_id, a.at from attributions a
    join orders o on o.account_id = ${accountId} and o.id = a.order_id
      and o.subscriber_id = any(${[...subscriberIds]}::bigint[])
    where a.account_id = ${accountId} and a.at >= ${since} and a.entry = 'order'`.execute(tx);
  return rows;
}

/** Lists the orders with these ids that have an entry and a subscriber. */
export async function listPlacedOrders(
  tx: Tx,
  accountId: number,
  ids: readonly number[],
): Promise<PlacedOrder[]> {
  const { rows } = await sql<PlacedOrder>`
    select o.id, o.subscriber_id, a.at from attributions a
    join orders o on o.account_id = ${accountId} and o.id = a.order_id and o.subscriber_id is not null
    where a.account_id = ${accountId} and a.order_id = any(${[...ids]}::bigint[])
      and a.entry = 'order'`.execute(tx);
  return rows;
}

export type EarnedRow = { messageId: number; currency: string; orders: number; revenue: number };

const TOTALS = sql`count(*) filter (where entry = 'order') - count(*) filter (where entry = 'cancellation')
    as orders, sum(amount)::float8 as revenue`;

/** Reads the orders and revenue by message and currency. */
export async function readEarned(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
): Promise<EarnedRow[]> {
  const { rows } = await sql<EarnedRow>`
    select message_id as "messageId", currency, ${TOTALS} from attributions
    where account_id = ${accountId} and message_id = any(${[...messageIds]}::bigint[])
    group by message_id, currency order by revenue desc, currency`.execute(db);
  return rows;
}

export type AttributedOrder = {
  messageId: number;
  subscriberId: number;
  currency: string;
  amount: number;
  at: Date;
};

/** Reads the orders attributed to the messages, except canceled ones. Refunds are subtracted. */
export async function readAttributedOrders(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
): Promise<AttributedOrder[]> {
  const { rows } = await sql<AttributedOrder>`
    select a.message_id as "messageId", o.subscriber_id as "subscriberId", a.currency,
      sum(a.amount)::float8 as amount, min(a.at) as at
    from attributions a join orders o on o.account_id = ${accountId} and o.id = a.order_id
    where a.account_id = ${accountId} and a.message_id = any(${[...messageIds]}::bigint[])
      and o.cancelled_at is null
    group by a.message_id, o.subscriber_id, a.currency, a.order_id`.execute(db);
  return rows;
}

export type EarningsRow = {
  channel: 'email' | 'sms' | null;
  currency: string;
  orders: number;
  revenue: number;
};

/** Reads the orders and revenue of a period by channel (null if not attributed) and currency. */
export async function readEarnings(
  db: Reader,
  accountId: number,
  from: Date,
  to: Date,
): Promise<EarningsRow[]> {
  const { rows } = await sql<EarningsRow>`
    select split_part(touch, '_', 1) as channel, currency, ${TOTALS} from attributions
    where account_id = ${accountId} and at >= ${from} and at < ${to}
    group by 1, currency order by revenue desc, currency`.execute(db);
  return rows;
}

export type WindowHours = Record<Interaction, number>;

/** Reads the current windows; returns undefined if the account has not chosen any. */
export async function readWindows(db: Reader, accountId: number): Promise<WindowHours | undefined> {
  return db
    .selectFrom('attribution_windows')
    .select(['email_click', 'email_open', 'sms_click', 'sms_delivery'])
    .where('account_id', '=', accountId)
    .orderBy('since', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export async function insertWindows(
  tx: Tx,
  accountId: number,
  since: Date,
  windows: WindowHours,
): Promise<void> {
  await tx
    .insertInto('attribution_windows')
    .values({ account_id: accountId, since, ...windows })
    .onConflict((oc) => oc.columns(['account_id', 'since']).doUpdateSet(windows))
    .execute();
}
