// Computes the effects of an import before its start. It reads and compares the rows like the
// import, in transactions that write no subscribers.
import { createHash } from 'node:crypto';
import type { Resolver } from 'node:dns/promises';
import { z } from 'zod';
import {
  type ForecastSample,
  forecastRecords,
  type ImportedRecord,
} from '#areas/subscribers/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import {
  inCopyTransaction,
  inTransaction,
  isRetriable,
  type Reader,
  type Tx,
} from '#platform/server/database/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import { files } from '#platform/server/files/files.ts';
import { addJob, defineJob, JobInterrupted, type JobContext } from '#platform/server/jobs/jobs.ts';
import { sendChangeHint } from '#platform/server/live/live.ts';
import { log } from '#platform/server/log.ts';
import type { ServerText } from '#platform/server/texts.ts';
import type { calls, ImportForecast } from '../contract.ts';
import { FORECAST_SAMPLES, type ForecastState } from '../shared.ts';
import * as store from './forecast.sql.ts';
import { type GroupForecast, GroupTally } from './forecast-groups.ts';
import { type ImportRecord, RecordReader, type RowIssue } from './import-records.ts';
import { findImport, type ImportRow, lockImport } from './imports.sql.ts';
import { buildRowPreview } from './ingest.ts';
import { checkAddress, createEmptyCheck, DomainTally, type ListCheck } from './list-check.ts';
import { readRowBatches } from './reading/row-batches.ts';
import { getValueTexts, type ReadingSettings, resolveReading } from './start-import.ts';

type Input = z.output<typeof calls.forecastImport.body>;

export interface ForecastSettings extends ReadingSettings {
  consent: Array<'email' | 'sms'>;
  /** Titles of groups for all subscribers. */
  groups?: readonly string[];
}

export interface ForecastResult {
  rows: number;
  created: number;
  updated: number;
  unchanged: number;
  kept: number;
  rejected: Record<string, number>;
  noted: Record<string, number>;
  samples: ForecastSample[];
  groups: GroupForecast[];
  check: ListCheck;
}

const BATCH_SIZE = 20_000;

let resolver: Resolver | undefined;

/** Sets the resolver for domains in lists; without one, none are looked up. */
export function configureListCheck(tools: { resolver: Resolver }): void {
  ({ resolver } = tools);
}

/** Makes up fields that do not exist yet, with negative ids, which match no values. */
function createPlaceholderFields() {
  let id = 0;
  return async () => {
    id -= 1;
    return { id };
  };
}

/** Starts a forecast, which replaces an earlier forecast of the import. */
export async function forecastImport(
  tx: Tx,
  accountId: number,
  id: number,
  input: Input,
  t: ServerText,
): Promise<ImportForecast> {
  const row = await lockImport(tx, accountId, id);
  if (!row) throw notFound();
  if (row.state !== 'uploaded') throw new AppError('import_already_started');
  const preview = await buildRowPreview(tx, row, input);
  const { channels, group_titles: groups, ...order } = input;
  const settings: ForecastSettings = {
    ...(await resolveReading(tx, accountId, order, preview, {
      createField: createPlaceholderFields(),
      ...getValueTexts(t),
    })),
    consent: channels,
    groups,
  };
  const at = clock.now();
  const hash = createHash('sha256').update(JSON.stringify(input)).update(String(at.getTime()));
  const digest = hash.digest('hex');
  await store.saveForecast(tx, { accountId, importId: id, hash: digest, settings, at });
  await addJob(
    tx,
    forecastJob,
    { accountId, importId: id, hash: digest },
    { key: `forecast:${accountId}:${id}`, queue: `forecasts:${accountId}` },
  );
  return readForecast(tx, accountId, id, t);
}

export async function readForecast(
  db: Reader,
  accountId: number,
  id: number,
  t: ServerText,
): Promise<ImportForecast> {
  const row = await findImport(db, accountId, id);
  const forecast = await store.findForecast(db, accountId, id);
  if (row === undefined || forecast === undefined) throw notFound();
  return present(row, forecast, t);
}

