// Counts the senders' remaining work across all accounts, for monitoring.
import { sql } from 'kysely';
import { acrossAccounts } from '#platform/server/database/across-accounts.sql.ts';
import type { Reader } from '#platform/server/database/database.ts';

type Backlog = {
  /** Number of recipients without a lease whose copies may be sent now. */
  due: number;
  /** Number of recipients of waves that have not opened, and of delayed messages. */
  later: number;
  /**
   * The time of the last change of the message that has waited longest for its first recipients;
   * null if no message waits for them.
   */
  preparing_since: Date | null;
};

/**
 * Does not include single sends and paused messages. Uses the small partial index of unfinished
 * messages.
 */
export async function readBacklog(db: Reader, now: Date): Promise<Backlog> {
  const isLater = sql`(coalesce(l.opens_at > ${now}, false) or coalesce(m.held_until > ${now}, false))`;
  const rows = await acrossAccounts(
    db,
    (scope) => sql<Backlog>`
      select coalesce(sum(l.written - l.leased) filter (where not ${isLater}), 0) as due,
        coalesce(sum(l.written - l.leased) filter (where ${isLater}), 0) as later,
        min(m.modified_at) filter (where m.state = 'preparing' and not m.is_audience_complete)
          as preparing_since
      from messages m left join lanes l on l.account_id = m.account_id and l.message_id = m.id
        and l.leased < l.written and (l.closes_at is null or l.closes_at > ${now})
        and ${scope(sql`l.account_id`)}
      where m.state in ('preparing', 'sending', 'waiting') and m.frozen_hash is null
        and ${scope(sql`m.account_id`)}`,
  );
  return rows[0] ?? { due: 0, later: 0, preparing_since: null };
}
