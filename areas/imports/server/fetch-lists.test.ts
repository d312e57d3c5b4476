// Imports from Mailchimp and GetResponse over HTTP to a test double of their APIs: lists, paging,
// permanent opt-outs, keys that are sent nowhere else and deleted afterwards, refusals with clear
// messages.
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { files } from '#platform/server/files/files.ts';
import { OutsideFailure } from '#platform/server/outgoing/outside-calls.ts';
import { getresponse } from '#providers/getresponse/index.ts';
import { mailchimp } from '#providers/mailchimp/index.ts';
import {
  GETRESPONSE_KEY,
  type ListServiceSubscriber,
  type ListServices,
  MAILCHIMP_KEY,
  startListServices,
} from '#testing/worlds/list-services.ts';
import { markJobAsAbandoned } from '#testing/setup/killed-jobs.ts';
import {
  type TestClient,
  type TestOwner,
  type TestServer,
  testServer,
} from '#testing/setup/server.ts';
import { configureListProviders, fetchJob } from './fetch-lists.ts';
import { removeUploads } from './imports.ts';

const newsletter = 'a1b2c3d4e5';
const customers = 'f6a7b8c9d0';
let server: TestServer;
let services: ListServices;

const CONTACTS: ListServiceSubscriber[] = [
  {
    email: 'ada@x.example',
    status: 'subscribed',
    list: newsletter,
    name: 'Ada Love',
    tags: ['VIP', 'Spring, "early"'],
    interests: ['Coffee, black'],
    fields: {
      FNAME: 'Ada',
      LNAME: 'Love, "lace"',
      PHONE: '+37060000011',
      MMERGE5: 38,
      ADDRESS: { addr1: 'Main 1', city: 'Vilnius', zip: '01100' },
    },
  },
  { email: 'both@x.example', status: 'subscribed', list: newsletter },
  { email: 'both@x.example', status: 'unsubscribed', list: customers },
  { email: 'gone@x.example', status: 'cleaned', list: newsletter },
  { email: 'wait@x.example', status: 'pending', list: newsletter },
  { email: 'left@x.example', status: 'unsubscribed', list: newsletter },
];

beforeAll(async () => {
  server = await testServer();
  services = await startListServices([]);
  configureListProviders([
    mailchimp({ baseUrl: services.address }),
    getresponse({ baseUrl: services.address }),
  ]);
});
beforeEach(() => {
  services.subscribers = CONTACTS;
  services.calls.length = 0;
  services.refusals.length = 0;
  services.onRequest = () => {};
});
afterAll(() => services.close());

const base = '/client-api/api/subscribers';
const mailchimpImport = (
  client: TestClient,
  lists = [newsletter, customers],
  key = MAILCHIMP_KEY,
) => client.post(`${base}/mailchimp_import`, { api_key: key, lists });

const readFetchState = async (client: TestClient, id: string) =>
  (await client.get(`/client-api/api/imports/${id}/fetching`)).body.data;

const findImportRow = (account: TestOwner) =>
  server.db
    .selectFrom('imports')
    .selectAll()
    .where('account_id', '=', account.accountId)
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow();

async function start(client: TestClient, id: string, more: object = {}) {
  const preview = (await client.get(`/client-api/api/imports/${id}/preview`)).body.data;
  const response = await client.post(`${base}/start_import`, {
    source: preview.source,
    columns: preview.columns.map(({ column, target }: { column: number; target: string }) => ({
      column,
      target,
    })),
    consent: { attested: true },
    ...more,
  });
  expect(response.status, response.text).toBe(200);
  await server.runJobs();
  return (await client.get(`/client-api/api/imports/${id}`)).body.data;
}

const readStatuses = async (account: TestOwner) =>
  Object.fromEntries(
    (
      await server.db
        .selectFrom('subscribers')
        .select(['email_key', 'email_status'])
        .where('account_id', '=', account.accountId)
        .where('deleted_at', 'is', null)
        .execute()
    ).map((row) => [row.email_key, row.email_status]),
  );

