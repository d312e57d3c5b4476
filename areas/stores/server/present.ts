// Stores in the form of the contract.
import { encodeId } from '#platform/ids.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { ConnectedStore } from '../contract.ts';
import { ABANDONED_MINUTES } from '../shared.ts';
import { adapterOf } from './adapter.ts';
import * as store from './connections.sql.ts';
import { hookUrl } from './keys.ts';
import { ownerStates } from './owner-states.ts';
import { hasAskablePlugin } from './plugin-calls.ts';

/** All connected stores of the account, or one of them. */
export async function presentStores(
  db: Reader,
  accountId: number,
  id?: number,
): Promise<ConnectedStore[]> {
  const all = await store.allStores(db, accountId);
  const listed = all.filter((storeFacts) =>
    id === undefined ? storeFacts.state !== 'disconnected' : storeFacts.id === id,
  );
  const shown: ConnectedStore[] = [];
  for (const storeFacts of listed)
    shown.push({
      ...present(accountId, storeFacts, await store.countsOf(db, accountId, storeFacts.id)),
      order_states: await ownerStates(db, accountId, storeFacts),
    });
  return shown;
}

function present(
  accountId: number,
  one: store.StoreFacts,
  counts: store.Counts,
): Omit<ConnectedStore, 'order_states'> {
  const { progress, settings } = one;
  return {
    id: encodeId('store', one.id),
    type: one.type,
    title: one.title,
    domain: one.domain,
    currency: one.currency,
    state: one.state,
    failure: one.failure as ConnectedStore['failure'],
    refused_hooks: one.refused_hooks,
    failing_since: one.failing_since?.toISOString() ?? null,
    synced: one.synced_at?.toISOString() ?? null,
    next_sync: one.due_at?.toISOString() ?? null,
    has_keys: one.credentials !== null,
    can_sync: one.credentials !== null || hasAskablePlugin(one),
    counts,
    progress: {
      products: progress.products ?? 0,
      orders: progress.orders ?? 0,
      customers: progress.customers ?? 0,
    },
    privacy_url: adapterOf(one.type)?.privacyTopics ? hookUrl(accountId, one.id) : null,
    group: settings.group_id === undefined ? null : encodeId('group', settings.group_id),
    abandoned_minutes: settings.abandoned_minutes ?? ABANDONED_MINUTES,
    created: one.created_at.toISOString(),
  };
}
