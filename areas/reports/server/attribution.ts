// Attributes orders to messages (docs/decisions/0052-attribution.md) when they are placed, and
// again when opens and clicks from before the orders are recorded, because events wait in the
// intake for some seconds.
import { z } from 'zod';
import type { OrderFact } from '#areas/stores/server/index.ts';
import type { EngagementEvent } from '#areas/tracking/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction, type Reader, type Tx } from '#platform/server/database/database.ts';
import { addJob, defineJob } from '#platform/server/jobs/jobs.ts';
import { WINDOW_HOURS } from '../shared.ts';
import * as store from './attribution.sql.ts';

type Orders = { accountId: number; orders: readonly OrderFact[] };

/**
 * By the end of this time, all clicks that preceded an order have been recorded, even one at the
 * instant of the order.
 */
const RECHECK_MS = 60_000;

export async function handleOrdersPlaced(tx: Tx, { accountId, orders }: Orders): Promise<void> {
  await store.insertPlaced(tx, accountId, orders);
  const ids = orders.map((order) => order.orderId);
  await attribute(tx, accountId, await store.listPlacedOrders(tx, accountId, ids));
  const runAt = new Date(clock.now().getTime() + RECHECK_MS);
  await addJob(tx, attributeJob, { accountId, orderIds: ids }, { runAt });
}

export const handleOrdersCorrected = (tx: Tx, { accountId, orders }: Orders): Promise<void> =>
  store.correctPlacedOrders(tx, accountId, orders);

export const handleOrdersRefunded = (tx: Tx, { accountId, orders }: Orders): Promise<void> =>
  store.insertReversals(tx, accountId, 'refund', orders);

export const handleOrdersCanceled = (tx: Tx, { accountId, orders }: Orders): Promise<void> =>
  store.insertReversals(tx, accountId, 'cancellation', orders);

/**
 * Attributes orders again after opens and clicks were recorded. A call may contain thousands of
 * events. Mostly no order follows them, so one cheap statement checks this first.
 */
export async function recordEngagement(
  tx: Tx,
  { accountId, engagement }: { accountId: number; engagement: readonly EngagementEvent[] },
): Promise<void> {
  const touches = engagement.filter(
    (engagement) => engagement.verdict === 'human' && engagement.subscriberId > 0,
  );
  if (touches.length === 0) return;
  const earliest = Math.min(...touches.map((touch) => touch.at.getTime()));
  // Online shops report times in whole seconds, so an order in the same second as a click has an
  // earlier time.
  const first = new Date(earliest - (earliest % 1000));
  if (!(await store.hasOrders(tx, accountId, first))) return;
  const subscriberIds = [...new Set(touches.map((touch) => touch.subscriberId))];
  await attribute(tx, accountId, await store.listOrdersSince(tx, accountId, subscriberIds, first));
}

export const attributeJob = defineJob({
  name: 'reports.attribute',
  payload: z.object({ accountId: z.number(), orderIds: z.array(z.number()) }),
  async run({ accountId, orderIds }, { db }) {
    await inTransaction(db, async (tx) => {
      await attribute(tx, accountId, await store.listPlacedOrders(tx, accountId, orderIds));
    });
  },
});

async function attribute(tx: Tx, accountId: number, orders: readonly store.PlacedOrder[]) {
  if (orders.length === 0) return;
  const times = orders.map((order) => order.at.getTime());
  await store.attributeToInteractions(tx, accountId, {
    ids: orders.map((order) => order.id),
    subscriberIds: [...new Set(orders.map((order) => order.subscriber_id))],
    from: new Date(Math.min(...times)),
    to: new Date(Math.max(...times)),
  });
}

/** Reads the windows in hours, as chosen by the account, or else the defaults. */
export async function readAttributionWindows(
  db: Reader,
  accountId: number,
): Promise<store.WindowHours> {
  return (await store.readWindows(db, accountId)) ?? WINDOW_HOURS;
}

/** Sets the windows for later orders; the attribution of earlier orders is unchanged. */
export async function saveWindows(
  tx: Tx,
  accountId: number,
  windows: store.WindowHours,
): Promise<store.WindowHours> {
  await store.insertWindows(tx, accountId, clock.now(), windows);
  return windows;
}
