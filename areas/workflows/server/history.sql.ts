// SQL for workflow reports, decisions about late messages, waking subscribers, earlier versions and
// connected stores.
import { sql } from 'kysely';
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { EndedRuns } from './runs/run-events.ts';

/**
 * Counts ended runs by outcome, most frequent first, including earlier runs of subscribers who
 * entered again.
 */
export async function countOutcomes(
  db: Reader,
  accountId: number,
  workflowId: number,
): Promise<{ outcome: string; people: number }[]> {
  const { rows } = await sql<{ outcome: string; people: number }>`
    select outcome, sum(people)::bigint as people from (
      select outcome, count(*) as people from workflow_runs
      where account_id = ${accountId} and workflow_id = ${workflowId} and ended_at is not null
      group by 1
      union all
      select outcome, count(*) from workflow_past_passes
      where account_id = ${accountId} and workflow_id = ${workflowId} group by 1) ended
    group by 1 order by 2 desc, 1`.execute(db);
  return rows;
}

export async function countGoal(
  db: Reader,
  accountId: number,
  workflowId: number,
): Promise<{ isHeldOut: boolean; people: number; reached: number }[]> {
  const { rows } = await sql<{ isHeldOut: boolean; people: number; reached: number }>`
    select outcome is not distinct from 'held_out' as "isHeldOut", count(*) as people,
      count(goal_at) as reached
    from workflow_runs
    where account_id = ${accountId} and workflow_id = ${workflowId}
    group by 1`.execute(db);
  return rows;
}

export async function countLateMessages(
  db: Reader,
  accountId: number,
  workflowId: number,
): Promise<number> {
  const { rows } = await sql<{ people: number }>`
    select count(*) as people from workflow_runs
    where account_id = ${accountId} and workflow_id = ${workflowId} and held_for = 'late'
      and ended_at is null`.execute(db);
  return rows[0]?.people ?? 0;
}

/**
 * Decides about late messages: the next turn sends (`send`) or skips (`skip`) them; `end` ends
 * their runs now. Returns the affected runs by step.
 */
export async function applyLateDecision(
  tx: Tx,
  accountId: number,
  workflowId: number,
  decision: 'send' | 'skip' | 'end',
  at: Date,
): Promise<EndedRuns[]> {
  const isEnd = decision === 'end';
  const { rows } = await sql<EndedRuns>`
    with decided as (
      update workflow_runs set
        wake_at = case when ${isEnd} then null else ${at}::timestamptz end,
        ended_at = case when ${isEnd} then ${at}::timestamptz end,
        outcome = case when ${isEnd} then 'late' end,
        held_for = case when ${decision} = 'skip' then 'late_skip' end
      where account_id = ${accountId} and workflow_id = ${workflowId} and held_for = 'late'
        and ended_at is null
      returning step_id, subscriber_id
    )
    select step_id, count(*) as people, array_agg(subscriber_id) as subscriber_ids
    from decided group by 1`.execute(tx);
  return rows;
}

/**
 * Wakes the subscribers who wait at the step (or only those held for these reasons), so that it is
 * evaluated again. Returns their number.
 */
export async function wakeAtStep(
  tx: Tx,
  accountId: number,
  stepId: number,
  at: Date,
  holdReasons?: readonly string[],
): Promise<number> {
  const { rows } = await sql`
    update workflow_runs set wake_at = ${at}, is_begun = false
    where account_id = ${accountId} and step_id = ${stepId} and ended_at is null
      and wake_at is not null
      ${holdReasons ? sql`and held_for = any(${[...holdReasons]}::text[])` : sql``}
    returning 1`.execute(tx);
  return rows.length;
}

export const { find: findVersion } = accountTable('workflow_versions', 'workflow_id', 'number');

/** Lists stores of the account that are not disconnected. */
export async function listConnectedStoreIds(db: Reader, accountId: number): Promise<Set<number>> {
  const rows = await db
    .selectFrom('stores')
    .select('id')
    .where('account_id', '=', accountId)
    .where('state', '<>', 'disconnected')
    .execute();
  return new Set(rows.map(({ id }) => id));
}
