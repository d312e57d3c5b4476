// Webhooks of stores: stored as received, acknowledged immediately, processed later, each once.
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database/database.ts';
import { isolateFailure } from '#platform/server/process/isolate-failure.ts';
import { log } from '#platform/server/log.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { inSavepoint } from '#platform/server/database/savepoint.sql.ts';
import { getAdapter, type StoreWebhook } from './adapter.ts';
import { listAccountsWithExpiredConfirmations, deleteExpired } from './confirmations.sql.ts';
import { closeStore } from './close-store.ts';
import { findStore, type StoreRow } from './connections.sql.ts';
import { listAccountsWithVisitors, deleteVisitors } from './customers.sql.ts';
import { upsertCustomers } from './customers.ts';
import * as store from './inbox.sql.ts';
import { fulfillPrivacyRequest } from './privacy.ts';
import { unlistProducts } from './products.sql.ts';
import { upsertProducts } from './products.ts';
import { upsertOrders } from './save-orders.ts';
import { readStoreZone } from './zone.ts';

const MAX_STORES_PER_POLL = 200;
const MAX_HOOKS_PER_STORE = 500;
const RETRY_MS = [10_000, 60_000, 600_000, 3_600_000, 21_600_000];
/** Processed webhooks are kept to recognize repeats, which stores send within days. */
const RETENTION_MS = 14 * 86_400_000;
const DELETE_BATCH_ROWS = 5_000;
const VISITOR_RETENTION_MS = 400 * 86_400_000;

export const inboxPoller: Poller = {
  name: 'stores.inbox',
  intervalMs: 1000,
  run: (db, signal) => processInbox(db, signal),
};

export const purgePoller: Poller = {
  name: 'stores.purge',
  intervalMs: 3_600_000,
  async run(db) {
    const before = new Date(clock.now().getTime() - RETENTION_MS);
    for (const accountId of await store.listAccountsWithOldHooks(db, before))
      await inTransaction(db, (tx) =>
        store.deleteOldStoreHooks(tx, accountId, before, DELETE_BATCH_ROWS),
      );
    for (const accountId of await listAccountsWithExpiredConfirmations(db, before))
      await inTransaction(db, (tx) => deleteExpired(tx, accountId, before));
    const unseen = new Date(clock.now().getTime() - VISITOR_RETENTION_MS);
    for (const accountId of await listAccountsWithVisitors(db, unseen))
      await inTransaction(db, (tx) => deleteVisitors(tx, accountId, unseen, DELETE_BATCH_ROWS));
  },
};

/** Processes the due webhooks of up to `MAX_STORES_PER_POLL` stores. */
export async function processInbox(db: Db, signal?: AbortSignal): Promise<void> {
  for (const { accountId, storeId } of await store.listStoresWithDueHooks(
    db,
    clock.now(),
    MAX_STORES_PER_POLL,
  )) {
    // A failing store does not delay other stores.
    await isolateFailure(
      'The inbox of a store failed',
      { account: accountId, store: storeId },
      async () => {
        while (
          !signal?.aborted &&
          (await processSlice(db, accountId, storeId)) === MAX_HOOKS_PER_STORE
        );
      },
    );
  }
}

/**
 * Processes a batch together; on failure one by one, so that an invalid webhook blocks no others.
 */
async function processSlice(db: Db, accountId: number, storeId: number): Promise<number> {
  return inTransaction(db, async (tx) => {
    const shop = await findStore(tx, accountId, storeId);
    if (!shop) return 0;
    const hooks = await store.lockStoreHooks(
      tx,
      accountId,
      storeId,
      clock.now(),
      MAX_HOOKS_PER_STORE,
    );
    if (hooks.length === 0) return 0;
    const readHook = await readerOf(tx, accountId, shop);
    try {
      const webhooks = hooks.map(readHook);
      await inSavepoint(tx, () => ingestWebhook(tx, accountId, shop, joinWebhooks(webhooks)));
      await store.settleStoreHooks(tx, accountId, idsOf(hooks), clock.now());
    } catch {
      for (const hook of hooks) await processOne(tx, accountId, shop, hook, readHook);
    }
    return hooks.length;
  });
}

const idsOf = (hooks: readonly store.StoreHook[]) => hooks.map((hook) => hook.id);

type ReadHook = (hook: store.StoreHook) => StoreWebhook;

async function readerOf(tx: Tx, accountId: number, shop: StoreRow): Promise<ReadHook> {
  const adapter = getAdapter(shop.type);
  const zone = await readStoreZone(tx, accountId, shop);
  return ({ topic, body, received_at }) =>
    shop.state === 'disconnected' && !adapter?.privacyTopics?.includes(topic)
      ? {}
      : (adapter?.parseWebhook(topic, body, { zone, now: received_at }) ?? {});
}

async function processOne(
  tx: Tx,
  accountId: number,
  shop: StoreRow,
  hook: store.StoreHook,
  read: ReadHook,
): Promise<void> {
  const at = clock.now();
  try {
    await inSavepoint(tx, () => ingestWebhook(tx, accountId, shop, read(hook)));
    await store.settleStoreHooks(tx, accountId, [hook.id], at);
  } catch (error) {
    const { message } = error as Error;
    const wait = RETRY_MS[hook.failures];
    log.warn('Could not process a store webhook', { store: shop.id, reason: message });
    await store.postponeStoreHook(tx, accountId, hook.id, {
      failures: hook.failures + 1,
      failure: message.slice(0, 500),
      retryAt: new Date(at.getTime() + (wait ?? 0)),
      doneAt: wait === undefined ? at : null,
    });
  }
}

function joinWebhooks(webhooks: readonly StoreWebhook[]): StoreWebhook {
  return {
    customers: webhooks.flatMap((webhook) => webhook.customers ?? []),
    products: webhooks.flatMap((webhook) => webhook.products ?? []),
    orders: webhooks.flatMap((webhook) => webhook.orders ?? []),
    deletedProducts: webhooks.flatMap((webhook) => webhook.deletedProducts ?? []),
    isUninstalled: webhooks.some((webhook) => webhook.isUninstalled),
    privacyRequests: webhooks.flatMap((webhook) => webhook.privacyRequests ?? []),
  };
}

async function ingestWebhook(
  tx: Tx,
  accountId: number,
  shop: StoreRow,
  webhook: StoreWebhook,
): Promise<void> {
  const {
    customers = [],
    products = [],
    orders = [],
    deletedProducts = [],
    isUninstalled,
    privacyRequests = [],
  } = webhook;
  if (products.length > 0) await upsertProducts(tx, accountId, shop, products);
  if (deletedProducts.length > 0)
    await unlistProducts(tx, accountId, shop.id, deletedProducts, clock.now());
  if (customers.length > 0)
    await upsertCustomers(
      tx,
      accountId,
      { store: shop, isTrusted: true, isQuiet: false },
      customers,
    );
  await upsertOrders(tx, accountId, shop.id, orders, 'hook');
  if (isUninstalled) await closeStore(tx, accountId, shop);
  for (const request of privacyRequests) await fulfillPrivacyRequest(tx, accountId, shop, request);
}
