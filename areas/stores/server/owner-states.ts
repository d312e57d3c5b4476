// Order states without a built-in meaning. They are listed on the store's card, and their orders
// count once the account has chosen a meaning for them.
import { z } from 'zod';
import {
  type Db,
  inTransaction,
  type Reader,
  type Tx,
} from '#platform/server/database/database.ts';
import { addJob, defineJob, JobInterrupted } from '#platform/server/jobs/jobs.ts';
import type { ConnectedStore } from '../contract.ts';
import { MAX_ORDER_STATES, type OrderMeaning } from '../order-meanings.ts';
import { findStore, type StoreRow } from './connections.sql.ts';
import { findMeaning, toStateKey, toOrderState } from './order-states.ts';
import { listUncountedOrders, listUncountedStates } from './orders.sql.ts';
import { UNREPORTED } from './plugin-payloads.ts';
import { upsertOrders } from './save-orders.ts';

const ORDERS_PER_BATCH = 200;

/**
 * Lists the states with and without a chosen meaning, and the number of their orders that do not
 * count.
 */
export async function listOwnerStates(
  db: Reader,
  accountId: number,
  { id, settings }: Pick<StoreRow, 'id' | 'settings'>,
): Promise<ConnectedStore['order_states']> {
  const meanings = settings.order_states ?? {};
  const states = new Map<string, ConnectedStore['order_states'][number]>(
    Object.entries(meanings).map(([key, meaning]) => [key, { state: key, orders: 0, meaning }]),
  );
  for (const { status, orders } of await listUncountedStates(db, accountId, id)) {
    if (findMeaning(status) !== undefined) continue;
    const key = toStateKey(status);
    const listedState = states.get(key);
    const total = (listedState?.orders ?? 0) + orders;
    states.set(key, { state: status, orders: total, meaning: listedState?.meaning ?? null });
  }
  return [...states.values()].slice(0, MAX_ORDER_STATES);
}

/** Adds these choices to the settings. Choices for states with a built-in meaning are ignored. */
export function applyChoices(
  settings: StoreRow['settings'],
  choices: readonly { state: string; meaning: OrderMeaning }[],
): StoreRow['settings'] {
  const meanings = new Map(Object.entries(settings.order_states ?? {}));
  for (const { state, meaning } of choices)
    if (toStateKey(state) !== '' && findMeaning(state) === undefined)
      meanings.set(toStateKey(state), meaning);
  const latestMeanings = [...meanings].slice(-MAX_ORDER_STATES);
  return { ...settings, order_states: Object.fromEntries(latestMeanings) };
}

export async function scheduleOrderStates(
  tx: Tx,
  accountId: number,
  storeId: number,
): Promise<void> {
  const key = `stores.order-states:${accountId}:${storeId}`;
  await addJob(tx, orderStatesJob, { accountId, storeId }, { key });
}

/**
 * Confirms the waiting orders in states that now have a meaning. Orders that already count are
 * unchanged.
 */
export const orderStatesJob = defineJob({
  name: 'stores.order-states',
  payload: z.object({ accountId: z.number(), storeId: z.number() }),
  run: ({ accountId, storeId }, { db, signal }) =>
    includeWaitingOrders(db, accountId, storeId, signal),
});

async function includeWaitingOrders(
  db: Db,
  accountId: number,
  storeId: number,
  signal: AbortSignal,
): Promise<void> {
  const shop = await findStore(db, accountId, storeId);
  const meanings = shop?.settings.order_states ?? {};
  const states = shop ? await listUncountedStates(db, accountId, storeId) : [];
  const statuses = states
    .map(({ status }) => status)
    .filter((status) => Object.hasOwn(meanings, toStateKey(status)));
  for (let id = 0; statuses.length > 0; ) {
    const orders = await listUncountedOrders(db, accountId, storeId, {
      ...{ id, statuses, limit: ORDERS_PER_BATCH },
    });
    if (orders.length === 0) return;
    const reports = orders.map(({ remote_id, status, field_times: times }) => ({
      ...{ ...UNREPORTED, aliases: [remote_id], number: null, status: '', cart: null },
      ...toOrderState(meanings[toStateKey(status)] as OrderMeaning),
      reportedAt: new Date(Math.floor(times.state ?? times.any ?? 0)),
    }));
    await inTransaction(db, (tx) => upsertOrders(tx, accountId, storeId, reports, 'plugin'));
    id = orders.at(-1)?.id as number;
    if (signal.aborted) throw new JobInterrupted();
  }
}
