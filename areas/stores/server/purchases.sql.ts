// Queries that total the purchases of subscribers, and one that finds out whether the account has a
// store.
import { sql } from 'kysely';
import type { Reader } from '#platform/server/database/database.ts';

export type PurchaseTotalRow = {
  subscriber_id: number;
  currency: string;
  orders: number;
  revenue: number;
  last_at: Date;
};

/**
 * Returns totals of each subscriber's valid orders by currency, largest revenue first. A refund of
 * unknown amount is treated as a full refund.
 */
export async function readPurchaseTotals(
  db: Reader,
  accountId: number,
  subscriberIds: readonly number[],
): Promise<PurchaseTotalRow[]> {
  const { rows } = await sql<PurchaseTotalRow>`
    select subscriber_id, currency, count(*) as orders, max(placed_at) as last_at,
      sum(case when refunded_at is not null and refunded = 0 then 0
        else greatest(total - refunded, 0) end)::float8 as revenue
    from orders
    where account_id = ${accountId} and subscriber_id = any(${[...subscriberIds]}::bigint[])
      and cancelled_at is null and is_confirmed
    group by subscriber_id, currency order by revenue desc, currency`.execute(db);
  return rows;
}

export async function hasStores(db: Reader, accountId: number): Promise<boolean> {
  const row = await db
    .selectFrom('stores')
    .select('id')
    .where('account_id', '=', accountId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
