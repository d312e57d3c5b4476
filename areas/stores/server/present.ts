// Stores in the form of the contract.
import { encodeId } from '#platform/ids.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { ConnectedStore } from '../contract.ts';
import { ABANDONED_MINUTES } from '../shared.ts';
import { adapterOf } from './adapter.ts';
import * as store from './connections.sql.ts';
import { hookUrl } from './keys.ts';
import { ownerStates } from './owner-states.ts';
import { hasCallablePlugin } from './plugin-calls.ts';

/** The connected stores of the account, or the one with this ID, even if it is disconnected. */
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
      ...present(accountId, storeFacts, await store.countStoreRows(db, accountId, storeFacts.id)),
      order_states: await ownerStates(db, accountId, storeFacts),
    });
  return shown;
}

function present(
  accountId: number,
  facts: store.StoreFacts,
  counts: store.Counts,
): Omit<ConnectedStore, 'order_states'> {
  const { progress, settings } = facts;
  return {
    id: encodeId('store', facts.id),
    type: facts.type,
    title: facts.title,
    domain: facts.domain,
    currency: facts.currency,
    state: facts.state,
    failure: facts.failure as ConnectedStore['failure'],
    refused_hooks: facts.refused_hooks,
    failing_since: facts.failing_since?.toISOString() ?? null,
    synced: facts.synced_at?.toISOString() ?? null,
    next_sync: facts.due_at?.toISOString() ?? null,
    has_keys: facts.credentials !== null,
    can_sync: facts.credentials !== null || hasCallablePlugin(facts),
    counts,
    progress: {
      products: progress.products ?? 0,
      orders: progress.orders ?? 0,
      customers: progress.customers ?? 0,
    },
    privacy_url: adapterOf(facts.type)?.privacyTopics ? hookUrl(accountId, facts.id) : null,
    group: settings.group_id === undefined ? null : encodeId('group', settings.group_id),
    abandoned_minutes: settings.abandoned_minutes ?? ABANDONED_MINUTES,
    created: facts.created_at.toISOString(),
  };
}
