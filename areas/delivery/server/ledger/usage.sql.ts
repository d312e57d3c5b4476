// SQL of usage: an account's sends, and the number of subscribers reached.
import { sql } from 'kysely';
import type { Reader } from '#platform/server/database/database.ts';
import { recipientSet } from './recipient-runs.sql.ts';

/**
 * Distinct subscribers in the audiences of messages since an instant, by channel, including later
 * deleted ones.
 */
export async function countPeopleReached(
  db: Reader,
  accountId: number,
  since: Date,
): Promise<{ channel: string; count: number }[]> {
  const isSince = sql`in (select id from messages
    where account_id = ${accountId} and started_at >= ${since} and kind <> 'test')`;
  const { rows } = await sql<{ channel: string; count: number }>`
    select m.channel, count(distinct r.subscriber_id) as count
    from messages m join ${recipientSet(accountId, isSince)} r on r.message_id = m.id
    where m.account_id = ${accountId} and m.started_at >= ${since} and m.kind <> 'test'
    group by m.channel`.execute(db);
  return rows;
}

/** SMS that providers accepted, of messages since an instant, without tests. */
export async function countSmsSent(db: Reader, accountId: number, since: Date): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select coalesce(sum(c.accepted), 0)::bigint as count
    from messages m join delivery_counts c on c.account_id = m.account_id and c.message_id = m.id
    where m.account_id = ${accountId} and m.channel = 'sms' and m.started_at >= ${since}
      and m.kind <> 'test'`.execute(db);
  return rows[0]?.count ?? 0;
}
