// Google Postmaster Tools against a local server with recorded shapes, and the report of Microsoft SNDS.
import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { jwtVerify } from 'jose';
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { allowPrivateAddresses } from '#platform/server/outgoing/outgoing-address.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import type { Signals } from '../../signals-contract.ts';
import { blocklistsFor } from '../dns/blocklists.ts';
import { listHealth } from '../health/list-health.ts';
import { measureHealth } from '../health/measure.ts';
import {
  connectKey,
  finishConsent,
  type PostmasterTools,
  retrieveSignals,
  startConsent,
} from './connection.ts';
import { highSpamRate } from './figures.ts';
import { readServiceKey } from './postmaster.ts';
import { readSnds } from './snds.ts';

const API = '/client-api/api/deliverability';
const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
const KEY = JSON.stringify({
  type: 'service_account',
  client_email: 'reader@project.iam.gserviceaccount.com',
  private_key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }),
});
let server: TestServer;

beforeAll(async () => {
  server = await testServer();
});
beforeEach(() => {
  allowPrivateAddresses(true);
  clock.freeze(new Date('2026-06-10T12:00:00Z'));
  return () => {
    allowPrivateAddresses(false);
    clock.reset();
  };
});

const stat = (metric: string, day: number, value: object) => ({
  ...{ name: `domains/tea.example/domainStats/${metric}`, metric, value },
  date: { year: 2026, month: 6, day },
});

type Call = { path: string; body: string; authorization: string };

