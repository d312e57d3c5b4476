// Questions that a higher area answers: the revenue and the orders attributed to messages.
import type { Tx } from '#platform/server/database/database.ts';
import { defineQuestion } from '#platform/server/events.ts';
import type { Earned } from '../earned-contract.ts';
import { hasStores } from './purchases.sql.ts';

/** One row per message and currency; messages without revenue are left out. */
export const revenueOfMessages = defineQuestion<
  { accountId: number; messageIds: readonly number[] },
  Earned & { messageId: number }
>('message.earned');

/** One row per order attributed to one of the messages; canceled orders are left out. */
export const messageOrders = defineQuestion<
  { accountId: number; messageIds: readonly number[] },
  { messageId: number; subscriberId: number; currency: string; amount: number; at: Date }
>('message.orders');

/**
 * Returns the total revenue of these messages by currency, or null if there is none and the account
 * has no store.
 */
export async function readAttributedRevenue(
  tx: Tx,
  accountId: number,
  messageIds: readonly number[],
): Promise<Earned[] | null> {
  const revenue = addUp(await revenueOfMessages.collect(tx, { accountId, messageIds }));
  return revenue.length > 0 || (await hasStores(tx, accountId)) ? revenue : null;
}

/** Returns the totals of several messages by currency, largest revenue first. */
function addUp(lines: readonly Earned[]): Earned[] {
  const totals = new Map<string, { orders: number; tenThousandths: number }>();
  for (const { currency, orders, revenue } of lines) {
    const total = totals.get(currency) ?? { orders: 0, tenThousandths: 0 };
    totals.set(currency, {
      orders: total.orders + orders,
      // Integers, because floating point sums are inexact.
      tenThousandths: total.tenThousandths + Math.round(revenue * 10_000),
    });
  }
  return [...totals]
    .map(([currency, { orders, tenThousandths }]) => ({
      currency,
      orders,
      revenue: tenThousandths / 10_000,
    }))
    .sort((a, b) => b.revenue - a.revenue || a.currency.localeCompare(b.currency));
}
