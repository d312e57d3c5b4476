// Returns stores in the format of the contract.
import { encodeId } from '#platform/ids.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { ConnectedStore } from '../contract.ts';
import { ABANDONED_MINUTES } from '../shared.ts';
import { getAdapter } from './adapter.ts';
import * as store from './connections.sql.ts';
import { hookUrl } from './keys.ts';
import { listOwnerStates } from './owner-states.ts';
import { hasCallablePlugin } from './plugin-calls.ts';

/**
 * Returns the connected stores of the account, or the one with this ID, even if it is disconnected.
 */
export async function presentStores(
  db: Reader,
  accountId: number,
  id?: number,
): Promise<ConnectedStore[]> {
  const all = await store.listAllStores(db, accountId);
  const visibleStores = all.filter((shop) =>
    id === undefined ? shop.state !== 'disconnected' : shop.id === id,
  );
  const presentedStores: ConnectedStore[] = [];
  for (const shop of visibleStores)
    presentedStores.push({
      ...presentStore(accountId, shop, await store.countStoreRows(db, accountId, shop.id)),
      order_states: await listOwnerStates(db, accountId, shop),
    });
  return presentedStores;
}

function presentStore(
  accountId: number,
  shop: store.StoreRow,
  counts: store.StoreCounts,
): Omit<ConnectedStore, 'order_states'> {
  const { progress, settings } = shop;
  return {
    id: encodeId('store', shop.id),
    type: shop.type,
    title: shop.title,
    domain: shop.domain,
    currency: shop.currency,
    state: shop.state,
    failure: shop.failure as ConnectedStore['failure'],
    refused_hooks: shop.refused_hooks,
    failing_since: shop.failing_since?.toISOString() ?? null,
    synced: shop.synced_at?.toISOString() ?? null,
    next_sync: shop.due_at?.toISOString() ?? null,
    has_keys: shop.credentials !== null,
    can_sync: shop.credentials !== null || hasCallablePlugin(shop),
    counts,
    progress: {
      products: progress.products ?? 0,
      orders: progress.orders ?? 0,
      customers: progress.customers ?? 0,
    },
    privacy_url: getAdapter(shop.type)?.privacyTopics ? hookUrl(accountId, shop.id) : null,
    group: settings.group_id === undefined ? null : encodeId('group', settings.group_id),
    abandoned_minutes: settings.abandoned_minutes ?? ABANDONED_MINUTES,
    created: shop.created_at.toISOString(),
  };
}
