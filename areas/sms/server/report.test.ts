// Queries for SMS campaign reports.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testServer } from '#testing/setup/server.ts';
import { countUnsubscribes, listUnsubscribes } from './report.sql.ts';

test('the list of unsubscribes contains a subscriber who unsubscribed twice only once, as the count does', async () => {
  const { db, owner } = await testServer();
  const { accountId } = await owner();
  const { rows } = await sql<{ id: number }>`
    insert into subscribers (account_id, phone, phone_key, created_at, modified_at)
    select ${accountId}::bigint, p, p, now(), now()
    from unnest(array['+15125550101', '+15125550102']) p returning id`.execute(db);
  const [twice, once] = rows.map((row) => row.id);
  const message = 5;
  await sql`
    insert into status_changes
      (account_id, subscriber_id, at, channel, from_status, to_status, reason, message_id)
    values (${accountId}, ${twice}, '2026-03-01Z', 'sms', 'active', 'unsubscribed', 'stop', ${message}),
      (${accountId}, ${twice}, '2026-03-02Z', 'sms', 'unsubscribed', 'active', 'start', null),
      (${accountId}, ${twice}, '2026-03-03Z', 'sms', 'active', 'unsubscribed', 'link', ${message}),
      (${accountId}, ${once}, '2026-03-02Z', 'sms', 'active', 'unsubscribed', 'stop', ${message})`.execute(
    db,
  );
  const unsubscribes = await listUnsubscribes(db, accountId, [message], { limit: 10, offset: 0 });
  expect(unsubscribes.map((row) => [row.subscriber_id, row.detail])).toEqual([
    [twice, 'link'],
    [once, 'stop'],
  ]);
  expect((await countUnsubscribes(db, accountId, [message])).get(message)).toBe(
    unsubscribes.length,
  );
});
