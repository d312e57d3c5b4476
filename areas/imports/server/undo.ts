// Undoes an import slice by slice: subscribers it changed are restored, memberships it added to
// existing subscribers are removed, and subscribers it created are deleted unless they have changed
// since, are in other groups or are in use. Every slice commits with its counts, so another worker
// can resume after a kill.
import { Readable } from 'node:stream';
import { z } from 'zod';
import { findGroupsOfSubscribers, removeFromGroups } from '#areas/groups/server/index.ts';
import {
  deleteSubscribers,
  deleteUndoImages,
  findCreatedByImport,
  restoreImported,
} from '#areas/subscribers/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import {
  type Db,
  inTransaction,
  isConnectionLost,
  isOutOfSpace,
  isRetriable,
  type Tx,
} from '#platform/server/database/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import { csvStream } from '#platform/server/files/csv.ts';
import { files } from '#platform/server/files/files.ts';
import { addJob, defineJob, JobInterrupted, type JobContext } from '#platform/server/jobs/jobs.ts';
import { sendChangeHint } from '#platform/server/live/live.ts';
import { log } from '#platform/server/log.ts';
import type { ServerText } from '#platform/server/texts.ts';
import type { UnrestoredReason } from '../shared.ts';
import { subscribersInUse } from './events.ts';
import { deleteForecast } from './forecast.sql.ts';
import * as store from './imports.sql.ts';
import * as undoStore from './undo.sql.ts';

const SUBSCRIBERS_PER_SLICE = 1_000;
const TRIES_WITHOUT_PROGRESS = 3;

/** Returns the deadline of the undo, or undefined if it is not possible. */
export function getUndoDeadline(row: store.ImportRow): Date | undefined {
  const isOver = row.state === 'finished' || row.state === 'failed';
  const isRequested = row.undo_state !== null && row.undo_state !== 'failed';
  if (!isOver || isRequested || row.undoable_until === null) return undefined;
  return row.undoable_until > clock.now() ? row.undoable_until : undefined;
}

/**
 * Starts the undo of an import. A repeated request returns the import and restarts an undo that
 * failed.
 * @throws `not_found`, `import_under_way`, `undo_too_late`
 */
export async function undoImport(tx: Tx, accountId: number, id: number): Promise<store.ImportRow> {
  const row = await store.lockImport(tx, accountId, id);
  if (row === undefined || store.UNSTARTED.includes(row.state)) throw notFound();
  if (row.undo_state !== null && row.undo_state !== 'failed') return row;
  if (row.state === 'queued' || row.state === 'running') throw new AppError('import_under_way');
  if (getUndoDeadline(row) === undefined) throw new AppError('undo_too_late');
  await undoStore.setUndoState(tx, accountId, id, 'queued', clock.now());
  // The undo runs after imports that were started earlier, because each of them needs subscribers
  // that do not change concurrently.
  await addJob(
    tx,
    undoJob,
    { accountId, importId: id },
    { key: `undo:${accountId}:${id}`, queue: `imports:${accountId}` },
  );
  sendChangeHint(tx, accountId, 'import', id);
  return { ...row, undo_state: 'queued' };
}

export const undoJob = defineJob({
  name: 'imports.undo',
  payload: z.object({ accountId: z.number(), importId: z.number() }),
  maxAttempts: 25,
  run: async (payload, tools) => {
    try {
      await undoInSlices(payload, tools);
    } catch (error) {
      await settleFailure(tools.db, payload, error);
    }
  },
  onAbandoned: (payload, { db }) => endFailed(db, payload),
});

type ImportRef = { accountId: number; importId: number };

/** Retries temporary failures; an error that persists at one position ends the undo. */
async function settleFailure(db: Db, { accountId, importId }: ImportRef, error: unknown) {
  if (error instanceof JobInterrupted) throw error;
  if (isRetriable(error) || isConnectionLost(error) || isOutOfSpace(error)) throw error;
  const failures = await undoStore.countUndoFailure(db, accountId, importId);
  log.error('Undo of an import failed', { import: importId, failures, error: error as Error });
  if (failures < TRIES_WITHOUT_PROGRESS) throw error;
  await endFailed(db, { accountId, importId });
}

async function endFailed(db: Db, { accountId, importId }: ImportRef): Promise<void> {
  await inTransaction(db, async (tx) => {
    const row = await store.lockImport(tx, accountId, importId);
    // Another worker may have finished the undo since then.
    if (row?.undo_state !== 'queued' && row?.undo_state !== 'running') return;
    await undoStore.setUndoState(tx, accountId, importId, 'failed', clock.now());
    sendChangeHint(tx, accountId, 'import', importId);
  });
}

async function undoInSlices(
  { accountId, importId }: ImportRef,
  { db, signal, progress }: JobContext,
): Promise<void> {
  for (const step of [restoreSlice, removeMembershipSlice, deleteSubscriberSlice]) {
    for (let isMore = true; isMore; ) {
      if (signal.aborted) throw new JobInterrupted('the worker stops');
      isMore = await inTransaction(db, async (tx) => {
        const row = await store.lockImport(tx, accountId, importId);
        if (row?.undo_state !== 'queued' && row?.undo_state !== 'running') return false;
        if (row.undo_state === 'queued')
          await undoStore.setUndoState(tx, accountId, importId, 'running', clock.now());
        sendChangeHint(tx, accountId, 'import', importId);
        return step(tx, row);
      });
      if (isMore) await progress?.();
    }
  }
  await inTransaction(db, async (tx) => {
    const row = await store.lockImport(tx, accountId, importId);
    if (row?.undo_state === 'queued' || row?.undo_state === 'running')
      await undoStore.setUndoState(tx, accountId, importId, 'finished', clock.now());
    sendChangeHint(tx, accountId, 'import', importId);
  });
}

