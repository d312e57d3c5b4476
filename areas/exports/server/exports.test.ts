// Exports over HTTP: selection, files, links, stopped workers, emails and expiry.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { readWorkbookText } from '#areas/imports/server/reading/workbook.ts';
import { unsubscribe } from '#areas/subscribers/server/index.ts';
import { decodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { files } from '#platform/server/files/files.ts';
import { JobInterrupted } from '#platform/server/jobs/jobs.ts';
import {
  type TestClient,
  type TestOwner,
  type TestServer,
  testServer,
} from '#testing/setup/server.ts';
import { abortAfterChecks } from '#testing/setup/stopping.ts';
import { expireExports } from './exports.ts';
import { exportJob } from './run-export.ts';

let server: TestServer;
let owner: TestOwner;

beforeAll(async () => {
  server = await testServer();
  owner = await server.owner();
});

const exportsPath = '/client-api/api/exports';
const start = (client: TestClient, body: object) => client.post(exportsPath, body);

async function link(client: TestClient, id: string): Promise<string> {
  const response = await client.post(`${exportsPath}/${id}/link`);
  expect(response.status, response.text).toBe(200);
  expect(response.body.data.path).toBe(`/download/${response.body.data.hash}`);
  return response.body.data.hash;
}

async function fetchFile(client: TestClient, id: string) {
  const hash = await link(client, id);
  return client.send({ method: 'GET', url: `/client-api/api/downloads/${hash}/file` });
}

/** Starts, runs and downloads a CSV export; returns its lines. */
async function exportLines(client: TestClient, body: object): Promise<string[]> {
  const response = await start(client, body);
  expect(response.status, response.text).toBe(200);
  await server.runJobs();
  const file = await fetchFile(client, response.body.data.id);
  expect(file.status).toBe(200);
  return file.text.slice(1).split('\r\n').slice(0, -1);
}

const addSubscriber = async (client: TestClient, subscriber: object) => {
  const response = await client.post('/client-api/api/subscribers', subscriber);
  expect(response.status, response.text).toBe(200);
  return response.body.data.id as string;
};

/** Adds many subscribers in one statement, as an import does. */
async function addSubscribers(accountId: number, count: number): Promise<void> {
  await sql`
    insert into subscribers (account_id, email, email_key, firstname, created_at, modified_at)
    select ${accountId}, e, e, 'N' || n, ${clock.now()}, ${clock.now()}
    from (select n, 'p' || n || '@many.example' as e from generate_series(1, ${count}::int) n) x
  `.execute(server.db);
  await sql`update accounts set subscriber_count = ${count} where id = ${accountId}`.execute(
    server.db,
  );
}

test('a file has the selected columns, quoted by RFC 4180, with formulas neutralized', async () => {
  const field = async (title: string, type: string) =>
    (await owner.post('/client-api/api/fields', { title, type })).body.data.id as string;
  const [note, score, since] = [
    await field('Note', 'text'),
    await field('Score', 'number'),
    await field('Since', 'datetime'),
  ];
  const group = (await owner.post('/client-api/api/tags', { title: 'A "b", c' })).body.data.id;
  await addSubscriber(owner, {
    email: 'ada@x.example',
    firstname: '=HYPERLINK("http://evil.example","x")',
    lastname: 'Two\nlines',
    phone: '+37060000001',
    fields: { [note]: '@sum(1)', [score]: -5.5, [since]: '2026-01-31 10:00:00' },
    groups: [group],
  });
  await addSubscriber(owner, { email: 'bob@x.example' });
  const columns = ['email', 'firstname', 'lastname', 'phone', note, score, since, 'groups'];
  const lines = await exportLines(owner, { all: true, columns: [...columns, 'email_status'] });
  expect(lines).toEqual([
    'Email,First name,Last name,Phone number,Note,Score,Since,Groups,Email status',
    `ada@x.example,"'=HYPERLINK(""http://evil.example"",""x"")","Two\nlines",+37060000001,'@sum(1),-5.5,2026-01-31 10:00:00,"A ""b"", c",active`,
    'bob@x.example,,,,,,,,active',
  ]);
  const withDefaults = await exportLines(owner, { all: true });
  expect(withDefaults[0]).toBe(
    'Email,First name,Last name,Phone number,Email status,SMS status,Groups,Date of consent,Unsubscribed on,Added,Note,Score,Since',
  );
});

test('a workbook contains formulas and markup as text, and numbers and dates as values', async () => {
  const account = await server.owner();
  const score = (await account.post('/client-api/api/fields', { title: 'Score', type: 'number' }))
    .body.data.id;
  const since = (await account.post('/client-api/api/fields', { title: 'Since', type: 'datetime' }))
    .body.data.id;
  await addSubscriber(account, {
    email: 'ada@x.example',
    firstname: '=1+1 <b> & \u0001 "ž" 😀',
    fields: { [score]: 7.25, [since]: '2026-01-31 10:00:00' },
  });
  const response = await start(account, {
    all: true,
    format: 'xlsx',
    columns: ['email', 'firstname', score, since],
  });
  await server.runJobs();
  const hash = await link(account, response.body.data.id);
  const fileResponse = await server.app.inject({
    method: 'GET',
    url: `/client-api/api/downloads/${hash}/file`,
    headers: { cookie: [...account.cookies].map(([k, v]) => `${k}=${v}`).join('; ') },
  });
  expect(fileResponse.headers['content-disposition']).toMatch(/subscribers-\d{4}-\d\d-\d\d\.xlsx/);
  expect(fileResponse.rawPayload.length).toBe(Number(fileResponse.headers['content-length']));
  const folder = await mkdtemp(path.join(tmpdir(), 'sendloom-export-'));
  const workbookPath = path.join(folder, 'people.xlsx');
  let text = '';
  try {
    await writeFile(workbookPath, fileResponse.rawPayload);
    for await (const lines of readWorkbookText(workbookPath)) text += lines;
  } finally {
    await rm(folder, { recursive: true });
  }
  expect(text.trim().split(/\r?\n/)).toEqual([
    'Email,First name,Score,Since',
    'ada@x.example,"=1+1 <b> &  ""ž"" 😀",7.25,2026-01-31 10:00:00',
  ]);
});

test('an export contains only the subscribers of its conditions, search or IDs; malformed input is refused', async () => {
  const account = await server.owner();
  const ids = [
    await addSubscriber(account, { email: 'ann@x.example', firstname: 'Ann' }),
    await addSubscriber(account, { email: 'ben@x.example', firstname: 'Ben' }),
    await addSubscriber(account, { email: 'cat@y.example', firstname: 'Cat' }),
  ];
  const columns = ['email'];
  const emailsOf = async (choice: object) =>
    (await exportLines(account, { ...choice, columns })).slice(1);
  expect(await emailsOf({ conditions: 'firstname,begins,B,1,and,and,' })).toEqual([
    'ben@x.example',
  ]);
  expect(await emailsOf({ search: 'y.example' })).toEqual(['cat@y.example']);
  expect(await emailsOf({ subscribers: [ids[2], ids[0]] })).toEqual([
    'ann@x.example',
    'cat@y.example',
  ]);
  expect(await emailsOf({ conditions: 'firstname,equals,Nobody,1,and,and,' })).toEqual([]);
  const code = async (body: object) => {
    const response = await start(account, body);
    return [response.status, response.body.code];
  };
  expect(await code({})).toEqual([422, 'no_subscribers_selected']);
  expect(await code({ conditions: 'nonsense' })).toEqual([422, 'conditions_malformed']);
  expect(await code({ all: true, columns: ['password_hash'] })).toEqual([422, 'invalid']);
  expect(await code({ all: true, format: 'pdf' })).toEqual([422, 'invalid']);
});

test('subscribers added after the start or deleted before writing are omitted', async () => {
  const account = await server.owner();
  await addSubscriber(account, { email: 'first@x.example' });
  const deletedId = await addSubscriber(account, { email: 'gone@x.example' });
  const response = await start(account, { all: true, columns: ['email'] });
  clock.advance(60_000);
  await addSubscriber(account, { email: 'later@x.example' });
  await account.delete('/client-api/api/subscribers', { subscribers: [deletedId] });
  await server.runJobs();
  clock.reset();
  const file = await fetchFile(account, response.body.data.id);
  expect(file.text).toBe('\ufeffEmail\r\nfirst@x.example\r\n');
});

test('a link requires a session of its account, works for an hour, and is stored as a hash', async () => {
  const account = await server.owner();
  const otherOwner = await server.owner();
  await addSubscriber(account, { email: 'a@x.example' });
  const { id } = (await start(account, { all: true })).body.data;
  expect((await account.post(`${exportsPath}/${id}/link`)).body.code).toBe('export_not_ready');
  await server.runJobs();
  const hash = await link(account, id);
  const path = `/client-api/api/downloads/${hash}`;
  expect((await account.get(path)).body.data).toMatchObject({ id, format: 'csv', row_count: 1 });
  expect((await server.client().get(path)).status).toBe(401);
  expect((await server.client().get(`${path}/file`)).status).toBe(401);
  for (const client of [otherOwner, account]) {
    const wrongPath = client === otherOwner ? path : `/client-api/api/downloads/${'x'.repeat(43)}`;
    expect((await client.get(wrongPath)).body.code).toBe('link_expired');
    expect((await client.get(`${wrongPath}/file`)).status).toBe(410);
  }
  expect((await otherOwner.get(`${exportsPath}/${id}`)).status).toBe(404);
  expect((await otherOwner.post(`${exportsPath}/${id}/link`)).status).toBe(404);
  expect((await otherOwner.delete(`${exportsPath}/${id}`)).status).toBe(404);
  expect((await otherOwner.get(exportsPath)).body.data).toEqual([]);
  const storedHashes = await sql<{ all: string }>`
    select coalesce(string_agg(encode(hash, 'escape'), ''), '') as all from export_links
    where account_id = ${account.accountId}`.execute(server.db);
  expect(storedHashes.rows[0]?.all).not.toContain(hash);
  await sql`
    update export_links set expires_at = (expires_at at time zone 'UTC' - interval '1 hour') at time zone 'UTC'
    where account_id = ${account.accountId}`.execute(server.db);
  expect((await account.get(path)).status).toBe(410);
  expect((await account.get(`${path}/file`)).status).toBe(410);
});

test('a file is deleted after seven days, and its entry stays in the list', async () => {
  const account = await server.owner();
  await addSubscriber(account, { email: 'a@x.example' });
  const { id } = (await start(account, { all: true })).body.data;
  await server.runJobs();
  const row = await server.db
    .selectFrom('exports')
    .selectAll()
    .where('account_id', '=', account.accountId)
    .executeTakeFirstOrThrow();
  expect(await files.size(row.file_key ?? '')).toBe(row.size);
  clock.advance(8 * 86_400_000);
  await expireExports(server.db, account.accountId);
  clock.reset();
  expect(await files.size(row.file_key ?? '')).toBeUndefined();
  expect((await account.get(`${exportsPath}/${id}`)).body.data).toMatchObject({
    state: 'expired',
    row_count: 1,
  });
  expect((await account.post(`${exportsPath}/${id}/link`)).body.code).toBe('export_expired');
  expect((await account.delete(`${exportsPath}/${id}`)).status).toBe(200);
  expect((await account.get(exportsPath)).body.data).toEqual([]);
});

test('another worker continues after a stopped one, and the file contains each subscriber once', async () => {
  const account = await server.owner();
  const count = 120_500;
  await addSubscribers(account.accountId, count);
  const { id } = (await start(account, { all: true, columns: ['email', 'groups'] })).body.data;
  const payload = { accountId: account.accountId, exportId: decodeId('export', id) as number };
  const progress = async () => (await account.get(`${exportsPath}/${id}`)).body.data;
  // Stops within the second part: the signal is checked before each page, and a part has 25 pages.
  const running = exportJob.run(payload, { db: server.db, signal: abortAfterChecks(30) });
  await expect(running).rejects.toThrow(JobInterrupted);
  expect(await progress()).toMatchObject({ state: 'running', total: count });
  const before = await server.db
    .selectFrom('exports')
    .select('parts')
    .where('account_id', '=', account.accountId)
    .executeTakeFirstOrThrow();
  expect(before.parts).toBeGreaterThan(0);
  await server.runJobs();
  expect(await progress()).toMatchObject({ state: 'finished', row_count: count, total: count });
  const file = await fetchFile(account, id);
  const lines = file.text.split('\r\n').slice(1, -1);
  expect(lines.length).toBe(count);
  expect(new Set(lines).size).toBe(count);
  // If the queue delivers the job again, it has no effect.
  await exportJob.run(payload, { db: server.db, signal: new AbortController().signal });
  const remainingFiles: string[] = [];
  for await (const key of files.list())
    if (key.startsWith(`exports/${account.accountId}/parts/`)) remainingFiles.push(key);
  expect(remainingFiles).toEqual([]);
});

test('a deleted export stays deleted when its job runs, and more than 20 concurrent exports are refused', async () => {
  const account = await server.owner();
  await addSubscriber(account, { email: 'a@x.example' });
  const { id } = (await start(account, { all: true })).body.data;
  expect((await account.delete(`${exportsPath}/${id}`)).status).toBe(200);
  await server.runJobs();
  expect((await account.get(`${exportsPath}/${id}`)).status).toBe(404);
  for (let i = 0; i < 20; i++) expect((await start(account, { all: true })).status).toBe(200);
  expect((await start(account, { all: true })).status).toBe(429);
  await server.runJobs();
  expect((await start(account, { all: true })).status).toBe(200);
});

test('a repeated idempotency key creates one export', async () => {
  const account = await server.owner();
  await addSubscriber(account, { email: 'a@x.example' });
  const key = { 'idempotency-key': 'once' };
  const responses = [];
  for (let i = 0; i < 3; i++) responses.push(await account.post(exportsPath, { all: true }, key));
  expect(new Set(responses.map((response) => response.body.data.id)).size).toBe(1);
});

test('the user gets an email about a slow export, and none about a fast one', async () => {
  const account = await server.owner('patient@x.example');
  await addSubscriber(account, { email: 'a@x.example' });
  const countEmails = async () =>
    (
      await sql<{ count: number }>`
        select count(*) as count from single_sends
        where account_id = ${account.accountId} and recipient = 'patient@x.example'`.execute(
        server.db,
      )
    ).rows[0]?.count;
  const before = await countEmails();
  await start(account, { all: true });
  await server.runJobs();
  expect(await countEmails()).toBe(before);
  await start(account, { all: true });
  clock.advance(5 * 60_000);
  await server.runJobs();
  clock.reset();
  expect(await countEmails()).toBe((before ?? 0) + 1);
});

test('the file contains the status and date of an unsubscribed subscriber', async () => {
  const account = await server.owner();
  const id = await addSubscriber(account, { email: 'left@x.example' });
  await inTransaction(server.db, (tx) =>
    unsubscribe(
      tx,
      account.accountId,
      { subscriberIds: [decodeId('subscriber', id) as number] },
      { channel: 'email', reason: 'link' },
    ),
  );
  const lines = await exportLines(account, {
    all: true,
    columns: ['email', 'email_status', 'unsubscribed_at', 'sms_status'],
  });
  expect(lines[1]).toMatch(/^left@x\.example,unsubscribed,\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,$/);
});
