// Queries for subscriber engagement: last human opens and clicks, and daily totals.
import { sql } from 'kysely';
import type { Reader } from '#platform/server/database/database.ts';

export type EngagementDay = { day: string; opens: number; clicks: number };

export async function readLastEngagement(
  db: Reader,
  accountId: number,
  subscriberId: number,
): Promise<{ lastOpenAt: Date | null; lastClickAt: Date | null }> {
  const { rows } = await sql<{ lastOpenAt: Date | null; lastClickAt: Date | null }>`
    select a.last_human_open_at as "lastOpenAt",
      a.last_human_click_at as "lastClickAt"
    from activity a
    where a.account_id = ${accountId} and a.subscriber_id = ${subscriberId}`.execute(db);
  return rows[0] ?? { lastOpenAt: null, lastClickAt: null };
}

/**
 * Returns each subscriber's last human open and click. Subscribers without a row in `activity` are
 * absent.
 */
export async function listLastEngagements(
  db: Reader,
  accountId: number,
  subscriberIds: readonly number[],
): Promise<{ id: number; lastOpenAt: Date | null; lastClickAt: Date | null }[]> {
  const { rows } = await sql<{ id: number; lastOpenAt: Date | null; lastClickAt: Date | null }>`
    select a.subscriber_id as id, a.last_human_open_at as "lastOpenAt",
      a.last_human_click_at as "lastClickAt"
    from activity a
    where a.account_id = ${accountId} and a.subscriber_id = any(${[...subscriberIds]}::bigint[])
  `.execute(db);
  return rows;
}

/** Returns the days in `zone` with human opens or clicks of the subscriber. */
export async function readEngagementDays(
  db: Reader,
  accountId: number,
  subscriberId: number,
  { since, zone }: { since: Date; zone: string },
): Promise<EngagementDay[]> {
  const { rows } = await sql<EngagementDay>`
    select to_char(e.at at time zone ${zone}, 'YYYY-MM-DD') as day,
      count(*) filter (where e.kind = 'open')::int as opens,
      count(*) filter (where e.kind = 'click')::int as clicks
    from events e
    where e.account_id = ${accountId} and e.subscriber_id = ${subscriberId} and e.at >= ${since}
      and e.kind in ('open', 'click') and e.verdict is distinct from 'machine'
    group by 1
    order by 1`.execute(db);
  return rows;
}
