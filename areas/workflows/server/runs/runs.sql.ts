// SQL for runs: entries, due runs, moves, and the account's lock that protects them.
import { type Selectable, sql } from 'kysely';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { SubscriberLocation } from '#areas/subscribers/server/index.ts';
import { acrossAccounts } from '#platform/server/database/across-accounts.sql.ts';
import type { Db, Reader, Tx } from '#platform/server/database/database.ts';
import { toContainsPattern } from '#platform/server/database/like.ts';
import type { Slice } from '#platform/server/database/lists.ts';
import type { WorkflowRow } from '../workflows.sql.ts';
import type { EndedRuns } from './run-events.ts';

/** Steps that the run left, each with the time in milliseconds and a note. */
export type Trail = [step: number, at: number, note: string][];
export type RunRow = Selectable<DB['workflow_runs']>;

/** Registers the account for turns and sets the time of the next one. */
export async function scheduleAccountTurn(tx: Tx, accountId: number, at: Date): Promise<void> {
  await sql`
    insert into workflow_accounts (account_id, next_at) values (${accountId}, ${at})
    on conflict (account_id) do update set next_at = ${at}`.execute(tx);
}

/** Sets the time of the account's next turn. */
export async function wakeAccount(tx: Tx, accountId: number, at: Date): Promise<void> {
  await sql`
    update workflow_accounts set next_at = ${at} where account_id = ${accountId}`.execute(tx);
}

/** Lists accounts with due runs or unprocessed facts. */
export async function listAccountsWithWork(db: Db, now: Date): Promise<number[]> {
  const rows = await acrossAccounts(
    db,
    (within) => sql<{ account_id: number }>`
      select account_id from workflow_accounts where next_at <= ${now} and ${within(sql`account_id`)}
      union select account_id from workflow_inbox where ${within(sql`account_id`)}
      limit 1000`,
  );
  return rows.map((row) => row.account_id);
}

/**
 * Acquires the account's lock; returns false if another process holds it. The lock ends with the
 * transaction, including when the process dies.
 */
export async function lockAccount(tx: Tx, accountId: number): Promise<boolean> {
  const { rows } = await sql`
    select 1 from workflow_accounts where account_id = ${accountId}
    for update skip locked`.execute(tx);
  return rows.length > 0;
}

/** Locks active workflows until the turn ends; edits and deactivations wait for it. */
export async function lockActiveWorkflows(tx: Tx, accountId: number): Promise<WorkflowRow[]> {
  const { rows } = await sql<WorkflowRow>`
    select * from workflows
    where account_id = ${accountId} and status = 'ACTIVE' and deleted_at is null
    order by id for share`.execute(tx);
  return rows;
}

export type NewRuns = {
  workflowId: number;
  stepId: number;
  ids: readonly number[];
  at: Date;
  depth: number;
  /** Id of the cart, order or product of the run; 0 for none. */
  subject: number;
  facts: unknown;
  /**
   * Subscribers with an ended run may enter again if they entered before this instant; null: never.
   */
  reentryCutoff: Date | null;
};

/**
 * Inserts runs at the trigger, which they leave in the same turn. Subscribers with an active run
 * about the same subject are skipped, and one subject starts one run no matter how often it is
 * reported. An ended run without a subject is archived when its subscriber enters again. Returns
 * the subscribers who entered.
 */
