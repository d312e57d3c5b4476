// SQL for the listeners of active workflows and the facts queued for them.
import { type Selectable, sql } from 'kysely';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';

export type ListenedEvent = { kind: string; ref: number };

/** Replaces the listeners of a workflow; one that is not active has none. */
export async function setListeners(
  tx: Tx,
  accountId: number,
  workflowId: number,
  events: readonly ListenedEvent[],
): Promise<void> {
  await sql`
    delete from workflow_listeners
    where account_id = ${accountId} and workflow_id = ${workflowId}`.execute(tx);
  if (events.length === 0) return;
  await sql`
    insert into workflow_listeners (account_id, kind, ref, workflow_id)
    select distinct ${accountId}::bigint, kind, ref, ${workflowId}::bigint
    from unnest(${events.map((listener) => listener.kind)}::text[],
      ${events.map((listener) => listener.ref)}::bigint[]) u(kind, ref)`.execute(tx);
}

/**
 * Returns which facts of this kind active workflows listen to: those with one of these references,
 * or with any reference if `refs` is undefined. Also returns `TOUCH` if a workflow must be
 * reevaluated when a subscriber changes.
 */
export async function findListeners(
  db: Reader,
  accountId: number,
  kind: string,
  refs: readonly number[] | undefined,
): Promise<ListenedEvent[]> {
  const refFilter = refs === undefined ? sql`true` : sql`ref = any(${[...refs]}::bigint[])`;
  const { rows } = await sql<ListenedEvent>`
    select distinct kind, ref from workflow_listeners
    where account_id = ${accountId} and ((kind = ${kind} and ${refFilter}) or kind = 'TOUCH')`.execute(
    db,
  );
  return rows;
}

export async function listListeners(
  tx: Tx,
  accountId: number,
): Promise<(ListenedEvent & { workflow_id: number })[]> {
  const { rows } = await sql<ListenedEvent & { workflow_id: number }>`
    select kind, ref, workflow_id from workflow_listeners
    where account_id = ${accountId}`.execute(tx);
  return rows;
}

export type WorkflowFact = ListenedEvent & {
  at: Date;
  depth: number;
  ids: readonly number[];
  /** Id of the cart, order or product that the fact is about; 0 for none. */
  subject: number;
  /** Values for merge tags. */
  facts: Readonly<Record<string, unknown>> | null;
  isQuiet: boolean;
};

/** Queues facts about sets of subscribers, in the transaction of the caller. */
export async function insertFacts(
  tx: Tx,
  accountId: number,
  facts: readonly WorkflowFact[],
): Promise<void> {
  if (facts.length === 0) return;
  await sql`
    insert into workflow_inbox (account_id, kind, ref, at, depth, subscriber_ids, subject, facts, is_quiet)
    select ${accountId}::bigint, kind, ref, at, depth, ids::bigint[], subject, facts::jsonb, is_quiet
    from unnest(${facts.map((fact) => fact.kind)}::text[], ${facts.map((fact) => fact.ref)}::bigint[],
      ${facts.map((fact) => fact.at)}::timestamptz[], ${facts.map((fact) => fact.depth)}::int[],
      ${facts.map((fact) => `{${fact.ids.join(',')}}`)}::text[],
      ${facts.map((fact) => fact.subject)}::bigint[],
      ${facts.map((fact) => fact.facts && JSON.stringify(fact.facts))}::text[],
      ${facts.map((fact) => fact.isQuiet)}::boolean[])
      u(kind, ref, at, depth, ids, subject, facts, is_quiet)`.execute(tx);
}

export type WorkflowFactRow = Selectable<DB['workflow_inbox']>;

/**
 * Removes and returns the oldest facts: at most 1,000, with up to about `limit` subscribers in
 * total. The deletion commits with the turn.
 */
export async function claimFacts(
  tx: Tx,
  accountId: number,
  limit: number,
): Promise<WorkflowFactRow[]> {
  const { rows } = await sql<WorkflowFactRow>`
    with oldest as materialized (
      select id from (
        select id, sum(cardinality(subscriber_ids)) over (order by id) - cardinality(subscriber_ids) as before
        from (select id, subscriber_ids from workflow_inbox where account_id = ${accountId}
          order by id limit 1000) first) counted
      where before < ${limit}
    )
    delete from workflow_inbox i using oldest
    where i.account_id = ${accountId} and i.id = oldest.id
    returning i.*`.execute(tx);
  return rows.sort((row, candidate) => row.id - candidate.id);
}
