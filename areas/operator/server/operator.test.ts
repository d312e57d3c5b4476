// The operator's page: access for addresses in OPERATOR_EMAILS, the state of the installation, and
// its accounts.
import { writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { startHeartbeat } from '#platform/server/jobs/heartbeat.ts';
import { addPeople } from '#testing/worlds/sending-helpers.ts';
import { failAccountNode } from '#testing/setup/node-failures.ts';
import {
  type TestClient,
  type TestOwner,
  type TestServer,
  testServer,
} from '#testing/setup/server.ts';
import { startTestGateway, type TestGateway } from '#testing/servers/test-gateway.ts';
import type { InstallationHealth } from '../contract.ts';
import { findProblems } from './problems.ts';

const CALLS = '/client-api/api/operator';
let server: TestServer;
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
  const file = path.join(os.tmpdir(), `sendloom-test-${process.pid}-operator.json`);
  const price = { usd: 10, eur: 10 };
  writeFileSync(
    file,
    JSON.stringify({
      seller: { name: 'Loom Ltd', address: ['1 Street'], country: 'LT' },
      free: { subscribers: 100, emails: 1000 },
      plans: [
        {
          ...{ key: 'small', title: 'Small', emails_per_subscriber: 12 },
          sizes: [{ subscribers: 500, monthly: price, annual: price }],
        },
      ],
    }),
  );
  server = await testServer({
    BILLING: 'test',
    BILLING_FILE: file,
    TEST_GATEWAY_URL: gateway.base,
    OPERATOR_EMAILS: 'Boss@loom.example, other@loom.example',
  });
});
afterEach(() => clock.reset());

let boss: TestOwner | undefined;

async function createOperator() {
  boss ??= await server.owner('boss@loom.example');
  await sql`update users set email_verified_at = ${clock.now()}
    where email_key = 'boss@loom.example'`.execute(server.db);
  return boss;
}

test('the page exists only for a verified address in OPERATOR_EMAILS', async () => {
  const otherOwner = await server.owner();
  const account = encodeId('account', otherOwner.accountId);
  const otherOperator = await server.owner('other@loom.example');
  await sql`update users set email_verified_at = null where email_key = 'other@loom.example'`.execute(
    server.db,
  );
  for (const client of [otherOwner, otherOperator]) {
    expect((await client.get(`${CALLS}/health`)).status).toBe(404);
    expect((await client.get(`${CALLS}/accounts`)).status).toBe(404);
    expect((await client.post(`${CALLS}/jobs/retry`, { job: 'x' })).status).toBe(404);
    expect((await client.get(`${CALLS}/accounts/${account}`)).status).toBe(404);
    const response = await client.post(`${CALLS}/accounts/${account}/suspend`, { reason: 'x' });
    expect(response.status).toBe(404);
  }
  expect((await (await createOperator()).get(`${CALLS}/health`)).status).toBe(200);
});

test('health lists running and silent processes, and sorts problems with the worst first', async () => {
  const owner = await createOperator();
  await sql`delete from processes`.execute(server.db);
  const presence = await startHeartbeat(server.db, 'web');
  const relay = { name: 'relay.example', is: 'refused', reply: '535 no', accepted: 3, refused: 1 };
  const sender = await startHeartbeat(server.db, 'sender', {
    getDetails: () => ({ relays: [relay], sent_last_minute: 120 }),
  });
  // The last report of a stopped process does not count towards the rate.
  await sql`insert into processes (id, role, started_at, seen_at, facts)
    values ('worker-1', 'worker', ${clock.now()}, ${new Date(clock.now().getTime() - 60_000)},
      '{"sent_last_minute": 7}')`.execute(server.db);
  const { data } = (await owner.get(`${CALLS}/health`)).body as { data: InstallationHealth };
  expect(data.processes.map(({ role, is_alive }) => [role, is_alive])).toEqual(
    expect.arrayContaining([
      ['web', true],
      ['sender', true],
      ['worker', false],
    ]),
  );
  expect(data.sending_rate).toBe(120);
  expect(data.relays).toEqual([relay]);
  expect(data.database.version).toMatch(/^\d+/);
  expect(data.database.bytes).toBeGreaterThan(1_000_000);
  const codes = data.troubles.map(({ code }) => code).filter((code) => code !== 'errors');
  expect(codes).toEqual(['role_missing', 'relay_refused', 'role_silent']);
  await presence.close();
  await sender.close();
});

