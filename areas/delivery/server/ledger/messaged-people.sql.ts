// Finds subscribers to whom messages were sent.
import { sql } from 'kysely';
import type { Reader } from '#platform/server/database/database.ts';
import { isInAnyRun } from './recipient-runs.sql.ts';

/**
 * Returns those of the given subscribers who are recipients of at least one message. Single sends
 * do not count.
 */
export async function findMessagedSubscribers(
  db: Reader,
  facts: { accountId: number; subscriberIds: readonly number[] },
): Promise<number[]> {
  const { rows } = await sql<{ subscriber_id: number }>`
    select p.id as subscriber_id from unnest(${[...facts.subscriberIds]}::bigint[]) p(id)
    where exists (select 1 from recipients r where r.account_id = ${facts.accountId}
        and r.subscriber_id = p.id)
      or ${isInAnyRun(facts.accountId, sql`p.id`)}`.execute(db);
  return rows.map((row) => row.subscriber_id);
}