export async function insertRuns(
  tx: Tx,
  accountId: number,
  { workflowId, stepId, ids, at, depth, subject, facts, reentryCutoff }: NewRuns,
): Promise<number[]> {
  const sortedIds = [...new Set(ids)].sort((a, b) => a - b);
  // The reentry rule applies per subscriber, so it is evaluated across subjects.
  const entering =
    subject === 0
      ? sortedIds
      : await excludeRecent(tx, accountId, workflowId, sortedIds, {
          at,
          reentryCutoff,
        });
  if (subject === 0 && reentryCutoff !== null) {
    await sql`
      insert into workflow_past_passes
        (account_id, workflow_id, subscriber_id, subject, pass, entered_at, ended_at, outcome, trail)
      select account_id, workflow_id, subscriber_id, 0, pass, entered_at, ended_at, outcome, trail
      from workflow_runs
      where account_id = ${accountId} and workflow_id = ${workflowId}
        and subscriber_id = any(${entering}::bigint[]) and subject = 0
        and ended_at is not null and entered_at < ${reentryCutoff}`.execute(tx);
  }
  // The row of the workflow routes the statement to its node in a cluster; without it, Citus drops
  // the last clause.
  const { rows } = await sql<{ id: number }>`
    insert into workflow_runs as r (account_id, workflow_id, subscriber_id, subject, step_id, is_begun,
      wake_at, depth, entered_at, facts)
    select w.account_id, w.id, given.id, ${subject}::bigint, ${stepId}::bigint, true,
      ${at}::timestamptz, ${depth}::int, ${at}::timestamptz, ${facts === null ? null : JSON.stringify(facts)}::jsonb
    from workflows w cross join unnest(${entering}::bigint[]) given (id)
    where w.account_id = ${accountId} and w.id = ${workflowId}
    on conflict (account_id, workflow_id, subscriber_id, subject) do update set
      pass = r.pass + 1, step_id = excluded.step_id, is_begun = true, wake_at = excluded.wake_at,
      depth = excluded.depth, entered_at = excluded.entered_at, ended_at = null, outcome = null,
      held_for = null, goal_at = null, facts = excluded.facts, trail = '[]'
    where r.subject = 0 and r.ended_at is not null and r.entered_at < ${reentryCutoff}::timestamptz
    returning subscriber_id as id`.execute(tx);
  return rows.map((row) => row.id);
}

async function excludeRecent(
  tx: Tx,
  accountId: number,
  workflowId: number,
  ids: readonly number[],
  { at, reentryCutoff }: { at: Date; reentryCutoff: Date | null },
): Promise<number[]> {
  // Reentry is unrestricted: an active run about another subject does not prevent this one.
  if (reentryCutoff !== null && reentryCutoff >= at) return [...ids];
  const { rows } = await sql<{ id: number }>`
    select id from unnest(${[...ids]}::bigint[]) id
    where not exists (select 1 from workflow_runs r
      where r.account_id = ${accountId} and r.workflow_id = ${workflowId} and r.subscriber_id = id
        and (${reentryCutoff}::timestamptz is null or r.entered_at >= ${reentryCutoff}))
    order by id`.execute(tx);
  return rows.map((row) => row.id);
}

/** Lists due runs of the active workflows. */
export async function listDueRuns(
  tx: Tx,
  accountId: number,
  workflowIds: readonly number[],
  now: Date,
  limit: number,
): Promise<RunRow[]> {
  const { rows } = await sql<RunRow>`
    select * from workflow_runs
    where account_id = ${accountId} and wake_at <= ${now}
      and workflow_id = any(${[...workflowIds]}::bigint[])
    order by wake_at limit ${limit}`.execute(tx);
  return rows;
}

export type SavedRun = {
  workflow_id: number;
  subscriber_id: number;
  subject: number;
  step_id: number;
  is_begun: boolean;
  wake_at: Date | null;
  held_for: string | null;
  ended_at: Date | null;
  outcome: string | null;
  goal_at: Date | null;
  /** The steps that the subscriber left in this turn. */
  newTrail: readonly [step: number, at: number, note: string][];
};

/**
 * Runs with the same key have the same state after the turn; it is sent to the database once for
 * all of them.
 */
const stateKey = (run: SavedRun): string =>
  JSON.stringify([
    ...[run.workflow_id, run.step_id, run.is_begun, run.wake_at?.getTime(), run.held_for],
    ...[run.ended_at?.getTime(), run.outcome, run.goal_at?.getTime(), run.newTrail],
  ]);

/**
 * From this number of identical runs on, a statement for only them is faster than a join with the
 * state of each run.
 */
