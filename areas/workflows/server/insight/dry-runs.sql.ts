// SQL for dry runs. Their rows are never committed.
import { sql } from 'kysely';
import type { Tx } from '#platform/server/database/database.ts';
import type { RunRow } from '../runs/runs.sql.ts';

/** Subject of dry runs, outside the range of real ids. */
export const DRY = -1;

/** Inserts a run at the step for each subscriber, with an individual entry time. */
export async function insertDryRuns(
  tx: Tx,
  accountId: number,
  workflowId: number,
  stepId: number,
  entrants: readonly { id: number; at: Date }[],
): Promise<void> {
  await sql`
    insert into workflow_runs (account_id, workflow_id, subscriber_id, subject, step_id, is_begun,
      wake_at, entered_at)
    select ${accountId}::bigint, ${workflowId}::bigint, id, ${DRY}, ${stepId}::bigint, true, at, at
    from unnest(${entrants.map((entrant) => entrant.id)}::bigint[],
      ${entrants.map((entrant) => entrant.at)}::timestamptz[]) u(id, at)
    on conflict do nothing`.execute(tx);
}

export async function readDryRuns(
  tx: Tx,
  accountId: number,
  workflowId: number,
): Promise<RunRow[]> {
  const { rows } = await sql<RunRow>`
    select * from workflow_runs
    where account_id = ${accountId} and workflow_id = ${workflowId} and subject = ${DRY}
    order by wake_at, subscriber_id`.execute(tx);
  return rows;
}

/** Ends the given runs because their carts were closed. */
export async function endDryRuns(
  tx: Tx,
  accountId: number,
  workflowId: number,
  endings: readonly { id: number; at: Date }[],
): Promise<void> {
  await sql`
    update workflow_runs set ended_at = u.at, outcome = 'cart_closed', wake_at = null
    from unnest(${endings.map((run) => run.id)}::bigint[],
      ${endings.map((run) => run.at)}::timestamptz[]) u(id, at)
    where account_id = ${accountId} and workflow_id = ${workflowId} and subject = ${DRY}
      and subscriber_id = u.id and ended_at is null`.execute(tx);
}
