// Concurrent sign-ups are committed together, with one statement per account. If the database
// refuses a row because of its data, only the sign-up of this row fails.
import type { Db } from '#platform/server/database/database.ts';
import { runParallel } from '#platform/server/work/parallel.ts';
import { type BatchWriter, createBatchWriter } from '#platform/server/database/batching.ts';
import { insertSubmissions, type NewSubmission } from './submissions.sql.ts';

const ROWS_PER_BATCH = 500;
/**
 * Maximum number of accounts whose rows are committed concurrently, each over its own connection.
 * The remaining connections of the pool are left for other requests.
 */
const MAX_CONCURRENT_ACCOUNTS = 4;

type Failure = { error: unknown };

/** One writer per database, because a test process may use several databases. */
const writers = new WeakMap<Db, BatchWriter<NewSubmission, Failure | undefined>>();

export function createSubmissionWriter(db: Db): BatchWriter<NewSubmission, Failure | undefined> {
  let writer = writers.get(db);
  if (!writer) {
    writer = createBatchWriter(ROWS_PER_BATCH, (rows: NewSubmission[]) => insertAll(db, rows));
    writers.set(db, writer);
  }
  return writer;
}

async function insertAll(db: Db, rows: NewSubmission[]): Promise<(Failure | undefined)[]> {
  const failures = new Map<NewSubmission, Failure>();
  // On a cluster each account is on one node. If a node is unavailable, the rows of accounts on
  // other nodes are still committed.
  const byAccount = Map.groupBy(rows, (row) => row.accountId);
  const batches = [...byAccount].map(([accountId, own]) => ({ name: `${accountId}`, own }));
  await runParallel(batches, MAX_CONCURRENT_ACCOUNTS, ({ own }) =>
    insertIsolated(db, own, failures),
  );
  return rows.map((row) => failures.get(row));
}

/**
 * Halves a batch that the database refuses because of its data: one bad row of 500 costs about 18
 * statements, not 500.
 */
async function insertIsolated(
  db: Db,
  rows: NewSubmission[],
  failures: Map<NewSubmission, Failure>,
): Promise<void> {
  const [first] = rows;
  if (!first) return;
  try {
    await insertSubmissions(db, first.accountId, rows);
  } catch (error) {
    if (rows.length === 1 || !isOfData(error)) {
      for (const row of rows) failures.set(row, { error });
      return;
    }
    const middle = Math.ceil(rows.length / 2);
    await insertIsolated(db, rows.slice(0, middle), failures);
    await insertIsolated(db, rows.slice(middle), failures);
  }
}

/** Class 22 (data exception): the same rows would fail again, others would not. */
const isOfData = (error: unknown): boolean =>
  String((error as { code?: unknown }).code ?? '').startsWith('22');
