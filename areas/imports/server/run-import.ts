// Runs an import: reads the stored file row by row and writes its subscribers in batches. Each
// batch is one transaction: subscribers, groups, row issues, counts and the checkpoint (the last
// row of the batch). After a kill or a failure the file is read again from its start, to collect
// the addresses of earlier rows, and rows up to the checkpoint are skipped, so no batch takes
// effect twice.
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { markAccount } from '#areas/accounts/server/index.ts';
import { addNewSubscribersToGroups, joinGroups } from '#areas/groups/server/index.ts';
import {
  applyOptOuts,
  hasOptOut,
  importRecords,
  refreshEstimates,
} from '#areas/subscribers/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import {
  type CopyIn,
  type Db,
  inCopyTransaction,
  isConnectionLost,
  isOutOfSpace,
  isRetriable,
  isUniqueViolation,
  type Tx,
} from '#platform/server/database/database.ts';
import { files } from '#platform/server/files/files.ts';
import { defineJob, JobInterrupted, type JobContext } from '#platform/server/jobs/jobs.ts';
import { sendChangeHint } from '#platform/server/live/live.ts';
import { log } from '#platform/server/log.ts';
import { UNDO_DAYS } from '../shared.ts';
import { joinNamedGroups } from './column-groups.ts';
import { type ImportRecord, RecordReader, type RowIssue } from './import-records.ts';
import * as store from './imports.sql.ts';
import { readRowBatches } from './reading/row-batches.ts';
import { formatRowIssueLines } from './rejected-rows.ts';
import { RunRecorder } from './run-record.ts';
import type { ImportSettings } from './start-import.ts';

/** Subscribers per transaction: small enough to show progress and hold locks briefly. */
const BATCH_SIZE = 5_000;
const TRIES_WITHOUT_PROGRESS = 3;
/** Runs per attempt of the job while failures are temporary, such as lost connections. */
const LOST_CONNECTIONS = 30;

export const importJob = defineJob({
  name: 'imports.run',
  payload: z.object({ accountId: z.number(), importId: z.number() }),
  maxAttempts: 25,
  // Kills are handled per row: a row that kills the worker is skipped, and the import continues.
  handlesKills: true,
  run: async ({ accountId, importId }, tools) => {
    for (let attempt = 1; ; attempt++) {
      try {
        const row = await store.findImport(tools.db, accountId, importId);
        if (row === undefined || (row.state !== 'queued' && row.state !== 'running')) return;
        return await runImport(row, tools);
      } catch (error) {
        // If the database is briefly unreachable, a report to the queue would fail too.
        if (isLost(error) && attempt < LOST_CONNECTIONS && !tools.signal.aborted) {
          await sleep(Math.min(attempt, 10) * 1000, undefined, tools).catch(() => {});
          continue;
        }
        return await settleFailure(tools.db, accountId, importId, error);
      }
    }
  },
});

const LOST_CODES = new Set(['EPIPE', 'ECONNABORTED', 'ETIMEDOUT', 'ERR_STREAM_PREMATURE_CLOSE']);

/**
 * Returns whether the failure is temporary. Lost connections are included, even if only this job
 * lost one: a rerun is safe because of the checkpoint.
 */
function isLost(error: unknown): boolean {
  const { code = '' } = error as { code?: string };
  return (
    isRetriable(error) || isConnectionLost(error) || isOutOfSpace(error) || LOST_CODES.has(code)
  );
}

/**
 * Rethrows temporary failures and the first two other failures at one checkpoint, so that the queue
 * retries the job. The third failure at one checkpoint fails the import. A missing file or too many
 * killed workers fail it immediately.
 */
async function settleFailure(
  db: Db,
  accountId: number,
  importId: number,
  error: unknown,
): Promise<void> {
  if (error instanceof JobInterrupted || isLost(error)) throw error;
  if (error instanceof OtherWorker) return;
  const row = await store.findImport(db, accountId, importId);
  if (row === undefined) return;
  const failures = await store.countFailureAtCheckpoint(db, accountId, importId, row.checkpoint);
  log.error('Import failed', { import: importId, failures, error: error as Error });
  const isFinal = error instanceof FileMissing || error instanceof KilledTooOften;
  if (failures < TRIES_WITHOUT_PROGRESS && !isFinal) throw error;
  const errorCode = error instanceof FileMissing ? 'file_missing' : 'import_failed';
  await store.finishImport(db, accountId, importId, {
    errorCode,
    rowCount: undefined,
    ...endOfNow(),
  });
  sendChangeHint(db, accountId, 'import', importId);
}

function endOfNow(): { at: Date; undoableUntil: Date } {
  const at = clock.now();
  return { at, undoableUntil: new Date(at.getTime() + UNDO_DAYS * 86_400_000) };
}

class FileMissing extends Error {}
class KilledTooOften extends Error {}
/**
 * Thrown if the queue delivered the job to a second worker while the first one is alive: the worker
 * that is ahead continues.
 */
