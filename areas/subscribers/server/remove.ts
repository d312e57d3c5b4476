// Deletes subscribers (they leave every list, and their rows are purged after the retention), or
// erases them (no personal data remains except a keyed hash, which prevents further messages).
import { z } from 'zod';
import { listAccountsAfter, countSubscribers } from '#areas/accounts/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database/database.ts';
import { addJob, defineJob, JobInterrupted } from '#platform/server/jobs/jobs.ts';
import { isolateFailure } from '#platform/server/process/isolate-failure.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { getAddressField, CHANNELS } from '../shared.ts';
import { addressesErased } from '#platform/server/erasure/erasure.ts';
import { subscribersDeleted, subscribersErased, subscribersPurged } from './events.ts';
import { deleteUndoImagesOf } from './import-undo.sql.ts';
import {
  erasePeople,
  findByAddresses,
  lockDeleted,
  lockDeletedWith,
  markDeleted,
  type RemovedSubscriber,
  removeSubscribers,
  removeValues,
} from './people.sql.ts';
import { storeReachTimes } from './reach-times.ts';
import { suppressionHash } from './suppression-hash.ts';
import { insertSuppressions } from './suppressions.sql.ts';

/** Days that a deleted subscriber's row is retained, so that counts and reports can settle. */
export const PURGE_AFTER_DAYS = 30;
const PURGE_SLICE = 5_000;

/**
 * Deletes subscribers and frees their addresses; suppressions remain. Returns the ids that existed.
 */
export async function deleteSubscribers(
  tx: Tx,
  accountId: number,
  subscribers: { subscriberIds: readonly number[] },
): Promise<number[]> {
  const removedRows = await markDeleted(tx, accountId, subscribers.subscriberIds, clock.now());
  const ids = removedRows.map((row) => row.id);
  if (ids.length === 0) return [];
  await countSubscribers(tx, accountId, -ids.length);
  await subscribersDeleted.announce(tx, { accountId, subscriberIds: ids });
  return ids;
}

/**
 * Erases people permanently (GDPR, article 17), with the remaining data of deleted subscribers who
 * had the same address or number, because they were the same person. All addresses of the person
 * are suppressed, unless another subscriber has them now. Returns the ids that existed.
 */
export async function eraseSubscribers(
  tx: Tx,
  accountId: number,
  subscribers: { subscriberIds: readonly number[] },
): Promise<number[]> {
  const at = clock.now();
  const removedRows = await markDeleted(tx, accountId, subscribers.subscriberIds, at);
  const ids = removedRows.map((row) => row.id);
  if (ids.length === 0) return [];
  // Includes the subscribers just removed, which are now treated as deleted.
  const all = await lockDeletedWith(tx, accountId, removedRows);
  const freeAddresses = await addressesLeft(tx, accountId, all);
  for (const channel of CHANNELS) {
    const hashes = freeAddresses[getAddressField(channel)].map(suppressionHash);
    await insertSuppressions(tx, accountId, channel, hashes, { reason: 'erased', at });
  }
  await countSubscribers(tx, accountId, -ids.length);
  await subscribersDeleted.announce(tx, { accountId, subscriberIds: ids });
  const addresses = [...freeAddresses.email, ...freeAddresses.phone];
  const erasedIds = all.map((row) => row.id);
  await subscribersErased.announce(tx, { accountId, subscriberIds: erasedIds, addresses });
  if (addresses.length > 0) await addressesErased.announce(tx, { accountId, addresses });
  await deleteUndoImagesOf(tx, accountId, erasedIds);
  await erasePeople(tx, accountId, erasedIds, at);
  return ids;
}

/** Returns the addresses of these people that no existing subscriber has. */
async function addressesLeft(tx: Tx, accountId: number, subscribers: readonly RemovedSubscriber[]) {
  const keys = (name: 'email_key' | 'phone_key') =>
    subscribers.map((subscriber) => subscriber[name]).filter((key) => key !== null);
  const [emails, phones] = [keys('email_key'), keys('phone_key')];
  const holders = await findByAddresses(tx, accountId, { emails, phones });
  const usedKeys = new Set(holders.flatMap((row) => [row.email_key, row.phone_key]));
  return {
    email: emails.filter((key) => !usedKeys.has(key)),
    phone: phones.filter((key) => !usedKeys.has(key)),
  };
}

/**
 * Purges each account's deleted subscribers after their retention, slice by slice, each in its own
 * transaction; before that, it stores the numbers of reachable subscribers over time.
 */
export const purgeJob = defineJob({
  name: 'subscribers.purge',
  payload: z.object({ after: z.number().default(0) }),
  run: async ({ after }, { db, signal }) => {
    const before = new Date(clock.now().getTime() - PURGE_AFTER_DAYS * 86_400_000);
    const accounts = await listAccountsAfter(db, after, 200);
    for (const accountId of accounts) {
      // A failure does not stop the purge of other accounts; this one is retried in the next round.
      await isolateFailure(
        'Could not purge deleted subscribers of an account',
        { account: accountId },
        () => purgeAccount(db, accountId, before, signal),
        (error) => error instanceof JobInterrupted,
      );
    }
    const last = accounts.at(-1);
    if (last !== undefined && accounts.length === 200) await addJob(db, purgeJob, { after: last });
  },
});

async function purgeAccount(
  db: Db,
  accountId: number,
  before: Date,
  signal: AbortSignal,
): Promise<void> {
  await inTransaction(db, (tx) => storeReachTimes(tx, accountId));
  let purgedCount = PURGE_SLICE;
  while (purgedCount === PURGE_SLICE) {
    if (signal.aborted) throw new JobInterrupted();
    purgedCount = await inTransaction(db, (tx) => purgeSlice(tx, accountId, before));
  }
}

/** Returns the number of purged subscribers. */
async function purgeSlice(tx: Tx, accountId: number, before: Date): Promise<number> {
  const subscriberIds = await lockDeleted(tx, accountId, before, PURGE_SLICE);
  if (subscriberIds.length === 0) return 0;
  await subscribersPurged.announce(tx, { accountId, subscriberIds });
  await deleteUndoImagesOf(tx, accountId, subscriberIds);
  await removeSubscribers(tx, accountId, subscriberIds);
  return subscriberIds.length;
}

/** Hourly, so that the dashboard itself rarely counts more than an hour of changes. */
export const purgePoller: Poller = {
  name: 'subscribers.purge',
  intervalMs: 3_600_000,
  run: (db) => addJob(db, purgeJob, {}, { key: 'subscribers.purge' }),
};

/** Removes a deleted field's values from all subscribers, slice by slice. */
export const removeFieldValuesJob = defineJob({
  name: 'subscribers.remove_field_values',
  afterKills: 'next_day',
  payload: z.object({ accountId: z.number(), fieldId: z.number() }),
  run: async ({ accountId, fieldId }, { db, signal }) => {
    let after: number | undefined = 0;
    while (after !== undefined) {
      if (signal.aborted) throw new JobInterrupted();
      const from: number = after;
      after = await inTransaction(db, (tx) =>
        removeValues(tx, accountId, fieldId, from, PURGE_SLICE),
      );
    }
  },
});
