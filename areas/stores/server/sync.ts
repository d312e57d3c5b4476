// Asks shops for what they did not tell by themselves: all of it at first, then hourly what changed since,
// nightly a week back. Page by page, each with its place kept: who is killed goes on there.
import { deleteSubscribers, readSubscribers } from '#areas/subscribers/server/index.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database.ts';
import { addJob, defineJob, JobInterrupted } from '#platform/server/jobs.ts';
import { log } from '#platform/server/log.ts';
import type { Poller } from '#platform/server/pollers.ts';
import { randomSecret } from '#platform/server/secrets.ts';
import {
  type Adapter,
  adapterOf,
  type Credentials,
  type Kind,
  type Pulled,
  ShopError,
} from './adapter.ts';
import {
  changeStore,
  dueStores,
  failingStores,
  findStore,
  type StoreFacts,
} from './connections.sql.ts';

import { customersAfter } from './customers.sql.ts';
import { upsertCustomers } from './customers.ts';
import { storeFailing } from './events.ts';
import { credentialsOf, hookUrl, opened, sealed } from './keys.ts';
import { upsertProducts } from './products.ts';
import { upsertOrders } from './take-orders.ts';
import { zoneOf } from './zone.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Shops' clocks differ, and what was saved while we asked came after. */
const OVERLAP_MS = 600_000;
const REVIEW_MS = 7 * DAY_MS;
const CALL_MS = 60_000;
/** A rest that a shop asks for is waited for here; a longer one by the clock. */
const REST_MOST_MS = 20_000;
const PEOPLE_AT_ONCE = 1000;
const KINDS: readonly Kind[] = ['products', 'customers', 'orders'];

/** Where a pull stands. */
type Place = { kind: Kind; cursor: string | null; since: string | null; began: string };

export const syncJob = defineJob({
  name: 'stores.sync',
  payload: z.object({ accountId: z.number(), storeId: z.number() }),
  run: ({ accountId, storeId }, { db, signal }) => sync(db, accountId, storeId, signal),
});

/** As soon as may be; one that waits already is enough. */
export async function startSync(tx: Tx, accountId: number, storeId: number): Promise<void> {
  await addJob(tx, syncJob, { accountId, storeId }, { key: `stores.sync:${accountId}:${storeId}` });
}

export const syncPoller: Poller = {
  name: 'stores.sync',
  everyMs: 60_000,
  async run(db) {
    for (const { accountId, storeId } of await dueStores(db, clock.now(), 500))
      await inTransaction(db, async (tx) => {
        // Again in an hour, should the job be lost.
        const dueAt = new Date(clock.now().getTime() + HOUR_MS);
        await changeStore(tx, accountId, storeId, { due_at: dueAt }, clock.now());
        await startSync(tx, accountId, storeId);
      });
    await tellFailing(db);
  },
};

/** Failing for a day: its owner is told, once. */
async function tellFailing(db: Db): Promise<void> {
  const since = new Date(clock.now().getTime() - DAY_MS);
  for (const { accountId, storeId } of await failingStores(db, since, 100))
    await inTransaction(db, async (tx) => {
      const shop = await findStore(tx, accountId, storeId);
      if (!shop || shop.told_at) return;
      await changeStore(tx, accountId, storeId, { told_at: clock.now() }, clock.now());
      await storeFailing.announce(tx, {
        accountId,
        storeId,
        title: shop.title,
        since: shop.failing_since ?? since,
      });
    });
}

/** One pull of everything that is due of this store. */
export async function sync(
  db: Db,
  accountId: number,
  storeId: number,
  signal: AbortSignal,
): Promise<void> {
  const shop = await findStore(db, accountId, storeId);
  const adapter = shop && adapterOf(shop.type);
  const credentials = shop && credentialsOf(shop);
  if (!shop || !adapter || !credentials || shop.state === 'disconnected') return;
  try {
    await listen(db, accountId, shop, adapter, credentials);
    await pullAll(db, accountId, shop, { adapter, credentials, signal });
  } catch (error) {
    if (signal.aborted) throw new JobInterrupted();
    await noteFailure(db, accountId, storeId, error);
  }
}

/** Has the shop tell us by itself; looked at once a day, since shops switch hooks off without a word. */
async function listen(
  db: Db,
  accountId: number,
  shop: StoreFacts,
  adapter: Adapter,
  credentials: Credentials,
): Promise<void> {
  const isChecked =
    shop.hook_secret &&
    shop.reviewed_at &&
    clock.now().getTime() - shop.reviewed_at.getTime() < DAY_MS;
  if (isChecked) return;
  const secret = await adapter.registerHooks(
    credentials,
    { url: hookUrl(accountId, shop.id), secret: randomSecret() },
    AbortSignal.timeout(CALL_MS),
  );
  await inTransaction(db, (tx) =>
    changeStore(tx, accountId, shop.id, { hook_secret: sealed(secret) }, clock.now()),
  );
}

type Asking = { adapter: Adapter; credentials: Credentials; signal: AbortSignal };

