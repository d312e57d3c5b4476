// Connects, changes and disconnects stores.
import { requireGroups } from '#areas/groups/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import {
  type Db,
  inTransaction,
  type Reader,
  type Tx,
} from '#platform/server/database/database.ts';
import { AppError, invalid, notFound } from '#platform/server/errors.ts';
import { addJob, removeJob } from '#platform/server/jobs/jobs.ts';
import type { OrderMeaning } from '../order-meanings.ts';
import { MAX_STORES } from '../shared.ts';
import {
  type Adapter,
  getAdapter,
  type StoreCredentials,
  StoreError,
  type StoreErrorCode,
} from './adapter.ts';
import * as store from './connections.sql.ts';
import { readCredentials, sealSecret } from './keys.ts';
import { scheduleOrderStates, applyChoices } from './owner-states.ts';
import { notifyPlugin, hasCallablePlugin } from './plugin-calls.ts';
import { closeStore } from './close-store.ts';
import { removeCustomersJob, startSync } from './sync.ts';

const CHECK_TIMEOUT_MS = 15_000;
/** Faults that are reported at the field of the key. */
const KEY_FAULTS: ReadonlySet<StoreErrorCode> = new Set(['refused', 'scopes_missing']);

/**
 * Returns a connected store.
 * @throws 404 for a disconnected one, which exists only for reports until it is connected again
 */
export async function requireStore(
  db: Reader,
  accountId: number,
  id: number,
): Promise<store.StoreRow> {
  const shop = await store.findStore(db, accountId, id);
  if (!shop || shop.state === 'disconnected') throw notFound();
  return shop;
}

/** Parses a host or URL to `shop.example`; undefined for other text. */
export function parseStoreDomain(input: string): string | undefined {
  const address = parseStoreAddress(input);
  return address === undefined ? undefined : extractHost(address);
}

/** Returns the host of a store's address, without its folder. */
export const extractHost = (address: string): string => address.split('/', 1)[0] ?? '';

/**
 * Parses an address to `shop.example`, or to `shop.example/outlet` for a store in a folder.
 * @throws 422 for other text
 */
function addressOf(input: string): string {
  const address = parseStoreAddress(input);
  if (address === undefined) throw invalid({ domain: ['stores:errors.domain'] });
  return address;
}

function parseStoreAddress(input: string): string | undefined {
  const text = input.trim().replace(/^(?!https?:\/\/)/i, 'https://');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const host = url?.hostname.replace(/^www\./, '') ?? '';
  if (!url || !/^[a-z0-9.-]+$|^\[[0-9a-f:]+\]$/i.test(host)) return undefined;
  const folder = url.pathname.split('/').filter(Boolean).join('/');
  return (url.port ? `${host}:${url.port}` : host) + (folder && `/${folder}`);
}

/**
 * Returns the store at this address. If there is none and the address has no folder, returns the
 * only store in a folder of this host.
 */
async function findStoreAt(
  db: Reader,
  accountId: number,
  address: string,
): Promise<store.StoreRow | undefined> {
  const exact = await store.findStoreByDomain(db, accountId, address);
  if (exact || address.includes('/')) return exact;
  const all = await store.listAllStores(db, accountId);
  const inFolders = all.filter(({ domain }) => domain.startsWith(`${address}/`));
  return inFolders.length === 1 ? inFolders[0] : undefined;
}

/** Registers a store for its plugin; an existing address returns the same store. */
export async function registerStore(
  tx: Tx,
  accountId: number,
  input: { domain: string; name: string; type: string; token: string | undefined },
): Promise<number> {
  const domain = addressOf(input.domain);
  const at = clock.now();
  const existingStore = await findStoreAt(tx, accountId, domain);
  const id =
    existingStore?.id ?? (await insertStore(tx, accountId, { ...input, domain, currency: '' }));
  await store.changeStore(
    tx,
    accountId,
    id,
    {
      domain,
      state: 'live',
      failing_since: null,
      failure: null,
      failure_notified_at: null,
      ...(input.name && { title: input.name }),
      ...(input.token && { plugin_token: sealSecret(input.token) }),
    },
    at,
  );
  return id;
}

async function insertStore(
  tx: Tx,
  accountId: number,
  {
    domain,
    name,
    type,
    currency,
  }: { domain: string; name: string; type: string; currency: string },
): Promise<number> {
  if ((await store.listAllStores(tx, accountId)).length >= MAX_STORES)
    throw new AppError('too_many_stores', { values: { most: MAX_STORES } });
  const id = await store.insertStore(tx, accountId, {
    type,
    title: name || domain,
    domain,
    currency,
    at: clock.now(),
  });
  if (id === undefined) throw new AppError('store_taken');
  return id;
}

/**
 * Connects a store with its URL and API keys and starts the first import.
 * @throws 422 if the store refuses access; 409 `store_taken` if it is connected by API keys already
 */