const MIN_CROWD_SIZE = 1_000;

/**
 * Saves the runs of a turn: one statement for each large group of equal state, and one for all
 * other runs.
 */
export async function saveRuns(
  tx: Tx,
  accountId: number,
  runs: readonly SavedRun[],
): Promise<void> {
  const groups = [...Map.groupBy(runs, stateKey).values()] as [SavedRun, ...SavedRun[]][];
  const isCrowd = (group: SavedRun[]) =>
    group.length >= MIN_CROWD_SIZE && group.every((run) => run.subject === 0);
  for (const crowd of groups.filter(isCrowd)) await saveCrowd(tx, accountId, crowd);
  const smallGroups = groups.filter((group) => !isCrowd(group));
  if (smallGroups.length > 0) await saveGroups(tx, accountId, smallGroups);
}

async function saveCrowd(
  tx: Tx,
  accountId: number,
  crowd: [SavedRun, ...SavedRun[]],
): Promise<void> {
  const [run] = crowd;
  await sql`
    update workflow_runs set step_id = ${run.step_id}, is_begun = ${run.is_begun},
      wake_at = ${run.wake_at}, held_for = ${run.held_for}, ended_at = ${run.ended_at},
      outcome = ${run.outcome}, goal_at = ${run.goal_at},
      trail = trail || ${JSON.stringify(run.newTrail)}::jsonb
    where account_id = ${accountId} and workflow_id = ${run.workflow_id} and subject = 0
      and subscriber_id = any(${crowd.map((savedRun) => savedRun.subscriber_id)}::bigint[])`.execute(
    tx,
  );
}

async function saveGroups(
  tx: Tx,
  accountId: number,
  groups: readonly [SavedRun, ...SavedRun[]][],
): Promise<void> {
  const pluck = <K extends keyof SavedRun>(name: K) => groups.map(([first]) => first[name]);
  const pluckEach = (name: 'subscriber_id' | 'subject') =>
    groups.flatMap((group) => group.map((run) => run[name]));
  await sql`
    update workflow_runs r set step_id = n.step_id, is_begun = n.is_begun, wake_at = n.wake_at,
      held_for = n.held_for, ended_at = n.ended_at, outcome = n.outcome, goal_at = n.goal_at,
      trail = r.trail || n.left_steps
    from unnest(${pluckEach('subscriber_id')}::bigint[], ${pluckEach('subject')}::bigint[],
      ${groups.flatMap((group, at) => group.map(() => at + 1))}::int[]) p(subscriber_id, subject, place)
    join unnest(
      ${pluck('workflow_id')}::bigint[], ${pluck('step_id')}::bigint[], ${pluck('is_begun')}::boolean[],
      ${pluck('wake_at')}::timestamptz[], ${pluck('held_for')}::text[], ${pluck('ended_at')}::timestamptz[],
      ${pluck('outcome')}::text[], ${pluck('goal_at')}::timestamptz[],
      ${groups.map(([first]) => JSON.stringify(first.newTrail))}::jsonb[]
    ) with ordinality n(workflow_id, step_id, is_begun, wake_at, held_for, ended_at, outcome, goal_at,
      left_steps, place) on n.place = p.place
    where r.account_id = ${accountId} and r.workflow_id = n.workflow_id
      and r.subscriber_id = p.subscriber_id and r.subject = p.subject`.execute(tx);
}

/** Wakes subscribers who wait for an event that may have happened; their step runs again. */
export async function wakeWaiting(
  tx: Tx,
  accountId: number,
  stepIds: readonly number[],
  ids: readonly number[],
  at: Date,
): Promise<void> {
  if (stepIds.length === 0 || ids.length === 0) return;
  await sql`
    update workflow_runs set wake_at = ${at}
    where account_id = ${accountId} and step_id = any(${[...stepIds]}::bigint[])
      and subscriber_id = any(${[...ids]}::bigint[]) and ended_at is null and not is_begun
      and wake_at > ${at}`.execute(tx);
}

