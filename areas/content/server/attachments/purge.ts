// Deletes attachments that were removed or belong to a deleted email. They are retained while a
// message with unsent copies contains them.
import { forEachAccount } from '#areas/accounts/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database/database.ts';
import { defineQuestion } from '#platform/server/events.ts';
import { files } from '#platform/server/files/files.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { createTimes } from './attachments.ts';
import * as store from './attachments.sql.ts';

/** Question: which of these content ids belong to an email that was not deleted. */
export const contentsInUse = defineQuestion<
  { accountId: number; contentIds: readonly number[] },
  number
>('contents.in_use');

/** Question: which of these files belong to a message with unsent copies. */
export const filesAwaited = defineQuestion<{ accountId: number; keys: readonly string[] }, string>(
  'files.awaited',
);

const BATCH_FILES = 50;

export const attachmentsPoller: Poller = {
  name: 'attachments.purge',
  intervalMs: 3_600_000,
  run: (db, signal) => forEachAccount(db, signal, (accountId) => purgeAttachments(db, accountId)),
};

export async function purgeAttachments(db: Db, accountId: number): Promise<void> {
  for (;;) {
    const dueFiles = await store.listDueForCheck(db, accountId, clock.now(), BATCH_FILES);
    if (dueFiles.length === 0) return;
    const neededKeys = await inTransaction(db, (tx) => listNeededKeys(tx, accountId, dueFiles));
    for (const row of dueFiles) await settle(db, row, neededKeys.has(row.id));
  }
}

async function listNeededKeys(tx: Tx, accountId: number, rows: readonly store.AttachmentRow[]) {
  const contentIds = [...new Set(rows.map((row) => row.content_id))];
  const inUse = new Set(await contentsInUse.collect(tx, { accountId, contentIds }));
  const keys = [...new Set(rows.map((row) => row.file_key))];
  const awaitedKeys = new Set(await filesAwaited.collect(tx, { accountId, keys }));
  const isNeeded = (row: store.AttachmentRow) =>
    awaitedKeys.has(row.file_key) || (row.removed_at === null && inUse.has(row.content_id));
  return new Set(rows.filter(isNeeded).map((row) => row.id));
}

async function settle(db: Db, row: store.AttachmentRow, isNeeded: boolean): Promise<void> {
  const { account_id: accountId, id } = row;
  if (isNeeded) {
    return inTransaction(db, (tx) => store.postponeCheck(tx, accountId, id, createTimes().checkAt));
  }
  // The file is deleted before its row because it could not be found without the row.
  if (!(await store.isFileUsedElsewhere(db, accountId, row))) await files.remove(row.file_key);
  await inTransaction(db, (tx) => store.deleteAttachmentRow(tx, accountId, id));
}
