// SQL of the number of subscribers who may get emails or SMS.
import { sql } from 'kysely';
import type { Reader } from '#platform/server/database/database.ts';

/**
 * One pass over the account's subscribers: used when a plan's page is opened or a campaign starts.
 */
export async function countReachable(db: Reader, accountId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from subscribers
    where account_id = ${accountId} and deleted_at is null
      and (email_status = 'active' or sms_status = 'active')`.execute(db);
  return rows[0]?.count ?? 0;
}
