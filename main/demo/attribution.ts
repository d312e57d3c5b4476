// The demo's revenue: an entry for each order and its attributed message, and refunds.
import { insertPlaced, insertReversals } from '#areas/reports/server/attribution.sql.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { attributeToEvents } from './attribution.sql.ts';
import type { DemoHistory } from './history.sql.ts';
import { readOrders } from './store.sql.ts';

export async function attributeOrders(
  tx: Tx,
  { accountId }: Pick<DemoHistory, 'accountId'>,
): Promise<void> {
  const orders = await readOrders(tx, accountId);
  await insertPlaced(tx, accountId, orders.map(asFact));
  await attributeToEvents(tx, accountId);
  for (const entry of ['cancellation', 'refund'] as const) {
    const reversals = orders.flatMap((order) => {
      const reversedAt = entry === 'refund' ? order.refundedAt : order.cancelledAt;
      return reversedAt ? [{ ...asFact(order), at: reversedAt }] : [];
    });
    if (reversals.length > 0) await insertReversals(tx, accountId, entry, reversals);
  }
}

const asFact = (order: Awaited<ReturnType<typeof readOrders>>[number]) => ({
  orderId: order.orderId,
  subscriberId: order.subscriberId,
  productIds: [],
  amount: order.amount,
  currency: order.currency,
  at: order.at,
});
