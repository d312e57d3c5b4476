// Privacy requests that a platform forwards: a customer requests the stored data or its erasure, or
// the platform requests the erasure of a store's data after its disconnection.
import { z } from 'zod';
import {
  deleteSubscribers,
  eraseSubscribers,
  resolveAddresses,
  parseEmail,
  readSubscribers,
} from '#areas/subscribers/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction, type Reader, type Tx } from '#platform/server/database/database.ts';
import { addJob, defineJob, JobInterrupted } from '#platform/server/jobs/jobs.ts';
import { log } from '#platform/server/log.ts';
import type { PrivacyRequest } from './adapter.ts';
import { closeStore } from './close-store.ts';
import { listAllStores, deleteStore, type StoreRow } from './connections.sql.ts';
import { findCustomers } from './customers.sql.ts';
import { customerDataRequested } from './events.ts';
import { readHookSecret, getPlatformHost } from './keys.ts';
import { deleteStoreData, findSubscribersOfStore, findSubscribersWithData } from './privacy.sql.ts';
import { refreshShoppers } from './stores.sql.ts';

const SUBSCRIBERS_PER_BATCH = 1000;

export async function fulfillPrivacyRequest(
  tx: Tx,
  accountId: number,
  receiver: StoreRow,
  request: PrivacyRequest,
): Promise<void> {
  const shop = await storeOf(tx, accountId, receiver, request.shopHost);
  if (!shop) {
    log.warn('Ignored a privacy request without a store', {
      account: accountId,
      store: receiver.id,
    });
    return;
  }
  log.info('Received a privacy request', {
    ...{ account: accountId, store: shop.id, kind: request.kind },
  });
  if (request.kind === 'shop_redaction') {
    if (shop.state !== 'disconnected') await closeStore(tx, accountId, shop);
    const key = `stores.redact:${accountId}:${shop.id}`;
    return addJob(tx, redactShopJob, { accountId, storeId: shop.id }, { key });
  }
  if (request.kind === 'customer_data') return reportToOwner(tx, accountId, shop, request);
  const ids = await customersIn(tx, accountId, shop, request.customer);
  await redact(tx, accountId, shop.id, ids, eraseSubscribers);
}

/**
 * Returns the store that a request names. All stores that use an app share its webhook address, so
 * the request may be about another store with the same secret.
 */
async function storeOf(
  db: Reader,
  accountId: number,
  receiver: StoreRow,
  host: string | null,
): Promise<StoreRow | undefined> {
  if (host === null) return undefined;
  if (getPlatformHost(receiver) === host) return receiver;
  const secret = readHookSecret(receiver);
  return (await listAllStores(db, accountId)).find(
    (shop) =>
      shop.type === receiver.type &&
      getPlatformHost(shop) === host &&
      readHookSecret(shop) === secret,
  );
}

/** Finds subscribers with this ID or address that the store reported data about. */
async function customersIn(
  tx: Tx,
  accountId: number,
  shop: StoreRow,
  { remoteId, email }: PrivacyRequest['customer'],
): Promise<number[]> {
  const ids = new Set<number>();
  if (remoteId)
    for (const id of (await findCustomers(tx, accountId, shop.id, [remoteId])).values())
      ids.add(id);
  const parsed = email ? parseEmail(email) : undefined;
  if (typeof parsed === 'object')
    for (const { id } of (await resolveAddresses(tx, accountId, [parsed.key])).rows) ids.add(id);
  const matchedIds = await findSubscribersWithData(tx, accountId, [...ids], {
    storeId: shop.id,
    isOther: false,
  });
  return [...matchedIds];
}

/**
 * Deletes the data that the store reported about these people. People whom the account knows only
 * from this store are removed; subscribers who signed up elsewhere stay subscribed.
 */
async function redact(
  tx: Tx,
  accountId: number,
  storeId: number,
  ids: readonly number[],
  remove: typeof eraseSubscribers,
): Promise<void> {
  if (ids.length === 0) return;
  const elsewhere = await findSubscribersWithData(tx, accountId, ids, { storeId, isOther: true });
  const subscriberIds = (await readSubscribers(tx, accountId, [...ids]))
    .filter(({ id, source }) => source === 'store' && !elsewhere.has(id))
    .map(({ id }) => id);
  await deleteStoreData(tx, accountId, storeId, ids);
  await refreshShoppers(tx, accountId, ids);
  if (subscriberIds.length > 0) await remove(tx, accountId, { subscriberIds });
}

/** Notifies the owner, who answers the customer with an export of the subscriber. */
async function reportToOwner(
  tx: Tx,
  accountId: number,
  shop: StoreRow,
  { customer }: PrivacyRequest,
): Promise<void> {
  const [id] = await customersIn(tx, accountId, shop, customer);
  const [subscriber] = id === undefined ? [] : await readSubscribers(tx, accountId, [id]);
  const email = customer.email ?? subscriber?.email;
  if (!email) return;
  await customerDataRequested.announce(tx, {
    accountId,
    storeId: shop.id,
    title: shop.title,
    email,
    request: `${email} ${clock.now().toISOString().slice(0, 10)}`,
  });
}

/**
 * Deletes the store, its data and the subscribers that it added. As after any deletion, their
 * personal data is erased thirty days later.
 */
export const redactShopJob = defineJob({
  name: 'stores.redact',
  afterKills: 'next_day',
  payload: z.object({ accountId: z.number(), storeId: z.number() }),
  async run({ accountId, storeId }, { db, signal }) {
    for (;;) {
      if (signal.aborted) throw new JobInterrupted();
      const ids = await findSubscribersOfStore(db, accountId, storeId, SUBSCRIBERS_PER_BATCH);
      if (ids.length === 0) break;
      await inTransaction(db, (tx) => redact(tx, accountId, storeId, ids, deleteSubscribers));
    }
    await inTransaction(db, (tx) => deleteStore(tx, accountId, storeId));
  },
});
