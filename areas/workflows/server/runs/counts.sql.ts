// SQL for the counters of each step.
import { sql } from 'kysely';
import type { Reader, Tx } from '#platform/server/database/database.ts';

/** `outcome`: `entered`, or an outcome of the step. */
export type StepCount = { workflowId: number; stepId: number; outcome: string; people: number };

export async function addStepCounts(
  tx: Tx,
  accountId: number,
  counts: readonly StepCount[],
): Promise<void> {
  if (counts.length === 0) return;
  await sql`
    insert into workflow_step_counts as c (account_id, workflow_id, step_id, outcome, people)
    select ${accountId}::bigint, workflow_id, step_id, outcome, sum(people)::bigint
    from unnest(${counts.map((count) => count.workflowId)}::bigint[],
      ${counts.map((count) => count.stepId)}::bigint[], ${counts.map((count) => count.outcome)}::text[],
      ${counts.map((count) => count.people)}::bigint[]) u(workflow_id, step_id, outcome, people)
    group by 2, 3, 4
    on conflict (account_id, workflow_id, step_id, outcome)
      do update set people = c.people + excluded.people`.execute(tx);
}

export async function readStepCounts(
  db: Reader,
  accountId: number,
  workflowId: number,
): Promise<StepCount[]> {
  const { rows } = await sql<StepCount>`
    select workflow_id as "workflowId", step_id as "stepId", outcome, people
    from workflow_step_counts
    where account_id = ${accountId} and workflow_id = ${workflowId}
    order by step_id, outcome`.execute(db);
  return rows;
}

/** Collects counter changes and writes them in one statement. */
export class Tally {
  private readonly counts = new Map<string, StepCount>();

  add(workflowId: number, stepId: number, outcome: string, subscriberCount = 1): void {
    const key = `${workflowId}/${stepId}/${outcome}`;
    const count = this.counts.get(key);
    if (count) count.people += subscriberCount;
    else this.counts.set(key, { workflowId, stepId, outcome, people: subscriberCount });
  }

  get all(): StepCount[] {
    return [...this.counts.values()];
  }
}