/** Returns the addresses of the members of each group, by title. */
async function readGroups(account: TestOwner): Promise<Record<string, string[]>> {
  const rows = await server.db
    .selectFrom('group_members as m')
    .innerJoin('groups as g', (join) =>
      join.onRef('g.account_id', '=', 'm.account_id').onRef('g.id', '=', 'm.group_id'),
    )
    .innerJoin('subscribers as s', (join) =>
      join.onRef('s.account_id', '=', 'm.account_id').onRef('s.id', '=', 'm.subscriber_id'),
    )
    .select(['g.title', 's.email_key'])
    .where('m.account_id', '=', account.accountId)
    .orderBy('g.title')
    .orderBy('s.email_key')
    .execute();
  const byTitle = Map.groupBy(rows, (row) => row.title);
  return Object.fromEntries(
    [...byTitle].map(([title, members]) => [
      title,
      members.map((member) => member.email_key ?? ''),
    ]),
  );
}

test('Mailchimp lists are fetched with merge fields and statuses, and opt-outs apply across lists', async () => {
  const account = await server.owner();
  const lists = await account.post(`${base}/mailchimp_lists`, { api_key: ` ${MAILCHIMP_KEY}\n` });
  expect(lists.body.data).toEqual([
    { id: newsletter, title: 'Newsletter', subscribers: 2 },
    { id: customers, title: 'Customers', subscribers: 0 },
  ]);
  const response = await mailchimpImport(account);
  expect(response.status, response.text).toBe(200);
  expect(response.body.data).toMatchObject({ state: 'fetching', rows_read: 0, error: null });
  const { id } = response.body.data;
  const earlyResponse = await account.post(`${base}/start_import`, {
    source: id,
    emailColumn: 0,
    consent: { attested: true },
  });
  expect(earlyResponse.body.code).toBe('import_not_ready');
  const sealedKey = (await findImportRow(account)).sealed_key;
  expect(sealedKey).not.toBeNull();
  expect(String(sealedKey)).not.toContain(MAILCHIMP_KEY.slice(0, 16));
  await server.runJobs();
  expect(await readFetchState(account, id)).toMatchObject({ state: 'uploaded', rowCount: 6 });
  expect((await findImportRow(account)).sealed_key).toBeNull();
  const preview = (await account.get(`/client-api/api/imports/${id}/preview`)).body.data;
  expect(preview).toMatchObject({ method: 'mailchimp', fileName: 'Mailchimp', has_header: true });
  expect(preview.tags).toEqual(['Newsletter', 'Customers']);
  expect(
    preview.columns.map((column: { title: string; target: string }) => [
      column.title,
      column.target,
    ]),
  ).toEqual([
    ['Email', 'email'],
    ['First name', 'firstname'],
    ['Last name', 'lastname'],
    ['Phone', 'phone'],
    ['Status', 'email_status'],
    ['Consent date', 'consent_at'],
    ['Unsubscribed at', 'unsubscribed_at'],
    ['List', 'groups'],
    ['Tags', 'groups'],
    ['Groups', 'groups'],
    ['Address', 'skip'],
    ['Shoe size', 'skip'],
  ]);
  const finishedImport = await start(account, id);
  expect(finishedImport).toMatchObject({
    method: 'mailchimp',
    created_count: 5,
    rejected_count: 1,
  });
  // Each subscriber is in the groups of all their lists and of the subscriber's own tags.
  expect(await readGroups(account)).toEqual({
    Customers: ['both@x.example'],
    'Likes: Coffee, black': ['ada@x.example'],
    Newsletter: [
      'ada@x.example',
      'both@x.example',
      'gone@x.example',
      'left@x.example',
      'wait@x.example',
    ],
    'Spring, "early"': ['ada@x.example'],
    VIP: ['ada@x.example'],
  });
  expect(await readStatuses(account)).toEqual({
    'ada@x.example': 'active',
    'both@x.example': 'unsubscribed',
    'gone@x.example': 'bounced',
    'left@x.example': 'unsubscribed',
    'wait@x.example': 'non-subscribed',
  });
  const ada = await server.db
    .selectFrom('subscribers')
    .innerJoin('consents', (on) =>
      on
        .onRef('consents.account_id', '=', 'subscribers.account_id')
        .onRef('consents.subscriber_id', '=', 'subscribers.id'),
    )
    .selectAll('subscribers')
    .select('consents.at')
    .where('subscribers.account_id', '=', account.accountId)
    .where('email_key', '=', 'ada@x.example')
    .executeTakeFirstOrThrow();
  expect(ada).toMatchObject({ lastname: 'Love, "lace"', phone: '+37060000011' });
  expect(ada.at.toISOString()).toBe('2019-05-06T07:08:09.000Z');
  const subscribers = await server.db
    .selectFrom('subscribers')
    .select('unsubscribed_at')
    .where('account_id', '=', account.accountId)
    .where('email_key', '=', 'left@x.example')
    .executeTakeFirstOrThrow();
  expect(subscribers.unsubscribed_at?.toISOString()).toBe('2023-02-03T04:05:06.000Z');
});

