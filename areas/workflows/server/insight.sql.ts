// SQL of reports, versions, edits with people inside, and of what lies in the past.
import { type Selectable, sql } from 'kysely';
import type { DB } from '#platform/server/database.generated.ts';
import type { Reader, Tx } from '#platform/server/database.ts';

/** How passes ended, former ones too. */
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

export async function countLate(
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

/** `send`: they go at once; `skip`: past the message; `end`: they leave. Returns where these stood. */
export async function decideLate(
  tx: Tx,
  accountId: number,
  workflowId: number,
  decision: 'send' | 'skip' | 'end',
  at: Date,
): Promise<{ step_id: number; people: number }[]> {
  const ends = decision === 'end';
  const { rows } = await sql<{ step_id: number; people: number }>`
    with decided as (
      update workflow_runs set
        wake_at = case when ${ends} then null else ${at}::timestamptz end,
        ended_at = case when ${ends} then ${at}::timestamptz end,
        outcome = case when ${ends} then 'late' end,
        held_for = case when ${decision} = 'skip' then 'late_skip' end
      where account_id = ${accountId} and workflow_id = ${workflowId} and held_for = 'late'
        and ended_at is null
      returning step_id
    )
    select step_id, count(*) as people from decided group by 1`.execute(tx);
  return rows;
}

/** They come to their delay again, which counts from when they came first. */
export async function wakeAtStep(
  tx: Tx,
  accountId: number,
  stepId: number,
  at: Date,
  heldFor?: readonly string[],
): Promise<number> {
  const { rows } = await sql`
    update workflow_runs set wake_at = ${at}, is_begun = false
    where account_id = ${accountId} and step_id = ${stepId} and ended_at is null
      and wake_at is not null
      ${heldFor ? sql`and held_for = any(${[...heldFor]}::text[])` : sql``}
    returning 1`.execute(tx);
  return rows.length;
}

export type VersionRow = Selectable<DB['workflow_versions']>;

export function findVersion(
  db: Reader,
  accountId: number,
  workflowId: number,
  number: number,
): Promise<VersionRow | undefined> {
  return db
    .selectFrom('workflow_versions')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('workflow_id', '=', workflowId)
    .where('number', '=', number)
    .executeTakeFirst();
}

type Past = { id: number; at: Date };

/** A sample of `most`, always the same people, and how many there are. */
const sampled = (rows: ReturnType<typeof sql>, most: number) => sql<Past & { total: number }>`
  select id, at, count(*) over () as total from (${rows}) past
  order by hashint8(id), id limit ${most}`;

async function readSample(
  db: Reader,
  rows: ReturnType<typeof sql>,
  most: number,
): Promise<{ total: number; people: Past[] }> {
  const { rows: people } = await sampled(rows, most).execute(db);
  return { total: people[0]?.total ?? 0, people: people.map(({ id, at }) => ({ id, at })) };
}

/** One that tells what happens, or has told it. */
export async function hasStore(db: Reader, accountId: number): Promise<boolean> {
  const row = await db
    .selectFrom('stores')
    .select('id')
    .where('account_id', '=', accountId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Who ordered since then; of a store, with a product, or anything. */
export const orderedSince = (
  db: Reader,
  accountId: number,
  what: { storeId: number | undefined; productId: number | undefined },
  since: Date,
  most: number,
) =>
  readSample(
    db,
    sql`select o.subscriber_id as id, min(o.placed_at) as at from orders o
      where o.account_id = ${accountId} and o.placed_at >= ${since} and o.cancelled_at is null
        and o.subscriber_id is not null
        and (${what.storeId ?? null}::bigint is null or o.store_id = ${what.storeId ?? null})
        and (${what.productId ?? null}::bigint is null or exists (
          select from order_products p where p.account_id = ${accountId} and p.order_id = o.id
            and p.product_id = ${what.productId ?? null}))
      group by 1`,
    most,
  );

/** Who joined a group since then and is still there. */
export const joinedSince = (
  db: Reader,
  accountId: number,
  groupId: number,
  since: Date,
  most: number,
) =>
  readSample(
    db,
    sql`select subscriber_id as id, created_at as at from group_members
      where account_id = ${accountId} and group_id = ${groupId} and created_at >= ${since}`,
    most,
  );

export const unsubscribedSince = (db: Reader, accountId: number, since: Date, most: number) =>
  readSample(
    db,
    sql`select subscriber_id as id, min(at) as at from status_changes
      where account_id = ${accountId} and at >= ${since} and channel = 'email'
        and to_status = 'unsubscribed' group by 1`,
    most,
  );

export const clickedSince = (
  db: Reader,
  accountId: number,
  url: string,
  since: Date,
  most: number,
) =>
  readSample(
    db,
    sql`select e.subscriber_id as id, min(e.at) as at from events e
      join links l on l.account_id = ${accountId} and l.message_id = e.message_id
        and l.position = e.link_position and l.url = ${url}
      where e.account_id = ${accountId} and e.at >= ${since} and e.kind = 'click'
        and e.verdict = 'human' and e.subscriber_id > 0 group by 1`,
    most,
  );

export const occurredSince = (
  db: Reader,
  accountId: number,
  eventId: number,
  since: Date,
  most: number,
) =>
  readSample(
    db,
    sql`select subscriber_id as id, min(at) as at from occurrences
      where account_id = ${accountId} and event_id = ${eventId} and at >= ${since} group by 1`,
    most,
  );
