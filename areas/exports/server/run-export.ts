// Writes an export: first its parts, each to its own file and followed by a checkpoint, and
// then all parts to one file. A killed worker loses its current part; the next worker continues
// after the last checkpoint.
import { Readable } from 'node:stream';
import { z } from 'zod';
import { listSelectedAfter, countChosen } from '#areas/subscribers/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { formatCsvLine } from '#platform/server/files/csv.ts';
import { type Db, inTransaction, isRetriable } from '#platform/server/database/database.ts';
import { files } from '#platform/server/files/files.ts';
import { defineJob, JobInterrupted, type JobContext } from '#platform/server/jobs/jobs.ts';
import { sendChangeHint } from '#platform/server/live/live.ts';
import { log } from '#platform/server/log.ts';
import { generateSecret } from '#platform/server/secrets.ts';
import { serverTexts } from '#platform/server/texts.ts';
import { RETENTION_DAYS, EMAIL_AFTER_SECONDS } from '../shared.ts';
import { compileChoice } from './export-selection.ts';
import { type ExportCell, readRows } from './columns.ts';
import { exportReady } from './events.ts';
import * as store from './exports.sql.ts';
import { createDownloadLink } from './links.ts';
import type { ExportSettings } from './start-export.ts';
import { sheetLength, renderSheetRow, listWorkbookEntries } from './workbook.ts';
import { zip, ZipTooLarge } from './zip.ts';

/**
 * Subscribers per part, and per query. Memory holds the IDs of one part and the rows of one query.
 */
export const PART_LENGTH = 50_000;
const PAGE_LENGTH = 2_000;
const MAX_ATTEMPTS = 4;

export const exportJob = defineJob({
  name: 'exports.run',
  payload: z.object({ accountId: z.number(), exportId: z.number() }),
  maxAttempts: 25,
  run: async ({ accountId, exportId }, tools) => {
    const row = await store.findExport(tools.db, accountId, exportId);
    if (row === undefined || row.state === 'failed') {
      // A killed worker may have written the file after the last cleanup.
      await files.remove(wholeKey({ account_id: accountId, id: exportId }));
      return;
    }
    if (row.state !== 'queued' && row.state !== 'running') return;
    try {
      await runExport(row, tools);
    } catch (error) {
      await settleFailure(tools.db, row, error);
    }
  },
  onAbandoned: async ({ accountId, exportId }, { db }) => {
    const row = await store.findExport(db, accountId, exportId);
    if (row && (row.state === 'queued' || row.state === 'running'))
      await endFailed(db, row, 'export_kills_worker');
  },
});

/** Returns the key of one part. The parts are stored until the whole file is complete. */
export function partKey(row: { account_id: number; id: number }, part: number): string {
  return `exports/${row.account_id}/parts/${row.id}-${part}`;
}

/**
 * Returns the key of the whole file. It is the same for each attempt, so a retry replaces an
 * unrecorded file.
 */
export function wholeKey(row: { account_id: number; id: number }): string {
  return `exports/${row.account_id}/whole/${row.id}`;
}

async function settleFailure(db: Db, row: store.ExportRow, error: unknown): Promise<void> {
  if (error instanceof JobInterrupted || isRetriable(error)) throw error;
  const failures = await store.countFailure(db, row.account_id, row.id);
  const isTooLarge = error instanceof ZipTooLarge;
  log.error('Export failed', { export: row.id, failures, error: error as Error });
  if (failures < MAX_ATTEMPTS && !isTooLarge) throw error;
  const errorCode = isTooLarge ? 'export_too_large' : 'export_failed';
  await endFailed(db, row, errorCode);
}

async function endFailed(db: Db, row: store.ExportRow, errorCode: string): Promise<void> {
  const end = { errorCode, at: clock.now() };
  const failedExport = await store.failExport(db, row.account_id, row.id, end);
  const now = failedExport ?? (await store.findExport(db, row.account_id, row.id));
  // The file stays if it is recorded, because another worker has finished the export.
  if (now?.file_key !== wholeKey(row)) await removeFiles(now ?? row);
  sendChangeHint(db, row.account_id, 'export', row.id);
}

async function runExport(
  row: store.ExportRow,
  { db, signal, progress }: JobContext,
): Promise<void> {
  const { account_id: accountId, id } = row;
  const { settings } = row;
  const predicate = await compileChoice(db, accountId, settings.choice);
  const total = row.total ?? (await countChosen(db, accountId, predicate));
  await store.markRunning(db, accountId, id, { total, at: clock.now() });
  sendChangeHint(db, accountId, 'export', id);
  const position = { checkpoint: row.checkpoint, parts: row.parts, rows: row.row_count };
  for (;;) {
    const ids = await listSelectedAfter(db, accountId, predicate, position.checkpoint, PART_LENGTH);
    const last = ids.at(-1);
    if (last === undefined) break;
    const rows = await writePart(db, { row, settings, ids, part: position.parts, signal });
    const step = { from: position.checkpoint, to: last, rows, at: clock.now() };
    // Fails if another worker has continued the export, or if the export was deleted.
    if (!(await store.movePart(db, accountId, id, step)))
      return removeObsoletePart(db, row, position.parts);
    sendChangeHint(db, accountId, 'export', id);
    await progress?.();
    position.checkpoint = last;
    position.parts += 1;
    position.rows += rows;
    if (ids.length < PART_LENGTH) break;
  }
  await finish(db, row, settings, position.parts);
}