test('a later fetch does not resubscribe an unsubscribed subscriber', async () => {
  const account = await server.owner();
  services.subscribers = [{ email: 'left@x.example', status: 'unsubscribed', list: newsletter }];
  const first = (await mailchimpImport(account, [newsletter])).body.data.id;
  await server.runJobs();
  await start(account, first);
  services.subscribers = [{ email: 'left@x.example', status: 'subscribed', list: newsletter }];
  const second = (await mailchimpImport(account, [newsletter])).body.data.id;
  await server.runJobs();
  expect(await start(account, second)).toMatchObject({ noted_count: 1 });
  expect(await readStatuses(account)).toEqual({ 'left@x.example': 'unsubscribed' });
});

test('GetResponse contacts of all lists are fetched page by page with custom fields', async () => {
  const account = await server.owner();
  services.subscribers = [
    ...CONTACTS,
    ...Array.from(
      { length: 1_500 },
      (_, i): ListServiceSubscriber => ({
        email: `p${i}@y.example`,
        status: 'subscribed',
        list: customers,
        fields: { MMERGE5: 30 + (i % 10) },
      }),
    ),
  ];
  const response = await account.post(`${base}/getresponse_import`, { api_key: GETRESPONSE_KEY });
  expect(response.status, response.text).toBe(200);
  const { id } = response.body.data;
  await server.runJobs();
  expect(await readFetchState(account, id)).toMatchObject({ state: 'uploaded', rowCount: 1_506 });
  const preview = (await account.get(`/client-api/api/imports/${id}/preview`)).body.data;
  const finishedImport = await start(account, id, {
    columns: [
      ...preview.columns
        .slice(0, 7)
        .map(({ column, target }: { column: number; target: string }) => ({
          column,
          target,
        })),
      { column: 7, target: 'new', title: 'Shoe size', type: 'number' },
    ],
  });
  expect(finishedImport).toMatchObject({
    method: 'getresponse',
    created_count: 1_505,
    rejected_count: 1,
  });
  expect((await readStatuses(account))['both@x.example']).toBe('unsubscribed');
  expect(preview.columns[1]).toMatchObject({ title: 'Name', target: 'fullname' });
  const { Customers: customersGroup, ...others } = await readGroups(account);
  expect(customersGroup).toHaveLength(1_501);
  expect(others).toMatchObject({ VIP: ['ada@x.example'], 'Spring, "early"': ['ada@x.example'] });
  const ada = await server.db
    .selectFrom('subscribers')
    .select(['firstname', 'lastname'])
    .where('account_id', '=', account.accountId)
    .where('email_key', '=', 'ada@x.example')
    .executeTakeFirstOrThrow();
  expect(ada).toEqual({ firstname: 'Ada', lastname: 'Love' });
  const subscriber = await server.db
    .selectFrom('subscribers')
    .select('field_values')
    .where('account_id', '=', account.accountId)
    .where('email_key', '=', 'p7@y.example')
    .executeTakeFirstOrThrow();
  expect(Object.values(subscriber.field_values as object)).toEqual([37]);
});

