// Bulk actions on more subscribers than one transaction handles: each subscriber is changed once, a
// job finishes the action if the process dies, and groups and fields that the action uses cannot be
// deleted while it runs.
import { beforeAll, expect, test } from 'vitest';
import { sql } from 'kysely';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { addJob, jobAbandoned } from '#platform/server/jobs/jobs.ts';
import { unsubscribe } from '#areas/subscribers/server/index.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { bulkActJob } from './bulk.ts';

let server: TestServer;

beforeAll(async () => {
  server = await testServer();
});

/** Creates an owner of an account with `count` subscribers. */
async function createOwner(count: number) {
  const owner = await server.owner();
  await sql`
    insert into subscribers (account_id, email, email_key, firstname, created_at, modified_at)
    select ${owner.accountId}, e, e, 'N' || n % 2, ${clock.now()}, ${clock.now()}
    from (select n, 'p' || n || '@many.example' as e from generate_series(1, ${count}::int) n) x
  `.execute(server.db);
  await sql`update accounts set subscriber_count = ${count} where id = ${owner.accountId}`.execute(
    server.db,
  );
  return owner;
}

const countOf = async (accountId: number) =>
  (
    await sql<{ unsubscribed: number; changes: number; suppressed: number; consents: number }>`
      select
        (select count(*) from subscribers where account_id = ${accountId}
          and email_status = 'unsubscribed') as unsubscribed,
        (select count(*) from status_changes where account_id = ${accountId}) as changes,
        (select count(*) from suppressions where account_id = ${accountId}) as suppressed,
        (select count(*) from consents where account_id = ${accountId}) as consents
    `.execute(server.db)
  ).rows[0];

const countWaitingJobs = async () =>
  (
    await sql<{ count: number }>`
      select count(*) as count from graphile_worker.jobs
      where task_identifier = 'audience.bulk_act'`.execute(server.db)
  ).rows[0]?.count;

test('a bulk action that needs several transactions changes each subscriber once and leaves no job', async () => {
  const owner = await createOwner(12_001);
  const response = await owner.post('/client-api/api/unsubscribes', { all: true });
  expect(response.body).toEqual({ success: true, count: 12_001, skipped: {}, queued: false });
  expect(await countOf(owner.accountId)).toEqual({
    unsubscribed: 12_001,
    changes: 12_001,
    suppressed: 12_001,
    consents: 12_001,
  });
  expect(await countWaitingJobs()).toBe(0);
  const reactivateResponse = await owner.post('/client-api/api/subscribers/reactivate', {
    conditions: 'firstname,is,N1,1,and,and,',
  });
  expect(reactivateResponse.body.code).toBe('conditions_malformed');
  const half = await owner.post('/client-api/api/subscribers/reactivate', {
    conditions: 'firstname,equals,N1,1,and,and,',
  });
  expect(half.body.count).toBe(6_001);
  const deletion = await owner.delete('/client-api/api/subscribers', { all: true });
  expect(deletion.body.count).toBe(12_001);
  expect((await owner.get('/client-api/api/users')).body.data.account.subscriber_count).toBe(0);
});

test('a bulk action whose process died is completed by its job, and each subscriber is changed once', async () => {
  const owner = await createOwner(11_000);
  const { accountId } = owner;
  const { rows } = await sql<{ id: number }>`
    select id from subscribers where account_id = ${accountId} order by id limit 4000`.execute(
    server.db,
  );
  await inTransaction(server.db, (tx) =>
    unsubscribe(
      tx,
      accountId,
      { subscriberIds: rows.map((row) => row.id) },
      { channel: 'email', reason: 'owner', userId: owner.userId },
    ),
  );
  const payload = {
    accountId,
    conditions: [],
    act: { kind: 'unsubscribe' as const, channel: 'email' as const, userId: owner.userId },
    after: 0,
    asOf: clock.now().toISOString(),
  };
  const tools = { db: server.db, signal: new AbortController().signal };
  await bulkActJob.run(payload, tools);
  await bulkActJob.run(payload, tools);
  expect(await countOf(accountId)).toEqual({
    unsubscribed: 11_000,
    changes: 11_000,
    suppressed: 11_000,
    consents: 11_000,
  });
});