class OtherWorker extends Error {}

async function runImport(row: store.ImportRow, { db, signal }: JobContext): Promise<void> {
  const { settings } = row;
  const bytes = await files.get(row.file_key ?? '');
  if (bytes === undefined) throw new FileMissing('the stored file is missing');
  await store.markRunning(db, row.account_id, row.id, clock.now());
  sendChangeHint(db, row.account_id, 'import', row.id);
  const recorder = new RunRecorder(db, row);
  if (recorder.hasKilledTooOften) throw new KilledTooOften('its worker was killed again and again');
  await recorder.recordStart();
  const writer = new ImportBatchWriter(db, row, settings);
  const reader = new RecordReader(
    { ...settings, country: settings.country ?? undefined, attestedChannels: settings.consent },
    (record) => writer.records.push(record),
    (issue) => writer.issues.push(issue),
    (record) => writer.repeatedRecords.push(record),
  );
  let rows = 0;
  try {
    for await (const batch of readRowBatches(bytes as AsyncIterable<Buffer>, settings)) {
      for (const rawRow of batch) {
        if (rawRow.number > settings.headerRow) rows += 1;
        if (recorder.mustRecordRow(rawRow.number)) await recorder.recordRow(rawRow.number);
        if (recorder.isFatal(rawRow.number)) reader.rejectFatalRow(rawRow);
        else reader.read(rawRow);
        // Rows up to the checkpoint have already taken effect.
        if (rawRow.number <= row.checkpoint) writer.clear();
        else if (writer.isFull) {
          await recorder.clearRow();
          await writer.write(rawRow.number);
          recorder.confirmBatch();
        }
      }
      if (signal.aborted) throw new JobInterrupted('the worker stops');
      writer.lastRow = batch.at(-1)?.number ?? writer.lastRow;
    }
    await recorder.clearRow();
    await writer.write(writer.lastRow);
    await writer.lastCommit;
  } finally {
    // A retry must not find a batch of this run in progress, which would look like another
    // worker's.
    await writer.waitForCommits();
    await recorder.recordEnd();
  }
  await store.finishImport(db, row.account_id, row.id, {
    errorCode: null,
    rowCount: rows,
    ...endOfNow(),
  });
  sendChangeHint(db, row.account_id, 'import', row.id);
  await files.remove(row.file_key ?? '');
}

/**
 * Collects and writes batches in a pipeline: while a batch is read, the previous one is copied, and
 * the batch before that commits.
 */
class ImportBatchWriter {
  records: ImportRecord[] = [];
  issues: RowIssue[] = [];
  repeatedRecords: ImportRecord[] = [];
  lastRow = 0;
  /** Resolves when the last batch passed to `write`, and all before it, are committed. */
  lastCommit: Promise<void> = Promise.resolve();
  private previousCommit: Promise<void> = Promise.resolve();
  private checkpoint: number;
  private readonly db: Db;
  private readonly row: store.ImportRow;
  private readonly settings: ImportSettings;

  constructor(db: Db, row: store.ImportRow, settings: ImportSettings) {
    this.db = db;
    this.row = row;
    this.settings = settings;
    this.checkpoint = row.checkpoint;
  }

  get isFull(): boolean {
    return this.records.length >= BATCH_SIZE || this.issues.length >= BATCH_SIZE;
  }

  /** Drops the collected rows. */
  clear(): void {
    this.records = [];
    this.issues = [];
    this.repeatedRecords = [];
  }

  /** Resolves when no batch is in progress, even if some failed. */
  async waitForCommits(): Promise<void> {
    await Promise.allSettled([this.previousCommit, this.lastCommit]);
  }

  /** Resolves when at most this batch and the previous one are in progress. */
  async write(lastRow: number): Promise<void> {
    const { records, issues, repeatedRecords, lastCommit } = this;
    this.clear();
    await this.previousCommit;
    if (records.length === 0 && issues.length === 0) return;
    const from = this.checkpoint;
    this.checkpoint = lastRow;
    this.previousCommit = lastCommit;
    this.lastCommit = this.commit({ records, issues, repeatedRecords }, from, lastRow, lastCommit);
    // Awaited before the next batch; until then a failure must not be reported as unhandled.
    this.lastCommit.catch(() => {});
  }

