// SQL for splits with a winner that takes over: state, and number of subscribers who acted on each
// path.
import { type RawBuilder, type Selectable, sql } from 'kysely';
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import { acrossAccounts } from '#platform/server/database/across-accounts.sql.ts';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Db, Reader, Tx } from '#platform/server/database/database.ts';

export type SplitRow = Selectable<DB['workflow_splits']>;
export type PathCount = { path: string; people: number; acted: number };

export const { lock: lockSplit, update: updateSplit } = accountTable('workflow_splits', 'step_id');

export function readSplits(db: Reader, accountId: number, workflowId: number): Promise<SplitRow[]> {
  return db
    .selectFrom('workflow_splits')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('workflow_id', '=', workflowId)
    .orderBy('step_id')
    .execute();
}

/** Starts the count of a split, or restarts it. */
export async function startCount(
  tx: Tx,
  accountId: number,
  split: { workflowId: number; stepId: number; key: string; at: Date; evaluateAt: Date },
): Promise<void> {
  const { workflowId, stepId, key, at, evaluateAt } = split;
  await sql`
    insert into workflow_splits (account_id, workflow_id, step_id, compared_key, counted_from, evaluate_at)
    values (${accountId}, ${workflowId}, ${stepId}, ${key}, ${at}, ${evaluateAt})
    on conflict (account_id, step_id) do update set compared_key = excluded.compared_key,
      counted_from = excluded.counted_from, evaluate_at = excluded.evaluate_at, evaluated_at = null,
      counts = '[]', winner = null, decided_at = null`.execute(tx);
}

export async function removeSplits(
  tx: Tx,
  accountId: number,
  stepIds: readonly number[],
): Promise<void> {
  await sql`
    delete from workflow_splits
    where account_id = ${accountId} and step_id = any(${[...stepIds]}::bigint[])`.execute(tx);
}

/** Lists splits of active workflows with an evaluation due. */
export function listDueSplits(
  db: Db,
  now: Date,
): Promise<{ account_id: number; workflow_id: number; step_id: number }[]> {
  return acrossAccounts(
    db,
    (within) => sql<{ account_id: number; workflow_id: number; step_id: number }>`
      select s.account_id, s.workflow_id, s.step_id from workflow_splits s
      join workflows w on w.account_id = s.account_id and w.id = s.workflow_id
        and w.status = 'ACTIVE' and w.deleted_at is null and ${within(sql`w.account_id`)}
      where s.evaluate_at <= ${now} and ${within(sql`s.account_id`)}
      order by s.evaluate_at limit 1000`,
  );
}

interface SplitPeriod {
  accountId: number;
  workflowId: number;
  stepId: number;
  from: Date;
  now: Date;
}

/**
 * Returns CTEs of the runs that left the split at or after `from`: the path and the time in
 * milliseconds.
 */
const selectPasses = ({
  accountId,
  workflowId,
  stepId,
  from,
}: SplitPeriod): RawBuilder<unknown> => sql`
  passes as (
    select subscriber_id, entered_at, trail, goal_at is not null as is_at_goal from workflow_runs
    where account_id = ${accountId} and workflow_id = ${workflowId}
    union all
    select subscriber_id, entered_at, trail, outcome is not distinct from 'goal'
    from workflow_past_passes
    where account_id = ${accountId} and workflow_id = ${workflowId}
  ), assigned as (
    select subscriber_id, entered_at, trail, is_at_goal, mark->>2 as path,
      (mark->>1)::bigint as split_at
    from passes cross join lateral jsonb_array_elements(trail) as marks(mark)
    where (mark->>0)::bigint = ${stepId} and (mark->>1)::bigint >= ${from.getTime()}::bigint
  )`;

/**
 * Counts, per path, the subscribers whose time to reach the goal has passed and how many of them
 * reached it.
 */
export async function countGoals(
  db: Reader,
  period: SplitPeriod,
  goalDays: number,
): Promise<PathCount[]> {
  const { rows } = await sql<PathCount>`
    with ${selectPasses(period)}
    select path, count(distinct subscriber_id) as people,
      count(distinct subscriber_id) filter (where is_at_goal) as acted
    from assigned where entered_at <= ${period.now}::timestamptz - make_interval(days => ${goalDays})
    group by path order by path`.execute(db);
  return rows;
}

/**
 * Counts, per path, the subscribers who were sent its first message and how many of them opened or
 * clicked it in time. A path whose message comes later leaves less time to act, so all paths allow
 * the same time: the time since the split, minus the longest wait of any path for its message. The
 * wait of a path is the 95th percentile of its runs.
 */
export async function countEngaged(
  db: Reader,
  period: SplitPeriod,
  {
    messageStepIds,
    activity,
  }: { messageStepIds: readonly number[]; activity: 'opened' | 'clicked' },
): Promise<PathCount[]> {
  const { accountId } = period;
  const actedAt =
    activity === 'clicked'
      ? sql`o.first_human_click_at`
      : sql`least(o.first_human_open_at, o.first_human_click_at)`;
  const { rows } = await sql<PathCount>`
    with ${selectPasses(period)}, sent as (
      select path, subscriber_id, split_at, (mark->>1)::bigint as sent_at,
        substring(mark->>2 from 9)::bigint as message_id
      from assigned cross join lateral jsonb_array_elements(trail) as marks(mark)
      where mark->>2 like 'message:%' and (mark->>1)::bigint >= split_at
        and (mark->>0)::bigint = any(${[...messageStepIds]}::bigint[])
    ), waits as (
      select percentile_disc(0.95) within group (order by sent_at - split_at) as ms
      from sent group by path
    ), aged as (
      select sent.*, ${period.now.getTime()}::bigint - split_at - (select max(ms) from waits) as age
      from sent
    )
    select a.path, count(distinct a.subscriber_id) as people, count(distinct a.subscriber_id) filter (
      where extract(epoch from ${actedAt}) * 1000 - a.sent_at <= a.age) as acted
    from aged a left join outcomes o on o.account_id = ${accountId}
      and o.subscriber_id = a.subscriber_id and o.message_id = a.message_id
    where a.age >= 0
    group by a.path order by a.path`.execute(db);
  return rows;
}
