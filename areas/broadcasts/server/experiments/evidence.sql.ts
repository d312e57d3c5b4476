// Queries for the opens, clicks and orders that decide experiments.
import { sql } from 'kysely';
import { listHeldOutSubscribers, listRecipientsOf } from '#areas/delivery/server/ledger/index.ts';
import type { Reader } from '#platform/server/database/database.ts';

const ACTED = { opens: 'first_human_open_at', clicks: 'first_human_click_at' } as const;

/**
 * Counts, for each message, the subscribers who opened it (or clicked in it) up to its `until`;
 * opens and clicks by machines do not count.
 */
export async function countActed(
  db: Reader,
  accountId: number,
  metric: keyof typeof ACTED,
  messages: readonly { messageId: number; until: Date }[],
): Promise<Map<number, number>> {
  const { rows } = await sql<{ message_id: number; count: number }>`
    select v.message_id, count(*) as count
    from unnest(${messages.map(({ messageId }) => messageId)}::bigint[],
      ${messages.map(({ until }) => until)}::timestamptz[]) v(message_id, until)
    join outcomes o on o.account_id = ${accountId} and o.message_id = v.message_id
      and o.${sql.ref(ACTED[metric])} <= v.until
    group by v.message_id`.execute(db);
  return new Map(rows.map((row) => [row.message_id, row.count]));
}

/**
 * Returns the amount that 99 % of the account's confirmed orders in a currency, placed since an
 * instant, do not exceed.
 */
export async function findLargeTotal(
  db: Reader,
  accountId: number,
  currency: string,
  since: Date,
): Promise<number | undefined> {
  const { rows } = await sql<{ total: number | null }>`
    select percentile_disc(0.99) within group (order by total)::float8 as total from orders
    where account_id = ${accountId} and placed_at >= ${since} and currency = ${currency}
      and is_confirmed and cancelled_at is null`.execute(db);
  return rows[0]?.total ?? undefined;
}

export type SubscriberSpending = { is_held_out: boolean; amount: number };

/**
 * Returns the spending, minus refunds, of each recipient and each held-out subscriber who ordered
 * in the period. Confirmed orders in the currency count whether they are attributed or not. A
 * refund without an amount is a full refund.
 */
export async function readSpending(
  db: Reader,
  accountId: number,
  { lead, messageIds }: { lead: number; messageIds: readonly number[] },
  period: { from: Date; to: Date; currency: string },
): Promise<SubscriberSpending[]> {
  const { rows } = await sql<SubscriberSpending>`
    with buyers as materialized (
      select subscriber_id, sum(case when refunded_at is not null and refunded = 0 then 0
          else greatest(total - refunded, 0) end)::float8 as amount
      from orders
      where account_id = ${accountId} and placed_at >= ${period.from} and placed_at < ${period.to}
        and currency = ${period.currency} and is_confirmed and cancelled_at is null
      group by subscriber_id
    )
    select false as is_held_out, b.amount from buyers b
    where b.subscriber_id in (${listRecipientsOf(accountId, messageIds)})
    union all
    select true, b.amount from buyers b
    where b.subscriber_id in (${listHeldOutSubscribers(accountId, lead)})`.execute(db);
  return rows;
}

/** Returns the most frequent currency of the orders in a period. */
export async function findCurrency(
  db: Reader,
  accountId: number,
  from: Date,
  to: Date,
): Promise<string | undefined> {
  const { rows } = await sql<{ currency: string }>`
    select currency from orders
    where account_id = ${accountId} and placed_at >= ${from} and placed_at < ${to}
      and is_confirmed and cancelled_at is null
    group by currency order by count(*) desc, currency limit 1`.execute(db);
  return rows[0]?.currency;
}
