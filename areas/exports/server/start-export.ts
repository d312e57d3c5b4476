// Starts an export: validates the selection and columns, stores both and queues the job.
import { readAccount, waitForSubscribers } from '#areas/accounts/server/index.ts';
import type { Language } from '#platform/languages.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { addJob } from '#platform/server/jobs/jobs.ts';
import { serverTexts } from '#platform/server/texts.ts';
import { toWallTime } from '#platform/server/zoned-time.ts';
import { type ExportFormat, MAX_WAITING } from '../shared.ts';
import {
  type ExportChoice,
  validateSelection,
  type ExportSelection,
  compileChoice,
} from './export-selection.ts';
import { type ExportColumn, resolveColumns } from './columns.ts';
import * as store from './exports.sql.ts';
import { exportJob } from './run-export.ts';

/** The requested settings as stored with an export (exports.settings). */
export type ExportSettings = {
  choice: ExportChoice;
  columns: ExportColumn[];
  language: Language;
  timezone: string;
  /** Local date of the request, which is part of the file's name. */
  day: string;
};

export type ExportRequest = ExportSelection & {
  format: ExportFormat;
  columns?: string[] | undefined;
};

/**
 * @throws `no_subscribers_selected`, `conditions_malformed`, `too_many_exports`, and a validation
 * error for an unknown column
 */
export async function startExport(
  tx: Tx,
  caller: { accountId: number; userId: number; language: Language },
  order: ExportRequest,
): Promise<store.ExportRow> {
  const { accountId, userId, language } = caller;
  const now = clock.now();
  const choice = validateSelection(order, now);
  await compileChoice(tx, accountId, choice);
  const account = await readAccount(tx, accountId);
  if ((await store.countWaiting(tx, accountId)) >= MAX_WAITING)
    throw new AppError('too_many_exports', { retryAfterSeconds: 60 });
  const texts = serverTexts('exports', language);
  const settings: ExportSettings = {
    choice,
    columns: await resolveColumns(tx, accountId, order.columns, texts),
    language,
    timezone: account.timezone,
    day: dayIn(account.timezone, now),
  };
  // An erasure in progress has already removed its subscribers from the existing exports, so this
  // export must start after it.
  await waitForSubscribers(tx, accountId);
  const row = await store.insertExport(tx, {
    accountId,
    userId,
    format: order.format,
    settings,
    at: now,
  });
  await addJob(
    tx,
    exportJob,
    { accountId, exportId: row.id },
    { key: `export:${accountId}:${row.id}`, queue: `exports:${accountId}` },
  );
  return row;
}

const dayIn = (zone: string, at: Date) => toWallTime(at, zone).slice(0, 10);
