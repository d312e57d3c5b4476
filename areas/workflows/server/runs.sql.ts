// SQL of people in workflows: entering, who is due, moving, and the account's lock around all of it.
import { type Selectable, sql } from 'kysely';
import type { DB } from '#platform/server/database.generated.ts';
import type { Db, Reader, Tx } from '#platform/server/database.ts';
import type { Slice } from '#platform/server/lists.ts';
import type { WorkflowRow } from './workflows.sql.ts';

export type RunRow = Selectable<DB['workflow_runs']>;

/** From now on the account has turns. */
export async function openAccount(tx: Tx, accountId: number, at: Date): Promise<void> {
  await sql`
    insert into workflow_accounts (account_id, next_at) values (${accountId}, ${at})
    on conflict (account_id) do update set next_at = ${at}`.execute(tx);
}

export async function wakeAccount(tx: Tx, accountId: number, at: Date): Promise<void> {
  await sql`
    update workflow_accounts set next_at = ${at} where account_id = ${accountId}`.execute(tx);
}

/** Accounts with somebody due, or with facts that were not taken in. */
export async function accountsWithWork(db: Db, now: Date): Promise<number[]> {
  const { rows } = await sql<{ account_id: number }>`
    select account_id from workflow_accounts where next_at <= ${now}
    union select account_id from workflow_inbox
    limit 1000`.execute(db);
  return rows.map((row) => row.account_id);
}

/** False: another process is at it. Ends with the transaction, so also with its process. */
export async function lockAccount(tx: Tx, accountId: number): Promise<boolean> {
  const { rows } = await sql`
    select 1 from workflow_accounts where account_id = ${accountId}
    for update skip locked`.execute(tx);
  return rows.length > 0;
}

/** Held until the turn ends: who edits or deactivates one waits that long. */
export async function holdActive(tx: Tx, accountId: number): Promise<WorkflowRow[]> {
  const { rows } = await sql<WorkflowRow>`
    select * from workflows
    where account_id = ${accountId} and status = 'ACTIVE' and deleted_at is null
    order by id for share`.execute(tx);
  return rows;
}

export type FactRow = Selectable<DB['workflow_inbox']>;

/** The oldest facts, gone with the turn that takes them. */
export async function takeFacts(tx: Tx, accountId: number, most: number): Promise<FactRow[]> {
  const { rows } = await sql<FactRow>`
    with oldest as materialized (
      select id from workflow_inbox where account_id = ${accountId} order by id limit ${most}
    )
    delete from workflow_inbox i using oldest
    where i.account_id = ${accountId} and i.id = oldest.id
    returning i.*`.execute(tx);
  return rows.sort((one, other) => one.id - other.id);
}

export async function listenersOf(
  tx: Tx,
  accountId: number,
): Promise<{ kind: string; ref: number; workflow_id: number }[]> {
  const { rows } = await sql<{ kind: string; ref: number; workflow_id: number }>`
    select kind, ref, workflow_id from workflow_listeners
    where account_id = ${accountId}`.execute(tx);
  return rows;
}

export type Entering = {
  workflowId: number;
  stepId: number;
  ids: readonly number[];
  at: Date;
  depth: number;
  /** Who has ended may enter again, where they entered before this; null: never. */
  againBefore: Date | null;
};

/**
 * They stand at the trigger, which they leave in the same turn. Whoever is inside stays as they are; the pass that
 * somebody ended before is kept beside. Returns who entered.
 */
export async function insertRuns(
  tx: Tx,
  accountId: number,
  { workflowId, stepId, ids, at, depth, againBefore }: Entering,
): Promise<number[]> {
  const sorted = [...new Set(ids)].sort((one, other) => one - other);
  if (againBefore !== null) {
    await sql`
      insert into workflow_past_passes
        (account_id, workflow_id, subscriber_id, pass, entered_at, ended_at, outcome, trail)
      select account_id, workflow_id, subscriber_id, pass, entered_at, ended_at, outcome, trail
      from workflow_runs
      where account_id = ${accountId} and workflow_id = ${workflowId}
        and subscriber_id = any(${sorted}::bigint[])
        and ended_at is not null and entered_at < ${againBefore}`.execute(tx);
  }
  const { rows } = await sql<{ id: number }>`
    insert into workflow_runs as r (account_id, workflow_id, subscriber_id, step_id, is_begun, wake_at,
      depth, entered_at)
    select ${accountId}::bigint, ${workflowId}::bigint, id, ${stepId}::bigint, true, ${at}::timestamptz,
      ${depth}::int, ${at}::timestamptz
    from unnest(${sorted}::bigint[]) id
    on conflict (account_id, workflow_id, subscriber_id) do update set
      pass = r.pass + 1, step_id = excluded.step_id, is_begun = true, wake_at = excluded.wake_at,
      depth = excluded.depth, entered_at = excluded.entered_at, ended_at = null, outcome = null,
      trail = '[]'
    where r.ended_at is not null and r.entered_at < ${againBefore}::timestamptz
    returning subscriber_id as id`.execute(tx);
  return rows.map((row) => row.id);
}