/**
 * Removes the part that was just written if the export has since ended or been deleted: the end or
 * deletion removed only the earlier parts.
 */
async function removeObsoletePart(db: Db, row: store.ExportRow, parts: number): Promise<void> {
  const now = await store.findExport(db, row.account_id, row.id);
  if (now?.state !== 'running') await removeParts({ ...row, parts });
}

async function writePart(
  db: Db,
  part: {
    row: store.ExportRow;
    settings: ExportSettings;
    ids: readonly number[];
    part: number;
    signal: AbortSignal;
  },
): Promise<number> {
  const { row, settings, ids, signal } = part;
  const lineOf = row.format === 'csv' ? csvOf : sheetLines(settings, part.part);
  let rows = 0;
  async function* text(): AsyncGenerator<Buffer> {
    for (let from = 0; from < ids.length; from += PAGE_LENGTH) {
      if (signal.aborted) throw new JobInterrupted('the worker stops');
      const page = ids.slice(from, from + PAGE_LENGTH);
      const cells = await readRows(db, row.account_id, page, settings);
      yield Buffer.from(cells.map((rowCells, i) => lineOf(rowCells, rows + i)).join(''));
      rows += cells.length;
    }
  }
  await files.put(partKey(row, part.part), Readable.from(text()));
  return rows;
}

function csvOf(cells: readonly ExportCell[]): string {
  return formatCsvLine(cells.map((cell) => (typeof cell === 'object' ? cell.at : String(cell))));
}

/**
 * Returns a function that writes one row of a sheet. A row contains its number in the sheet,
 * counting the heading row and the rows of the sheet's earlier parts.
 */
function sheetLines(settings: ExportSettings, part: number) {
  const length = sheetLength(settings.columns.length, PART_LENGTH);
  const before = (part * PART_LENGTH) % length;
  return (cells: readonly ExportCell[], i: number) => renderSheetRow(cells, before + i + 2);
}

async function finish(
  db: Db,
  row: store.ExportRow,
  settings: ExportSettings,
  parts: number,
): Promise<void> {
  const { account_id: accountId, id } = row;
  const fileKey = wholeKey(row);
  const content =
    row.format === 'csv' ? wholeCsv(row, settings, parts) : wholeBook(row, settings, parts);
  const size = await files.put(fileKey, Readable.from(content, { objectMode: false }));
  const finishedExport = await inTransaction(db, async (tx) => {
    const at = clock.now();
    const expiresAt = new Date(at.getTime() + RETENTION_DAYS * 86_400_000);
    const finishedExport = await store.finishExport(tx, accountId, id, {
      fileKey,
      size,
      at,
      expiresAt,
    });
    if (finishedExport !== undefined) await notifyByEmail(tx, finishedExport);
    sendChangeHint(tx, accountId, 'export', id);
    return finishedExport;
  });
  // The existing file may have been written and recorded by another worker.
  const isRecorded =
    finishedExport ?? (await store.findExport(db, accountId, id))?.file_key === fileKey;
  if (isRecorded) await removeParts({ ...row, parts });
  else await removeFiles({ ...row, parts, file_key: null });
}

async function notifyByEmail(
  tx: Parameters<typeof store.finishExport>[0],
  row: store.ExportRow,
): Promise<void> {
  const { account_id: accountId, created_by: userId, finished_at: at, expires_at: end } = row;
  if (userId === null || at === null || end === null) return;
  if (at.getTime() - row.created_at.getTime() < EMAIL_AFTER_SECONDS * 1000) return;
  const secret = generateSecret();
  await createDownloadLink(tx, row, secret, { at, expiresAt: end });
  await exportReady.announce(tx, { accountId, userId, secret });
}

async function* wholeCsv(
  row: store.ExportRow,
  settings: ExportSettings,
  parts: number,
): AsyncGenerator<Buffer> {
  yield Buffer.from(`\ufeff${formatCsvLine(settings.columns.map((column) => column.title))}`);
  yield* partsOf(row, 0, parts);
}

function wholeBook(
  row: store.ExportRow,
  settings: ExportSettings,
  parts: number,
): AsyncGenerator<Buffer> {
  const perSheet = sheetLength(settings.columns.length, PART_LENGTH) / PART_LENGTH;
  const sheets = Array.from(
    { length: Math.max(1, Math.ceil(parts / perSheet)) },
    (_, i) => () => partsOf(row, i * perSheet, Math.min(parts, (i + 1) * perSheet)),
  );
  const name = serverTexts('exports', settings.language)('sheet');
  const titles = settings.columns.map((column) => column.title);
  return zip(listWorkbookEntries(titles, name, sheets));
}

async function* partsOf(row: store.ExportRow, from: number, to: number): AsyncGenerator<Buffer> {
  for (let part = from; part < to; part++) {
    const stream = await files.get(partKey(row, part));
    if (stream === undefined) throw new Error(`part ${part} of the export is missing`);
    yield* stream as AsyncIterable<Buffer>;
  }
}

/** Removes an export's whole file, recorded or not, and its parts. */
export async function removeFiles(row: store.ExportRow): Promise<void> {
  await files.remove(row.file_key ?? wholeKey(row));
  await removeParts(row);
}

/** Removes the parts, which are not needed once the file exists or the export has failed. */
async function removeParts(row: { account_id: number; id: number; parts: number }): Promise<void> {
  // One more than recorded, because a worker may have been killed between a part and its
  // checkpoint.
  for (let part = 0; part <= row.parts; part++) await files.remove(partKey(row, part));
}
