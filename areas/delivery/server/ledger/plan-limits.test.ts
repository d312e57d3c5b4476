// The hard cap of a plan is shown at the review and announced by email. When it is reached,
// campaigns pause until there is capacity.
import { writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { readEmailUsage } from '#areas/billing/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { addPeople, startMessage } from '#testing/worlds/sending-helpers.ts';
import { publicClient } from '#testing/setup/public-client.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { readDelivery, sendOne } from './index.ts';
import { sampleSource } from '#areas/content/server/sample-source.ts';
import { enforcePlan, planLimitsPoller } from './plan-limits.ts';

const DAY = 86_400_000;
let server: TestServer;

beforeAll(async () => {
  const file = path.join(os.tmpdir(), `sendloom-test-${process.pid}-limits.json`);
  const price = { usd: 10, eur: 10 };
  writeFileSync(
    file,
    JSON.stringify({
      limits: 'enforced',
      seller: { name: 'Loom Ltd', address: ['1 Street'], country: 'LT' },
      free: { subscribers: 50, emails: 20 },
      plans: [
        {
          ...{ key: 'small', title: 'Small', emails_per_subscriber: 12 },
          sizes: [{ subscribers: 500, monthly: price, annual: price }],
        },
      ],
    }),
  );
  server = await testServer({ BILLING: 'test', BILLING_FILE: file });
});
afterEach(() => clock.reset());

const poll = () => planLimitsPoller.run(server.db, new AbortController().signal);

async function stateOf(accountId: number, messageId: number) {
  const [delivery] = await readDelivery(server.db, accountId, [messageId]);
  return [delivery?.state, delivery?.reason];
}

/** Records emails sent this month. */
const recordSent = (accountId: number, sentCount: number) =>
  sql`insert into sent_times (account_id, quarter, shard, sent)
    values (${accountId}, ${clock.now()}, 0, ${sentCount})`.execute(server.db);

const systemEmailsOf = async (accountId: number) =>
  (
    await sql<{ subject: string }>`
      select m.frozen->'source'->>'subject' as subject from messages m
      where m.account_id = ${accountId} and m.kind = 'letter'
        and exists (select 1 from single_sends s where s.account_id = m.account_id and s.message_id = m.id)
      order by m.id`.execute(server.db)
  ).rows.map((row) => row.subject);

test('at the limit, campaigns pause with the reason until the next month, and transactional email is still sent', async () => {
  const owner = await server.owner();
  const { accountId } = owner;
  await addPeople(server.db, accountId, 10);
  const messageId = await startMessage(server.db, accountId);
  await server.runJobs();
  await recordSent(accountId, 17);
  await poll();
  expect(await stateOf(accountId, messageId)).toEqual(['sending', null]);
  await sql`update sent_times set sent = 18 where account_id = ${accountId}`.execute(server.db);
  await poll();
  await poll();
  expect((await systemEmailsOf(accountId)).join()).toContain('nearly used up');
  await sql`update sent_times set sent = 20 where account_id = ${accountId}`.execute(server.db);
  await poll();
  expect(await stateOf(accountId, messageId)).toEqual(['paused', 'plan_limit']);
  const [delivery] = await readDelivery(server.db, accountId, [messageId]);
  const { month } = await readEmailUsage(server.db, accountId);
  expect(delivery).toMatchObject({ heldUntil: month.end, held: 0, counts: { pending: 10 } });
  await poll();
  const emails = await systemEmailsOf(accountId);
  expect(emails.filter((subject) => subject.includes('has stopped'))).toHaveLength(1);

  // Transactional email is not limited.
  const { message_id: _, ...source } = sampleSource({ account_id: accountId });
  const receipt = { accountId, kind: 'transactional', sourceId: 1, source } as const;
  const sentSingle = await inTransaction(server.db, (tx) =>
    sendOne(tx, { ...receipt, recipient: 'anna@shop.example', values: {}, idempotencyKey: 'r' }),
  );
  await poll();
  const { rows } = await sql<{ state: string }>`
    select state from single_sends where account_id = ${accountId} and message_id = ${sentSingle.messageId}`.execute(
    server.db,
  );
  expect(rows).toEqual([{ state: 'pending' }]);

  clock.advance(32 * DAY);
  await poll();
  expect(await stateOf(accountId, messageId)).toEqual(['sending', null]);
});

test('the account is warned if the transaction of an earlier warning was rolled back', async () => {
  const { accountId } = await server.owner();
  await addPeople(server.db, accountId, 10);
  await startMessage(server.db, accountId);
  await recordSent(accountId, 18);
  const attempt = inTransaction(server.db, async (tx) => {
    await enforcePlan(tx, accountId);
    throw new Error('rolled back');
  });
  await expect(attempt).rejects.toThrow('rolled back');
  await poll();
  await server.runJobs();
  expect((await systemEmailsOf(accountId)).join()).toContain('nearly used up');
});

test('the review shows exceeded limits of emails and subscribers, and scheduling above them is refused', async () => {
  const owner = await server.owner();
  const { accountId } = owner;
  await addPeople(server.db, accountId, 30);
  const calls = '/client-api/api/campaigns';
  const { data } = (await owner.post(calls, { title: 'Spring' })).body;
  await owner.post(`${calls}/${data.id}/tags/set`, { tags_arr: [], send_to_all: true });
  const findPlanCheck = async () =>
    (await owner.get(`${calls}/${data.id}/checks`)).body.data.find((row: { code: string }) =>
      row.code.startsWith('plan_'),
    );
  expect(await findPlanCheck()).toMatchObject({
    ...{ code: 'plan_emails', severity: 'error', step: 'plan', values: { left: 20, total: 30 } },
  });
  const refusal = await owner.post(`${calls}/${data.id}/schedule`, { schedule_time: null });
  expect([refusal.status, refusal.body.code]).toEqual([422, 'content_invalid']);
  await recordSent(accountId, 20);
  const limitRefusal = await owner.post(`${calls}/${data.id}/schedule`, { schedule_time: null });
  expect([limitRefusal.status, limitRefusal.body.code]).toEqual([409, 'plan_limit']);
  const api = await publicClient(server, owner);
  const publicRefusal = await api.post(`/campaigns/${data.id}/send`);
  expect([publicRefusal.status, publicRefusal.body.code]).toEqual([409, 'plan_limit']);
  await addPeople(server.db, accountId, 30, ['second.example']);
  const codes = (await owner.get(`${calls}/${data.id}/checks`)).body.data.map(
    (row: { code: string }) => row.code,
  );
  expect(codes).toContain('plan_people');
});

test('a suspended account sends no marketing until the operator lifts the suspension', async () => {
  const owner = await server.owner();
  const { accountId } = owner;
  await addPeople(server.db, accountId, 5);
  const messageId = await startMessage(server.db, accountId);
  await server.runJobs();
  await sql`insert into billing_accounts (account_id, suspended_at, suspended_reason)
    values (${accountId}, ${clock.now()}, 'spam')
    on conflict (account_id) do update set suspended_at = excluded.suspended_at`.execute(server.db);
  await poll();
  expect(await stateOf(accountId, messageId)).toEqual(['paused', 'account_suspended']);
  await sql`update billing_accounts set suspended_at = null where account_id = ${accountId}`.execute(
    server.db,
  );
  await poll();
  expect(await stateOf(accountId, messageId)).toEqual(['sending', null]);
});