async function restoreSlice(tx: Tx, row: store.ImportRow): Promise<boolean> {
  const { account_id: accountId, id } = row;
  const restoration = await restoreImported(tx, accountId, id, SUBSCRIBERS_PER_SLICE);
  if (restoration.examined === 0) return false;
  await undoStore.insertUnrestored(tx, accountId, id, restoration.unrestored);
  await undoStore.countUndone(tx, accountId, id, {
    restored: restoration.restored.length,
    at: clock.now(),
  });
  return true;
}

async function removeMembershipSlice(tx: Tx, row: store.ImportRow): Promise<boolean> {
  const { account_id: accountId, id } = row;
  const memberships = await undoStore.claimMemberships(tx, accountId, id, SUBSCRIBERS_PER_SLICE);
  if (memberships.length === 0) return false;
  let removedMemberships = 0;
  for (const [groupId, members] of Map.groupBy(memberships, (membership) => membership.group_id)) {
    const subscriberIds = members.map((member) => member.subscriber_id);
    const change = { groupIds: [groupId], subscriberIds, origin: 'undo' as const };
    removedMemberships += await removeFromGroups(tx, accountId, change);
  }
  await undoStore.countUndone(tx, accountId, id, { removedMemberships, at: clock.now() });
  return true;
}

async function deleteSubscriberSlice(tx: Tx, row: store.ImportRow): Promise<boolean> {
  const { account_id: accountId, id } = row;
  const createdSubscribers = await findCreatedByImport(
    tx,
    accountId,
    id,
    row.undo_checkpoint,
    SUBSCRIBERS_PER_SLICE,
  );
  const lastSubscriber = createdSubscribers.at(-1);
  if (lastSubscriber === undefined) return false;
  const reasons = new Map<number, UnrestoredReason>();
  for (const subscriber of createdSubscribers)
    if (subscriber.is_touched) reasons.set(subscriber.id, 'changed_since');
  const ids = createdSubscribers.map((subscriber) => subscriber.id);
  const { groupIds, namedGroupIds = [] } = row.settings;
  const importGroupIds = new Set([...groupIds, ...namedGroupIds]);
  for (const membership of await findGroupsOfSubscribers(tx, accountId, ids))
    if (!importGroupIds.has(membership.id))
      reasons.set(membership.subscriber_id, 'in_other_groups');
  for (const usedId of await subscribersInUse.collect(tx, { accountId, subscriberIds: ids }))
    reasons.set(usedId, 'was_written_to');
  const subscriberIds = ids.filter((id) => !reasons.has(id));
  const removedIds = await deleteSubscribers(tx, accountId, { subscriberIds });
  const unrestoredSubscribers = [...reasons].map(([subscriberId, reason]) => ({
    id: subscriberId,
    reason,
  }));
  await undoStore.insertUnrestored(tx, accountId, id, unrestoredSubscribers);
  await undoStore.countUndone(tx, accountId, id, {
    removed: removedIds.length,
    checkpoint: lastSubscriber.id,
    at: clock.now(),
  });
  return true;
}

/** Streams subscribers that the undo left unchanged, with the reasons, as CSV. */
export function streamUnrestoredCsv(db: Db, row: store.ImportRow, t: ServerText): Readable {
  async function* readPages() {
    let after = { id: 0, reason: '' };
    for (;;) {
      const page = await undoStore.listUnrestoredAfter(db, row.account_id, row.id, after, 2_000);
      const lastRow = page.at(-1);
      if (lastRow === undefined) return;
      after = { id: lastRow.subscriber_id, reason: lastRow.reason };
      yield page.map((subscriber) => [
        subscriber.email ?? '',
        subscriber.phone ?? '',
        t(`kept.${subscriber.reason}`),
      ]);
    }
  }
  return csvStream(
    ['email', 'phone', 'reason'].map((key) => t(`keptColumns.${key}`)),
    readPages(),
  );
}

/** Deletes the undo data of imports past their undo period. */
export async function closeUndos(db: Db, accountId: number): Promise<void> {
  for (const row of await undoStore.listUndoOverBefore(db, accountId, clock.now())) {
    for (let deletedCount = SUBSCRIBERS_PER_SLICE; deletedCount === SUBSCRIBERS_PER_SLICE; )
      deletedCount = await inTransaction(db, (tx) =>
        deleteUndoImages(tx, accountId, row.id, SUBSCRIBERS_PER_SLICE),
      );
    for (let deletedCount = SUBSCRIBERS_PER_SLICE; deletedCount === SUBSCRIBERS_PER_SLICE; )
      deletedCount = await inTransaction(
        db,
        async (tx) =>
          (await undoStore.claimMemberships(tx, accountId, row.id, SUBSCRIBERS_PER_SLICE)).length,
      );
    // The file of a finished import is deleted already, unless its worker died before that.
    if (row.file_key !== null) await files.remove(row.file_key);
    await inTransaction(db, async (tx) => {
      await deleteForecast(tx, accountId, row.id);
      await undoStore.closeUndo(tx, accountId, row.id);
    });
  }
}
