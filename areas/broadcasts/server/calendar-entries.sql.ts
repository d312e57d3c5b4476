// Queries for broadcasts in the calendar, for any kind.
import { sql } from 'kysely';
import type { Reader } from '#platform/server/database/database.ts';
import type { BroadcastRow, BroadcastTables } from './adapter.ts';

/** Maximum number of entries of one kind in one range, far more than a calendar can show. */
const MAX_ENTRIES = 1000;

/** Lists broadcasts scheduled for, or sent in, a range. */
export async function listBroadcastsBetween<Row extends BroadcastRow>(
  db: Reader,
  tables: BroadcastTables,
  accountId: number,
  from: Date,
  to: Date,
): Promise<Row[]> {
  const { rows } = await sql<BroadcastRow>`
    select * from ${sql.table(tables.rows)}
    where account_id = ${accountId} and deleted_at is null
      and ((status = 'SCHEDULED' and scheduled_at >= ${from} and scheduled_at < ${to})
        or (status = 'SENT' and sent_at >= ${from} and sent_at < ${to}))
    order by coalesce(sent_at, scheduled_at), id limit ${MAX_ENTRIES}`.execute(db);
  return rows as Row[];
}

/**
 * Lists the days, starting at `from`, that these recurring broadcasts already have a campaign for;
 * removed campaigns are included.
 */
export async function listDaysWithCampaign(
  db: Reader,
  tables: BroadcastTables,
  accountId: number,
  modelIds: readonly number[],
  from: string,
): Promise<{ series_of: number; occurs_on: string }[]> {
  const { rows } = await sql<{ series_of: number; occurs_on: string }>`
    select series_of, occurs_on from ${sql.table(tables.rows)}
    where account_id = ${accountId} and series_of = any(${[...modelIds]}::bigint[])
      and occurs_on >= ${from}`.execute(db);
  return rows;
}

export type DecisionRow = { id: number; title: string; at: Date; is_waiting: boolean };

/**
 * Finds experiments that end in a range. The duration counts from the last test copy. Until that is
 * sent, it counts from the start, planned or real, plus the longest delay of a variant.
 */
export async function listDecisionsBetween(
  db: Reader,
  tables: BroadcastTables,
  accountId: number,
  from: Date,
  to: Date,
): Promise<DecisionRow[]> {
  const { rows } = await sql<DecisionRow>`
    with ends as materialized (
      select c.id, c.title, e.state = 'waiting' as is_waiting,
        coalesce(e.tested_at, coalesce(c.sent_at, c.scheduled_at)
          + make_interval(mins => coalesce((select max(v.delay_minutes)
            from ${sql.table(tables.variants)} v
            where v.account_id = ${accountId} and v.campaign_id = c.id), 0)))
          + make_interval(hours => e.duration_hours) as at
      from ${sql.table(tables.experiments)} e
      join ${sql.table(tables.rows)} c on c.account_id = ${accountId} and c.id = e.campaign_id
      where e.account_id = ${accountId} and e.state in ('draft', 'testing', 'waiting')
        and c.status <> 'DRAFT' and c.deleted_at is null
    )
    select * from ends where at >= ${from} and at < ${to} order by at limit ${MAX_ENTRIES}`.execute(
    db,
  );
  return rows;
}
