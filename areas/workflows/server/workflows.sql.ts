// SQL for workflows and the versions of their trees.
import { type Selectable, sql, type SqlBool } from 'kysely';
import { type PlaceFilter, placeConditions } from '#areas/folders/server/index.ts';
import type { ListRequest } from '#platform/contract.ts';
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { toContainsPattern, escapeLike } from '#platform/server/database/like.ts';
import type { Slice } from '#platform/server/database/lists.ts';
import type { WorkflowStatus } from '../shared.ts';
import { createTextRewriter } from '#platform/server/erasure/texts.sql.ts';

/** Removes the addresses of erased subscribers from titles. */
export const rewriteTitles = createTextRewriter('workflows');

export type WorkflowRow = Selectable<DB['workflows']>;

export async function insertWorkflow(
  tx: Tx,
  accountId: number,
  row: { title: string; settings?: string },
  at: Date,
): Promise<number> {
  const { id } = await tx
    .insertInto('workflows')
    .values({ account_id: accountId, ...row, created_at: at, modified_at: at })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function countWorkflows(db: Reader, accountId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from workflows
    where account_id = ${accountId} and deleted_at is null`.execute(db);
  return Number(rows[0]?.count ?? 0);
}

export function findWorkflow(
  db: Reader,
  accountId: number,
  id: number,
  lock?: 'update',
): Promise<WorkflowRow | undefined> {
  let query = db
    .selectFrom('workflows')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null);
  if (lock) query = query.forUpdate();
  return query.executeTakeFirst();
}

export const { update: updateWorkflow } = accountTable('workflows', 'id');

type ListFilter = {
  status?: WorkflowStatus | undefined;
  search: string | undefined;
  /** Prefix of the title. */
  titlePrefix?: string | undefined;
  place?: PlaceFilter | undefined;
};

function filterWorkflows(db: Reader, accountId: number, filter: ListFilter) {
  let query = db
    .selectFrom('workflows')
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null);
  if (filter.status) query = query.where('status', '=', filter.status);
  if (filter.search)
    query = query.where(sql<SqlBool>`title ilike ${toContainsPattern(filter.search)}`);
  for (const condition of placeConditions(
    'workflow',
    accountId,
    'workflows.id',
    filter.place ?? {},
  )) {
    query = query.where(condition);
  }
  if (filter.titlePrefix)
    query = query.where(sql<SqlBool>`title ilike ${`${escapeLike(filter.titlePrefix)}%`}`);
  return query;
}

const ORDER = {
  created: sql`created_at`,
  modified: sql`modified_at`,
  title: sql`lower(title) collate "und-x-icu"`,
};

export function listWorkflows(
  db: Reader,
  accountId: number,
  filter: ListFilter,
  list: ListRequest<keyof typeof ORDER>,
  slice: Slice,
): Promise<WorkflowRow[]> {
  return filterWorkflows(db, accountId, filter)
    .selectAll()
    .orderBy(ORDER[list.order], list.direction)
    .orderBy('id', list.direction)
    .limit(slice.limit)
    .offset(slice.offset)
    .execute();
}

export async function countListed(
  db: Reader,
  accountId: number,
  filter: ListFilter,
): Promise<number> {
  const row = await filterWorkflows(db, accountId, filter)
    .select(sql<number>`count(*)`.as('count'))
    .executeTakeFirstOrThrow();
  return row.count;
}

export async function insertVersion(
  tx: Tx,
  accountId: number,
  workflowId: number,
  version: { number: number; tree: unknown; userId: number | null; at: Date },
): Promise<void> {
  await sql`
    insert into workflow_versions (account_id, workflow_id, number, tree, created_by, created_at)
    values (${accountId}, ${workflowId}, ${version.number}, ${JSON.stringify(version.tree)}::jsonb,
      ${version.userId}, ${version.at})`.execute(tx);
}

type WorkflowVersionRow = {
  number: number;
  created_by: number | null;
  created_at: Date;
  steps: number;
};

export async function listVersions(
  db: Reader,
  accountId: number,
  workflowId: number,
): Promise<WorkflowVersionRow[]> {
  const { rows } = await sql<WorkflowVersionRow>`
    select number, created_by, created_at, jsonb_array_length(tree) as steps from workflow_versions
    where account_id = ${accountId} and workflow_id = ${workflowId}
    order by number desc limit 200`.execute(db);
  return rows;
}

/** Returns the tree as it was at an instant. */
export function findVersionAt(db: Reader, accountId: number, workflowId: number, at: Date) {
  return db
    .selectFrom('workflow_versions')
    .select('tree')
    .where('account_id', '=', accountId)
    .where('workflow_id', '=', workflowId)
    .where('created_at', '<=', at)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Returns the ids of workflows that exist and are not deleted. */
export async function listExistingWorkflows(
  db: Reader,
  accountId: number,
  ids: readonly number[],
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from workflows
    where account_id = ${accountId} and id = any(${[...ids]}::bigint[]) and deleted_at is null
  `.execute(db);
  return rows.map((row) => row.id);
}

/** Returns the title, or undefined for a deleted workflow. */
export async function getWorkflowTitle(
  db: Reader,
  accountId: number,
  id: number,
): Promise<string | undefined> {
  return (await findWorkflow(db, accountId, id))?.title;
}

/** Lists workflows of an account that are not deleted. */
export function listAllWorkflows(db: Reader, accountId: number): Promise<WorkflowRow[]> {
  return db
    .selectFrom('workflows')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute();
}

/** Lists workflows for the global search. */
export const listSearchableWorkflows = (accountId: number) => sql`
  select id, title, null::text as detail, null::text as parameter, modified_at from workflows
  where account_id = ${accountId} and deleted_at is null`;
