// Polling schedule of stores: everything at first, then changes every hour, and once a day the last
// week's changes. Also registers webhooks and, after a disconnection, removes webhooks and
// customers.

import { z } from 'zod';
import { deleteSubscribers, readSubscribers } from '#areas/subscribers/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database/database.ts';
import { addJob, defineJob, JobInterrupted } from '#platform/server/jobs/jobs.ts';
import { log } from '#platform/server/log.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { generateSecret } from '#platform/server/secrets.ts';
import { type Adapter, getAdapter, type StoreCredentials, StoreError } from './adapter.ts';
import {
  changeStore,
  listDueStores,
  listFailingStores,
  findStore,
  type StoreRow,
} from './connections.sql.ts';
import { listCustomersAfter } from './customers.sql.ts';
import { storeFailing } from './events.ts';
import { readCredentials, hookUrl, unsealSecret, sealSecret } from './keys.ts';
import { CALL_MS, pullAll } from './pulling.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const SUBSCRIBERS_PER_BATCH = 1000;
const MAX_REASON = 300;

export const syncJob = defineJob({
  name: 'stores.sync',
  payload: z.object({ accountId: z.number(), storeId: z.number() }),
  run: ({ accountId, storeId }, { db, signal }) => syncStore(db, accountId, storeId, signal),
  onAbandoned: ({ accountId, storeId }, { db }) =>
    noteFailure(db, accountId, storeId, new Error('The worker was killed repeatedly')),
});

/** Starts a poll as soon as possible; a waiting job is reused. */
export async function startSync(tx: Tx, accountId: number, storeId: number): Promise<void> {
  await addJob(tx, syncJob, { accountId, storeId }, { key: `stores.sync:${accountId}:${storeId}` });
}

export const syncPoller: Poller = {
  name: 'stores.sync',
  intervalMs: 60_000,
  async run(db) {
    for (const { accountId, storeId } of await listDueStores(db, clock.now(), 500))
      await inTransaction(db, async (tx) => {
        // If the job is lost, the store is due again in an hour.
        const dueAt = new Date(clock.now().getTime() + HOUR_MS);
        await changeStore(tx, accountId, storeId, { due_at: dueAt }, clock.now());
        await startSync(tx, accountId, storeId);
      });
    await notifyFailing(db);
  },
};

/** Notifies the owner once when a store has failed for a day. */
async function notifyFailing(db: Db): Promise<void> {
  const since = new Date(clock.now().getTime() - DAY_MS);
  for (const { accountId, storeId } of await listFailingStores(db, since, 100))
    await inTransaction(db, async (tx) => {
      const shop = await findStore(tx, accountId, storeId);
      if (!shop || shop.failure_notified_at) return;
      await changeStore(tx, accountId, storeId, { failure_notified_at: clock.now() }, clock.now());
      await storeFailing.announce(tx, {
        accountId,
        storeId,
        title: shop.title,
        since: shop.failing_since ?? since,
      });
    });
}

/** Registers webhooks if necessary and polls all changes of this store. */
export async function syncStore(
  db: Db,
  accountId: number,
  storeId: number,
  signal: AbortSignal,
): Promise<void> {
  const shop = await findStore(db, accountId, storeId);
  const adapter = shop && getAdapter(shop.type);
  const credentials = shop && readCredentials(shop);
  if (!shop || !adapter || !credentials || shop.state === 'disconnected') return;
  try {
    await registerWebhooks(db, accountId, shop, adapter, credentials);
    await pullAll(db, accountId, shop, { adapter, credentials, signal });
  } catch (error) {
    if (signal.aborted) throw new JobInterrupted();
    await noteFailure(db, accountId, storeId, error);
  }
}

/** Registers webhooks again once a day, because platforms disable them silently. */
async function registerWebhooks(
  db: Db,
  accountId: number,
  shop: StoreRow,
  adapter: Adapter,
  credentials: StoreCredentials,
): Promise<void> {
  const isChecked =
    shop.hook_secret &&
    shop.reviewed_at &&
    clock.now().getTime() - shop.reviewed_at.getTime() < DAY_MS;
  if (isChecked) return;
  const refusals: string[] = [];
  const onRefused = (topic: string, reason: string) => {
    refusals.push(`${topic}: ${reason}`.slice(0, MAX_REASON));
  };
  const secret = await adapter.registerWebhooks(
    credentials,
    { url: hookUrl(accountId, shop.id), secret: generateSecret(), onRefused },
    AbortSignal.timeout(CALL_MS),
  );
  if (refusals.length > 0)
    log.warn('A store refused webhooks', { account: accountId, store: shop.id, refused: refusals });
  await inTransaction(db, (tx) =>
    changeStore(
      tx,
      accountId,
      shop.id,
      { hook_secret: sealSecret(secret), refused_hooks: refusals },
      clock.now(),
    ),
  );
}

/**
 * Records a failed poll. A store that refused the keys is not polled again; after other failures
 * the next poll resumes where this one was interrupted. A busy store is not treated as failing.
 */
async function noteFailure(
  db: Db,
  accountId: number,
  storeId: number,
  error: unknown,
): Promise<void> {
  const fault = error instanceof StoreError ? error.code : 'unreachable';
  const retryAfterMs = error instanceof StoreError ? error.retryAfterMs : undefined;
  const now = clock.now();
  log.warn('Could not poll a store', { store: storeId, fault, reason: (error as Error).message });
  await inTransaction(db, async (tx) => {
    const shop = await findStore(tx, accountId, storeId);
    if (!shop || shop.state === 'disconnected') return;
    const wait = Math.min(
      Math.max(retryAfterMs ?? (fault === 'busy' ? 300_000 : HOUR_MS), 30_000),
      DAY_MS,
    );
    await changeStore(
      tx,
      accountId,
      storeId,
      fault === 'busy'
        ? { due_at: new Date(now.getTime() + wait) }
        : {
            state: 'failing',
            failure: fault,
            failing_since: shop.failing_since ?? now,
            due_at: fault === 'refused' ? null : new Date(now.getTime() + wait),
          },
      now,
    );
  });
}

/**
 * After a disconnection: deletes webhooks and, on request, customers of the store who became
 * subscribers through a store. Customers who were subscribers before remain.
 */
export const removeCustomersJob = defineJob({
  name: 'stores.remove-customers',
  afterKills: 'next_day',
  payload: z.object({
    accountId: z.number(),
    storeId: z.number(),
    deleteSubscribers: z.boolean(),
    credentials: z.string().nullable(),
    type: z.string(),
  }),
  async run(
    { accountId, storeId, deleteSubscribers: isRequested, credentials, type },
    { db, signal },
  ) {
    const adapter = getAdapter(type);
    if (credentials && adapter) {
      const keys = JSON.parse(unsealSecret(Buffer.from(credentials, 'base64'))) as StoreCredentials;
      const url = hookUrl(accountId, storeId);
      const callSignal = AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)]);
      // An unreachable store keeps its webhooks; their calls are then refused.
      await adapter.disconnect(keys, { url }, callSignal).catch(() => undefined);
    }
    if (!isRequested) return;
    for (let after = 0; ; ) {
      const ids = await listCustomersAfter(db, accountId, storeId, after, SUBSCRIBERS_PER_BATCH);
      if (ids.length === 0) return;
      const subscriberIds = (await readSubscribers(db, accountId, ids))
        .filter(({ source }) => source === 'store')
        .map(({ id }) => id);
      await inTransaction(db, (tx) => deleteSubscribers(tx, accountId, { subscriberIds }));
      after = ids.at(-1) as number;
      if (signal.aborted) throw new JobInterrupted();
    }
  },
});