export const forecastJob = defineJob({
  name: 'imports.forecast',
  payload: z.object({ accountId: z.number(), importId: z.number(), hash: z.string() }),
  run: async (payload, tools) => {
    const { accountId, importId } = payload;
    const row = await findImport(tools.db, accountId, importId);
    const forecast = await store.findForecast(tools.db, accountId, importId);
    if (row?.state !== 'uploaded' || forecast?.hash !== payload.hash) return;
    if (forecast.state === 'finished') return;
    try {
      await computeForecast(row, forecast, tools);
    } catch (error) {
      if (error instanceof JobInterrupted || isRetriable(error)) throw error;
      // If the import was started during the forecast, its file may be deleted, and the forecast is
      // obsolete.
      const now = await findImport(tools.db, accountId, importId);
      if (now?.state !== 'uploaded') return;
      log.error('Forecast of an import failed', { import: importId, error: error as Error });
      await endFailed(tools.db, payload);
    }
  },
  onAbandoned: async (payload, { db }) => {
    const row = await findImport(db, payload.accountId, payload.importId);
    const forecast = await store.findForecast(db, payload.accountId, payload.importId);
    if (row?.state !== 'uploaded' || forecast?.state === 'finished') return;
    await endFailed(db, payload);
  },
});

async function endFailed(
  db: JobContext['db'],
  forecast: { accountId: number; importId: number; hash: string },
): Promise<void> {
  const end = { state: 'failed' as const, rowsRead: 0, result: {}, at: clock.now() };
  await store.updateForecast(db, forecast, end);
  sendChangeHint(db, forecast.accountId, 'import', forecast.importId);
}

async function computeForecast(
  row: ImportRow,
  forecast: store.ImportForecastRow,
  { db, signal }: JobContext,
): Promise<void> {
  const { settings } = forecast;
  const key = { accountId: row.account_id, importId: row.id, hash: forecast.hash };
  const result = createEmptyResult();
  const records: ImportRecord[] = [];
  const repeatedRecords: ImportRecord[] = [];
  const domains = new DomainTally();
  const groups = new GroupTally(row.account_id, settings.groups ?? []);
  const recordIssue = (issue: RowIssue) => countIssue(result, issue);
  const reader = new RecordReader(
    { ...settings, country: settings.country ?? undefined, attestedChannels: settings.consent },
    (record) => records.push(record),
    recordIssue,
    (record) => repeatedRecords.push(record),
  );
  await inTransaction(db, (tx) => groups.addCommonGroups(tx));
  const step = async (state: ForecastState) => {
    const batch = records.splice(0);
    for (const { email } of batch) {
      if (!email) continue;
      checkAddress(result.check, email.toLowerCase());
      domains.add(email.toLowerCase());
    }
    await compareWithSubscribers(db, row, settings, batch, result);
    await inTransaction(db, (tx) =>
      groups.addRecords(tx, [...batch, ...repeatedRecords.splice(0)]),
    );
    result.groups = groups.result();
    const isCurrent = await store.updateForecast(db, key, {
      state,
      rowsRead: result.rows,
      result,
      at: clock.now(),
    });
    sendChangeHint(db, row.account_id, 'import', row.id);
    return isCurrent;
  };
  const bytes = await files.get(row.file_key ?? '');
  if (bytes === undefined) throw new Error('the stored file is missing');
  for await (const batch of readRowBatches(bytes as AsyncIterable<Buffer>, settings)) {
    if (signal.aborted) throw new JobInterrupted('the worker stops');
    for (const rawRow of batch) {
      if (rawRow.number > settings.headerRow) result.rows += 1;
      reader.read(rawRow);
    }
    if (records.length + repeatedRecords.length >= BATCH_SIZE && !(await step('running'))) return;
  }
  if (!(await step('finished')) || !resolver) return;
  // The forecast is stored before the lookups, which take minutes for a list with many domains.
  for await (const _ of domains.lookUp(result.check, { db, resolver, signal })) {
    const news = { state: 'finished' as const, rowsRead: result.rows, result, at: clock.now() };
    if (!(await store.updateForecast(db, key, news))) return;
    sendChangeHint(db, row.account_id, 'import', row.id);
  }
}

async function compareWithSubscribers(
  db: JobContext['db'],
  row: ImportRow,
  settings: ForecastSettings,
  records: ImportedRecord[],
  result: ForecastResult,
): Promise<void> {
  if (records.length === 0) return;
  const batch = {
    accountId: row.account_id,
    importId: row.id,
    at: clock.now(),
    records,
    consent: { userId: null, channels: settings.consent },
    fieldIds: [],
  };
  const comparison = await inCopyTransaction(db, (tx, copy) =>
    forecastRecords(tx, copy, batch, FORECAST_SAMPLES - result.samples.length),
  );
  result.created += comparison.created;
  result.updated += comparison.updated;
  result.unchanged += comparison.unchanged;
  result.samples.push(...comparison.samples);
  const staying = new Set(comparison.unmailableRows);
  for (const record of records)
    if (staying.has(record.row) && (record.emailStatus ?? 'active') === 'active') result.kept += 1;
}