/**
 * Returns the subscribers who entered at or after `since` and have not reached the goal, whether or
 * not their runs have ended.
 */
export async function excludeGoalReached(
  tx: Tx,
  accountId: number,
  workflowId: number,
  ids: readonly number[],
  since: Date,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select distinct subscriber_id as id from workflow_runs
    where account_id = ${accountId} and workflow_id = ${workflowId}
      and subscriber_id = any(${[...ids]}::bigint[]) and goal_at is null
      and entered_at >= ${since}`.execute(tx);
  return rows.map((row) => row.id);
}

/**
 * Marks the goal as reached and ends active runs if the goal ends them. Returns the ended runs by
 * step.
 */
export async function reachGoal(
  tx: Tx,
  accountId: number,
  workflowId: number,
  ids: readonly number[],
  { at, since, endsRuns }: { at: Date; since: Date; endsRuns: boolean },
): Promise<EndedRuns[]> {
  const { rows } = await sql<EndedRuns>`
    with reached as (
      select account_id, workflow_id, subscriber_id, subject, ended_at is null and ${endsRuns} as leaves
      from workflow_runs
      where account_id = ${accountId} and workflow_id = ${workflowId}
        and subscriber_id = any(${[...ids]}::bigint[]) and goal_at is null and entered_at >= ${since}
    ), updated as (
      update workflow_runs r set goal_at = ${at},
        ended_at = case when leaves then ${at} else r.ended_at end,
        outcome = case when leaves then 'goal' else r.outcome end,
        wake_at = case when leaves then null else r.wake_at end,
        held_for = case when leaves then null else r.held_for end
      from reached
      where r.account_id = ${accountId} and r.workflow_id = reached.workflow_id
        and r.subscriber_id = reached.subscriber_id and r.subject = reached.subject
      returning r.step_id, r.subscriber_id, leaves
    )
    select step_id, count(*) as people, array_agg(subscriber_id) as subscriber_ids
    from updated where leaves group by step_id`.execute(tx);
  return rows.map((row) => ({ ...row, people: Number(row.people) }));
}

/** Ends the runs about a cart that is closed. Returns the ended runs by step. */
export async function endRunsAbout(
  tx: Tx,
  accountId: number,
  workflowId: number,
  { ids, subject, at }: { ids: readonly number[]; subject: number; at: Date },
): Promise<EndedRuns[]> {
  const { rows } = await sql<EndedRuns>`
    with ended as (
      update workflow_runs set ended_at = ${at}, outcome = 'cart_closed', wake_at = null,
        held_for = null
      where account_id = ${accountId} and workflow_id = ${workflowId} and subject = ${subject}
        and subscriber_id = any(${[...ids]}::bigint[]) and ended_at is null
      returning step_id, subscriber_id
    )
    select step_id, count(*) as people, array_agg(subscriber_id) as subscriber_ids
    from ended group by step_id`.execute(tx);
  return rows.map((row) => ({ ...row, people: Number(row.people) }));
}

/** Sets the next turn of the account: the earliest due run, date check or segment check. */
export async function setNext(
  tx: Tx,
  accountId: number,
  workflowIds: readonly number[],
  sweepAt: Date | null,
): Promise<void> {
  await sql`
    update workflow_accounts set next_at = least((
      select min(wake_at) from workflow_runs
      where account_id = ${accountId} and wake_at is not null
        and workflow_id = any(${[...workflowIds]}::bigint[])), ${sweepAt}::timestamptz)
    where account_id = ${accountId}`.execute(tx);
}

export type SubscriberFacts = SubscriberLocation & {
  id: number;
  field_values: unknown;
  email_status: string;
};

/** Reads the location, field values and email status of subscribers who are not deleted. */
export async function readSubscribers(
  tx: Tx,
  accountId: number,
  ids: readonly number[],
): Promise<Map<number, SubscriberFacts>> {
  const { rows } = await sql<SubscriberFacts>`
    select id, timezone, country, phone, field_values, email_status from subscribers
    where account_id = ${accountId} and id = any(${[...ids]}::bigint[])
      and deleted_at is null`.execute(tx);
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * Deletes up to `limit` runs of a deleted workflow, with the archived runs of the same subscribers
 * and subjects. Returns the number of runs deleted, without the archived ones.
 */
export async function removeRuns(
  tx: Tx,
  accountId: number,
  workflowId: number,
  limit: number,
): Promise<number> {
  const { rows } = await sql`
    with batch as materialized (
      select subscriber_id, subject from workflow_runs
      where account_id = ${accountId} and workflow_id = ${workflowId} limit ${limit}
    ), passes as (
      delete from workflow_past_passes p using batch
      where p.account_id = ${accountId} and p.workflow_id = ${workflowId}
        and p.subscriber_id = batch.subscriber_id and p.subject = batch.subject
    )
    delete from workflow_runs r using batch
    where r.account_id = ${accountId} and r.workflow_id = ${workflowId}
      and r.subscriber_id = batch.subscriber_id and r.subject = batch.subject
    returning 1`.execute(tx);
  return rows.length;
}

export async function removeCounts(tx: Tx, accountId: number, workflowId: number): Promise<void> {
  await sql`
    delete from workflow_step_counts
    where account_id = ${accountId} and workflow_id = ${workflowId}`.execute(tx);
}

export async function deleteRuns(tx: Tx, accountId: number, ids: readonly number[]): Promise<void> {
  await sql`
    delete from workflow_runs
    where account_id = ${accountId} and subscriber_id = any(${[...ids]}::bigint[])`.execute(tx);
  await sql`
    delete from workflow_past_passes
    where account_id = ${accountId} and subscriber_id = any(${[...ids]}::bigint[])`.execute(tx);
}

export type ListedRun = RunRow & { email: string | null };
type RunFilter = {
  state?: 'inside' | 'ended' | undefined;
  subscriberId?: number | undefined;
  /** Part of the email address to search for; deleted subscribers are not found. */
  search?: string | undefined;
};

const ofWorkflow = (accountId: number, workflowId: number, filter: RunFilter) => sql`
  r.account_id = ${accountId} and r.workflow_id = ${workflowId}
  and (${filter.state ?? null}::text is null or (r.ended_at is null) = (${filter.state ?? null}::text = 'inside'))
  and (${filter.subscriberId ?? null}::bigint is null or r.subscriber_id = ${filter.subscriberId ?? null})
  and ${
    filter.search === undefined
      ? sql`true`
      : sql`exists (select 1 from subscribers f
    where f.account_id = ${accountId} and f.id = r.subscriber_id and f.deleted_at is null
      and f.email ilike ${toContainsPattern(filter.search)})`
  }`;

export async function listRuns(
  db: Reader,
  accountId: number,
  workflowId: number,
  filter: RunFilter,
  order: { column: 'entered' | 'ended'; direction: 'asc' | 'desc'; slice: Slice },
): Promise<ListedRun[]> {
  const column = sql.ref(order.column === 'ended' ? 'r.ended_at' : 'r.entered_at');
  const direction = order.direction === 'asc' ? sql`asc` : sql`desc nulls last`;
  const { rows } = await sql<ListedRun>`
    select r.*, s.email from workflow_runs r
    left join subscribers s on s.account_id = ${accountId} and s.id = r.subscriber_id
      and s.deleted_at is null
    where ${ofWorkflow(accountId, workflowId, filter)}
    order by ${column} ${direction}, r.subscriber_id
    limit ${order.slice.limit} offset ${order.slice.offset}`.execute(db);
  return rows;
}

export async function countRuns(
  db: Reader,
  accountId: number,
  workflowId: number,
  filter: RunFilter,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from workflow_runs r
    where ${ofWorkflow(accountId, workflowId, filter)}`.execute(db);
  return Number(rows[0]?.count ?? 0);
}
