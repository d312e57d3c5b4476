// Google Postmaster Tools, tested with recorded responses from a local server, and the report of
// Microsoft SNDS.
import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { jwtVerify } from 'jose';
import { beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { allowPrivateAddresses } from '#platform/server/outgoing/outgoing-address.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { startMessage } from '#testing/worlds/sending-helpers.ts';
import type { DomainReports } from '../../contract.ts';
import type { Signals } from '../../signals-contract.ts';
import { listBlocklists } from '../dns/blocklists.ts';
import { listHealth } from '../health/list-health.ts';
import { measureHealth } from '../health/measure.ts';
import { collectEvidence } from '../seeds/campaign-evidence.ts';
import {
  connectKey,
  disconnect,
  finishConsent,
  type PostmasterDependencies,
  retrieveSignals,
  startConsent,
} from './connection.ts';
import { readFreshCompliance, findHighSpamRate, presentCompliance } from './figures.ts';
import { readServiceKey } from './postmaster.ts';
import { findConnection } from './signals.sql.ts';
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

type ServiceCall = { path: string; body: string; authorization: string };

const row = (requirement: string, status: string) => ({ requirement, status: { status } });

/** A response recorded from Google's API, with verdicts about unsubscribing. */
const COMPLIANCE = {
  name: 'domains/tea.example/complianceStatus',
  complianceData: {
    domainId: 'tea.example',
    rowData: [
      row('SPF', 'COMPLIANT'),
      row('DKIM', 'COMPLIANT'),
      row('SPF_AND_DKIM', 'COMPLIANT'),
      row('DMARC_POLICY', 'COMPLIANT'),
      row('DMARC_ALIGNMENT', 'COMPLIANT'),
      row('MESSAGE_FORMATTING', 'COMPLIANT'),
      row('DNS_RECORDS', 'COMPLIANT'),
      row('ENCRYPTION', 'COMPLIANT'),
      row('USER_REPORTED_SPAM_RATE', 'NEEDS_WORK'),
      row('ONE_CLICK_UNSUBSCRIBE', 'NEEDS_WORK'),
      row('HONOR_UNSUBSCRIBE', 'STATE_UNSPECIFIED'),
      row('A_LATER_REQUIREMENT', 'NEEDS_WORK'),
    ],
    oneClickUnsubscribeVerdict: { status: { status: 'NEEDS_WORK' }, reason: 'NO_UNSUB_GENERAL' },
    honorUnsubscribeVerdict: { status: { status: 'COMPLIANT' }, reason: 'REASON_UNSPECIFIED' },
  },
};

/**
 * Simulates Google's token endpoint, statistics in two pages, spam rates of campaigns, and the
 * compliance of a domain.
 */
async function startGoogle() {
  const calls: ServiceCall[] = [];
  const campaigns: string[] = [];
  const service = {
    ...{ tokenStatus: 200, statsStatus: 200, complianceStatus: 200, error: {} as object },
    compliance: {} as unknown,
    campaigns: ((): object[] => []) as (body: string) => object[],
    /** The response with the statistics is delayed until this promise resolves. */
    held: Promise.resolve(),
  };
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
      const body = await readText(request);
      const { url: path = '', headers } = request;
      if (body.includes('FEEDBACK_LOOP')) {
        campaigns.push(body);
        response.end(JSON.stringify({ domainStats: service.campaigns(body) }));
        return;
      }
      if (path.endsWith('/complianceStatus')) {
        const { complianceStatus: status, compliance } = service;
        response.writeHead(request.method === 'GET' ? status : 405);
        response.end(JSON.stringify(status === 200 ? compliance : service.error));
        return;
      }
      calls.push({ path, body, authorization: headers.authorization ?? '' });
      const isToken = path === '/token';
      if (!isToken) await service.held;
      const status = isToken ? service.tokenStatus : service.statsStatus;
      const stats = body.includes('"pageToken"') ? pages[1] : pages[0];
      const tokens = { access_token: 'access', refresh_token: 'refresh', expires_in: 3600 };
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(status === 200 ? (isToken ? tokens : stats) : service.error));
    })();
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void http.close());
  const base = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const tools: PostmasterDependencies = {
    urls: {
      ...{ consent: 'https://accounts.example/auth', token: `${base}/token`, api: base },
    },
    client: { id: 'client', secret: 'client-secret' },
    redirect: 'https://app.example/settings/deliverability/signals',
    hosts: { trackingHost: 'app.example', bounceHost: undefined, receivesReports: false },
  };
  return { calls, campaigns, answers: service, tools };
}