function createEmptyResult(): ForecastResult {
  return {
    rows: 0,
    created: 0,
    updated: 0,
    unchanged: 0,
    kept: 0,
    rejected: {},
    noted: {},
    samples: [],
    groups: [],
    check: createEmptyCheck(),
  };
}

function countIssue(result: ForecastResult, issue: RowIssue): void {
  const counts = issue.isRejected ? result.rejected : result.noted;
  for (const reason of issue.reason.split(',')) {
    const code = reason.split(':', 1)[0] as string;
    counts[code] = (counts[code] ?? 0) + 1;
  }
}

function getReasonText(reason: string, t: ServerText): string {
  return reason === 'duplicate_in_file' ? t('duplicates') : t(`reasons.${reason}`);
}

function present(row: ImportRow, forecast: store.ImportForecastRow, t: ServerText): ImportForecast {
  const result = { ...createEmptyResult(), ...forecast.result };
  const { columns } = forecast.settings;
  const titles = new Map(
    columns.flatMap(({ target, title }) =>
      typeof target === 'object' ? [[String(target.field), title] as const] : [],
    ),
  );
  const presentReasons = (counts: Record<string, number>) =>
    Object.entries(counts)
      .sort((a, b) => b[1] - a[1])
      .map(([reason, count]) => ({ reason, count, message: getReasonText(reason, t) }));
  return {
    state: forecast.state as ForecastState,
    rowCount: forecast.state === 'finished' ? result.rows : (row.row_count ?? 0),
    rows_read: forecast.rows_read,
    created_count: result.created,
    updated_count: result.updated,
    unchanged_count: result.unchanged,
    rejected_count: Object.values(result.rejected).reduce((sum, count) => sum + count, 0),
    kept_count: result.kept,
    rejected: presentReasons(result.rejected),
    noted: presentReasons(result.noted),
    checks: presentChecks(result.check, t),
    groups: result.groups.map(({ title, isNew, people: count }) => ({
      title,
      is_new: isNew,
      people_count: count,
    })),
    samples: result.samples.map((sample) => ({
      name: sample.email ?? sample.phone ?? '',
      changes: presentChanges(sample, titles),
    })),
  };
}

const MAX_DOMAINS_SHOWN = 10;

/**
 * Returns the findings of the list check: the misspelled and the unreachable domains with the most
 * subscribers, then the other kinds.
 */
function presentChecks(check: ListCheck, t: ServerText): ImportForecast['checks'] {
  const { disposable, roles, typos, unreachable = {} } = check;
  const misspelledDomains = Object.entries(typos)
    .sort((a, b) => b[1].count - a[1].count)
    .slice(0, MAX_DOMAINS_SHOWN)
    .map(([domain, { meant: suggestion, count }]) => ({
      reason: `typo:${domain}`,
      count,
      message: t('checks.typo', { domain, meant: suggestion }),
    }));
  const unreachableDomains = Object.entries(unreachable)
    .sort((a, b) => b[1] - a[1])
    .slice(0, MAX_DOMAINS_SHOWN)
    .map(([domain, count]) => ({
      reason: `unreachable:${domain}`,
      count,
      message: t('checks.unreachable', { domain }),
    }));
  const addressKinds = [
    { reason: 'disposable', count: disposable, message: t('checks.disposable') },
    { reason: 'role', count: roles, message: t('checks.role') },
  ];
  return [
    ...misspelledDomains,
    ...unreachableDomains,
    ...addressKinds.filter(({ count }) => count > 0),
  ];
}

const SHOWN_COLUMNS = [
  'email',
  'phone',
  'firstname',
  'lastname',
  'email_status',
  'sms_status',
] as const;

function presentChanges(
  { before, after }: ForecastSample,
  titles: ReadonlyMap<string, string>,
): ImportForecast['samples'][number]['changes'] {
  const formatText = (value: unknown) =>
    value === null || value === undefined ? '' : String(value);
  const readValues = (side: Record<string, unknown>) =>
    side.values as Record<string, string | number | undefined>;
  return [
    ...SHOWN_COLUMNS.filter((name) => formatText(before[name]) !== formatText(after[name])).map(
      (target) => ({
        target: target as string,
        title: null,
        before: formatText(before[target]),
        after: formatText(after[target]),
      }),
    ),
    ...Object.entries(readValues(after))
      .filter(([id, value]) => readValues(before)[id] !== value)
      .map(([id, value]) => ({
        target: 'field',
        title: titles.get(id) ?? '',
        before: formatText(readValues(before)[id]),
        after: formatText(value),
      })),
  ];
}
