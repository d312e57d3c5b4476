// Queues facts that stores report. Each order and each cart is a separate subject, so a repeated
// report enters no subscriber again.
import type { CartFact, OrderFact } from '#areas/stores/server/index.ts';
import { type Cause, startsWorkflows } from '#platform/origins.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { ANY, CLOSED, REEVALUATE } from './facts.ts';
import { type WorkflowFact, findListeners, insertFacts } from './listeners.sql.ts';

type StoreFact = {
  kind: string;
  refs: readonly number[];
  subject: number;
  subscriberId: number;
  at: Date;
};

async function queueStoreFacts(
  tx: Tx,
  { accountId, origin, depth = 0 }: Cause & { accountId: number },
  storeFacts: readonly StoreFact[],
): Promise<void> {
  const now = clock.now();
  const workflowFacts: WorkflowFact[] = [];
  const affectedIds = new Set<number>();
  for (const [kind, group] of Map.groupBy(storeFacts, (fact) => fact.kind)) {
    const refs = [...new Set(group.flatMap((fact) => fact.refs))];
    const listeners = await findListeners(tx, accountId, kind, refs);
    if (listeners.some((listener) => listener.kind === REEVALUATE))
      for (const { subscriberId } of group) affectedIds.add(subscriberId);
    if (!startsWorkflows(origin)) continue;
    const listenedRefs = new Set(
      listeners.flatMap((listener) => (listener.kind === REEVALUATE ? [] : [listener.ref])),
    );
    for (const { refs: factRefs, subject, subscriberId, at } of group)
      for (const ref of factRefs)
        if (listenedRefs.has(ref))
          workflowFacts.push({
            ...{ kind, ref, depth, subject, facts: null, isQuiet: false, ids: [subscriberId] },
            // A late report has the time of its event, so workflows that were activated after the
            // event ignore it.
            at: at < now ? at : now,
          });
  }
  if (affectedIds.size > 0) {
    const ids = [...affectedIds];
    const reevaluation = { kind: REEVALUATE, ref: ANY, subject: 0, facts: null, at: now };
    workflowFacts.push({ ...reevaluation, depth, ids, isQuiet: !startsWorkflows(origin) });
  }
  await insertFacts(tx, accountId, workflowFacts);
}

type OrdersEvent = Cause & { accountId: number; storeId: number; orders: OrderFact[] };

/**
 * `kind`: the trigger for the store; `startsForProducts`: true if the products of the order start
 * workflows as well.
 */
const createOrderHandler =
  (kind: string, { startsForProducts = false } = {}) =>
  (tx: Tx, event: OrdersEvent): Promise<void> =>
    queueStoreFacts(
      tx,
      event,
      event.orders.flatMap(({ orderId: subject, subscriberId, productIds, at }) => {
        const storeFact = { subject, subscriberId, at };
        const refs = [ANY, event.storeId];
        return [
          { ...storeFact, kind, refs },
          ...(startsForProducts
            ? [{ ...storeFact, kind: 'PRODUCT_PURCHASED', refs: [...new Set(productIds)] }]
            : []),
        ];
      }),
    );

export const queueOrderPlaced = createOrderHandler('ORDER_PLACED', { startsForProducts: true });
export const queueOrderFulfilled = createOrderHandler('ORDER_FULFILLED');
export const queueOrderRefunded = createOrderHandler('ORDER_REFUNDED');

export const queueCartAbandoned = (
  tx: Tx,
  event: Cause & { accountId: number; storeId: number; carts: CartFact[] },
): Promise<void> =>
  queueStoreFacts(
    tx,
    event,
    event.carts.map(({ cartId: subject, subscriberId, at }) => ({
      ...{ kind: 'CART_ABANDONED', refs: [ANY, event.storeId], subject, subscriberId, at },
    })),
  );

/** A cart that is ordered or given up ends the runs about it. */
export const queueCartClosed = (
  tx: Tx,
  event: {
    accountId: number;
    storeId: number;
    carts: { cartId: number; subscriberId: number }[];
  },
): Promise<void> =>
  queueStoreFacts(
    tx,
    { ...event, origin: 'store' },
    event.carts.map(({ cartId: subject, subscriberId }) => ({
      ...{ kind: CLOSED, refs: [ANY], subject, subscriberId, at: clock.now() },
    })),
  );

export const queueProductView = (
  tx: Tx,
  event: Cause & {
    accountId: number;
    views: { subscriberId: number; productId: number; at: Date }[];
  },
): Promise<void> =>
  queueStoreFacts(
    tx,
    event,
    event.views.map(({ subscriberId, productId, at }) => ({
      ...{ kind: 'PRODUCT_VIEWED', refs: [ANY, productId], subject: 0, subscriberId, at },
    })),
  );
