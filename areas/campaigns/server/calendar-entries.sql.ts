// Queries for resends in the calendar.
import { sql } from 'kysely';
import type { Reader } from '#platform/server/database/database.ts';

export type PlannedResend = {
  id: number;
  title: string;
  subject: string;
  due_at: Date;
  sent_at: Date;
};

/** Lists waiting resends that are due in a range, and their original campaigns. */
export async function listResendsBetween(
  db: Reader,
  accountId: number,
  from: Date,
  to: Date,
): Promise<PlannedResend[]> {
  const { rows } = await sql<PlannedResend>`
    select c.id, c.title, r.subject, r.due_at, c.sent_at from campaign_resends r
    join campaigns c on c.account_id = ${accountId} and c.id = r.campaign_id
    where r.account_id = ${accountId} and r.state = 'waiting' and r.due_at >= ${from}
      and r.due_at < ${to} and c.deleted_at is null and c.sent_at is not null
    order by r.due_at limit 1000`.execute(db);
  return rows;
}
