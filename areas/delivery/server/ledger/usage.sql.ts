// SQL of how many different people an account has reached.
import { sql } from 'kysely';
import type { Reader } from '#platform/server/database.ts';

/** Different people in the audiences of messages since an instant, by channel, later deleted ones too. */
export async function countPeopleReached(
  db: Reader,
  accountId: number,
  since: Date,
): Promise<{ channel: string; count: number }[]> {
  const { rows } = await sql<{ channel: string; count: number }>`
    select m.channel, count(distinct r.subscriber_id) as count
    from messages m join recipients r on r.account_id = m.account_id and r.message_id = m.id
    where m.account_id = ${accountId} and m.started_at >= ${since} and m.kind <> 'test'
    group by m.channel`.execute(db);
  return rows;
}
