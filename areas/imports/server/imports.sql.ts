// Queries for imports, their progress, and the rows that were rejected or imported without some
// values.

import { type Selectable, sql } from 'kysely';
import type { ListRequest } from '#platform/contract.ts';
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { CopyIn, Reader, Tx } from '#platform/server/database/database.ts';
import { toContainsPattern } from '#platform/server/database/like.ts';
import type { Slice } from '#platform/server/database/lists.ts';

/** States of imports that have not started; the history omits them. */
export const UNSTARTED = ['uploaded', 'fetching', 'fetch_failed'];

export type ImportRow = Selectable<DB['imports']>;

export async function insertImport(
  tx: Reader,
  row: {
    accountId: number;
    method: 'file' | 'text';
    fileName: string;
    fileKey: string;
    detected: unknown;
    rowCount: number;
    userId: number;
    at: Date;
  },
): Promise<ImportRow> {
  return tx
    .insertInto('imports')
    .values({
      account_id: row.accountId,
      method: row.method,
      file_name: row.fileName,
      file_key: row.fileKey,
      detected: JSON.stringify(row.detected),
      row_count: row.rowCount,
      created_by: row.userId,
      created_at: row.at,
      modified_at: row.at,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Inserts an import of rows that a job fetches from another service. */
export function insertFetchingImport(
  tx: Tx,
  row: {
    accountId: number;
    method: 'mailchimp' | 'getresponse';
    fileName: string;
    lists: { id: string; title: string }[];
    sealedKey: Buffer;
    userId: number;
    at: Date;
  },
): Promise<ImportRow> {
  return tx
    .insertInto('imports')
    .values({
      account_id: row.accountId,
      method: row.method,
      state: 'fetching',
      file_name: row.fileName,
      detected: JSON.stringify({ wanted: row.lists }),
      sealed_key: row.sealedKey,
      created_by: row.userId,
      created_at: row.at,
      modified_at: row.at,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Returns false if the fetch was canceled. */
export async function saveFetchProgress(
  db: Reader,
  accountId: number,
  id: number,
  progress: { rows: number; total: number; at: Date },
): Promise<boolean> {
  const { rows } = await sql`
    update imports
    set checkpoint = ${progress.rows}, row_count = ${progress.total}, modified_at = ${progress.at}
    where account_id = ${accountId} and id = ${id} and state = 'fetching'
    returning id`.execute(db);
  return rows.length > 0;
}

/**
 * Records the fetched file and deletes the API key, which is no longer needed. Returns false if the
 * fetch was canceled.
 */
export async function completeFetch(
  db: Reader,
  accountId: number,
  id: number,
  result: { fileKey: string; rowCount: number; detected: unknown; at: Date },
): Promise<boolean> {
  const { rows } = await sql`
    update imports
    set state = 'uploaded', sealed_key = null, checkpoint = 0, file_key = ${result.fileKey},
      row_count = ${result.rowCount}, detected = ${JSON.stringify(result.detected)}::jsonb, settings = '{}',
      modified_at = ${result.at}
    where account_id = ${accountId} and id = ${id} and state = 'fetching'
    returning id`.execute(db);
  return rows.length > 0;
}

export async function markFetchFailed(
  db: Reader,
  accountId: number,
  id: number,
  failure: { errorCode: string; at: Date },
): Promise<void> {
  await sql`
    update imports
    set state = 'fetch_failed', sealed_key = null, error_code = ${failure.errorCode},
      modified_at = ${failure.at}
    where account_id = ${accountId} and id = ${id} and state = 'fetching'`.execute(db);
}

export const { find: findImport, lock: lockImport } = accountTable('imports', 'id');

export async function queueImport(
  tx: Tx,
  accountId: number,
  id: number,
  change: { settings: unknown; at: Date },
): Promise<ImportRow> {
  return tx
    .updateTable('imports')
    .set({
      state: 'queued',
      settings: JSON.stringify(change.settings),
      // The history is ordered by start time.
      created_at: change.at,
      modified_at: change.at,
    })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function markRunning(
  db: Reader,
  accountId: number,
  id: number,
  at: Date,
): Promise<void> {
  await sql`
    update imports
    set state = 'running', started_at = coalesce(started_at, ${at}), modified_at = ${at}
    where account_id = ${accountId} and id = ${id} and state in ('queued', 'running')
  `.execute(db);
}

export interface BatchProgress {
  checkpoint: number;
  created: number;
  updated: number;
  unchanged: number;
  rejected: number;
  /** Rows that were imported with values missing. */
  importedWithIssues: number;
  at: Date;
}

/**
 * Stores the checkpoint after a batch and adds its counts. Called in the transaction that changes
 * the subscribers, so that each batch is counted exactly once.
 */
export async function commitBatchProgress(
  tx: Tx,
  accountId: number,
  id: number,
  batch: BatchProgress,
): Promise<void> {
  await sql`
    update imports set
      checkpoint = ${batch.checkpoint},
      created_count = created_count + ${batch.created},
      updated_count = updated_count + ${batch.updated},
      unchanged_count = unchanged_count + ${batch.unchanged},
      rejected_count = rejected_count + ${batch.rejected},
      noted_count = noted_count + ${batch.importedWithIssues},
      modified_at = ${batch.at}
    where account_id = ${accountId} and id = ${id}
  `.execute(tx);
}

export async function finishImport(
  tx: Reader,
  accountId: number,
  id: number,
  result: { errorCode: string | null; rowCount: number | undefined; at: Date; undoableUntil: Date },
): Promise<boolean> {
  const { rows } = await sql`
    update imports set
      state = ${result.errorCode === null ? 'finished' : 'failed'},
      error_code = ${result.errorCode},
      row_count = coalesce(${result.rowCount ?? null}::bigint, row_count),
      finished_at = ${result.at}, modified_at = ${result.at}, undoable_until = ${result.undoableUntil}
    where account_id = ${accountId} and id = ${id} and state in ('queued', 'running')
    returning id
  `.execute(tx);
  return rows.length > 0;
}

/**
 * Counts a failed run of the import. Returns the number of consecutive failures at this checkpoint.
 * The stored key `failedAt` holds the checkpoint of the last failure.
 */
export async function countFailureAtCheckpoint(
  db: Reader,
  accountId: number,
  id: number,
  checkpoint: number,
): Promise<number> {
  const { rows } = await sql<{ failures: number }>`
    update imports set settings = settings || jsonb_build_object(
      'failures', case when settings->>'failedAt' = ${String(checkpoint)}
        then coalesce((settings->>'failures')::int, 0) + 1 else 1 end,
      'failedAt', ${String(checkpoint)}::text)
    where account_id = ${accountId} and id = ${id}
    returning (settings->>'failures')::int as failures
  `.execute(db);
  return rows[0]?.failures ?? 0;
}

/**
 * Stores the record of the current run, so that the next run can see whether the worker was killed
 * and at which row.
 */
export async function saveRunRecord(
  db: Reader,
  accountId: number,
  id: number,
  runRecord: object,
): Promise<void> {
  await sql`
    update imports set settings = settings || jsonb_build_object('trial', ${JSON.stringify(runRecord)}::jsonb)
    where account_id = ${accountId} and id = ${id}`.execute(db);
}

/** Records the group memberships that the import added to existing subscribers, for the undo. */
export async function recordAddedMemberships(
  tx: Tx,
  accountId: number,
  importId: number,
  memberships: readonly { group_id: number; subscriber_id: number }[],
): Promise<void> {
  if (memberships.length === 0) return;
  await sql`
    insert into import_memberships (account_id, import_id, subscriber_id, group_id)
    select ${accountId}::bigint, ${importId}::bigint, subscriber_id, group_id
    from unnest(${memberships.map((membership) => membership.subscriber_id)}::bigint[],
      ${memberships.map((membership) => membership.group_id)}::bigint[]) as given (subscriber_id, group_id)
    on conflict (account_id, import_id, subscriber_id, group_id) do nothing`.execute(tx);
}

/**
 * Adds groups named in a batch of rows to the import's `namedGroupIds`, in addition to the groups
 * of earlier batches.
 */
export async function addNamedGroups(
  tx: Tx,
  accountId: number,
  importId: number,
  groupIds: readonly number[],
): Promise<void> {
  if (groupIds.length === 0) return;
  await sql`
    with named as materialized (
      select settings || jsonb_build_object('namedGroupIds', (
        select jsonb_agg(distinct id) from (
          select jsonb_array_elements(coalesce(settings->'namedGroupIds', '[]'))::text::bigint as id
          union select unnest(${[...groupIds]}::bigint[])) as ids)) as settings
      from imports where account_id = ${accountId} and id = ${importId} for update)
    update imports set settings = named.settings from named
    where imports.account_id = ${accountId} and imports.id = ${importId}`.execute(tx);
}

const ROW_ISSUE_COLUMNS =
  'account_id, import_id, row_number, is_rejected, reason, column_title, row_text';

export function copyRowIssues(copy: CopyIn, lines: Iterable<Buffer>): Promise<void> {
  return copy(`copy import_rejections (${ROW_ISSUE_COLUMNS}) from stdin`, lines);
}

/** A row of the file that was rejected, or imported without some of its values. */
export type RowIssueRow = Selectable<DB['import_rejections']>;

export function listRowIssuesAfter(
  db: Reader,
  accountId: number,
  importId: number,
  after: number,
  limit: number,
): Promise<RowIssueRow[]> {
  return db
    .selectFrom('import_rejections')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('import_id', '=', importId)
    .where('row_number', '>', after)
    .orderBy('row_number')
    .limit(limit)
    .execute();
}

/**
 * Returns imports of one account that ended at or before this instant and still have row issues.
 */
export async function listImportsWithExpiredRowIssues(
  db: Reader,
  accountId: number,
  before: Date,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select i.id from imports i
    where i.account_id = ${accountId} and i.finished_at <= ${before}
      and exists (select 1 from import_rejections r
        where r.account_id = ${accountId} and r.import_id = i.id)
    order by i.id limit 1000`.execute(db);
  return rows.map((row) => row.id);
}

/** Deletes at most `limit` row issues, in order of row number. Returns the number deleted. */
export async function deleteRowIssues(
  tx: Tx,
  accountId: number,
  importId: number,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    with slice as materialized (
      select row_number from import_rejections
      where account_id = ${accountId} and import_id = ${importId}
      order by row_number limit ${limit}
    )
    delete from import_rejections r using slice
    where r.account_id = ${accountId} and r.import_id = ${importId}
      and r.row_number = slice.row_number`.execute(tx);
  return Number(numAffectedRows ?? 0);
}

const orderColumns = {
  created: 'created_at',
  modified: 'modified_at',
  title: 'file_name',
} as const;

export function listImports(
  db: Reader,
  accountId: number,
  list: ListRequest<'created' | 'modified' | 'title'>,
  slice: Slice,
): Promise<ImportRow[]> {
  return db
    .selectFrom('imports')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('state', 'not in', UNSTARTED)
    .$if(list.search !== undefined, (query) =>
      query.where('file_name', 'ilike', toContainsPattern(list.search ?? '')),
    )
    .orderBy(orderColumns[list.order], list.direction)
    .orderBy('id', list.direction)
    .limit(slice.limit)
    .offset(slice.offset)
    .execute();
}

export async function countImports(
  db: Reader,
  accountId: number,
  search: string | undefined,
): Promise<number> {
  const row = await db
    .selectFrom('imports')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('state', 'not in', UNSTARTED)
    .$if(search !== undefined, (query) =>
      query.where('file_name', 'ilike', toContainsPattern(search ?? '')),
    )
    .executeTakeFirstOrThrow();
  return row.count;
}

/** Returns queued or running imports with a column mapped to the field. */
export async function listImportsIntoField(
  db: Reader,
  accountId: number,
  fieldId: number,
): Promise<Pick<ImportRow, 'id' | 'method' | 'file_name'>[]> {
  const column = JSON.stringify([{ target: { field: fieldId } }]);
  const { rows } = await sql<Pick<ImportRow, 'id' | 'method' | 'file_name'>>`
    select id, method, file_name from imports
    where account_id = ${accountId} and state in ('queued', 'running')
      and settings->'columns' @> ${column}::jsonb
    order by id`.execute(db);
  return rows;
}

/** States that count toward MAX_UPLOADS: a failed fetch has no file. */
const UPLOAD_LIMIT_STATES = ['uploaded', 'fetching'];

/** Returns unstarted imports that count toward MAX_UPLOADS, newest first. */
export function listCountedUploads(db: Reader, accountId: number): Promise<ImportRow[]> {
  return findUnstartedImports(db, accountId, UPLOAD_LIMIT_STATES);
}

/** Returns imports that have not started, including failed fetches, newest first. */
export function listUnstartedImports(db: Reader, accountId: number): Promise<ImportRow[]> {
  return findUnstartedImports(db, accountId, UNSTARTED);
}

function findUnstartedImports(
  db: Reader,
  accountId: number,
  states: readonly string[],
): Promise<ImportRow[]> {
  return db
    .selectFrom('imports')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('state', 'in', states)
    .orderBy('id', 'desc')
    .limit(1000)
    .execute();
}

/** Serializes uploads of an account until this transaction ends. */
export async function lockUploads(tx: Tx, accountId: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(7305413, hashint8(${accountId}::bigint))`.execute(tx);
}

/** Returns imports of one account that were created before this instant and never started. */
export function listUnstartedImportsBefore(
  db: Reader,
  accountId: number,
  before: Date,
): Promise<ImportRow[]> {
  return db
    .selectFrom('imports')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('state', 'in', UNSTARTED)
    .where('created_at', '<', before)
    .limit(1000)
    .execute();
}

/** Deletes an unstarted import. Returns false if it was started or deleted in the meantime. */
export async function deleteUnstartedImport(
  tx: Tx,
  accountId: number,
  id: number,
): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('imports')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('state', 'in', UNSTARTED)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