/** Google's token endpoint and statistics, in two pages. */
async function google() {
  const calls: Call[] = [];
  const answers = { tokenStatus: 200, statsStatus: 200, error: {} as object };
  const pages = [
    {
      domainStats: [
        stat('spam_rate', 8, { doubleValue: 0.004 }),
        stat('spam_rate', 7, { floatValue: 0.0035 }),
        stat('tls', 8, { doubleValue: 1 }),
      ],
      nextPageToken: 'next',
    },
    {
      domainStats: [
        stat('tls', 7, { doubleValue: 0.99 }),
        stat('spam_rate', 31, { doubleValue: 0.5 }),
        stat('dkim', 8, { stringList: { values: ['x'] } }),
        stat('dkim', 7, { doubleValue: 7 }),
        { metric: 'dkim' },
      ],
    },
  ];
  const http = createServer((request, response) => {
    void (async () => {
      const body = await textOf(request);
      const { url: path = '', headers } = request;
      calls.push({ path, body, authorization: headers.authorization ?? '' });
      const isToken = path === '/token';
      const status = isToken ? answers.tokenStatus : answers.statsStatus;
      const stats = body.includes('"pageToken"') ? pages[1] : pages[0];
      const tokens = { access_token: 'access', refresh_token: 'refresh', expires_in: 3600 };
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(status === 200 ? (isToken ? tokens : stats) : answers.error));
    })();
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void http.close());
  const base = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const tools: PostmasterTools = {
    urls: { consent: 'https://accounts.example/auth', token: `${base}/token`, api: base },
    client: { id: 'client', secret: 'client-secret' },
    redirect: 'https://app.example/settings/deliverability/signals',
    hosts: { tracking: 'app.example', bounces: undefined, receivesReports: false },
  };
  return { calls, answers, tools };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

async function shop() {
  const owner = await server.owner();
  const { accountId } = owner;
  await server.db
    .insertInto('domains')
    .values({
      ...{ account_id: accountId, domain: 'tea.example', email: 'info@tea.example' },
      ...{ created_at: clock.now(), modified_at: clock.now() },
    })
    .execute();
  const evidence = async (): Promise<Signals> => (await owner.get(`${API}/signals`)).body.data;
  return { owner, accountId, evidence };
}

test('a service account retrieves the figures of each domain, in pages, and only valid ones', async () => {
  const { calls, tools } = await google();
  const { owner, accountId, evidence } = await shop();
  expect((await evidence()).postmaster.connection).toBeNull();
  await connectKey(server.db, accountId, KEY, tools);
  await retrieveSignals(server.db, accountId, tools);
  const assertion = new URLSearchParams(calls[0]?.body).get('assertion') ?? '';
  const { payload } = await jwtVerify(assertion, keys.publicKey, {
    ...{ audience: tools.urls.token, currentDate: clock.now() },
  });
  expect(payload.scope).toBe('https://www.googleapis.com/auth/postmaster.traffic.readonly');
  const [, , first, second] = calls;
  expect(first).toMatchObject({
    ...{ path: '/v2/domains/tea.example/domainStats:query', authorization: 'Bearer access' },
  });
  expect(JSON.parse(first?.body ?? '')).toMatchObject({
    timeQuery: {
      dateRanges: {
        dateRanges: [
          { start: { year: 2026, month: 5, day: 11 }, end: { year: 2026, month: 6, day: 10 } },
        ],
      },
    },
    aggregationGranularity: 'DAILY',
  });
  expect(JSON.parse(second?.body ?? '').pageToken).toBe('next');
  const shown = await evidence();
  expect(shown.postmaster.connection).toEqual({
    ...{ title: 'reader@project.iam.gserviceaccount.com', fault: null },
    checked: clock.now().toISOString(),
  });
  expect(JSON.stringify(shown)).not.toContain('PRIVATE KEY');
  expect(shown.domains).toMatchObject([
    {
      domain_name: 'tea.example',
      values: [
        { kind: 'spam_rate', day: '2026-06-08', value: 0.004 },
        { kind: 'tls', day: '2026-06-08', value: 1 },
      ],
    },
  ]);
  const { hosts } = tools;
  const lists = blocklistsFor({ spamhausKey: undefined, isBarracudaRegistered: false });
  await measureHealth(server.db, accountId, { hosts, lists, ownIps: [] });
  expect((await listHealth(server.db, accountId))[0]).toMatchObject({
    state: 'act',
    mailboxes: [{ mailbox: 'gmail', causes: [{ cause: 'spam_rate', level: 'act', count: 350 }] }],
  });
  // Once a day, then the days that Google still revises.
  await retrieveSignals(server.db, accountId, tools);
  expect(calls).toHaveLength(4);
  clock.advance(86_400_000);
  await retrieveSignals(server.db, accountId, tools);
  expect(JSON.parse(calls[5]?.body ?? '').timeQuery.dateRanges.dateRanges[0].start.day).toBe(4);
  clock.advance(-86_400_000);
  await owner.delete(`${API}/postmaster`, {});
  const after = await evidence();
  expect([after.postmaster.connection, after.domains[0]?.values]).toEqual([null, []]);
});

test.each([
  ['withdrawn access', { tokenStatus: 400 }, 'refused', 24],
  ['an API that is not enabled', { statsStatus: 403 }, 'disabled', 24],
  ['an outage', { statsStatus: 503 }, 'unavailable', 1],
  ['a domain of another user', { statsStatus: 404 }, null, 24],
] as const)('%s is shown and never data', async (_, failing, fault, hours) => {
  const { answers, tools } = await google();
  const { accountId, evidence } = await shop();
  await connectKey(server.db, accountId, KEY, tools);
  Object.assign(answers, failing, {
    error: { error: { details: [{ reason: 'SERVICE_DISABLED' }] } },
  });
  await retrieveSignals(server.db, accountId, tools);
  const shown = await evidence();
  expect([shown.postmaster.connection?.fault, shown.domains[0]?.values]).toEqual([fault, []]);
  const row = await server.db
    .selectFrom('postmaster_connections')
    .select('due_at')
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  expect(row.due_at.getTime() - clock.now().getTime()).toBe(hours * 3_600_000);
});

test('a consent is valid for the user who started it, once it is Google that answers', async () => {
  const { calls, tools } = await google();
  const { accountId, evidence } = await shop();
  const who = { accountId, userId: 1 };
  const url = new URL(startConsent(who, tools));
  const state = url.searchParams.get('state') ?? '';
  expect(url.searchParams.get('redirect_uri')).toBe(tools.redirect);
  const finish = (by: typeof who, given: string) =>
    finishConsent(server.db, by, { code: 'code', state: given }, tools);
  await expect(finish({ accountId, userId: 2 }, state)).rejects.toThrow('postmaster_refused');
  await expect(finish({ accountId: -1, userId: 1 }, state)).rejects.toThrow('postmaster_refused');
  await expect(finish(who, state.slice(4))).rejects.toThrow('postmaster_refused');
  expect(calls).toEqual([]);
  clock.advance(16 * 60_000);
  await expect(finish(who, state)).rejects.toThrow('postmaster_refused');
  clock.advance(-16 * 60_000);
  await finish(who, state);
  const form = new URLSearchParams(calls[0]?.body);
  expect([form.get('code'), form.get('grant_type')]).toEqual(['code', 'authorization_code']);
  expect(form.get('code_verifier')).toHaveLength(43);
  expect((await evidence()).postmaster.connection).toMatchObject({ title: '', fault: null });
});

test('text that is not a key of a service account is refused', async () => {
  const { owner } = await shop();
  for (const key of ['x', '{}', KEY.replace('service_account', 'user'), KEY.replace('BEGIN', '')]) {
    expect(readServiceKey(key)).toBeUndefined();
    const answer = await owner.put(`${API}/postmaster`, { key });
    expect([answer.status, answer.body.code]).toEqual([422, 'invalid']);
  }
  expect((await owner.post(`${API}/postmaster/consent`, {})).body.code).toBe(
    'postmaster_without_client',
  );
});

test('a high spam rate needs two days of the last seven', () => {
  const now = clock.now();
  const row = (day: string, value: number) => ({ domainId: 1, kind: 'spam_rate', day, value });
  const rate = (...rows: ReturnType<typeof row>[]) => highSpamRate(rows, now);
  expect(rate()).toBeUndefined();
  expect(rate(row('2026-06-09', 0.5))).toBeUndefined();
  expect(rate(row('2026-06-09', 0.5), row('2026-06-01', 0.5))).toBeUndefined();
  expect(rate(row('2026-06-09', 0.5), row('2026-06-08', 0.0009))).toBeUndefined();
  expect(rate(row('2026-06-09', 0.5), row('2026-06-08', 0.001))).toEqual({
    ...{ level: 'watch', rate: 0.001 },
  });
});

test('rows of SNDS are read, and everything else is not data', () => {
  const rows = [
    '192.0.2.7,6/8/2026 12:00 AM,6/8/2026 11:59 PM,900,880,870,GREEN,< 0.1%,,,0,mx.tea.example,a@b.example,',
    '192.0.2.8,6/8/2026 12:00 AM,6/8/2026 11:59 PM,900,880,870,RED,2.4%,6/8/2026 1:00 AM,6/8/2026 2:00 AM,3,,,',
    '192.0.2.9,6/8/2026 12:00 AM,6/8/2026 11:59 PM,9,8,7,BLUE,,,,,,,',
    '192.0.2.9,13/45/2026 12:00 AM,,9,8,7,GREEN,,,,,,,',
    '<html><body>Sign in</body></html>',
    '',
  ];
  expect(readSnds(rows.join('\r\n'))).toEqual([
    {
      ip: '192.0.2.7',
      day: '2026-06-08',
      messages: 870,
      result: 'green',
      complaints: 0.001,
      traps: 0,
    },
    {
      ip: '192.0.2.8',
      day: '2026-06-08',
      messages: 870,
      result: 'red',
      complaints: 0.024,
      traps: 3,
    },
  ]);
});