test('a malformed key is refused without a request, so its suffix cannot name another host', async () => {
  const account = await server.owner();
  const hex = '0123456789abcdef'.repeat(2);
  for (const key of [
    'nonsense',
    hex,
    `${hex}-evil.example`,
    `${hex}-us1.evil.example/`,
    `${hex}-us1@evil.example`,
    `${hex}-us0`,
    `${hex}-us1234`,
    `${hex}-US21`,
    `${hex}-us21\n.evil.example`,
    `${hex.toUpperCase()}-us21`,
  ]) {
    const response = await account.post(`${base}/mailchimp_lists`, { api_key: key });
    expect([response.status, response.body.code], key).toEqual([422, 'key_malformed']);
    expect(response.body.message).toContain('Mailchimp');
  }
  const malformedKey = await account.post(`${base}/getresponse_import`, { api_key: '../../x' });
  expect(malformedKey.body.code).toBe('key_malformed');
  expect(services.calls).toEqual([]);
  // Without a test double, only the service is called, at the data center that the key names.
  const requestedUrls: string[] = [];
  const originalFetch = globalThis.fetch;
  globalThis.fetch = (async (url: string) => {
    requestedUrls.push(url);
    return new Response(url.includes('mailchimp') ? '{"lists":[]}' : '[]', {
      headers: { 'content-type': 'application/json' },
    });
  }) as typeof fetch;
  try {
    await mailchimp().lists(MAILCHIMP_KEY, AbortSignal.timeout(1000));
    await getresponse().lists(GETRESPONSE_KEY, AbortSignal.timeout(1000));
  } finally {
    globalThis.fetch = originalFetch;
  }
  expect(requestedUrls.map((url) => new URL(url).origin)).toEqual([
    'https://us21.api.mailchimp.com',
    'https://api.getresponse.com',
  ]);
});

test('a refused key, an unknown list and an unavailable service are reported, and no import is stored', async () => {
  const account = await server.owner();
  const wrongKey = `${'f'.repeat(32)}-us21`;
  const response = await mailchimpImport(account, [newsletter], wrongKey);
  expect([response.status, response.body.code]).toEqual([422, 'key_refused']);
  expect(response.body.message).toContain('Mailchimp');
  const unknown = await mailchimpImport(account, [newsletter, 'zzzzzzzzzz']);
  expect([unknown.status, unknown.body.code]).toEqual([422, 'list_unknown']);
  services.refusals.push({ status: 503 }, { status: 503 });
  const outageResponse = await mailchimpImport(account);
  expect([outageResponse.status, outageResponse.body.code]).toEqual([502, 'service_unavailable']);
  const rows = await server.db
    .selectFrom('imports')
    .select('id')
    .where('account_id', '=', account.accountId)
    .execute();
  expect(rows).toEqual([]);
  expect(
    (await server.client().post(`${base}/mailchimp_lists`, { api_key: wrongKey })).status,
  ).toBe(401);
});

