// Queries that count reachable and lost subscribers.
import { sql } from 'kysely';
import type { Reach } from '#areas/accounts/server/index.ts';
import type { Reader } from '#platform/server/database/database.ts';

/** Counts reachable subscribers in one pass over all subscribers of the account. */
export async function countReachable(db: Reader, accountId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from subscribers
    where account_id = ${accountId} and deleted_at is null
      and (email_status = 'active' or sms_status = 'active')`.execute(db);
  return rows[0]?.count ?? 0;
}

/**
 * Counts reachable subscribers by channel, and unreachable ones by the most serious reason.
 * Subscribers who never subscribed to any channel are not counted at all. Reads all subscribers of
 * the account once, like `countReachable`.
 */
export async function readReach(db: Reader, accountId: number): Promise<Reach> {
  const { rows } = await sql<Reach>`
    select count(*) filter (where by_email or by_sms) as reachable,
      count(*) filter (where by_email) as email, count(*) filter (where by_sms) as sms,
      count(*) filter (where not (by_email or by_sms) and gravest is not null) as lost,
      count(*) filter (where not (by_email or by_sms) and gravest = 1) as complained,
      count(*) filter (where not (by_email or by_sms) and gravest = 2) as bounced,
      count(*) filter (where not (by_email or by_sms) and gravest = 3) as unsubscribed
    from (
      select email_status = 'active' as by_email, sms_status = 'active' as by_sms,
        case when 'reported' in (email_status, sms_status) then 1
          when 'bounced' in (email_status, sms_status) then 2
          when 'unsubscribed' in (email_status, sms_status) then 3 end as gravest
      from subscribers where account_id = ${accountId} and deleted_at is null
    ) person`.execute(db);
  const zeroCounts = {
    reachable: 0,
    email: 0,
    sms: 0,
    lost: 0,
    unsubscribed: 0,
    bounced: 0,
    complained: 0,
  };
  return rows[0] ?? zeroCounts;
}
