// A group is deleted, alone or with the people who are in it. Of many people a slice goes at a time, each
// committed: nobody waits for long, and a process that dies is followed by a job that finishes.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { deleteSubscribers } from '#areas/subscribers/server/index.ts';
import type { Language } from '#platform/languages.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import { addJob, defineJob, JobInterrupted, removeJob } from '#platform/server/jobs.ts';
import { log } from '#platform/server/log.ts';
import { groupDeleted, type GroupUse, groupUsedBy } from './events.ts';
import * as store from './groups.sql.ts';

/** People of one transaction: locks are held for moments only. */
const SLICE = 5_000;
/** People who go within the call; what is beyond goes on in the background. */
const NOW_MOST = 100_000;
/** When a job looks after a deletion whose process may have died. */
const SAFETY_MS = 120_000;

/** The group alone; its people stay. 409 `group_in_use` names what uses it, in the language of who asks. */
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

/** Once its people have gone: what has begun to use it meanwhile keeps it, and is answered. */
async function removeEmptied(
  tx: Tx,
  accountId: number,
  id: number,
  language: Language,
): Promise<GroupUse[]> {
  if (!(await store.lockGroup(tx, accountId, id))) return [];
  const users = await groupUsedBy.ask(tx, { accountId, groupId: id, language });
  if (users.length === 0) await removeGroup(tx, accountId, id);
  return users;
}

async function requireUnused(
  tx: Tx,
  accountId: number,
  id: number,
  language: Language,
): Promise<void> {
  if (!(await store.lockGroup(tx, accountId, id))) throw notFound();
  const users = await groupUsedBy.ask(tx, { accountId, groupId: id, language });
  if (users.length === 0) return;
  throw new AppError('group_in_use', {
    values: { names: users.map((user) => user.title).join(', '), count: users.length },
    extra: { used_by: users },
  });
}

type Deletion = { accountId: number; groupId: number; asOf: Date };

/**
 * The group and the people in it. A few go in one transaction; of more the group goes last, once its
 * people have: whoever joins it meanwhile was not meant and stays, and what begins to use it meanwhile
 * keeps it. Returns how many people have gone, whether the others are still to follow, and what keeps it.
 */
export async function deleteGroupWithPeople(
  db: Db,
  accountId: number,
  groupId: number,
  language: Language,
): Promise<{ deleted: number; isQueued: boolean; keptBy: GroupUse[] }> {
  const deletion = { accountId, groupId, asOf: clock.now() };
  const key = `groups.delete:${accountId}:${randomUUID()}`;
  const payload = { ...deletion, asOf: deletion.asOf.toISOString() };
  const atOnce = await inTransaction(db, async (tx) => {
    await requireUnused(tx, accountId, groupId, language);
    const some = await store.memberSlice(tx, deletion, 0, SLICE + 1);
    if (some.length > SLICE) {
      const runAt = new Date(clock.now().getTime() + SAFETY_MS);
      await addJob(tx, deleteGroupJob, payload, { key, runAt });
      return undefined;
    }
    const gone = await deleteSubscribers(tx, accountId, { subscriberIds: some });
    await deleteGroup(tx, accountId, groupId, language);
    return gone.length;
  });
  if (atOnce !== undefined) return { deleted: atOnce, isQueued: false, keptBy: [] };
  const { deleted, isAll } = await deletePeople(db, deletion, NOW_MOST);
  if (!isAll) {
    await addJob(db, deleteGroupJob, payload, { key });
    return { deleted, isQueued: true, keptBy: [] };
  }
  try {
    const keptBy = await inTransaction(db, (tx) => removeEmptied(tx, accountId, groupId, language));
    return { deleted, isQueued: false, keptBy };
  } finally {
    await removeJob(db, key);
  }
}

/** Slice by slice, each in a transaction of its own, up to a number of people. */
async function deletePeople(
  db: Db,
  deletion: Deletion,
  most: number,
  signal?: AbortSignal,
): Promise<{ deleted: number; isAll: boolean }> {
  const { accountId } = deletion;
  let deleted = 0;
  for (let after: number | undefined = 0; deleted < most; ) {
    if (signal?.aborted) throw new JobInterrupted();
    const from: number = after;
    const slice: { gone: number; last: number | undefined } = await inTransaction(
      db,
      async (tx) => {
        const subscriberIds = await store.memberSlice(tx, deletion, from, SLICE);
        const gone = await deleteSubscribers(tx, accountId, { subscriberIds });
        return { gone: gone.length, last: subscriberIds.at(-1) };
      },
    );
    deleted += slice.gone;
    if (slice.last === undefined) return { deleted, isAll: true };
    after = slice.last;
  }
  return { deleted, isAll: false };
}

/** The rest of a large deletion, or the whole of one whose process died; begun again it finds the rest. */
export const deleteGroupJob = defineJob({
  name: 'groups.delete',
  payload: z.object({
    accountId: z.number(),
    groupId: z.number(),
    asOf: z.iso.datetime(),
  }),
  run: async ({ asOf, ...group }, { db, signal }) => {
    const { accountId, groupId } = group;
    await deletePeople(db, { ...group, asOf: new Date(asOf) }, Number.POSITIVE_INFINITY, signal);
    const keptBy = await inTransaction(db, (tx) => removeEmptied(tx, accountId, groupId, 'eng'));
    if (keptBy.length === 0) return;
    // The call was answered before this was known.
    const users = keptBy.map(({ kind, id }) => `${kind} ${id}`);
    log.warn('Kept a group whose subscribers were deleted, since it is in use now', { ...group, users });
  },
});
