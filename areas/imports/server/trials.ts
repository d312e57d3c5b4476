// Finds the row of an import that kills its worker: a worker that is killed records no failure of its own.
//
// Each run notes that it begins, and clears the note however it ends. A run that finds such a note at its
// checkpoint follows a kill: it notes each row before it reads it, until a batch is in. A row at which two
// such runs were killed is left out with that reason, and the import goes on behind it.
import type { Db } from '#platform/server/database.ts';
import * as store from './imports.sql.ts';

export interface Trial {
  /** The checkpoint that the run began at. */
  at: number;
  /** Runs from there that ended by no word of their own, this one included; 0 where it ended. */
  starts: number;
  /** The row being read, where rows are noted. */
  row: number | null;
  /** The row at which the run before was killed. */
  before: number | null;
  /** Rows that killed two runs. */
  fatal: number[];
}

/** So many killed runs without a batch between them end the import, whatever they died of. */
export const MAX_KILLED_RUNS = 10;

/** The note of a run that begins now, after what the run before left. */
export function nextTrial(last: Trial | undefined, checkpoint: number): Trial {
  const isFirst = last === undefined || last.starts === 0 || last.at !== checkpoint;
  if (isFirst) return { at: checkpoint, starts: 1, row: null, before: null, fatal: [] };
  const isFatal = last.row !== null && last.row === last.before;
  return {
    at: checkpoint,
    starts: last.starts + 1,
    row: null,
    before: last.row,
    fatal: isFatal ? [...last.fatal, last.row as number] : last.fatal,
  };
}

/** Keeps the note of one run up to date. */
export class TrialNotes {
  private readonly db: Db;
  private readonly row: store.ImportRow;
  private readonly trial: Trial;
  private isCareful: boolean;

  constructor(db: Db, row: store.ImportRow) {
    this.db = db;
    this.row = row;
    const { trial: last } = row.settings as unknown as { trial?: Trial };
    this.trial = nextTrial(last, row.checkpoint);
    this.isCareful = this.trial.starts > 1;
  }

  get hasKilledTooOften(): boolean {
    return this.trial.starts > MAX_KILLED_RUNS;
  }

  begin(): Promise<void> {
    return this.save({});
  }

  /** Whether the row is to be left out, since it killed two runs. */
  isFatal(row: number): boolean {
    return this.trial.fatal.includes(row);
  }

  needsNote(row: number): boolean {
    return this.isCareful && row > this.row.checkpoint;
  }

  reading(row: number): Promise<void> {
    return this.save({ row });
  }

  /** Rows are behind: a kill from here on is not the fault of the last one. */
  async writing(): Promise<void> {
    if (!this.isCareful) return;
    await this.save({ row: null });
  }

  /** A batch is in: what lies behind it was harmless so far. */
  written(): void {
    this.isCareful = false;
  }

  /** However the run ended, its worker lived. */
  async end(): Promise<void> {
    await this.save({ starts: 0 }).catch(() => {});
  }

  private save(change: Partial<Trial>): Promise<void> {
    Object.assign(this.trial, change);
    return store.noteTrial(this.db, this.row.account_id, this.row.id, this.trial);
  }
}
