// People leave the account: deleted (gone from every list, purged after a while) or erased (nothing
// personal stays but a keyed hash that keeps them from being mailed again).
import { z } from 'zod';
import { accountsAfter, countSubscribers } from '#areas/accounts/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database.ts';
import { addJob, defineJob, JobInterrupted } from '#platform/server/jobs.ts';
import { isolateFailure } from '#platform/server/isolate-failure.ts';
import type { Poller } from '#platform/server/pollers.ts';
import { addressOf, CHANNELS } from '../limits.ts';
import { subscribersDeleted, subscribersErased, subscribersPurged } from './events.ts';
import { forgetImagesOf } from './import-undo.sql.ts';
import {
  blankPeople,
  findByAddresses,
  lockDeleted,
  lockDeletedWith,
  markDeleted,
  type Removed,
  removePeople,
  removeValues,
} from './people.sql.ts';
import { suppressionHash } from './suppression-hash.ts';
import { insertSuppressions } from './suppressions.sql.ts';

/** Days a deleted person's row is kept, so that counts and reports can settle. */
export const PURGE_AFTER_DAYS = 30;
const PURGE_SLICE = 5_000;

/** Deletes people and frees their addresses; suppressions stay. Returns the ids that were there. */
export async function deleteSubscribers(
  tx: Tx,
  accountId: number,
  people: { subscriberIds: readonly number[] },
): Promise<number[]> {
  const removed = await markDeleted(tx, accountId, people.subscriberIds, clock.now());
  const ids = removed.map((row) => row.id);
  if (ids.length === 0) return [];
  await countSubscribers(tx, accountId, -ids.length);
  await subscribersDeleted.announce(tx, { accountId, subscriberIds: ids });
  return ids;
}

/**
 * Erases people for good (GDPR, article 17), with what is kept still of those who were deleted with the
 * same address or number: they were the same person, whose other address is not mailed again either,
 * unless somebody has it by now.
 * Returns the ids that were there.
 */
export async function eraseSubscribers(
  tx: Tx,
  accountId: number,
  people: { subscriberIds: readonly number[] },
): Promise<number[]> {
  const at = clock.now();
  const removed = await markDeleted(tx, accountId, people.subscriberIds, at);
  const ids = removed.map((row) => row.id);
  if (ids.length === 0) return [];
  // Those removed are among them: they are deleted by now.
  const all = await lockDeletedWith(tx, accountId, removed);
  const left = await addressesLeft(tx, accountId, all);
  for (const channel of CHANNELS) {
    const hashes = left[addressOf(channel)].map(suppressionHash);
    await insertSuppressions(tx, accountId, channel, hashes, { reason: 'erased', at });
  }
  await countSubscribers(tx, accountId, -ids.length);
  await subscribersDeleted.announce(tx, { accountId, subscriberIds: ids });
  const addresses = [...left.email, ...left.phone];
  const erased = all.map((row) => row.id);
  await subscribersErased.announce(tx, { accountId, subscriberIds: erased, addresses });
  await forgetImagesOf(tx, accountId, erased);
  await blankPeople(tx, accountId, erased, at);
  return ids;
}

/** Of the addresses that these people had, those that nobody who is there has now. */
async function addressesLeft(tx: Tx, accountId: number, people: readonly Removed[]) {
  const keys = (name: 'email_key' | 'phone_key') =>
    people.map((person) => person[name]).filter((key) => key !== null);
  const [emails, phones] = [keys('email_key'), keys('phone_key')];
  const others = await findByAddresses(tx, accountId, { emails, phones });
  const kept = new Set(others.flatMap((row) => [row.email_key, row.phone_key]));
  return {
    email: emails.filter((key) => !kept.has(key)),
    phone: phones.filter((key) => !kept.has(key)),
  };
}

/** Purges one account's long deleted people, slice by slice, each in its own transaction. */
export const purgeJob = defineJob({
  name: 'subscribers.purge',
  payload: z.object({ after: z.number().default(0) }),
  run: async ({ after }, { db, signal }) => {
    const before = new Date(clock.now().getTime() - PURGE_AFTER_DAYS * 86_400_000);
    const accounts = await accountsAfter(db, after, 200);
    for (const accountId of accounts) {
      // Others' people go in time all the same; this account's with the next round.
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
  let purged = PURGE_SLICE;
  while (purged === PURGE_SLICE) {
    if (signal.aborted) throw new JobInterrupted();
    purged = await inTransaction(db, (tx) => purgeSlice(tx, accountId, before));
  }
}

/** Returns how many went. */
async function purgeSlice(tx: Tx, accountId: number, before: Date): Promise<number> {
  const subscriberIds = await lockDeleted(tx, accountId, before, PURGE_SLICE);
  if (subscriberIds.length === 0) return 0;
  await subscribersPurged.announce(tx, { accountId, subscriberIds });
  await forgetImagesOf(tx, accountId, subscriberIds);
  await removePeople(tx, accountId, subscriberIds);
  return subscriberIds.length;
}

/** Asks for a purge a few times a day. */
export const purgePoller: Poller = {
  name: 'subscribers.purge',
  everyMs: 6 * 3_600_000,
  run: (db) => addJob(db, purgeJob, {}, { key: 'subscribers.purge' }),
};

/** A field was deleted: its values leave everybody, slice by slice. */
export const removeFieldValuesJob = defineJob({
  name: 'subscribers.remove_field_values',
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
