// Queries for exports: their rows, checkpoints and links.
import { type Selectable, sql } from 'kysely';
import type { ListRequest } from '#platform/contract.ts';
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { Slice } from '#platform/server/database/lists.ts';
import type { ExportFormat } from '../shared.ts';

export type ExportRow = Selectable<DB['exports']>;

export function insertExport(
  tx: Tx,
  row: { accountId: number; format: ExportFormat; settings: unknown; userId: number; at: Date },
): Promise<ExportRow> {
  return tx
    .insertInto('exports')
    .values({
      account_id: row.accountId,
      state: 'queued',
      format: row.format,
      settings: JSON.stringify(row.settings),
      created_by: row.userId,
      created_at: row.at,
      modified_at: row.at,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function countWaiting(db: Reader, accountId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from exports
    where account_id = ${accountId} and state in ('queued', 'running')`.execute(db);
  return rows[0]?.count ?? 0;
}

export const { find: findExport } = accountTable('exports', 'id');

const orderColumns = { created: 'created_at', modified: 'modified_at' } as const;

export function listExports(
  db: Reader,
  accountId: number,
  list: ListRequest<'created' | 'modified'>,
  slice: Slice,
): Promise<ExportRow[]> {
  return db
    .selectFrom('exports')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy(orderColumns[list.order], list.direction)
    .orderBy('id', list.direction)
    .limit(slice.limit)
    .offset(slice.offset)
    .execute();
}

export async function countExports(db: Reader, accountId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from exports where account_id = ${accountId}`.execute(db);
  return rows[0]?.count ?? 0;
}

export async function markRunning(
  db: Reader,
  accountId: number,
  id: number,
  start: { total: number; at: Date },
): Promise<void> {
  await sql`
    update exports
    set state = 'running', total = ${start.total}, started_at = coalesce(started_at, ${start.at}),
      modified_at = ${start.at}
    where account_id = ${accountId} and id = ${id} and state in ('queued', 'running')
  `.execute(db);
}

/**
 * Stores the checkpoint after one part; returns false if another worker was faster, or the export
 * has ended or was deleted.
 */
export async function movePart(
  db: Reader,
  accountId: number,
  id: number,
  part: { from: number; to: number; rows: number; at: Date },
): Promise<boolean> {
  const { rows } = await sql`
    update exports
    set checkpoint = ${part.to}, parts = parts + 1, row_count = row_count + ${part.rows},
      modified_at = ${part.at}
    where account_id = ${accountId} and id = ${id} and state = 'running' and checkpoint = ${part.from}
    returning id`.execute(db);
  return rows.length > 0;
}

export async function finishExport(
  tx: Tx,
  accountId: number,
  id: number,
  end: { fileKey: string; size: number; at: Date; expiresAt: Date },
): Promise<ExportRow | undefined> {
  const { rows } = await sql<ExportRow>`
    update exports
    set state = 'finished', file_key = ${end.fileKey}, size = ${end.size}, total = row_count,
      finished_at = ${end.at}, modified_at = ${end.at}, expires_at = ${end.expiresAt}
    where account_id = ${accountId} and id = ${id} and state = 'running'
    returning *`.execute(tx);
  return rows[0];
}

export async function countFailure(db: Reader, accountId: number, id: number): Promise<number> {
  const { rows } = await sql<{ failures: number }>`
    update exports set failures = failures + 1
    where account_id = ${accountId} and id = ${id} returning failures`.execute(db);
  return rows[0]?.failures ?? 0;
}

/** Returns the failed export; undefined if it had ended before, or was deleted. */
export async function failExport(
  db: Reader,
  accountId: number,
  id: number,
  end: { errorCode: string; at: Date },
): Promise<ExportRow | undefined> {
  const { rows } = await sql<ExportRow>`
    update exports
    set state = 'failed', error_code = ${end.errorCode}, finished_at = ${end.at}, modified_at = ${end.at}
    where account_id = ${accountId} and id = ${id} and state in ('queued', 'running')
    returning *`.execute(db);
  return rows[0];
}

/** Deletes the export and its links; returns the row. */
export async function deleteExport(
  tx: Tx,
  accountId: number,
  id: number,
): Promise<ExportRow | undefined> {
  const { rows } = await sql<ExportRow>`
    delete from exports where account_id = ${accountId} and id = ${id} returning *`.execute(tx);
  return rows[0];
}

/** Lists expired exports and withdrawn ones that may still have a file. */
export async function listExpiredExports(
  db: Reader,
  accountId: number,
  before: Date,
): Promise<ExportRow[]> {
  const { rows } = await sql<ExportRow>`
    select * from exports
    where account_id = ${accountId} and ((state = 'finished' and expires_at < ${before})
      or (state = 'expired' and file_key is not null))
    limit 1000`.execute(db);
  return rows;
}

/** Prevents queued exports from reading subscribers until this transaction ends. */
export async function lockQueued(tx: Tx, accountId: number): Promise<void> {
  await sql`
    select id from exports where account_id = ${accountId} and state = 'queued'
    order by id for update`.execute(tx);
}

/**
 * Withdraws and returns the finished and running exports that may contain these subscribers. An
 * export with a list of ids is withdrawn if the list includes one of them. An export without a list
 * is always withdrawn because its subscribers are no longer known.
 */
export async function withdrawExports(
  tx: Tx,
  accountId: number,
  subscriberIds: readonly number[],
  end: { errorCode: string; at: Date },
): Promise<ExportRow[]> {
  const { rows } = await sql<ExportRow>`
    update exports e
    set state = case when e.state = 'finished' then 'expired' else 'failed' end,
      error_code = case when e.state = 'finished' then e.error_code else ${end.errorCode} end,
      finished_at = coalesce(e.finished_at, ${end.at}::timestamptz), modified_at = ${end.at}
    where e.account_id = ${accountId} and e.state in ('running', 'finished')
      and (e.settings #> '{choice,ids}' is null
        or exists (select 1 from jsonb_array_elements_text(e.settings #> '{choice,ids}') as named (id)
          where named.id::bigint = any(${[...subscriberIds]}::bigint[])))
    returning e.*`.execute(tx);
  await sql`
    delete from export_links
    where account_id = ${accountId} and export_id = any(${rows.map((row) => row.id)}::bigint[])`.execute(
    tx,
  );
  return rows;
}

/**
 * Replaces selections that contain one of these addresses by `choice` and marks the queued exports
 * among them as failed. Returns the ids of the failed exports.
 */
export async function deleteChoices(
  tx: Tx,
  accountId: number,
  addresses: readonly string[],
  choice: unknown,
  end: { errorCode: string; at: Date },
): Promise<number[]> {
  const { rows } = await sql<{ id: number; finished_at: Date | null }>`
    update exports set settings = settings || ${JSON.stringify({ choice })}::jsonb,
      state = case when state = 'queued' then 'failed' else state end,
      error_code = case when state = 'queued' then ${end.errorCode} else error_code end,
      finished_at = case when state = 'queued' then ${end.at}::timestamptz else finished_at end,
      modified_at = case when state = 'queued' then ${end.at}::timestamptz else modified_at end
    where account_id = ${accountId} and state <> 'running'
      and exists (select 1 from unnest(${[...addresses]}::text[]) as gone (address)
        where position(gone.address in lower((settings -> 'choice')::text)) > 0)
    returning id, finished_at`.execute(tx);
  return rows.flatMap(({ id, finished_at: at }) =>
    at?.getTime() === end.at.getTime() ? [id] : [],
  );
}

export async function markExpired(tx: Tx, accountId: number, id: number, at: Date): Promise<void> {
  await sql`
    delete from export_links where account_id = ${accountId} and export_id = ${id}`.execute(tx);
  await sql`
    update exports set state = 'expired', file_key = null, modified_at = ${at}
    where account_id = ${accountId} and id = ${id} and state in ('finished', 'expired')`.execute(
    tx,
  );
}

export async function insertLink(
  tx: Tx,
  link: { accountId: number; exportId: number; hash: Buffer; at: Date; expiresAt: Date },
): Promise<void> {
  await tx
    .insertInto('export_links')
    .values({
      account_id: link.accountId,
      hash: link.hash,
      export_id: link.exportId,
      created_at: link.at,
      expires_at: link.expiresAt,
    })
    .execute();
}

export type LinkedExport = ExportRow & { link_expires_at: Date };

/** Finds the finished export of a valid link. */
export async function findLinked(
  db: Reader,
  accountId: number,
  hash: Buffer,
  at: Date,
): Promise<LinkedExport | undefined> {
  const { rows } = await sql<LinkedExport>`
    select e.*, l.expires_at as link_expires_at from export_links l
    join exports e on e.account_id = ${accountId} and e.id = l.export_id and e.state = 'finished'
      and e.expires_at > ${at}
    where l.account_id = ${accountId} and l.hash = ${hash} and l.expires_at > ${at}`.execute(db);
  return rows[0];
}
