// Queries for an account's usage: the number of subscribers reached, and of SMS sent.
import { sql } from 'kysely';
import type { Reader } from '#platform/server/database/database.ts';
import { recipientSet } from './recipient-runs.sql.ts';

/**
 * Counts the distinct recipients of messages that started since an instant, by channel, including
 * subscribers deleted since. Tests and single sends do not count.
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

/**
 * Counts the SMS that providers accepted for messages started since an instant, excluding tests.
 */
export async function countSmsSent(db: Reader, accountId: number, since: Date): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select coalesce(sum(c.accepted), 0)::bigint as count
    from messages m join delivery_counts c on c.account_id = m.account_id and c.message_id = m.id
    where m.account_id = ${accountId} and m.channel = 'sms' and m.started_at >= ${since}
      and m.kind <> 'test'`.execute(db);
  return rows[0]?.count ?? 0;
}