describe("while the node of the operator's account is down", () => {
  const credentials = { email: 'boss@loom.example', password: 'correct horse battery' };
  const stopNodeOf = async (accountId: number) => {
    const tables = ['accounts', 'sessions', 'refresh_tokens', 'audit'];
    return failAccountNode(server.db, accountId, tables);
  };
  const addAbandonedJob = async () => {
    await sql`select graphile_worker.add_job('test.away', '{}'::json, max_attempts => 1)`.execute(
      server.db,
    );
    await sql`update graphile_worker._private_jobs set attempts = 1
      where task_id = (select id from graphile_worker._private_tasks where identifier = 'test.away')`.execute(
      server.db,
    );
  };

  test('a signed-in operator sees the installation and retries abandoned jobs', async () => {
    const { accountId } = await createOperator();
    const browser = server.client();
    expect((await browser.post('/auth/api/sign-in', credentials)).status).toBe(200);
    await addAbandonedJob();
    const returnNode = await stopNodeOf(accountId);
    try {
      expect((await browser.get('/client-api/api/users')).status).toBe(503);
      const health = await browser.get(`${CALLS}/health`);
      expect(health.status).toBe(200);
      const hasAbandoned = (row: InstallationHealth['queue'][number]) => row.given_up > 0;
      expect((health.body.data as InstallationHealth).queue.filter(hasAbandoned)).toHaveLength(1);
      const response = await browser.post(`${CALLS}/jobs/retry`, { job: 'test.away' });
      expect([response.status, response.body.data]).toEqual([200, { count: 1 }]);
      // The access token has expired, and the account's node cannot renew it.
      clock.advance(3_600_000);
      expect((await browser.post('/auth/api/refresh')).status).toBe(503);
      expect((await browser.get(`${CALLS}/health`)).status).toBe(200);
    } finally {
      await returnNode();
    }
  });

  test("an operator signs out of both sessions, and the account's session ends once its node is back", async () => {
    const { accountId } = await createOperator();
    const browser = server.client();
    expect((await browser.post('/auth/api/sign-in', credentials)).status).toBe(200);
    const copy = server.client();
    for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
    const returnNode = await stopNodeOf(accountId);
    try {
      expect((await browser.post('/auth/api/sign-out')).status).toBe(200);
      expect(browser.cookies.size).toBe(0);
      // Signing out ended the operator's session, so the server looks up the account's session, for
      // which it needs the node.
      expect((await copy.get(`${CALLS}/health`)).status).toBe(503);
      const { operator: secret } = Object.fromEntries(copy.cookies);
      const cookieOnly = { cookie: `operator=${secret}` };
      expect((await server.client().get(`${CALLS}/health`, cookieOnly)).status).toBe(401);
    } finally {
      await returnNode();
    }
    await server.runJobs();
    expect((await copy.get('/client-api/api/users')).status).toBe(401);
    expect((await copy.post('/auth/api/refresh')).status).toBe(401);
  });

  test("an operator signs in only to the operator's page, and other users are refused with the reason", async () => {
    const { accountId, userId } = await createOperator();
    const signedInBefore = server.client();
    await signedInBefore.post('/auth/api/sign-in', credentials);
    const outsider = await server.owner('stranger@loom.example');
    await sql`insert into memberships (user_id, account_id, created_at)
      values (${outsider.userId}, ${accountId}, ${clock.now()})`.execute(server.db);
    await sql`delete from memberships
      where account_id = ${outsider.accountId} and user_id = ${outsider.userId}`.execute(server.db);
    const returnNode = await stopNodeOf(accountId);
    try {
      const strangerBrowser = server.client();
      const response = await strangerBrowser.post('/auth/api/sign-in', {
        ...credentials,
        email: 'stranger@loom.example',
      });
      expect([response.status, response.body.code]).toEqual([503, 'account_unavailable']);
      expect(strangerBrowser.cookies.size).toBe(0);
      const browser = server.client();
      const wrongPassword = await browser.post('/auth/api/sign-in', {
        ...credentials,
        password: 'wrong one',
      });
      expect([wrongPassword.status, browser.cookies.size]).toEqual([422, 0]);
      const signedIn = await browser.post('/auth/api/sign-in', credentials);
      expect([signedIn.status, signedIn.body.code]).toEqual([503, 'operator_page_only']);
      expect([...browser.cookies.keys()]).toEqual(['operator']);
      expect((await browser.get(`${CALLS}/health`)).status).toBe(200);
      expect((await browser.get('/client-api/api/users')).status).toBe(401);
      const repeat = await signedInBefore.post('/auth/api/sign-in', credentials);
      expect([repeat.status, repeat.body.code]).toEqual([503, 'operator_page_only']);
      expect((await signedInBefore.post('/auth/api/sign-out')).status).toBe(200);
      expect((await browser.post('/auth/api/sign-out')).status).toBe(200);
      expect((await browser.get(`${CALLS}/health`)).status).toBe(401);
    } finally {
      await returnNode();
    }
    const { rows } = await sql`select 1 from operator_sessions
      where user_id = ${userId} and session_id is null`.execute(server.db);
    expect(rows).toEqual([]);
  });
});

