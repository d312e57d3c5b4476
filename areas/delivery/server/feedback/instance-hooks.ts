// Applies feedback from the providers of the installation's relays, which report events of all
// accounts to one address. The signed token of the copy identifies the account. Events without a
// token have no effect, because several accounts may have the recipient's address.
import { claimProviderEvents } from '#areas/tracking/server/index.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database/database.ts';
import { log } from '#platform/server/log.ts';
import type { HookProvider } from '../../webhooks-limits.ts';
import type { HookReader, FeedbackEvent } from './hook-provider.ts';
import { findTokenPayload, applyFeedback } from './effects.ts';

/** Signing keys in the installation's configuration; providers without a key are not accepted. */
export type InstanceKeys = Partial<Record<HookProvider, string>>;

/**
 * Maximum number of events per transaction, so that a batch of thousands does not lock subscribers'
 * rows for long. A call with a ticket is applied in one transaction, regardless of its size.
 */
export const MAX_EVENTS_PER_TRANSACTION = 200;

/** The account id for tickets that belong to no account. */
const NO_ACCOUNT = 0;

/** Applies the events to their accounts. A call whose ticket was used before is ignored. */
export async function ingestForAccounts(
  db: Db,
  { provider }: HookReader,
  events: readonly FeedbackEvent[],
  ticket: string | undefined,
): Promise<void> {
  const groups = byAccount(events);
  const matchedCount = [...groups.values()].reduce((total, list) => total + list.length, 0);
  if (matchedCount < events.length) {
    log.info('Provider events match no message', { provider, count: events.length - matchedCount });
  }
  const applyOfAccount = async (
    tx: Tx,
    [accountId, list]: readonly [number, readonly FeedbackEvent[]],
  ) => {
    await applyFeedback(tx, accountId, provider, list);
  };
  if (ticket !== undefined) {
    await inTransaction(db, async (tx) => {
      const newEventIds = await claimProviderEvents(tx, NO_ACCOUNT, provider, [`ticket ${ticket}`]);
      if (newEventIds.size === 0) return;
      for (const group of groups) await applyOfAccount(tx, group);
    });
    return;
  }
  for (const [accountId, list] of groups) {
    for (let start = 0; start < list.length; start += MAX_EVENTS_PER_TRANSACTION) {
      await inTransaction(db, (tx) =>
        applyOfAccount(tx, [accountId, list.slice(start, start + MAX_EVENTS_PER_TRANSACTION)]),
      );
    }
  }
}

function byAccount(events: readonly FeedbackEvent[]): Map<number, FeedbackEvent[]> {
  const groups = new Map<number, FeedbackEvent[]>();
  for (const event of events) {
    const account = findTokenPayload(event.tokenCandidates)?.account;
    if (account === undefined) continue;
    const group = groups.get(account);
    if (group) group.push(event);
    else groups.set(account, [event]);
  }
  return groups;
}
