// Orders of one person in the form of the contract.
import type { Reader } from '#platform/server/database/database.ts';
import type { Order } from '../contract.ts';
import { listOrders, type OrderRow } from './stores.sql.ts';

/** The newest orders of a person, up to a limit. */
export async function ordersOf(
  db: Reader,
  accountId: number,
  subscriberId: number,
  limit: number,
): Promise<Order[]> {
  const rows = await listOrders(db, accountId, subscriberId, limit);
  return rows.map(({ placed_at, cancelled_at, refunded_at, ...order }) => ({
    ...order,
    placed: placed_at.toISOString(),
    state: stateOfOrder({ cancelled_at, refunded_at }),
  }));
}

export function stateOfOrder(row: Pick<OrderRow, 'cancelled_at' | 'refunded_at'>): Order['state'] {
  if (row.refunded_at) return 'refunded';
  return row.cancelled_at ? 'cancelled' : 'placed';
}
