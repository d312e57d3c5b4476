// SQL of subscribers with any message.
import { sql } from 'kysely';
import type { Reader } from '#platform/server/database/database.ts';

/** Filters subscribers by whether any message has them as a recipient. */
export async function writtenPeople(
  db: Reader,
  facts: { accountId: number; subscriberIds: readonly number[] },
): Promise<number[]> {
  const { rows } = await sql<{ subscriber_id: number }>`
    select distinct subscriber_id from recipients
    where account_id = ${facts.accountId}
      and subscriber_id = any(${[...facts.subscriberIds]}::bigint[])`.execute(db);
  return rows.map((row) => row.subscriber_id);
}
