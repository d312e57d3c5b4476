// SQL for the steps of workflows.
import { type Selectable, sql } from 'kysely';
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';

export type WorkflowStepRow = Selectable<DB['workflow_steps']>;

export async function insertStep(
  tx: Tx,
  accountId: number,
  row: {
    workflow_id: number;
    type: string;
    parent_id: number | null;
    condition_path: string;
    data?: string;
    content_id?: number | null;
    content_revision?: number | null;
    content_kind?: string | null;
  },
  at: Date,
): Promise<number> {
  const { id } = await tx
    .insertInto('workflow_steps')
    .values({ account_id: accountId, ...row, created_at: at })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/**
 * Reads steps of these workflows; `all` includes removed ones, which may still have subscribers.
 */
export function readSteps(
  db: Reader,
  accountId: number,
  workflowIds: readonly number[],
  state: 'living' | 'all' = 'living',
): Promise<WorkflowStepRow[]> {
  let query = db
    .selectFrom('workflow_steps')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('workflow_id', 'in', [0, ...workflowIds]);
  if (state === 'living') query = query.where('removed_at', 'is', null);
  return query.orderBy('id').execute();
}

export function findStep(
  db: Reader,
  accountId: number,
  id: number,
): Promise<WorkflowStepRow | undefined> {
  return db
    .selectFrom('workflow_steps')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('removed_at', 'is', null)
    .executeTakeFirst();
}

export const { update: updateStep } = accountTable('workflow_steps', 'id');

/**
 * Removes steps. Their subscribers continue at the successor; if there is none, their runs are due
 * now, and end in the next turn.
 */
export async function removeSteps(
  tx: Tx,
  accountId: number,
  ids: readonly number[],
  successorId: number | null,
  at: Date,
): Promise<void> {
  await sql`
    update workflow_steps set removed_at = ${at}, heir_id = ${successorId}
    where account_id = ${accountId} and id = any(${[...ids]}::bigint[])`.execute(tx);
  if (successorId !== null) return;
  await sql`
    update workflow_runs set wake_at = ${at}
    where account_id = ${accountId} and ended_at is null
      and step_id = any(${[...ids]}::bigint[])`.execute(tx);
}

/** Counts subscribers at each step. */
export async function countSubscribersByStep(
  db: Reader,
  accountId: number,
  workflowIds: readonly number[],
): Promise<Map<number, number>> {
  const { rows } = await sql<{ step_id: number; count: number }>`
    select step_id, count(*) as count from workflow_runs
    where account_id = ${accountId} and ended_at is null
      and workflow_id = any(${[...workflowIds]}::bigint[])
    group by step_id`.execute(db);
  return new Map(rows.map((row) => [row.step_id, Number(row.count)]));
}

/** Counts entries, active runs and ended runs per workflow. */
export async function countSubscribers(
  db: Reader,
  accountId: number,
  workflowIds: readonly number[],
): Promise<Map<number, { entered: number; inside: number; ended: number }>> {
  const { rows } = await sql<{
    workflow_id: number;
    entered: number;
    inside: number;
    ended: number;
  }>`
    select workflow_id, sum(pass)::bigint as entered,
      count(*) filter (where ended_at is null) as inside,
      sum(pass - (ended_at is null)::int)::bigint as ended
    from workflow_runs
    where account_id = ${accountId} and workflow_id = any(${[...workflowIds]}::bigint[])
    group by workflow_id`.execute(db);
  return new Map(rows.map(({ workflow_id: id, ...counts }) => [id, counts]));
}

/** Handles the `contents.in_use` query: content of existing steps in existing workflows. */
export async function listStepContents(
  tx: Tx,
  { accountId, contentIds }: { accountId: number; contentIds: readonly number[] },
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select s.content_id as id from workflow_steps s
    join workflows w on w.account_id = ${accountId} and w.id = s.workflow_id
    where s.account_id = ${accountId} and s.content_id = any(${[...contentIds]}::bigint[])
      and s.removed_at is null and w.deleted_at is null`.execute(tx);
  return rows.map((row) => row.id);
}