test('a bulk action that crashed its worker twice is reported, leaves the queue and can be repeated', async () => {
  const owner = await createOwner(10);
  const payload = {
    accountId: owner.accountId,
    conditions: [],
    act: { kind: 'unsubscribe' as const, channel: 'email' as const, userId: owner.userId },
    after: 0,
    asOf: clock.now().toISOString(),
  };
  await addJob(server.db, bulkActJob, payload, { key: 'bulk:killed' });
  await sql`update graphile_worker._private_jobs set last_error = 'Killed its worker 2 times'
    where key = 'bulk:killed'`.execute(server.db);
  const hints: string[] = [];
  const stop = jobAbandoned.on(async (_, { accountId, job }) => {
    if (accountId === owner.accountId) hints.push(job);
  });
  await server.runJobs();
  stop();
  expect(hints).toEqual(['audience.bulk_act']);
  expect(await countOf(owner.accountId)).toMatchObject({ unsubscribed: 0 });
  expect(await countWaitingJobs()).toBe(0);
  const response = await owner.post('/client-api/api/unsubscribes', { all: true });
  expect(response.body).toMatchObject({ count: 10, queued: false });
});

test('a bulk action does not change other accounts or subscribers added after the selection', async () => {
  const owner = await createOwner(3);
  const otherAccount = await createOwner(2);
  const asOf = clock.now().toISOString();
  clock.advance(1000);
  await owner.post('/client-api/api/subscribers', { email: 'later@x.example' });
  await bulkActJob.run(
    {
      accountId: owner.accountId,
      conditions: [],
      act: { kind: 'unsubscribe', channel: 'email', userId: owner.userId },
      after: 0,
      asOf,
    },
    { db: server.db, signal: new AbortController().signal },
  );
  clock.reset();
  expect((await countOf(owner.accountId))?.unsubscribed).toBe(3);
  expect((await countOf(otherAccount.accountId))?.unsubscribed).toBe(0);
});

test('a group or field used by a running bulk action cannot be deleted before the action ends', async () => {
  const owner = await createOwner(1);
  const group = (await owner.post('/client-api/api/tags', { title: 'Old' })).body.data.id;
  const field = (await owner.post('/client-api/api/fields', { title: 'City', type: 'text' })).body
    .data.id;
  const commonFields = { group: 1, outside_concat: 'and', inside_concat: 'and', more: [] };
  const payload = {
    accountId: owner.accountId,
    conditions: [
      { ...commonFields, type: 'tag', operator: 'not-have', operand: group, key: '' },
      { ...commonFields, type: 'text', operator: 'blank', operand: '', key: field },
    ],
    act: { kind: 'unsubscribe' as const, channel: 'email' as const, userId: owner.userId },
    after: 0,
    asOf: clock.now().toISOString(),
  };
  await addJob(server.db, bulkActJob, payload, { key: `bulk:${owner.accountId}:one` });
  const remove = () =>
    Promise.all(
      [`tags/${group}`, `fields/${field}`].map((path) => owner.delete(`/client-api/api/${path}`)),
    );
  for (const { status, body } of await remove()) {
    expect([status, body.used_by[0].kind]).toEqual([409, 'bulk_act']);
    // The message suggests only waiting, because a running action cannot be changed.
    expect(body.message).toMatch(/an action on many subscribers .* once nothing uses it\.$/);
  }
  // Title and message are in the user's language, even if the account's language differs.
  await sql`update users set language = 'swe' where id = ${owner.userId}`.execute(server.db);
  for (const { body } of await remove()) {
    const [{ title }] = body.used_by;
    expect(title).toMatch(/^en åtgärd för många prenumeranter/);
    expect(body.message).toContain(title);
  }
  await server.runJobs();
  expect((await countOf(owner.accountId))?.unsubscribed).toBe(1);
  expect((await remove()).map(({ status }) => status)).toEqual([200, 200]);
});