export async function connectStore(
  db: Db,
  accountId: number,
  type: string,
  credentials: StoreCredentials,
): Promise<number> {
  const adapter = getAdapter(type);
  if (!adapter) throw invalid({ type: ['errors.fields.choice'] });
  const shopDetails = await checkCredentials(adapter, credentials);
  return inTransaction(db, async (tx) => {
    const domain = addressOf(shopDetails.domain);
    const existingStore = await findStoreAt(tx, accountId, domain);
    if (existingStore && existingStore.state !== 'disconnected' && existingStore.credentials)
      throw new AppError('store_taken');
    const id =
      existingStore?.id ??
      (await insertStore(tx, accountId, {
        domain,
        name: shopDetails.title,
        type,
        currency: shopDetails.currency,
      }));
    const at = clock.now();
    await store.changeStore(
      tx,
      accountId,
      id,
      {
        type,
        currency: shopDetails.currency,
        state: 'connecting',
        credentials: sealSecret(JSON.stringify(credentials)),
        hook_secret: null,
        settings: {
          ...existingStore?.settings,
          ...(shopDetails.zone && { zone: shopDetails.zone }),
        },
        cursors: {},
        progress: {},
        failing_since: null,
        failure: null,
        failure_notified_at: null,
        due_at: at,
      },
      at,
    );
    await startSync(tx, accountId, id);
    return id;
  });
}

type WrittenKeys = { key: string; secret: string; access?: 'client' | 'token' | undefined };

/**
 * Normalizes the entered credentials: removes spaces around pasted values, and stores the kind of
 * access only for Shopify, because only its apps have a client ID.
 */
export function toCredentials(
  type: string,
  { key, secret, access }: WrittenKeys,
): Omit<StoreCredentials, 'address'> {
  return {
    key: key.trim(),
    secret: secret.trim(),
    ...(type === 'shopify' && access === 'client' && { access }),
  };
}

/**
 * Calls the store with the credentials.
 * @throws 422 with the store's error at the field that causes it
 */
async function checkCredentials(adapter: Adapter, credentials: StoreCredentials) {
  try {
    return await adapter.check(credentials, AbortSignal.timeout(CHECK_TIMEOUT_MS));
  } catch (error) {
    if (!(error instanceof StoreError)) {
      throw invalid({ address: ['stores:errors.unreachable'] });
    }
    const { code } = error;
    const field = KEY_FAULTS.has(code) ? 'key' : 'address';
    throw invalid({ [field]: [`stores:errors.${code}`] });
  }
}

/** Replaces keys that the store no longer accepts. */
export async function renewKeys(
  db: Db,
  accountId: number,
  id: number,
  keys: WrittenKeys,
): Promise<void> {
  const shop = await requireStore(db, accountId, id);
  const adapter = getAdapter(shop.type);
  const before = readCredentials(shop);
  if (!adapter || !before) throw new AppError('store_without_keys');
  const credentials = { address: before.address, ...toCredentials(shop.type, keys) };
  await checkCredentials(adapter, credentials);
  await inTransaction(db, async (tx) => {
    await store.changeStore(
      tx,
      accountId,
      id,
      {
        credentials: sealSecret(JSON.stringify(credentials)),
        hook_secret: null,
        state: shop.synced_at ? 'live' : 'connecting',
        failing_since: null,
        failure: null,
        failure_notified_at: null,
        due_at: clock.now(),
      },
      clock.now(),
    );
    await startSync(tx, accountId, id);
  });
}

/**
 * Starts a sync that a user requested. It uses the API keys; without keys, the plugin performs it.
 * @throws 409 `store_syncs_itself` if the store has neither keys nor a plugin that can be called
 */
export async function syncNow(tx: Tx, accountId: number, id: number): Promise<void> {
  const shop = await requireStore(tx, accountId, id);
  if (!shop.credentials && hasCallablePlugin(shop))
    return notifyPlugin(tx, shop, 'import-shop-data');
  if (!shop.credentials) throw new AppError('store_syncs_itself');
  await store.changeStore(tx, accountId, id, { due_at: clock.now() }, clock.now());
  await startSync(tx, accountId, id);
}

export async function changeSettings(
  tx: Tx,
  accountId: number,
  id: number,
  change: {
    title?: string | undefined;
    group_id?: number | null | undefined;
    abandoned_minutes?: number | undefined;
    order_states?: readonly { state: string; meaning: OrderMeaning }[] | undefined;
  },
): Promise<void> {
  const shop = await requireStore(tx, accountId, id);
  if (change.group_id) await requireGroups(tx, accountId, [change.group_id]);
  const settings = applyChoices(shop.settings, change.order_states ?? []);
  if (change.group_id === null) delete settings.group_id;
  else if (change.group_id !== undefined) settings.group_id = change.group_id;
  if (change.abandoned_minutes !== undefined) settings.abandoned_minutes = change.abandoned_minutes;
  await store.changeStore(
    tx,
    accountId,
    id,
    { settings, ...(change.title && { title: change.title }) },
    clock.now(),
  );
  if (change.order_states) await scheduleOrderStates(tx, accountId, id);
}

/**
 * Disconnects a store. With `deleteSubscribers`, customers of the store who became subscribers
 * through a store are deleted, while customers who were subscribers before remain. Without it, all
 * remain for segments and reports. Until the store is connected again, no new data is accepted
 * except privacy requests.
 */
export async function disconnectStore(
  tx: Tx,
  accountId: number,
  id: number,
  { deleteSubscribers, isByOwner }: { deleteSubscribers: boolean; isByOwner: boolean },
): Promise<void> {
  const shop = await requireStore(tx, accountId, id);
  await removeJob(tx, `stores.sync:${accountId}:${id}`);
  await addJob(tx, removeCustomersJob, {
    accountId,
    storeId: id,
    deleteSubscribers,
    credentials: shop.credentials?.toString('base64') ?? null,
    type: shop.type,
  });
  if (isByOwner && hasCallablePlugin(shop)) await notifyPlugin(tx, shop, 'delete-store');
  await closeStore(tx, accountId, shop);
}
