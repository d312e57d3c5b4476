// The customer value of subscribers: their purchases by currency.
import type { Reader } from '#platform/server/database/database.ts';
import type { Worth } from '../earned-contract.ts';
import { readPurchaseTotals } from './purchases.sql.ts';

/**
 * Returns the number of valid orders and the revenue minus refunds, by currency, with the time of
 * the last order; null without a valid order.
 */
export async function readCustomerValue(
  db: Reader,
  accountId: number,
  subscriberId: number,
): Promise<Worth | null> {
  return (await readCustomerValues(db, accountId, [subscriberId])).get(subscriberId) ?? null;
}

/** Returns customer values by subscriber; subscribers without a valid order are left out. */
export async function readCustomerValues(
  db: Reader,
  accountId: number,
  subscriberIds: readonly number[],
): Promise<Map<number, Worth>> {
  const rows = await readPurchaseTotals(db, accountId, subscriberIds);
  return new Map(
    [...Map.groupBy(rows, (row) => row.subscriber_id)].map(([id, ownRows]) => [
      id,
      {
        currencies: ownRows.map(({ currency, orders, revenue }) => ({ currency, orders, revenue })),
        last_order: new Date(
          Math.max(...ownRows.map((row) => row.last_at.getTime())),
        ).toISOString(),
      },
    ]),
  );
}