/** Whose time has come, in the workflows that move. */
export async function dueRuns(
  tx: Tx,
  accountId: number,
  workflowIds: readonly number[],
  now: Date,
  most: number,
): Promise<RunRow[]> {
  const { rows } = await sql<RunRow>`
    select * from workflow_runs
    where account_id = ${accountId} and wake_at <= ${now}
      and workflow_id = any(${[...workflowIds]}::bigint[])
    order by wake_at limit ${most}`.execute(tx);
  return rows;
}

export type Moved = {
  workflow_id: number;
  subscriber_id: number;
  step_id: number;
  is_begun: boolean;
  wake_at: Date | null;
  ended_at: Date | null;
  outcome: string | null;
  /** Steps that were left, to be added. */
  left: readonly [step: number, at: number, note: string][];
};

export async function saveRuns(tx: Tx, accountId: number, runs: readonly Moved[]): Promise<void> {
  if (runs.length === 0) return;
  await sql`
    update workflow_runs r set step_id = n.step_id, is_begun = n.is_begun, wake_at = n.wake_at,
      ended_at = n.ended_at, outcome = n.outcome, trail = r.trail || n.left_steps::jsonb
    from unnest(
      ${runs.map((run) => run.workflow_id)}::bigint[], ${runs.map((run) => run.subscriber_id)}::bigint[],
      ${runs.map((run) => run.step_id)}::bigint[], ${runs.map((run) => run.is_begun)}::boolean[],
      ${runs.map((run) => run.wake_at)}::timestamptz[], ${runs.map((run) => run.ended_at)}::timestamptz[],
      ${runs.map((run) => run.outcome)}::text[], ${runs.map((run) => JSON.stringify(run.left))}::text[]
    ) n(workflow_id, subscriber_id, step_id, is_begun, wake_at, ended_at, outcome, left_steps)
    where r.account_id = ${accountId} and r.workflow_id = n.workflow_id
      and r.subscriber_id = n.subscriber_id`.execute(tx);
}

/** When the account is next looked at: where somebody is due, or at once where facts are left. */
export async function setNext(
  tx: Tx,
  accountId: number,
  workflowIds: readonly number[],
): Promise<void> {
  await sql`
    update workflow_accounts set next_at = (
      select min(wake_at) from workflow_runs
      where account_id = ${accountId} and wake_at is not null
        and workflow_id = any(${[...workflowIds]}::bigint[]))
    where account_id = ${accountId}`.execute(tx);
}

export type PersonFacts = { id: number; timezone: string | null; field_values: unknown };

/** Zones and values of those of these people who live. */
export async function readPeople(
  tx: Tx,
  accountId: number,
  ids: readonly number[],
): Promise<Map<number, PersonFacts>> {
  const { rows } = await sql<PersonFacts>`
    select id, timezone, field_values from subscribers
    where account_id = ${accountId} and id = any(${[...ids]}::bigint[])
      and deleted_at is null`.execute(tx);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Who opened, or clicked in, this message; machines do not count. */
export async function whoDid(
  tx: Tx,
  accountId: number,
  activity: 'opened' | 'clicked',
  messageId: number,
  ids: readonly number[],
): Promise<number[]> {
  const { rows } = await sql<{ subscriber_id: number }>`
    select subscriber_id from outcomes
    where account_id = ${accountId} and subscriber_id = any(${[...ids]}::bigint[])
      and message_id = ${messageId} and (first_human_click_at is not null
        or (${activity === 'opened'} and first_human_open_at is not null))`.execute(tx);
  return rows.map((row) => row.subscriber_id);
}

/** What fails in here takes nothing else of the turn with it. */
export async function inSavepoint<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  await sql`savepoint step`.execute(tx);
  try {
    const result = await work();
    await sql`release savepoint step`.execute(tx);
    return result;
  } catch (error) {
    await sql`rollback to savepoint step`.execute(tx);
    throw error;
  }
}

export async function forgetRuns(tx: Tx, accountId: number, ids: readonly number[]): Promise<void> {
  await sql`
    delete from workflow_runs
    where account_id = ${accountId} and subscriber_id = any(${[...ids]}::bigint[])`.execute(tx);
  await sql`
    delete from workflow_past_passes
    where account_id = ${accountId} and subscriber_id = any(${[...ids]}::bigint[])`.execute(tx);
}

export type ListedRun = RunRow & { email: string | null };
type Filter = { state?: 'inside' | 'ended' | undefined; subscriberId?: number | undefined };

const ofWorkflow = (accountId: number, workflowId: number, filter: Filter) => sql`
  r.account_id = ${accountId} and r.workflow_id = ${workflowId}
  and (${filter.state ?? null}::text is null or (r.ended_at is null) = (${filter.state ?? null}::text = 'inside'))
  and (${filter.subscriberId ?? null}::bigint is null or r.subscriber_id = ${filter.subscriberId ?? null})`;

export async function listRuns(
  db: Reader,
  accountId: number,
  workflowId: number,
  filter: Filter,
  order: { by: 'entered' | 'ended'; direction: 'asc' | 'desc'; slice: Slice },
): Promise<ListedRun[]> {
  const column = sql.ref(order.by === 'ended' ? 'r.ended_at' : 'r.entered_at');
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
  filter: Filter,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from workflow_runs r
    where ${ofWorkflow(accountId, workflowId, filter)}`.execute(db);
  return Number(rows[0]?.count ?? 0);
}
