// Reads a workflow's daily statistics from runs and message engagement.
import { sql } from 'kysely';
import type { Reader } from '#platform/server/database/database.ts';

type DayRange = { from: string; until: string; zone: string };
type DayCounts = { day: string; kind: string; people: number };

const withinDays = ({ from, until, zone }: DayRange) => sql`
  at >= (${from}::date)::timestamp at time zone ${zone}
  and at < (${until}::date + 1)::timestamp at time zone ${zone}`;
const formatDay = ({ zone }: DayRange) => sql`to_char(at at time zone ${zone}, 'YYYY-MM-DD')`;

/** Counts entries (without the holdout), completed runs and sent messages by day. */
export async function countPassesByDay(
  db: Reader,
  accountId: number,
  workflowId: number,
  range: DayRange,
): Promise<DayCounts[]> {
  const { rows } = await sql<DayCounts>`
    with passes as (
      select entered_at, ended_at, outcome, trail from workflow_runs
      where account_id = ${accountId} and workflow_id = ${workflowId}
      union all
      select entered_at, ended_at, outcome, trail from workflow_past_passes
      where account_id = ${accountId} and workflow_id = ${workflowId}
    ), marks as (
      select entered_at as at, 'entered' as kind from passes
      where outcome is distinct from 'held_out'
      union all
      select ended_at, 'completed' from passes where outcome = 'completed'
      union all
      select to_timestamp((step->>1)::float8 / 1000), 'sent'
      from passes cross join lateral jsonb_array_elements(trail) step
      where step->>2 like 'message:%'
    )
    select ${formatDay(range)} as day, kind, count(*) as people from marks
    where ${withinDays(range)} group by 1, 2`.execute(db);
  return rows;
}

/** Counts first opens and clicks by day, without automated events; a click is also an open. */
export async function countEngagementByDay(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
  range: DayRange,
): Promise<DayCounts[]> {
  const { rows } = await sql<DayCounts>`
    with seen as (
      select first_human_open_at, first_human_click_at from outcomes
      where account_id = ${accountId} and message_id = any(${[...messageIds]}::bigint[])
    ), marks as (
      select least(first_human_open_at, first_human_click_at) as at, 'opened' as kind from seen
      union all
      select first_human_click_at, 'clicked' from seen
    )
    select ${formatDay(range)} as day, kind, count(*) as people from marks
    where ${withinDays(range)} group by 1, 2`.execute(db);
  return rows;
}