test('a fetch retries a busy service and fails with a message if the key was revoked', async () => {
  const account = await server.owner();
  const { id } = (await mailchimpImport(account)).body.data;
  services.refusals.push(
    { status: 429, headers: { 'retry-after': '1' } },
    { status: 403, isJson: false },
  );
  await server.runJobs();
  expect(await readFetchState(account, id)).toMatchObject({ state: 'uploaded', rowCount: 6 });
  const second = (await mailchimpImport(account)).body.data.id;
  services.refusals.push({ status: 401 });
  await server.runJobs();
  const fetchState = await readFetchState(account, second);
  expect(fetchState).toMatchObject({ state: 'fetch_failed', error: { code: 'key_refused' } });
  expect(fetchState.error.message).toContain('Mailchimp');
  expect((await findImportRow(account)).sealed_key).toBeNull();
  const uploads = (await account.get('/client-api/api/imports/uploads')).body.data;
  expect(uploads).toMatchObject([
    { id: second, state: 'fetch_failed', error: fetchState.error },
    { id, state: 'uploaded', error: null },
  ]);
  expect((await account.get('/client-api/api/imports')).body.data).toEqual([]);
  expect((await account.get(`/client-api/api/imports/${second}`)).status).toBe(404);
  const otherOwner = await server.owner();
  expect((await otherOwner.get(`/client-api/api/imports/${id}/fetching`)).status).toBe(404);
  expect((await account.delete(`/client-api/api/imports/${second}`)).status).toBe(200);
});

test('another worker completes a stopped fetch, and a fetch that does not complete is deleted after a day', async () => {
  const account = await server.owner();
  services.subscribers = Array.from(
    { length: 2_500 },
    (_, i): ListServiceSubscriber => ({
      email: `p${i}@y.example`,
      status: 'subscribed',
      list: newsletter,
    }),
  );
  await mailchimpImport(account, [newsletter]);
  const row = await findImportRow(account);
  const payload = { accountId: account.accountId, importId: row.id };
  const stopping = new AbortController();
  // The worker stops while it requests the second page.
  services.onRequest = (url) => /[?&]offset=[1-9]/.test(url) && stopping.abort();
  const running = fetchJob.run(payload, { db: server.db, signal: stopping.signal });
  await expect(running).rejects.toThrow();
  expect(await findImportRow(account)).toMatchObject({ state: 'fetching', checkpoint: 1_000 });
  await fetchJob.run(payload, { db: server.db, signal: new AbortController().signal });
  expect(await findImportRow(account)).toMatchObject({
    state: 'uploaded',
    row_count: 2_500,
    checkpoint: 0,
  });
  await mailchimpImport(account, [newsletter]);
  expect((await findImportRow(account)).sealed_key).not.toBeNull();
  clock.advance(25 * 3_600_000);
  await removeUploads(server.db, account.accountId);
  clock.reset();
  const imports = await server.db
    .selectFrom('imports')
    .select('id')
    .where('account_id', '=', account.accountId)
    .execute();
  expect(imports).toEqual([]);
});

test('a worker that fails after another one has finished leaves the fetched file', async () => {
  const account = await server.owner();
  await mailchimpImport(account, [newsletter]);
  const { id } = await findImportRow(account);
  const payload = { accountId: account.accountId, importId: id };
  const tools = { db: server.db, signal: new AbortController().signal };
  vi.spyOn(files, 'put').mockImplementationOnce(async () => {
    await fetchJob.run(payload, tools);
    throw new OutsideFailure('key_refused', 'too late');
  });
  await fetchJob.run(payload, tools);
  const row = await findImportRow(account);
  expect(row).toMatchObject({ state: 'uploaded', error_code: null });
  expect(await files.size(row.file_key ?? '')).toBeGreaterThan(0);
});

test('a fetch that kills its worker twice fails with a message, and its key is deleted', async () => {
  const account = await server.owner();
  const { id } = (await mailchimpImport(account)).body.data;
  await markJobAsAbandoned(server.db, 'imports.fetch', account.accountId);
  services.calls.length = 0;
  await server.runJobs();
  expect(services.calls).toEqual([]);
  expect(await readFetchState(account, id)).toMatchObject({
    state: 'fetch_failed',
    error: { code: 'fetch_failed', message: expect.stringContaining('Mailchimp') },
  });
  expect((await findImportRow(account)).sealed_key).toBeNull();
});