async function readText(request: IncomingMessage): Promise<string> {
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

test('a service account retrieves every page of a domain’s statistics and stores only valid values', async () => {
  const { calls, tools } = await startGoogle();
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
  const currentEvidence = await evidence();
  expect(currentEvidence.postmaster.connection).toEqual({
    ...{ title: 'reader@project.iam.gserviceaccount.com', fault: null },
    checked: clock.now().toISOString(),
  });
  expect(JSON.stringify(currentEvidence)).not.toContain('PRIVATE KEY');
  expect(currentEvidence.domains).toMatchObject([
    {
      domain_name: 'tea.example',
      values: [
        { kind: 'spam_rate', day: '2026-06-08', value: 0.004 },
        { kind: 'tls', day: '2026-06-08', value: 1 },
      ],
    },
  ]);
  const { hosts } = tools;
  const lists = listBlocklists({ spamhausKey: undefined, isBarracudaRegistered: false });
  await measureHealth(server.db, accountId, { hosts, lists, ownIps: [] });
  expect((await listHealth(server.db, accountId))[0]).toMatchObject({
    state: 'act',
    mailboxes: [{ mailbox: 'gmail', causes: [{ cause: 'spam_rate', level: 'act', count: 350 }] }],
  });
  // Later retrievals run once a day, and request only the days that Google still revises.
  await retrieveSignals(server.db, accountId, tools);
  expect(calls).toHaveLength(4);
  clock.advance(86_400_000);
  await retrieveSignals(server.db, accountId, tools);
  expect(JSON.parse(calls[5]?.body ?? '').timeQuery.dateRanges.dateRanges[0].start.day).toBe(4);
  clock.advance(-86_400_000);
  await owner.delete(`${API}/postmaster`, {});
  const evidenceAfter = await evidence();
  expect([evidenceAfter.postmaster.connection, evidenceAfter.domains[0]?.values]).toEqual([
    null,
    [],
  ]);
});

const domainPage = async ({ owner, accountId }: Awaited<ReturnType<typeof shop>>) => {
  const { id } = await server.db
    .selectFrom('domains')
    .select('id')
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  const response = await owner.get(`${API}/domains/${encodeId('domain', id)}`);
  return response.body.data as DomainReports;
};
const listUnmet = ({ compliance }: DomainReports) =>
  compliance.filter((item) => !item.is_met).map(({ requirement, reason }) => [requirement, reason]);

test("an unmet requirement in Gmail's verdict is reported as a cause, unless the verdict is outdated", async () => {
  const { answers: service, tools } = await startGoogle();
  const fixture = await shop();
  const { accountId } = fixture;
  service.compliance = COMPLIANCE;
  await connectKey(server.db, accountId, KEY, tools);
  await retrieveSignals(server.db, accountId, tools);
  const page = await domainPage(fixture);
  expect(page.compliance).toHaveLength(11);
  expect(page.compliance[0]).toEqual({
    ...{ requirement: 'spf', is_met: true, reason: null },
    ...{ since: clock.now().toISOString(), as_of: clock.now().toISOString() },
  });
  expect(listUnmet(page)).toEqual([
    ['user_reported_spam_rate', null],
    ['one_click_unsubscribe', 'no_unsub_general'],
  ]);
  expect(page.checklist.find(({ item }) => item === 'reverse_dns')).toMatchObject({
    ...{ state: 'met', by: 'gmail' },
  });
  const lists = listBlocklists({ spamhausKey: undefined, isBarracudaRegistered: false });
  const measure = () =>
    measureHealth(server.db, accountId, { hosts: tools.hosts, lists, ownIps: [] });
  await measure();
  const listCauses = async () =>
    (await listHealth(server.db, accountId))[0]?.mailboxes[0]?.causes.map(
      ({ cause, level, detail }) => [cause, level, detail],
    );
  // The spam rate is measured, so Gmail's verdict about it is not a second problem.
  expect(await listCauses()).toEqual([
    ['spam_rate', 'act', null],
    ['compliance', 'act', 'one_click_unsubscribe'],
  ]);
  // `since` is unchanged while the verdict is the same.
  const first = clock.now();
  clock.advance(86_400_000);
  const { complianceData: data } = COMPLIANCE;
  service.compliance = {
    complianceData: data,
    subdomainComplianceData: { ...data, rowData: [row('SPF', 'NEEDS_WORK')] },
  };
  await retrieveSignals(server.db, accountId, tools);
  const rows = await readFreshCompliance(server.db, accountId);
  expect(rows.map(({ requirement, isMet, since }) => [requirement, isMet, since])).toEqual([
    ['honor_unsubscribe', true, first],
    ['one_click_unsubscribe', false, first],
    ['spf', false, clock.now()],
  ]);
  // After a failed retrieval, an unmet requirement remains, and a met one is unknown.
  service.tokenStatus = 503;
  clock.advance(86_400_000);
  await retrieveSignals(server.db, accountId, tools);
  // The verdicts are read without a session, because sessions have expired.
  const failedCompliance = presentCompliance(await readFreshCompliance(server.db, accountId));
  const asOf = new Date(clock.now().getTime() - 86_400_000).toISOString();
  expect(failedCompliance.map((item) => [item.requirement, item.is_met, item.as_of])).toEqual([
    ['spf', false, asOf],
    ['one_click_unsubscribe', false, asOf],
    ['honor_unsubscribe', null, asOf],
  ]);
  service.tokenStatus = 200;
  // A failed request does not change the verdicts. A response that denies access or has another
  // form removes them.
  for (const [change, count] of [
    [{ complianceStatus: 503 }, 3],
    [{ complianceStatus: 403 }, 0],
    [{ complianceStatus: 200, compliance: { complianceData: 'x' } }, 0],
  ] as const) {
    Object.assign(service, change);
    clock.advance(86_400_000);
    await retrieveSignals(server.db, accountId, tools);
    const remaining = await readFreshCompliance(server.db, accountId);
    expect(remaining).toHaveLength(count);
    expect(remaining.some(({ isMet }) => isMet)).toBe(false);
    expect((await findConnection(server.db, accountId))?.fault).toBeNull();
  }
  service.compliance = COMPLIANCE;
  clock.advance(86_400_000);
  await retrieveSignals(server.db, accountId, tools);
  expect(await readFreshCompliance(server.db, accountId)).toHaveLength(11);
  clock.advance(8 * 86_400_000);
  expect(await readFreshCompliance(server.db, accountId)).toEqual([]);
  await measure();
  expect(await listCauses()).toEqual([]);
});

test('the spam rate of a campaign is shown in its report, and rates of other accounts are ignored', async () => {
  const { answers: service, campaigns, tools } = await startGoogle();
  const { accountId } = await shop();
  const id = await startMessage(server.db, accountId);
  const foreignMessage = await startMessage(server.db, (await server.owner()).accountId);
  service.campaigns = (body) =>
    body.includes('"FEEDBACK_LOOP_ID"')
      ? [
          stat('ids', 8, { stringList: { values: [`m${id}`, `a${accountId}`, 'sendloom'] } }),
          stat('ids', 7, { stringList: { values: [`m${id}`, `m${foreignMessage}`, 'm"', 'm1'] } }),
        ]
      : [
          stat(`m${id}`, 7, { doubleValue: 0.002 }),
          stat(`m${id}`, 8, { doubleValue: 0.005 }),
          stat(`m${foreignMessage}`, 8, { doubleValue: 0.9 }),
          stat('m1', 8, { doubleValue: 0.9 }),
          stat(`m${id}`, 9, { doubleValue: 7 }),
          stat('m', 8, { doubleValue: 0.9 }),
        ];
  await connectKey(server.db, accountId, KEY, tools);
  await retrieveSignals(server.db, accountId, tools);
  expect(JSON.parse(campaigns[1] ?? '').metricDefinitions).toContainEqual({
    ...{ name: `m${id}`, filter: `feedback_loop_id = "m${id}"` },
    baseMetric: { standardMetric: 'FEEDBACK_LOOP_SPAM_RATE' },
  });
  const evidence = (messageId: number) => collectEvidence(server.db, accountId, [messageId]);
  expect((await evidence(id)).gmail).toEqual({ spam_rate: 0.005, day: '2026-06-08' });
  expect((await evidence(foreignMessage)).gmail).toBeNull();
  await inTransaction(server.db, (tx) => disconnect(tx, accountId, tools));
  expect((await evidence(id)).gmail).toBeNull();
});

test.each(['removed', 'replaced'] as const)(
  'a retrieval during which the connection is %s writes nothing',
  async (change) => {
    const { answers: service, calls, tools } = await startGoogle();
    const { owner, accountId, evidence } = await shop();
    await connectKey(server.db, accountId, KEY, tools);
    const heldResponse = Promise.withResolvers<void>();
    service.held = heldResponse.promise;
    const retrieval = retrieveSignals(server.db, accountId, tools);
    await vi.waitFor(() => expect(calls.some(({ path }) => path.includes('Stats'))).toBe(true));
    await owner.delete(`${API}/postmaster`, {});
    if (change === 'replaced') await connectKey(server.db, accountId, KEY, tools);
    heldResponse.resolve();
    await retrieval;
    const currentEvidence = await evidence();
    expect(currentEvidence.domains[0]?.values).toEqual([]);
    expect(await readFreshCompliance(server.db, accountId)).toEqual([]);
    // The new connection is still due, because no statistics were retrieved.
    expect(currentEvidence.postmaster.connection?.checked ?? null).toBeNull();
    if (change === 'removed') return;
    await retrieveSignals(server.db, accountId, tools);
    expect((await evidence()).domains[0]?.values).toHaveLength(2);
  },
);

test.each([
  ['withdrawn access', { tokenStatus: 400 }, 'refused', 24],
  ['an API that is not enabled', { statsStatus: 403 }, 'disabled', 24],
  ['an outage', { statsStatus: 503 }, 'unavailable', 1],
  ['a domain of another user', { statsStatus: 404 }, null, 24],
] as const)(
  'after $0, the connection has the fault $2 and no figures, and is due again in $3 hours',
  async (_, failing, fault, hours) => {
    const { answers: service, tools } = await startGoogle();
    const { accountId, evidence } = await shop();
    await connectKey(server.db, accountId, KEY, tools);
    Object.assign(service, failing, {
      error: { error: { details: [{ reason: 'SERVICE_DISABLED' }] } },
    });
    await retrieveSignals(server.db, accountId, tools);
    const currentEvidence = await evidence();
    expect([
      currentEvidence.postmaster.connection?.fault,
      currentEvidence.domains[0]?.values,
    ]).toEqual([fault, []]);
    const row = await server.db
      .selectFrom('postmaster_connections')
      .select('due_at')
      .where('account_id', '=', accountId)
      .executeTakeFirstOrThrow();
    expect(row.due_at.getTime() - clock.now().getTime()).toBe(hours * 3_600_000);
  },
);

test('an OAuth consent can be completed only within 15 minutes, by the user who started it', async () => {
  const { calls, tools } = await startGoogle();
  const { accountId, evidence } = await shop();
  const caller = { accountId, userId: 1 };
  const url = new URL(startConsent(caller, tools));
  const state = url.searchParams.get('state') ?? '';
  expect(url.searchParams.get('redirect_uri')).toBe(tools.redirect);
  const finish = (client: typeof caller, code: string) =>
    finishConsent(server.db, client, { code: 'code', state: code }, tools);
  await expect(finish({ accountId, userId: 2 }, state)).rejects.toThrow('postmaster_refused');
  await expect(finish({ accountId: -1, userId: 1 }, state)).rejects.toThrow('postmaster_refused');
  await expect(finish(caller, state.slice(4))).rejects.toThrow('postmaster_refused');
  expect(calls).toEqual([]);
  clock.advance(16 * 60_000);
  await expect(finish(caller, state)).rejects.toThrow('postmaster_refused');
  clock.advance(-16 * 60_000);
  await finish(caller, state);
  const form = new URLSearchParams(calls[0]?.body);
  expect([form.get('code'), form.get('grant_type')]).toEqual(['code', 'authorization_code']);
  expect(form.get('code_verifier')).toHaveLength(43);
  expect((await evidence()).postmaster.connection).toMatchObject({ title: '', fault: null });
});

test('text that is not a service account key is refused', async () => {
  const { owner } = await shop();
  for (const key of ['x', '{}', KEY.replace('service_account', 'user'), KEY.replace('BEGIN', '')]) {
    expect(readServiceKey(key)).toBeUndefined();
    const response = await owner.put(`${API}/postmaster`, { key });
    expect([response.status, response.body.code]).toEqual([422, 'invalid']);
  }
  expect((await owner.post(`${API}/postmaster/consent`, {})).body.code).toBe(
    'postmaster_without_client',
  );
});

test('a spam rate is high only if it was high on two of the last seven days', () => {
  const now = clock.now();
  const row = (day: string, value: number) => ({ domainId: 1, kind: 'spam_rate', day, value });
  const rate = (...rows: ReturnType<typeof row>[]) => findHighSpamRate(rows, now);
  expect(rate()).toBeUndefined();
  expect(rate(row('2026-06-09', 0.5))).toBeUndefined();
  expect(rate(row('2026-06-09', 0.5), row('2026-06-01', 0.5))).toBeUndefined();
  expect(rate(row('2026-06-09', 0.5), row('2026-06-08', 0.0009))).toBeUndefined();
  expect(rate(row('2026-06-09', 0.5), row('2026-06-08', 0.001))).toEqual({
    ...{ level: 'watch', rate: 0.001 },
  });
});

test('valid SNDS rows are read, and other lines are ignored', () => {
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
