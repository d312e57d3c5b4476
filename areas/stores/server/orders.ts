// Returns the orders of one subscriber in the format of the contract.
import type { Reader } from '#platform/server/database/database.ts';
import type { ListedOrder } from '../contract.ts';
import { findSubscriberOrders, type OrderRow } from './stores.sql.ts';

/** Returns the newest orders of a subscriber, up to a limit. */
export async function listSubscriberOrders(
  db: Reader,
  accountId: number,
  subscriberId: number,
  limit: number,
): Promise<ListedOrder[]> {
  const rows = await findSubscriberOrders(db, accountId, subscriberId, limit);
  return rows.map(({ placed_at, cancelled_at, refunded_at, ...order }) => ({
    ...order,
    placed: placed_at.toISOString(),
    state: readOrderState({ cancelled_at, refunded_at }),
  }));
}

export function readOrderState(
  row: Pick<OrderRow, 'cancelled_at' | 'refunded_at'>,
): ListedOrder['state'] {
  if (row.refunded_at) return 'refunded';
  return row.cancelled_at ? 'cancelled' : 'placed';
}
