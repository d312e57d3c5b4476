// Counts due runs by day for the calendar.
import { sql } from 'kysely';
import type { Reader } from '#platform/server/database/database.ts';

/** Maximum number of due runs that are counted; the estimate ignores more. */
const MAX_RUNS = 200_000;

export type DueRuns = { id: number; title: string; day: string; first_at: Date; count: number };

/** Counts runs of active workflows that are due in a range, by day of the zone. */
export async function listRunsDueBetween(
  db: Reader,
  accountId: number,
  from: Date,
  to: Date,
  zone: string,
): Promise<DueRuns[]> {
  const { rows } = await sql<DueRuns>`
    with due as materialized (
      select workflow_id, wake_at from workflow_runs
      where account_id = ${accountId} and wake_at >= ${from} and wake_at < ${to}
      order by wake_at limit ${MAX_RUNS}
    )
    select w.id, w.title, to_char(d.wake_at at time zone ${zone}, 'YYYY-MM-DD') as day,
      min(d.wake_at) as first_at, count(*)::int as count
    from due d
    join workflows w on w.account_id = ${accountId} and w.id = d.workflow_id
    where w.status = 'ACTIVE' and w.deleted_at is null
    group by w.id, w.title, day
    order by first_at`.execute(db);
  return rows;
}
