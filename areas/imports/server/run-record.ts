// Finds the row of an import that kills its worker, because a killed worker records no failure.
// Each run records its start and, unless it is killed, its end. If the previous run started from
// the same checkpoint and recorded no end, the run is careful: it records each row before reading
// it, until a whole batch is read. A row that killed two careful runs is rejected, and the import
// continues after it.
import type { Db } from '#platform/server/database/database.ts';
import * as store from './imports.sql.ts';

export interface RunRecord {
  /** Checkpoint that the run started from. */
  at: number;
  /**
   * Number of runs from this checkpoint without a recorded end, including the current one; 0 once a
   * run has ended.
   */
  starts: number;
  /** The row being read, if rows are recorded. */
  row: number | null;
  /** The row that killed the previous run. */
  before: number | null;
  /** Rows that killed two runs. */
  fatal: number[];
}

/** Consecutive killed runs without progress after which the import fails. */
export const MAX_KILLED_RUNS = 10;

/** Creates the record of a starting run, based on the record of the previous run. */
export function createRunRecord(previousRun: RunRecord | undefined, checkpoint: number): RunRecord {
  const isFirst =
    previousRun === undefined || previousRun.starts === 0 || previousRun.at !== checkpoint;
  if (isFirst) return { at: checkpoint, starts: 1, row: null, before: null, fatal: [] };
  const isFatal = previousRun.row !== null && previousRun.row === previousRun.before;
  return {
    at: checkpoint,
    starts: previousRun.starts + 1,
    row: null,
    before: previousRun.row,
    fatal: isFatal ? [...previousRun.fatal, previousRun.row as number] : previousRun.fatal,
  };
}

/** Stores the record of one run as it proceeds. */
export class RunRecorder {
  private readonly db: Db;
  private readonly row: store.ImportRow;
  private readonly record: RunRecord;
  private isCareful: boolean;

  constructor(db: Db, row: store.ImportRow) {
    this.db = db;
    this.row = row;
    const { trial } = row.settings;
    this.record = createRunRecord(trial, row.checkpoint);
    this.isCareful = this.record.starts > 1;
  }

  get hasKilledTooOften(): boolean {
    return this.record.starts > MAX_KILLED_RUNS;
  }

  recordStart(): Promise<void> {
    return this.save({});
  }

  /** Returns whether the row must be skipped because it killed two runs. */
  isFatal(row: number): boolean {
    return this.record.fatal.includes(row);
  }

  mustRecordRow(row: number): boolean {
    return this.isCareful && row > this.row.checkpoint;
  }

  recordRow(row: number): Promise<void> {
    return this.save({ row });
  }

  /**
   * All rows of a batch have been read, so a later kill is not caused by reading the last of them.
   */
  async clearRow(): Promise<void> {
    if (!this.isCareful) return;
    await this.save({ row: null });
  }

  /** A whole batch has been read: its rows are harmless. */
  confirmBatch(): void {
    this.isCareful = false;
  }

  /** The run ended, so its worker was alive. */
  async recordEnd(): Promise<void> {
    await this.save({ starts: 0 }).catch(() => {});
  }

  private save(change: Partial<RunRecord>): Promise<void> {
    Object.assign(this.record, change);
    return store.saveRunRecord(this.db, this.row.account_id, this.row.id, this.record);
  }
}
