// Occurrences of the demo's custom events.
import { sql } from 'kysely';
import type { Tx } from '#platform/server/database/database.ts';
import { chance, type DemoHistory } from './history.sql.ts';

export async function insertOccurrences(
  tx: Tx,
  history: DemoHistory,
  eventId: number,
  fraction: number,
): Promise<void> {
  const index = (salt: number) => chance('s.id * 8 + k', salt);
  await sql`update custom_events set created_at = ${new Date(history.now.getTime() - 730 * 86_400_000)}
    where account_id = ${history.accountId} and id = ${eventId}`.execute(tx);
  await sql`
    insert into event_occurrences (account_id, event_id, subscriber_id, at, properties)
    select s.account_id, ${eventId}::bigint, s.id,
      s.created_at + (${history.now}::timestamptz - s.created_at) * ${index(61)},
      jsonb_build_object('tea', (${history.teas}::text[])[1 + floor(${index(62)} * ${history.teas.length}::int)::int])
    from subscribers s cross join generate_series(1, 4) k
    where s.account_id = ${history.accountId} and ${chance('s.id', 63)} < ${fraction}::float8
      and k <= 1 + floor(4 * power(${chance('s.id', 64)}, 2))`.execute(tx);
  await sql`
    insert into event_people (account_id, event_id, subscriber_id, times, first_at, last_at)
    select account_id, event_id, subscriber_id, count(*), min(at), max(at) from event_occurrences
    where account_id = ${history.accountId} and event_id = ${eventId} group by 1, 2, 3`.execute(tx);
}
