// Exports: listing, deletion by the user, and deletion at expiry.
import { forEachAccount } from '#areas/accounts/server/index.ts';
import type { ListRequest } from '#platform/contract.ts';
import { encodeId } from '#platform/ids.ts';
import type { Language } from '#platform/languages.ts';
import { clock } from '#platform/server/clock.ts';
import {
  afterCommit,
  type Db,
  inTransaction,
  type Reader,
  type Tx,
} from '#platform/server/database/database.ts';
import { notFound } from '#platform/server/errors.ts';
import { files } from '#platform/server/files/files.ts';
import { sendChangeHint } from '#platform/server/live/live.ts';
import { buildListResponse } from '#platform/server/database/lists.ts';
import { log } from '#platform/server/log.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { serverTexts } from '#platform/server/texts.ts';
import type { Export } from '../contract.ts';
import type { ExportFormat, ExportState } from '../shared.ts';
import type { ExportChoice } from './export-selection.ts';
import * as store from './exports.sql.ts';
import { removeFiles } from './run-export.ts';

export function listExports(
  db: Reader,
  accountId: number,
  list: ListRequest<'created' | 'modified'>,
  language: Language,
) {
  return buildListResponse(
    list,
    {
      rows: (slice) => store.listExports(db, accountId, list, slice),
      total: () => store.countExports(db, accountId),
    },
    (row) => presentExport(row, language),
  );
}

export async function readExport(
  db: Reader,
  accountId: number,
  id: number,
  language: Language,
): Promise<Export> {
  const row = await store.findExport(db, accountId, id);
  if (row === undefined) throw notFound();
  return presentExport(row, language);
}

export function presentExport(row: store.ExportRow, language: Language): Export {
  const { choice, columns } = row.settings;
  const isChosen = choice.conditions.length > 0 || choice.search !== undefined;
  const code = row.error_code;
  return {
    id: encodeId('export', row.id),
    state: row.state as ExportState,
    format: row.format as ExportFormat,
    total: row.total,
    row_count: row.row_count,
    size: row.size,
    column_count: columns.length,
    choice: choice.ids !== undefined ? 'named' : isChosen ? 'filter' : 'all',
    search: choice.search ?? null,
    error:
      code === null ? null : { code, message: serverTexts('exports', language)(`errors.${code}`) },
    created: row.created_at.toISOString(),
    finished: row.finished_at?.toISOString() ?? null,
    expires: row.expires_at?.toISOString() ?? null,
  };
}

/** Deletes an export. If it is running, it stops at its next part because its row is gone. */
export async function deleteExport(tx: Tx, accountId: number, id: number): Promise<void> {
  const row = await store.deleteExport(tx, accountId, id);
  if (row === undefined) throw notFound();
  sendChangeHint(tx, accountId, 'export', id);
  removeAfterCommit(row);
}

/**
 * Handles `subscriber.erased`: deletes files that may contain these subscribers and the links to
 * these files, and clears selections that contain one of their addresses. A running export stops,
 * and a queued export waits until the erasure ends. An export requested during the erasure waits as
 * well, because the erasure locks the row of the subscriber count (start-export.ts).
 */
export async function eraseSubscribers(
  tx: Tx,
  erasure: { accountId: number; subscriberIds: number[]; addresses: string[] },
): Promise<void> {
  const { accountId, subscriberIds, addresses } = erasure;
  const end = { errorCode: 'person_erased', at: clock.now() };
  await store.lockQueued(tx, accountId);
  for (const row of await store.withdrawExports(tx, accountId, subscriberIds, end)) {
    sendChangeHint(tx, accountId, 'export', row.id);
    removeAfterCommit(row);
  }
  const emptyChoice: ExportChoice = { ids: [], conditions: [], asOf: end.at.toISOString() };
  for (const id of await store.deleteChoices(tx, accountId, addresses, emptyChoice, end))
    sendChangeHint(tx, accountId, 'export', id);
}

function removeAfterCommit(row: store.ExportRow): void {
  afterCommit(() => {
    removeFiles(row).catch((error: unknown) =>
      log.warn('Could not delete the file of an export', { error: error as Error }),
    );
  });
}

/** Deletes expired files, account by account; their entries stay in the list. */
export const exportsPoller: Poller = {
  name: 'exports.expiry',
  intervalMs: 3_600_000,
  run: (db, signal) => forEachAccount(db, signal, (accountId) => expireExports(db, accountId)),
};

export async function expireExports(db: Db, accountId: number): Promise<void> {
  const now = clock.now();
  for (const row of await store.listExpiredExports(db, accountId, now)) {
    if (row.file_key !== null) await files.remove(row.file_key);
    await inTransaction(db, (tx) => store.markExpired(tx, accountId, row.id, now));
  }
}