async function pullAll(
  db: Db,
  accountId: number,
  shop: StoreFacts,
  { adapter, credentials, signal }: Asking,
): Promise<void> {
  const zone = await zoneOf(db, accountId, shop);
  let place = placeOf(shop);
  for (;;) {
    if (signal.aborted) throw new JobInterrupted();
    const pulled = await adapter.pull(
      credentials,
      place.kind,
      { since: place.since ? new Date(place.since) : null, cursor: place.cursor, zone },
      AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)]),
    );
    const next = nextPlace(place, pulled.next);
    const isThere = await inTransaction(db, (tx) =>
      takePage(tx, accountId, shop.id, pulled, { place, next }),
    );
    if (!next || !isThere) return;
    place = next;
    if (pulled.waitMs)
      await sleep(Math.min(pulled.waitMs, REST_MOST_MS), undefined, { ref: false });
  }
}

/** Where the last one was broken off; else from the last one's beginning, or from the beginning of all. */
function placeOf(shop: StoreFacts): Place {
  const kept = shop.cursors.place ? (JSON.parse(shop.cursors.place) as Place) : undefined;
  if (kept) return kept;
  const now = clock.now();
  const isReview = !shop.reviewed_at || now.getTime() - shop.reviewed_at.getTime() >= DAY_MS;
  const since = shop.synced_at
    ? new Date(shop.synced_at.getTime() - (isReview ? REVIEW_MS : OVERLAP_MS)).toISOString()
    : null;
  return { kind: 'products', cursor: null, since, began: now.toISOString() };
}

function nextPlace(place: Place, cursor: string | null): Place | undefined {
  if (cursor !== null) return { ...place, cursor };
  const kind = KINDS[KINDS.indexOf(place.kind) + 1];
  return kind && { ...place, kind, cursor: null };
}

/** A page and the place after it, together: nothing twice, nothing left out. */
async function takePage(
  tx: Tx,
  accountId: number,
  storeId: number,
  pulled: Pulled,
  { place, next }: { place: Place; next: Place | undefined },
): Promise<boolean> {
  const shop = await findStore(tx, accountId, storeId);
  if (!shop || shop.state === 'disconnected') return false;
  const { products = [], customers = [], orders = [] } = pulled;
  const isFirst = place.since === null;
  if (products.length > 0) await upsertProducts(tx, accountId, shop, products);
  if (customers.length > 0)
    await upsertCustomers(
      tx,
      accountId,
      { store: shop, isTrusted: true, isQuiet: isFirst },
      customers,
    );
  await upsertOrders(tx, accountId, storeId, orders, isFirst ? 'import' : 'pull');
  const { progress } = shop;
  const began = new Date(place.began);
  const isReview = !shop.reviewed_at || began.getTime() - shop.reviewed_at.getTime() >= DAY_MS;
  await changeStore(
    tx,
    accountId,
    storeId,
    {
      state: next && shop.state === 'connecting' ? 'connecting' : 'live',
      failing_since: null,
      failure: null,
      told_at: null,
      cursors: next ? { place: JSON.stringify(next) } : {},
      ...(isFirst && {
        progress: {
          products: (progress.products ?? 0) + products.length,
          customers: (progress.customers ?? 0) + customers.length,
          orders: (progress.orders ?? 0) + orders.length,
        },
      }),
      ...(!next && {
        synced_at: began,
        due_at: new Date(clock.now().getTime() + HOUR_MS),
        ...(isReview && { reviewed_at: began }),
      }),
    },
    clock.now(),
  );
  return true;
}

/** Keys that are not taken are not tried again; anything else is, where it was broken off. */
async function noteFailure(
  db: Db,
  accountId: number,
  storeId: number,
  error: unknown,
): Promise<void> {
  const fault = error instanceof ShopError ? error.fault : 'unreachable';
  const rest = error instanceof ShopError ? error.retryAfterMs : undefined;
  const now = clock.now();
  log.warn('A shop could not be asked', { store: storeId, fault, error: (error as Error).message });
  await inTransaction(db, async (tx) => {
    const shop = await findStore(tx, accountId, storeId);
    if (!shop || shop.state === 'disconnected') return;
    const wait = Math.min(Math.max(rest ?? (fault === 'busy' ? 300_000 : HOUR_MS), 30_000), DAY_MS);
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
 * After a store was let go: its hooks are taken back. Where that was wished, people whom a store brought are
 * deleted; who was there before and only bought stays.
 */
export const removeCustomersJob = defineJob({
  name: 'stores.remove-customers',
  payload: z.object({
    accountId: z.number(),
    storeId: z.number(),
    deleteSubscribers: z.boolean(),
    credentials: z.string().nullable(),
    type: z.string(),
  }),
  async run(
    { accountId, storeId, deleteSubscribers: isWished, credentials, type },
    { db, signal },
  ) {
    const adapter = adapterOf(type);
    if (credentials && adapter) {
      const keys = JSON.parse(opened(Buffer.from(credentials, 'base64'))) as Credentials;
      const url = hookUrl(accountId, storeId);
      const within = AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)]);
      // A shop that does not answer keeps hooks that nobody listens to.
      await adapter.disconnect(keys, { url }, within).catch(() => undefined);
    }
    if (!isWished) return;
    for (let after = 0; ; ) {
      const ids = await customersAfter(db, accountId, storeId, after, PEOPLE_AT_ONCE);
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
