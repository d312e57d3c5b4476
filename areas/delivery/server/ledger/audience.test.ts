// Order of recipients while a sending domain warms up.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { addPeople, startMessage } from '#testing/mailing.ts';
import { testServer } from '#testing/server.ts';
import { TIER } from './lanes.ts';

const server = await testServer();

test('engaged and recent subscribers come before the others, and before imported ones', async () => {
  const { accountId } = await server.owner();
  const ids = await addPeople(server.db, accountId, 4);
  const [silent, reader, fresh, imported] = ids as [number, number, number, number];
  const now = clock.now();
  const longAgo = new Date(now.getTime() - 200 * 86_400_000);
  await sql`insert into warm_ups (account_id, domain, caps, created_at, modified_at)
    values (${accountId}, 'tea.example', '{50, 100}', ${now}, ${now})`.execute(server.db);
  await sql`update subscribers set created_at = ${longAgo} where account_id = ${accountId}
    and id = any(${[silent, reader]}::bigint[])`.execute(server.db);
  await sql`update subscribers set source = 'import' where account_id = ${accountId}
    and id = ${imported}`.execute(server.db);
  await sql`insert into activity (account_id, subscriber_id, last_human_open_at)
    values (${accountId}, ${reader}, ${now})`.execute(server.db);
  const messageId = await startMessage(server.db, accountId);
  await server.runJobs();
  const { rows } = await sql<{ subscriber_id: number; lane: number }>`
    select subscriber_id, lane from recipients where account_id = ${accountId}
      and message_id = ${messageId}`.execute(server.db);
  const tierOf = (id: number) =>
    Math.floor((rows.find((row) => row.subscriber_id === id)?.lane ?? Number.NaN) / TIER);
  expect([reader, fresh, silent, imported].map(tierOf)).toEqual([0, 0, 1, 1]);
});