  private async commit(
    batch: { records: ImportRecord[]; issues: RowIssue[]; repeatedRecords: ImportRecord[] },
    from: number,
    to: number,
    previousBatch: Promise<void>,
  ): Promise<void> {
    const { account_id: accountId, id: importId } = this.row;
    const { records, issues, repeatedRecords } = batch;
    const optOuts = repeatedRecords.filter(hasOptOut);
    await refreshEstimates(this.db, accountId);
    const write = (attempt: number) =>
      inCopyTransaction(this.db, async (tx, copy) => {
        const waitForTurn = async () => {
          await previousBatch;
          const now = await store.lockImport(tx, accountId, importId);
          if (now?.checkpoint !== from || now.state !== 'running') throw new OtherWorker();
        };
        const isFirstAttempt = attempt === 1;
        const { isSuperseded, ...result } = await this.importCopy(tx, copy, {
          records,
          repeatedRecords,
          isFirstAttempt,
          waitForTurn,
        });
        if (attempt < MAX_ATTEMPTS && (await isSuperseded())) throw new Overtaken();
        if (optOuts.length > 0) await applyOptOuts(tx, accountId, optOuts);
        const mergedIssues = mergeIssues([...issues, ...result.issues]);
        await store.copyRowIssues(copy, formatRowIssueLines(accountId, importId, mergedIssues));
        const rejectedCount = mergedIssues.filter((issue) => issue.isRejected).length;
        await store.commitBatchProgress(tx, accountId, importId, {
          checkpoint: to,
          ...result,
          rejected: rejectedCount,
          importedWithIssues: mergedIssues.length - rejectedCount,
          at: clock.now(),
        });
        sendChangeHint(tx, accountId, 'import', importId);
      });
    // If a concurrent transaction added or suppressed one of these subscribers, a retry sees that.
    for (let attempt = 1; ; attempt++) {
      try {
        return await write(attempt);
      } catch (error) {
        const isMet = isUniqueViolation(error) || error instanceof Overtaken;
        if (!isMet || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  private async importCopy(
    tx: Tx,
    copy: CopyIn,
    batch: {
      records: ImportRecord[];
      repeatedRecords: ImportRecord[];
      isFirstAttempt: boolean;
      waitForTurn: () => Promise<void>;
    },
  ) {
    const { account_id: accountId, id: importId } = this.row;
    const { columns, consent, userId, groupIds, startsWorkflows = false } = this.settings;
    const { records, waitForTurn } = batch;
    const origin = startsWorkflows ? ('import' as const) : ('bulk' as const);
    const row = batch.isFirstAttempt ? await store.findImport(tx, accountId, importId) : undefined;
    const result = await importRecords(tx, copy, {
      accountId,
      importId,
      origin,
      at: clock.now(),
      records,
      createdBefore: row?.created_count,
      waitForTurn,
      consent: { userId, channels: consent },
      fieldIds: columns.flatMap(({ target }) => (typeof target === 'object' ? [target.field] : [])),
    });
    const join = { groupIds, origin };
    const existingIds = [...result.updated, ...result.unchanged];
    await addNewSubscribersToGroups(tx, copy, accountId, {
      ...join,
      subscriberIds: result.created,
    });
    const memberships = await joinGroups(tx, accountId, { ...join, subscriberIds: existingIds });
    await store.recordAddedMemberships(tx, accountId, importId, memberships);
    await joinNamedGroups(tx, {
      accountId,
      importId,
      records: [...records, ...batch.repeatedRecords],
      createdIds: result.created,
      origin,
    });
    if (result.created.length > 0) await markAccount(tx, accountId, 'subscriber_added_at');
    return {
      created: result.created.length,
      updated: result.updated.length,
      unchanged: result.unchanged.length,
      issues: collectIssues(records, result),
      isSuperseded: result.isSuperseded,
    };
  }
}

const MAX_ATTEMPTS = 5;
/** A subscriber of the batch was suppressed after it was checked. */
class Overtaken extends Error {}

function collectIssues(
  records: readonly ImportRecord[],
  result: { unmailableRows: readonly number[]; takenPhones: readonly number[] },
): RowIssue[] {
  if (result.unmailableRows.length === 0 && result.takenPhones.length === 0) return [];
  const byRow = new Map(records.map((record) => [record.row, record]));
  const createIssue = (row: number, reason: string): RowIssue => {
    const record = byRow.get(row);
    const rowText = record?.email ?? record?.phone ?? '';
    return { row, isRejected: false, reason, columnTitle: null, rowText };
  };
  return [
    ...result.takenPhones.map((row) => createIssue(row, 'phone_taken')),
    ...result.unmailableRows
      .filter((row) => (byRow.get(row)?.emailStatus ?? 'active') === 'active')
      .map((row) => createIssue(row, 'kept_unsubscribed')),
  ];
}

/** Combines the notes of reading and writing into one entry per row. */
function mergeIssues(issues: readonly RowIssue[]): RowIssue[] {
  const byRow = new Map<number, RowIssue>();
  for (const issue of issues) {
    const existingIssue = byRow.get(issue.row);
    if (existingIssue === undefined) byRow.set(issue.row, issue);
    else
      byRow.set(issue.row, {
        ...existingIssue,
        reason: [...new Set([...existingIssue.reason.split(','), ...issue.reason.split(',')])].join(
          ',',
        ),
      });
  }
  return [...byRow.values()];
}
