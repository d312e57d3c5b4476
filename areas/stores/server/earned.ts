// What is asked upward: what messages earned is known by whoever attributes orders to them.
import type { Tx } from '#platform/server/database.ts';
import { defineQuestion } from '#platform/server/events.ts';
import type { Earned } from '../earned-contract.ts';
import { hasStores } from './worth.sql.ts';

/** A line per message and currency; messages that earned nothing are missing. */
export const messagesEarned = defineQuestion<
  { accountId: number; messageIds: readonly number[] },
  Earned & { messageId: number }
>('message.earned');

/** What these messages earned together; null where nothing was and no store is connected. */
export async function earnedBy(
  tx: Tx,
  accountId: number,
  messageIds: readonly number[],
): Promise<Earned[] | null> {
  const earned = addUp(await messagesEarned.ask(tx, { accountId, messageIds }));
  return earned.length > 0 || (await hasStores(tx, accountId)) ? earned : null;
}

/** Lines of several messages as one per currency, the largest first. */
function addUp(lines: readonly Earned[]): Earned[] {
  const sums = new Map<string, { orders: number; millis: number }>();
  for (const { currency, orders, revenue } of lines) {
    const sum = sums.get(currency) ?? { orders: 0, millis: 0 };
    sums.set(currency, {
      orders: sum.orders + orders,
      // In whole ten-thousandths: fractions of two do not add up to the cent.
      millis: sum.millis + Math.round(revenue * 10_000),
    });
  }
  return [...sums]
    .map(([currency, { orders, millis }]) => ({ currency, orders, revenue: millis / 10_000 }))
    .sort((a, b) => b.revenue - a.revenue || a.currency.localeCompare(b.currency));
}