test("an operator's session requires the account's session, the same password and a verified address", async () => {
  const credentials = { email: 'other@loom.example', password: 'correct horse battery' };
  const verify = (at: Date | null) =>
    sql`update users set email_verified_at = ${at} where email_key = ${credentials.email}`.execute(
      server.db,
    );
  await verify(clock.now());
  const signIn = async () => {
    const browser = server.client();
    expect((await browser.post('/auth/api/sign-in', credentials)).status).toBe(200);
    return browser;
  };
  /** Returns the status of a request with only the operator's cookie. */
  const readStatus = async (browser: TestClient) => {
    const cookie = `operator=${browser.cookies.get('operator')}`;
    return (await server.client().get(`${CALLS}/health`, { cookie })).status;
  };
  const [first, second] = [await signIn(), await signIn()];
  const copiedBrowser = server.client();
  copiedBrowser.cookies.set('operator', first.cookies.get('operator') as string);
  expect([await readStatus(first), await readStatus(second)]).toEqual([200, 200]);
  expect((await first.post('/auth/api/sign-out')).status).toBe(200);
  expect([await readStatus(copiedBrowser), await readStatus(second)]).toEqual([401, 200]);

  await verify(null);
  expect(await readStatus(second)).toBe(401);
  await verify(clock.now());
  expect(await readStatus(second)).toBe(200);

  const third = await signIn();
  const { id } = (await second.get('/client-api/api/users')).body.data.user;
  const response = await second.post(`/client-api/api/users/${id}/password`, {
    current: credentials.password,
    password: 'another horse battery',
  });
  expect(response.status).toBe(200);
  expect(await readStatus(third)).toBe(401);
  expect(await readStatus(second)).toBe(200);
  // Another user who signs in with the same browser is not an operator.
  const outsider = await server.owner('nextuser@loom.example');
  second.cookies.clear();
  second.cookies.set('operator', 'unknown');
  const next = { email: 'nextuser@loom.example', password: credentials.password };
  expect((await second.post('/auth/api/sign-in', next)).status).toBe(200);
  expect(second.cookies.has('operator')).toBe(false);
  expect((await outsider.get(`${CALLS}/health`)).status).toBe(404);
});

test('abandoned jobs of one kind are retried once', async () => {
  const owner = await createOperator();
  await sql`select graphile_worker.add_job('test.kind', '{}'::json, max_attempts => 1)`.execute(
    server.db,
  );
  await sql`update graphile_worker._private_jobs set attempts = 1
    where task_id = (select id from graphile_worker._private_tasks where identifier = 'test.kind')`.execute(
    server.db,
  );
  const readQueue = async () => {
    const { data } = (await owner.get(`${CALLS}/health`)).body as { data: InstallationHealth };
    const row = data.queue.find(({ job }) => job === 'test.kind');
    return [row?.given_up, row?.due];
  };
  expect(await readQueue()).toEqual([1, 0]);
  const otherJob = await owner.post(`${CALLS}/jobs/retry`, { job: 'test.other' });
  expect(otherJob.body.data).toEqual({ count: 0 });
  expect((await owner.post(`${CALLS}/jobs/retry`, { job: '' })).status).toBe(422);
  const responses = await Promise.all(
    [1, 2].map(() => owner.post(`${CALLS}/jobs/retry`, { job: 'test.kind' })),
  );
  expect(responses.map(({ body }) => body.data.count).sort()).toEqual([0, 1]);
  expect(await readQueue()).toEqual([0, 1]);
});

