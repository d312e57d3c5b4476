// Deletes a group, alone or with its members. Many members are deleted in slices, each in its own
// transaction, so that locks are short. If the process dies, a job finishes the deletion.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { deleteSubscribers } from '#areas/subscribers/server/index.ts';
import type { Language } from '#platform/languages.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import {
  addJob,
  defineJob,
  JobInterrupted,
  type JobContext,
  removeJob,
} from '#platform/server/jobs/jobs.ts';
import { log } from '#platform/server/log.ts';
import { groupDeleted, type GroupUse, groupUsedBy } from './events.ts';
import * as store from './groups.sql.ts';

/** Subscribers per transaction; keeps locks short. */
const MEMBERS_PER_SLICE = 5_000;
/** Subscribers deleted within the call; the rest is deleted in the background. */
const MAX_NOW = 100_000;
/** Delay of the job that finishes the deletion if the process of the call died. */
const SAFETY_MS = 120_000;

/**
 * Deletes the group without its members.
 * @throws 409 `group_in_use` with its uses, in the caller's language
 */
export async function deleteGroup(
  tx: Tx,
  accountId: number,
  id: number,
  language: Language,
): Promise<void> {
  await requireUnused(tx, accountId, id, language);
  await removeGroup(tx, accountId, id);
}

async function removeGroup(tx: Tx, accountId: number, id: number): Promise<void> {
  await store.deleteGroup(tx, accountId, id);
  await groupDeleted.announce(tx, { accountId, groupId: id });
}

/** Deletes the group after its members. If it has come into use, keeps it and returns the uses. */
async function removeEmptied(
  tx: Tx,
  accountId: number,
  id: number,
  language: Language,
): Promise<GroupUse[]> {
  if (!(await store.lockGroup(tx, accountId, id))) return [];
  const uses = await groupUsedBy.collect(tx, { accountId, groupId: id, language });
  if (uses.length === 0) await removeGroup(tx, accountId, id);
  return uses;
}

async function requireUnused(
  tx: Tx,
  accountId: number,
  id: number,
  language: Language,
): Promise<void> {
  if (!(await store.lockGroup(tx, accountId, id))) throw notFound();
  const uses = await groupUsedBy.collect(tx, { accountId, groupId: id, language });
  if (uses.length === 0) return;
  throw new AppError('group_in_use', {
    values: { names: uses.map((use) => use.title).join(', '), count: uses.length },
    extra: { used_by: uses },
  });
}

type Deletion = { accountId: number; groupId: number; asOf: Date };

/**
 * Deletes the group and its members. With many members the group is deleted last: subscribers who
 * join concurrently are not deleted, and uses added concurrently prevent the deletion of the group.
 * Returns the number of deleted subscribers, whether more will be deleted in the background, and
 * the uses that prevented the deletion of the group.
 */
export async function deleteGroupWithSubscribers(
  db: Db,
  accountId: number,
  groupId: number,
  language: Language,
): Promise<{ deletedCount: number; isQueued: boolean; usedBy: GroupUse[] }> {
  const deletion = { accountId, groupId, asOf: clock.now() };
  const key = `groups.delete:${accountId}:${randomUUID()}`;
  const payload = { ...deletion, asOf: deletion.asOf.toISOString() };
  const atOnce = await inTransaction(db, async (tx) => {
    await requireUnused(tx, accountId, groupId, language);
    const memberIds = await store.readMemberSlice(tx, deletion, 0, MEMBERS_PER_SLICE + 1);
    if (memberIds.length > MEMBERS_PER_SLICE) {
      const runAt = new Date(clock.now().getTime() + SAFETY_MS);
      await addJob(tx, deleteGroupJob, payload, { key, runAt });
      return undefined;
    }
    const deletedIds = await deleteSubscribers(tx, accountId, { subscriberIds: memberIds });
    await deleteGroup(tx, accountId, groupId, language);
    return deletedIds.length;
  });
  if (atOnce !== undefined) return { deletedCount: atOnce, isQueued: false, usedBy: [] };
  const { deletedCount, isAll } = await deleteMembers(db, deletion, MAX_NOW);
  if (!isAll) {
    await addJob(db, deleteGroupJob, payload, { key });
    return { deletedCount, isQueued: true, usedBy: [] };
  }
  try {
    const retainedBy = await inTransaction(db, (tx) =>
      removeEmptied(tx, accountId, groupId, language),
    );
    return { deletedCount, isQueued: false, usedBy: retainedBy };
  } finally {
    await removeJob(db, key);
  }
}

/**
 * Deletes members slice by slice, each in a separate transaction, until `max` or all are deleted.
 */
async function deleteMembers(
  db: Db,
  deletion: Deletion,
  max: number,
  { signal, progress }: Partial<Pick<JobContext, 'signal' | 'progress'>> = {},
): Promise<{ deletedCount: number; isAll: boolean }> {
  const { accountId } = deletion;
  let deletedCount = 0;
  for (let after: number | undefined = 0; deletedCount < max; ) {
    if (signal?.aborted) throw new JobInterrupted();
    const from: number = after;
    const slice: { deletedCount: number; lastId: number | undefined } = await inTransaction(
      db,
      async (tx) => {
        const subscriberIds = await store.readMemberSlice(tx, deletion, from, MEMBERS_PER_SLICE);
        const deletedIds = await deleteSubscribers(tx, accountId, { subscriberIds });
        return { deletedCount: deletedIds.length, lastId: subscriberIds.at(-1) };
      },
    );
    deletedCount += slice.deletedCount;
    if (slice.lastId === undefined) return { deletedCount, isAll: true };
    await progress?.();
    after = slice.lastId;
  }
  return { deletedCount, isAll: false };
}

/**
 * Finishes a large deletion, or one whose process died. A restarted job finds the remaining
 * members.
 */
export const deleteGroupJob = defineJob({
  name: 'groups.delete',
  afterKills: 'stop',
  payload: z.object({
    accountId: z.number(),
    groupId: z.number(),
    asOf: z.iso.datetime(),
  }),
  run: async ({ asOf, ...group }, tools) => {
    const { db } = tools;
    const { accountId, groupId } = group;
    await deleteMembers(db, { ...group, asOf: new Date(asOf) }, Number.POSITIVE_INFINITY, tools);
    const retainedBy = await inTransaction(db, (tx) =>
      removeEmptied(tx, accountId, groupId, 'eng'),
    );
    if (retainedBy.length === 0) return;
    // Logged because the call was answered before this was known.
    const uses = retainedBy.map(({ kind, id }) => `${kind} ${id}`);
    log.warn('Could not delete a group: it is in use; its subscribers were deleted', {
      account: accountId,
      group: groupId,
      uses,
    });
  },
});
