// Lists and shows imports. A poller deletes uploads that were never started, undo data past its
// period, and expired row issues.
import { forEachAccount } from '#areas/accounts/server/index.ts';
import { readGroupTitles } from '#areas/groups/server/index.ts';
import type { ListRequest } from '#platform/contract.ts';
import { encodeId } from '#platform/ids.ts';
import type { Language } from '#platform/languages.ts';
import { clock } from '#platform/server/clock.ts';
import {
  type Db,
  inTransaction,
  type Reader,
  type Tx,
} from '#platform/server/database/database.ts';
import { buildListResponse } from '#platform/server/database/lists.ts';
import { notFound } from '#platform/server/errors.ts';
import { files } from '#platform/server/files/files.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { serverTexts } from '#platform/server/texts.ts';
import type { Import } from '../contract.ts';
import type { ImportState, UndoState } from '../shared.ts';
import * as store from './imports.sql.ts';
import { deleteExpiredRowIssues, getRowIssuesExpiry } from './rejected-rows.ts';
import type { ImportSettings } from './start-import.ts';
import { countUnrestored } from './undo.sql.ts';
import { closeUndos, getUndoDeadline } from './undo.ts';

/**
 * Reads a started import.
 * @throws `not_found`
 */
export async function readImport(
  db: Reader,
  accountId: number,
  id: number,
): Promise<store.ImportRow> {
  const row = await store.findImport(db, accountId, id);
  if (!row || store.UNSTARTED.includes(row.state)) throw notFound();
  return row;
}

export async function listImports(
  db: Reader,
  accountId: number,
  list: ListRequest<'created' | 'modified' | 'title'>,
  language: Language,
) {
  const rows: store.ImportRow[] = [];
  const response = await buildListResponse(
    list,
    {
      rows: async (slice) => {
        rows.push(...(await store.listImports(db, accountId, list, slice)));
        return rows;
      },
      total: () => store.countImports(db, accountId, list.search),
    },
    (row) => row,
  );
  return { ...response, data: await presentImports(db, accountId, rows, language) };
}

export async function presentImports(
  db: Reader,
  accountId: number,
  rows: readonly store.ImportRow[],
  language: Language,
): Promise<Import[]> {
  const groupIds = rows.flatMap((row) => listGroupIds(getSettings(row)));
  const titles = groupIds.length > 0 ? await readGroupTitles(db, accountId, groupIds) : new Map();
  const undone = rows.filter((row) => row.undo_state !== null).map((row) => row.id);
  const unrestoredRows = Map.groupBy(
    await countUnrestored(db, accountId, undone),
    (row) => row.import_id,
  );
  return rows.map((row) => ({
    ...present(row, titles, language),
    undo: presentUndo(row, unrestoredRows.get(row.id) ?? []),
  }));
}

function getSettings(row: store.ImportRow): ImportSettings | undefined {
  const { settings } = row;
  return settings.columns === undefined ? undefined : settings;
}

/** Lists groups for all subscribers, and groups named in rows. */
function listGroupIds(settings: ImportSettings | undefined): number[] {
  if (settings === undefined) return [];
  return [...new Set([...settings.groupIds, ...(settings.namedGroupIds ?? [])])];
}

function present(
  row: store.ImportRow,
  titles: ReadonlyMap<number, string>,
  language: Language,
): Omit<Import, 'undo'> {
  const settings = getSettings(row);
  const columns = settings?.columns ?? [];
  const findColumn = (target: string) =>
    columns.find((column) => column.target === target)?.column ?? null;
  const rowsRead = Math.max(0, row.checkpoint - (settings?.headerRow ?? 0));
  const isDone = row.state === 'finished';
  return {
    id: encodeId('import', row.id),
    state: row.state as ImportState,
    method: row.method as Import['method'],
    fileName: row.file_name ?? '',
    source: encodeId('import', row.id),
    rowCount: isDone ? (row.row_count ?? 0) : Math.max(row.row_count ?? 0, rowsRead),
    columns: columns.map(({ column, title, target }) => ({
      column,
      title,
      target: typeof target === 'object' ? encodeId('field', target.field) : target,
    })),
    emailColumn: findColumn('email'),
    phoneColumn: findColumn('phone'),
    matchedColumns: columns.length,
    tags: listGroupIds(settings).flatMap((id) => {
      const title = titles.get(id);
      return title === undefined ? [] : [{ id: encodeId('group', id), title }];
    }),
    rows_read: isDone ? (row.row_count ?? rowsRead) : rowsRead,
    created_count: row.created_count,
    updated_count: row.updated_count,
    unchanged_count: row.unchanged_count,
    rejected_count: row.rejected_count,
    noted_count: row.noted_count,
    rejected_until: getRowIssuesExpiry(row)?.toISOString() ?? null,
    error: row.error_code === null ? null : presentError(row.error_code, language),
    undoable_until: getUndoDeadline(row)?.toISOString() ?? null,
    created: row.created_at.toISOString(),
    started: row.started_at?.toISOString() ?? null,
    finished: row.finished_at?.toISOString() ?? null,
  };
}

function presentUndo(
  row: store.ImportRow,
  unrestoredRows: Awaited<ReturnType<typeof countUnrestored>>,
): Import['undo'] {
  if (row.undo_state === null) return null;
  const counts = row.undo as { removed?: number; restored?: number; left?: number };
  return {
    state: row.undo_state as UndoState,
    removed_count: counts.removed ?? 0,
    restored_count: counts.restored ?? 0,
    left_groups_count: counts.left ?? 0,
    kept_count: unrestoredRows.reduce((sum, row) => sum + row.count, 0),
    kept: unrestoredRows.map(({ reason, count }) => ({ reason, count })),
    finished: row.undone_at?.toISOString() ?? null,
  };
}

function presentError(code: string, language: Language): { code: string; message: string } {
  return { code, message: serverTexts('imports', language)(`errors.${code}`) };
}

/** Handles the `field.usedBy` query: queued and running imports that write values of the field. */
export async function listImportsUsingField(
  tx: Tx,
  { accountId, fieldId }: { accountId: number; fieldId: number },
): Promise<{ kind: string; id: string; title: string }[]> {
  const rows = await store.listImportsIntoField(tx, accountId, fieldId);
  return rows.map(({ id, method, file_name: name }) => ({
    kind: 'import',
    id: encodeId('import', id),
    title: name || method,
  }));
}

const UPLOAD_LIVES_MS = 24 * 3_600_000;

/** Deletes uploads not started within a day, undo data past its period, and expired row issues. */
export const uploadsPoller: Poller = {
  name: 'imports.uploads',
  intervalMs: 3_600_000,
  run: (db, signal) =>
    forEachAccount(db, signal, async (accountId) => {
      await removeUploads(db, accountId);
      await closeUndos(db, accountId);
      await deleteExpiredRowIssues(db, accountId);
    }),
};

export async function removeUploads(db: Db, accountId: number): Promise<void> {
  const before = new Date(clock.now().getTime() - UPLOAD_LIVES_MS);
  for (const row of await store.listUnstartedImportsBefore(db, accountId, before))
    await inTransaction(db, async (tx) => {
      const isUnstarted = await store.deleteUnstartedImport(tx, accountId, row.id);
      // The file is deleted before the commit, because a file without a row would remain forever.
      if (isUnstarted && row.file_key !== null) await files.remove(row.file_key);
    });
}