test('a healthy system has no problems; a full disk, a late queue and different versions are problems', () => {
  const now = new Date('2026-11-23T12:00:00Z');
  const at = now.toISOString();
  const processOf = (role: string, version = '1.0.0', longestPause: number | null = 10) => ({
    ...{ id: role, role, host: 'a', version, started: at, seen: at, is_alive: true },
    ...{ memory_megabytes: 100, longest_pause: longestPause },
  });
  const healthy: Omit<InstallationHealth, 'troubles'> = {
    processes: ['web', 'worker', 'sender'].map((role) => processOf(role)),
    ...{ queue: [], oldest_job: null, open_messages: 0, sending_rate: 0, relays: [], errors: [] },
    disks: [{ host: 'a', free: 50, total: 100 }],
    database: { version: '17.0', bytes: 1, connections: 1 },
    nodes_away: [],
    ...{ version: '1.0.0', node: '24' },
  };
  const listCodes = (change: Partial<typeof healthy>, isPaused = false) =>
    findProblems({ ...healthy, ...change }, { isPaused, now }).map(({ code }) => code);
  expect(listCodes({})).toEqual([]);
  expect(listCodes({}, true)).toEqual(['sending_paused']);
  expect(listCodes({ nodes_away: ['b:5432'] })).toEqual(['node_away']);
  expect(listCodes({ disks: [{ host: 'a', free: 5, total: 100 }] })).toEqual(['disk_low']);
  const oldest = (minutes: number) => new Date(now.getTime() - minutes * 60_000).toISOString();
  expect(listCodes({ oldest_job: oldest(6) })).toEqual(['queue_late']);
  expect(listCodes({ oldest_job: oldest(4) })).toEqual([]);
  const queue = [{ job: 'x', due: 0, running: 0, later: 0, given_up: 2 }];
  expect(listCodes({ queue })).toEqual(['jobs_given_up']);
  const processes = [
    processOf('web', '1.1.0'),
    processOf('worker'),
    processOf('sender', '1.0.0', 2_000),
  ];
  expect(listCodes({ processes })).toEqual(['versions_differ', 'pauses_long']);
});

test('accounts are found, suspended and reactivated; a payment is refunded once, which ends the plan', async () => {
  const owner = await createOperator();
  const shop = await server.owner('ann@shop.example');
  await addPeople(server.db, shop.accountId, 3);
  const order = (
    await shop.post('/client-api/api/orders', { plan_id: 'small', size: 500, duration: 1 })
  ).body.data;
  await shop.post(`/client-api/api/orders/${order.id}/pay`, {
    card: gateway.card(),
    total: order.total,
  });
  const accounts = (await owner.get(`${CALLS}/accounts?search=ANN@shop`)).body;
  expect(accounts.meta.total).toBe(1);
  expect(accounts.data[0]).toMatchObject({
    email: 'ann@shop.example',
    plan: 'Small',
    suspended: null,
  });
  expect((await owner.get(`${CALLS}/accounts?search=%25`)).body.data).toEqual([]);

  const { id } = accounts.data[0];
  const ownId = encodeId('account', owner.accountId);
  const response = await owner.post(`${CALLS}/accounts/${ownId}/suspend`, { reason: 'me' });
  expect([response.status, response.body.code]).toEqual([409, 'own_account']);
  const withoutReason = await owner.post(`${CALLS}/accounts/${id}/suspend`, { reason: '' });
  expect(withoutReason.status).toBe(422);
  await owner.post(`${CALLS}/accounts/${id}/suspend`, { reason: 'Bought lists' });
  const suspendedAccount = (await owner.get(`${CALLS}/accounts/${id}`)).body.data;
  expect(suspendedAccount).toMatchObject({
    suspended_reason: 'Bought lists',
    suspended: expect.any(String),
  });
  expect((await shop.get('/client-api/api/billing')).body.data.is_suspended).toBe(true);
  await owner.post(`${CALLS}/accounts/${id}/restore`, {});
  expect((await shop.get('/client-api/api/billing')).body.data.is_suspended).toBe(false);

  const [payment] = suspendedAccount.payments;
  expect(payment).toMatchObject({ kind: 'plan', plan: 'Small', state: 'paid', total: 1000 });
  const refundPath = `${CALLS}/accounts/${id}/payments/${payment.id}/refund`;
  const responses = await Promise.all([owner.post(refundPath, {}), owner.post(refundPath, {})]);
  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  expect((await shop.get('/client-api/api/billing')).body.data.plan.state).toBe('free');
  expect(
    (await owner.post(`${CALLS}/accounts/${ownId}/payments/${payment.id}/refund`, {})).status,
  ).toBe(404);
  expect((await owner.get(`${CALLS}/accounts/${encodeId('account', 999_999)}`)).status).toBe(404);
});
