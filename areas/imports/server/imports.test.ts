// Imports over HTTP: taken in, looked at, started once, resumed after a kill, with exact counts.
import { Readable } from 'node:stream';
import { sql } from 'kysely';
import { beforeAll, expect, test, vi } from 'vitest';
import writeXlsxFile from 'write-excel-file/node';
import { deleteField } from '#areas/fields/server/fields.ts';
import { suppress, unsubscribe } from '#areas/subscribers/server/index.ts';
import { decodeId, encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database.ts';
import { files } from '#platform/server/files.ts';
import { lockWaiters } from '#testing/lock-waiters.ts';
import { type TestClient, type TestServer, testServer } from '#testing/server.ts';
import { lockImport } from './imports.sql.ts';
import { removeUploads } from './imports.ts';
import { deleteRejected } from './rejected-rows.ts';
import { importJob } from './run-import.ts';
import { startImport } from './start-import.ts';
import { closeUndos } from './undo.ts';

type Owner = TestClient & { accountId: number; userId: number };

let server: TestServer;
let owner: Owner;
let other: Owner;

beforeAll(async () => {
  server = await testServer({ IMPORT_MAX_MB: '120' });
  owner = await server.owner();
  other = await server.owner();
});

function multipart(name: string, content: Buffer) {
  const mark = '----contacts';
  const head = `--${mark}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\n`;
  return {
    payload: Buffer.concat([Buffer.from(head), content, Buffer.from(`\r\n--${mark}--\r\n`)]),
    headers: { 'content-type': `multipart/form-data; boundary=${mark}` },
  };
}

const UPLOADS = '/client-api/api/imports/uploads';

const upload = (client: TestClient, content: string | Buffer, name = 'contacts.csv') =>
  client.send({
    method: 'POST',
    url: '/client-api/api/subscribers/import_file',
    ...multipart(name, Buffer.from(content as string)),
  });

test('files that nobody starts have a number, however many come at once, and can be removed', async () => {
  const many = await server.owner();
  const list = async () => (await many.get(UPLOADS)).body.data;
  for (let i = 0; i < 17; i++) await upload(many, 'Email\nada@a.example\n', `${i}.csv`);
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => upload(many, 'Email\nada@a.example\n')),
  );
  const refused = answers.filter((one) => one.status !== 200);
  expect(refused).toHaveLength(5);
  for (const one of refused) {
    expect([one.status, one.body.code]).toEqual([409, 'too_many_uploads']);
    expect(one.body.message).toContain('You have 20 files that are not started.');
  }
  const text = { subscribers: 'bo@a.example' };
  const pasted = await many.post('/client-api/api/subscribers/text_import', text);
  expect(pasted.body.code).toBe('too_many_uploads');
  expect((await upload(other, 'Email\nada@a.example\n')).status).toBe(200);
  const before = await list();
  expect(before).toHaveLength(20);
  expect(before.at(-1)).toMatchObject({ fileName: '0.csv', rowCount: 1, state: 'uploaded' });
  const url = `/client-api/api/imports/${before.at(-1).id}`;
  expect((await other.delete(url)).status).toBe(404);
  expect((await many.delete(url)).status).toBe(200);
  expect((await many.delete(url)).status).toBe(404);
  const again = await upload(many, 'Email\nada@a.example\n');
  expect(again.status).toBe(200);
  expect((await start(many, { source: again.body.data.id, emailColumn: 0 })).status).toBe(200);
  const started = await many.delete(`/client-api/api/imports/${again.body.data.id}`);
  expect([started.status, started.body.code]).toEqual([409, 'import_already_started']);
  expect(await list()).toHaveLength(19);
});

const start = (client: TestClient, body: object) =>
  client.post('/client-api/api/subscribers/start_import', {
    consent: { attested: true },
    columns: [],
    ...body,
  });

/** Takes a file in, starts it as guessed, runs it and answers its result. */
async function importAll(client: TestClient, content: string | Buffer, more: object = {}) {
  const preview = (await upload(client, content)).body.data;
  const columns = preview.columns.map((one: { column: number; target: string }) => ({
    column: one.column,
    target: one.target,
  }));
  const started = await start(client, { source: preview.source, columns, ...more });
  expect(started.status, started.text).toBe(200);
  await server.runJobs();
  return (await client.get(`/client-api/api/imports/${preview.id}`)).body.data;
}

const people = (accountId: number) =>
  server.db
    .selectFrom('subscribers')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .orderBy('email_key')
    .execute();

const countsOf = (done: Record<string, number>) => [
  done.created_count,
  done.updated_count,
  done.unchanged_count,
  done.rejected_count,
  done.noted_count,
];

test('a file is taken in, shown, started with new fields and groups, and its people are in', async () => {
  const csv =
    'E-post;Fornavn;Alder;Siden\nada@x.example;Ada;36,5;31.01.2026\nbob@x.example;Bob;;\nnot an address;X;1;\n';
  const taken = await upload(owner, csv, 'C:\\lists\\våre.csv');
  expect(taken.status, taken.text).toBe(200);
  const preview = taken.body.data;
  expect(preview).toMatchObject({
    fileName: 'våre.csv',
    method: 'file',
    rowCount: 3,
    encoding: 'utf-8',
    delimiter: ';',
    has_header: true,
    rows: [
      ['ada@x.example', 'Ada', '36,5', '31.01.2026'],
      ['bob@x.example', 'Bob', '', ''],
      ['not an address', 'X', '1', ''],
    ],
  });
  expect(preview.columns.map((one: { target: string }) => one.target)).toEqual([
    'email',
    'firstname',
    'skip',
    'skip',
  ]);
  expect((await owner.get('/client-api/api/imports')).body.data).toEqual([]);
  const started = await start(owner, {
    source: preview.source,
    emailColumn: 0,
    fileName: 'våre.csv',
    rowCount: 3,
    columns: [
      { column: 1, target: 'firstname' },
      { column: 2, target: 'new', title: 'Age', type: 'number' },
      { column: 3, target: 'new', title: 'Since', type: 'datetime' },
    ],
    new_tags: ['Friends', 'Family'],
  });
  expect(started.status, started.text).toBe(200);
  expect(started.body.data).toMatchObject({
    state: 'queued',
    emailColumn: 0,
    phoneColumn: null,
    matchedColumns: 4,
  });
  await server.runJobs();
  const { data } = (await owner.get(`/client-api/api/imports/${preview.id}`)).body;
  expect(data).toMatchObject({
    state: 'finished',
    rowCount: 3,
    rows_read: 3,
    error: null,
    fileName: 'våre.csv',
  });
  expect(data.tags.map((tag: { title: string }) => tag.title).sort()).toEqual([
    'Family',
    'Friends',
  ]);
  expect(countsOf(data)).toEqual([2, 0, 0, 1, 0]);
  const [ada] = await people(owner.accountId);
  expect(Object.values(ada?.field_values as object)).toEqual([36.5, '2026-01-31 00:00:00']);
  expect(ada).toMatchObject({
    email_status: 'active',
    source: 'import',
    import_id: decodeId('import', preview.id),
  });
  const groups = (await owner.get('/client-api/api/tags')).body.data;
  expect(groups.map((group: { recipient_count: number }) => group.recipient_count)).toEqual([2, 2]);
  expect((await owner.get('/client-api/api/users/onboard')).body.data.subscriber_added).toBe(true);
  expect((await owner.get('/client-api/api/users')).body.data.account.subscriber_count).toBe(2);
  const rejected = await owner.get(`/client-api/api/imports/${preview.id}/rejected.csv`);
  expect(rejected.headers['content-type']).toMatch(/text\/csv/);
  expect(rejected.text).toBe(
    '\ufeffRow,Result,Reason,Column,E-post,Fornavn,Alder,Siden\r\n4,Not imported,The email address has no @.,E-post,not an address,X,1,\r\n',
  );
  expect((await owner.get('/client-api/api/imports')).body).toMatchObject({
    data: [{ id: preview.id }],
    meta: { total: 1 },
  });
  const row = await server.db
    .selectFrom('imports')
    .select('file_key')
    .where('account_id', '=', owner.accountId)
    .executeTakeFirstOrThrow();
  expect(await files.size(row.file_key ?? '')).toBeUndefined();
});

test('the specified body alone starts an import; whose consent nobody attested is not subscribed', async () => {
  const client = await server.owner();
  await client.post('/client-api/api/subscribers', { email: 'known@x.example' });
  const rows = 'known@x.example,Known,active\nnew@x.example,New,active\n';
  const { source, fileName } = (await upload(client, `email,name,status\n${rows}`)).body.data;
  const body = {
    emailColumn: 0,
    phoneColumn: null,
    columns: [
      { column: 1, target: 'firstname' },
      { column: 2, target: 'email_status' },
    ],
    fileName,
    source,
    rowCount: 2,
    tags: [],
  };
  const started = await client.post('/client-api/api/subscribers/start_import', body);
  expect(started.status, started.text).toBe(200);
  await server.runJobs();
  const found = await people(client.accountId);
  expect(found.map((one) => [one.email, one.firstname, one.email_status])).toEqual([
    ['known@x.example', 'Known', 'active'],
    ['new@x.example', 'New', 'non-subscribed'],
  ]);
  const { data } = (await client.get(`/client-api/api/imports/${source}`)).body;
  expect(countsOf(data)).toEqual([1, 1, 0, 0, 0]);
});

test('starting five times at once is one import; another order for the same file is refused', async () => {
  const account = await server.owner();
  const preview = (await upload(account, 'email\na@x.example\nb@x.example\n')).body.data;
  const body = { source: preview.source, emailColumn: 0 };
  const answers = await Promise.all([1, 2, 3, 4, 5].map(() => start(account, body)));
  expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200, 200]);
  expect(new Set(answers.map((answer) => answer.body.data.id)).size).toBe(1);
  expect(await start(account, { ...body, new_tags: ['More'] })).toMatchObject({
    status: 409,
    body: { code: 'import_already_started' },
  });
  await server.runJobs();
  expect((await start(account, body)).body.data).toMatchObject({
    state: 'finished',
    created_count: 2,
  });
  await server.runJobs();
  expect((await people(account.accountId)).length).toBe(2);
  expect((await account.get(`/client-api/api/imports/${preview.id}/preview`)).status).toBe(409);
});

test('an import that dies between two batches goes on where it was, with exact counts', async () => {
  const account = await server.owner();
  const lines = Array.from({ length: 45_000 }, (_, i) =>
    i % 1000 === 7 ? `broken ${i}` : `p${i}@x.example`,
  );
  lines[44_000] = 'p1@x.example';
  const preview = (await upload(account, `email\n${lines.join('\n')}\n`)).body.data;
  await start(account, { source: preview.source, emailColumn: 0, new_tags: ['All'] });
  const payload = {
    accountId: account.accountId,
    importId: decodeId('import', preview.id) as number,
  };
  // A worker that stops after its first batch, and one whose second batch fails within its transaction.
  const stopping = new AbortController();
  const running = importJob.run(payload, { db: server.db, signal: stopping.signal });
  const checkpoint = async () =>
    (
      await server.db
        .selectFrom('imports')
        .select('checkpoint')
        .where('account_id', '=', account.accountId)
        .executeTakeFirstOrThrow()
    ).checkpoint;
  while ((await checkpoint()) === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  stopping.abort();
  await running.catch(() => undefined);
  const halfway = await checkpoint();
  expect(halfway).toBeGreaterThan(1);
  const progress = (await account.get(`/client-api/api/imports/${preview.id}`)).body.data;
  expect(progress.created_count).toBe((await people(account.accountId)).length);
  await importJob.run(payload, { db: server.db, signal: new AbortController().signal });
  const { data } = (await account.get(`/client-api/api/imports/${preview.id}`)).body;
  expect(data).toMatchObject({ state: 'finished', rowCount: 45_000 });
  expect(countsOf(data)).toEqual([44_954, 0, 0, 46, 0]);
  expect((await people(account.accountId)).length).toBe(44_954);
  const [group] = (await account.get('/client-api/api/tags')).body.data;
  expect(group.recipient_count).toBe(44_954);
  // The queue may give the job out once more: nothing happens again.
  await server.runJobs();
  expect((await people(account.accountId)).length).toBe(44_954);
});

test('a file that breaks off while a batch is under way is read again, and the import ends', async () => {
  const account = await server.owner();
  const { accountId } = account;
  const csv = `email\n${Array.from({ length: 6_000 }, (_, i) => `p${i}@x.example`).join('\n')}\n`;
  const preview = (await upload(account, csv)).body.data;
  await start(account, { source: preview.source, emailColumn: 0 });
  const importId = decodeId('import', preview.id) as number;
  // Its first batch waits for this; meanwhile the file's store goes away, once.
  let release = () => {};
  const isHeld = new Promise<void>((resolve) => {
    release = resolve;
  });
  const broken = Object.assign(new Error('The store is away'), { code: 'ECONNABORTED' });
  let reads = 0;
  const get = vi.spyOn(files, 'get').mockImplementation(async () => {
    reads++;
    const isFirst = reads === 1;
    async function* bytes() {
      yield Buffer.from(csv);
      if (!isFirst) return;
      // Once the rows before it are read.
      await new Promise((resolve) => setTimeout(resolve, 500));
      throw broken;
    }
    return Readable.from(bytes());
  });
  const holding = inTransaction(server.db, async (tx) => {
    await sql`select 1 from accounts where id = ${accountId} for update`.execute(tx);
    await isHeld;
  });
  const payload = { accountId, importId };
  const running = importJob.run(payload, { db: server.db, signal: new AbortController().signal });
  // Longer than the first wait before it is tried again.
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  release();
  await Promise.all([holding, running]);
  get.mockRestore();
  const { data } = (await account.get(`/client-api/api/imports/${preview.id}`)).body;
  expect([data.state, ...countsOf(data)]).toEqual(['finished', 6_000, 0, 0, 0, 0]);
  expect(reads).toBe(2);
});

test('two workers that run one import at once make it once', async () => {
  const account = await server.owner();
  const lines = Array.from({ length: 25_000 }, (_, i) => `p${i}@x.example`);
  const preview = (await upload(account, `email\n${lines.join('\n')}`)).body.data;
  await start(account, { source: preview.source, emailColumn: 0 });
  const payload = {
    accountId: account.accountId,
    importId: decodeId('import', preview.id) as number,
  };
  const tools = { db: server.db, signal: new AbortController().signal };
  await Promise.all([importJob.run(payload, tools), importJob.run(payload, tools)]);
  await importJob.run(payload, tools);
  const { data } = (await account.get(`/client-api/api/imports/${preview.id}`)).body;
  expect([data.state, ...countsOf(data)]).toEqual(['finished', 25_000, 0, 0, 0, 0]);
});

test('the same file again changes nobody, a newer one changes whom it names', async () => {
  const account = await server.owner();
  await importAll(account, 'email,firstname\na@x.example,A\nb@x.example,B\n');
  expect(
    countsOf(await importAll(account, 'email,firstname\na@x.example,A\nb@x.example,B\n')),
  ).toEqual([0, 0, 2, 0, 0]);
  expect(
    countsOf(
      await importAll(account, 'email,firstname\na@x.example,Ann\nB@x.example,\nc@x.example,C\n'),
    ),
  ).toEqual([1, 1, 1, 0, 0]);
});

test('who had unsubscribed stays so, and the result says it', async () => {
  const account = await server.owner();
  await importAll(account, 'email\nleft@x.example\n');
  const [left] = await people(account.accountId);
  await inTransaction(server.db, (tx) =>
    unsubscribe(
      tx,
      account.accountId,
      { subscriberIds: [left?.id ?? 0] },
      { channel: 'email', reason: 'link' },
    ),
  );
  const done = await importAll(
    account,
    'email,status\nleft@x.example,active\nnew@x.example,unsubscribed\n',
  );
  expect(countsOf(done)).toEqual([1, 0, 1, 0, 1]);
  expect((await people(account.accountId)).map((one) => one.email_status)).toEqual([
    'unsubscribed',
    'unsubscribed',
  ]);
  const rejected = await account.get(`/client-api/api/imports/${done.id}/rejected.csv`);
  expect(rejected.text).toContain('The person had unsubscribed');
});

test('an address that stands twice is taken once, but an opt-out of the second row is not lost', async () => {
  const account = await server.owner();
  const many = Array.from({ length: 6_000 }, (_, i) => `p${i}@x.example,active`);
  const done = await importAll(
    account,
    `email,status\ntwice@x.example,active\nbad@x.example,active\n${many.join('\n')}\ntwice@x.example,unsubscribed\nbad@x.example,cleaned\np1@x.example,active\n`,
  );
  expect(countsOf(done)).toEqual([6_002, 0, 0, 3, 0]);
  const statuses = new Map(
    (await people(account.accountId)).map((one) => [one.email_key, one.email_status]),
  );
  expect(statuses.get('twice@x.example')).toBe('unsubscribed');
  expect(statuses.get('bad@x.example')).toBe('bounced');
  expect(statuses.get('p1@x.example')).toBe('active');
});

test('a file of 1,000 columns is read as any other', async () => {
  const account = await server.owner();
  const titles = Array.from({ length: 1_000 }, (_, i) => (i === 500 ? 'email' : `Column ${i}`));
  const row = (email: string) => titles.map((title, i) => (i === 500 ? email : title)).join(',');
  const preview = (
    await upload(account, `${titles.join(',')}\n${row('a@x.example')}\n${row('b@x.example')}\n`)
  ).body.data;
  expect(preview.columns.length).toBe(1_000);
  const started = await start(account, {
    source: preview.source,
    emailColumn: 500,
    columns: [{ column: 999, target: 'new', title: 'Last', type: 'text' }],
  });
  expect(started.status, started.text).toBe(200);
  await server.runJobs();
  const all = await people(account.accountId);
  expect(all.map((one) => [one.email_key, Object.values(one.field_values as object)])).toEqual([
    ['a@x.example', ['Column 999']],
    ['b@x.example', ['Column 999']],
  ]);
});

test('Windows-1257, UTF-16, a workbook, a row of 100 MB and NUL: the good rows are in', async () => {
  const account = await server.owner();
  const latin = Buffer.concat([
    Buffer.from('vardas,email\nJ'),
    Buffer.from([0xf8, 0xf0]),
    Buffer.from('a,jusa@x.example\n'),
    Buffer.from([0xde]),
    Buffer.from('ydr'),
    Buffer.from([0xfb]),
    Buffer.from('n'),
    Buffer.from([0xeb]),
    Buffer.from(',z@x.example\n'),
  ]);
  await importAll(account, latin);
  await importAll(account, Buffer.from('\ufeffvardas\temail\nŪla\tula@x.example\n', 'utf16le'));
  const book = await writeXlsxFile([
    [{ value: 'Email' }, { value: 'Name' }],
    [{ value: 'book@x.example' }, { value: 'Büchler' }],
  ]).toBuffer();
  await importAll(account, book);
  const huge = Buffer.concat([
    Buffer.from('email,name\nbefore@x.example,B\n'),
    Buffer.alloc(100 * 1024 * 1024, 'x'),
    Buffer.from('\nnul\0@x.example,N\nafter@x.example,A\n'),
  ]);
  const done = await importAll(account, huge);
  expect(countsOf(done)).toEqual([2, 0, 0, 2, 0]);
  expect((await people(account.accountId)).map((one) => [one.email_key, one.firstname])).toEqual([
    ['after@x.example', 'A'],
    ['before@x.example', 'B'],
    ['book@x.example', 'Büchler'],
    ['jusa@x.example', 'Jųša'],
    ['ula@x.example', 'Ūla'],
    ['z@x.example', 'Žydrūnė'],
  ]);
  const rejected = (await account.get(`/client-api/api/imports/${done.id}/rejected.csv`)).text;
  expect(rejected.split('\r\n').length).toBe(4);
  expect(rejected).toContain('The row is too long');
});

test('pasted lists of several shapes', async () => {
  const paste = async (subscribers: unknown) =>
    (await owner.post('/client-api/api/subscribers/text_import', { subscribers })).body.data;
  expect(await paste('a@x.example, b@x.example; c@x.example d@x.example')).toMatchObject({
    method: 'text',
    has_header: false,
    rowCount: 4,
    rows: [['a@x.example'], ['b@x.example'], ['c@x.example'], ['d@x.example']],
    columns: [{ target: 'email' }],
  });
  expect(await paste('Ada,ada@x.example\nBob,bob@x.example')).toMatchObject({
    rowCount: 2,
    columns: [{ target: 'skip' }, { target: 'email' }],
  });
  expect((await paste(['a@x.example', 'b@x.example'])).rows.length).toBe(2);
  expect(
    (await owner.post('/client-api/api/subscribers/text_import', { subscribers: ' \n' })).body.code,
  ).toBe('file_empty');
});

test('what is no list is refused with its reason, and nothing is kept', async () => {
  const codes = async (content: string | Buffer) => (await upload(owner, content)).body.code;
  expect(await codes('')).toBe('file_empty');
  expect(await codes('\n\n\n')).toBe('file_empty');
  expect(await codes(Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]))).toBe(
    'old_workbook',
  );
  expect(await codes(Buffer.from('PK\x03\x04 and nothing'))).toBe('workbook_damaged');
  for (const start of [
    '89504e470d0a1a0a',
    'ffd8ffe000104a46',
    '255044462d312e37',
    '1f8b080000000000',
  ])
    expect(await codes(Buffer.from(start, 'hex'))).toBe('no_list');
  expect(await codes(Buffer.alloc(121 * 1024 * 1024, 'a\n'))).toBe('file_too_large');
  expect((await owner.post('/client-api/api/subscribers/import_file', {})).body.code).toBe(
    'file_missing',
  );
  expect(
    (await owner.post('/client-api/api/subscribers/text_import', { subscribers: 5 })).status,
  ).toBe(422);
});

test('the preview is read again with another encoding or delimiter, or without headings', async () => {
  const preview = (await upload(owner, 'email;name\na@x.example;A\n')).body.data;
  const again = async (query: string) =>
    (await owner.get(`/client-api/api/imports/${preview.id}/preview?${query}`)).body;
  expect((await again('delimiter=,')).data.columns.length).toBe(1);
  expect((await again('has_header=0')).data.rows.length).toBe(2);
  expect((await again('encoding=utf-16le')).data.encoding).toBe('utf-16le');
  expect((await again('encoding=ebcdic')).errors).toHaveProperty('encoding');
});

test('an order that says nothing or too much is refused by the name of what is wrong', async () => {
  const preview = (await upload(owner, 'x,y\na@x.example,1\n')).body.data;
  const faults = async (body: object) => {
    const answer = await start(owner, { source: preview.source, ...body });
    return [answer.status, Object.keys(answer.body.errors ?? {})];
  };
  expect(await faults({})).toEqual([422, ['emailColumn']]);
  expect(await faults({ emailColumn: 7 })).toEqual([422, ['emailColumn']]);
  expect(await faults({ emailColumn: 0, columns: [{ column: 1, target: 'email' }] })).toEqual([
    422,
    ['emailColumn'],
  ]);
  expect(await faults({ emailColumn: 0, columns: [{ column: 1, target: 'nonsense' }] })).toEqual([
    422,
    ['columns.0.target'],
  ]);
  expect(await faults({ emailColumn: 0, columns: [{ column: 1, target: 'new' }] })).toEqual([
    422,
    ['columns.0.target'],
  ]);
  expect(await faults({ emailColumn: 0, tags: [encodeId('group', 999_999)] })).toEqual([
    422,
    ['tags'],
  ]);
  expect(await faults({ emailColumn: 0, consent: { attested: false } })).toEqual([
    422,
    ['consent.attested'],
  ]);
  expect(await faults({ emailColumn: 0, undo: true })).toEqual([422, ['undo']]);
  expect((await owner.post('/client-api/api/subscribers/start_import', {})).status).toBe(422);
});

test("another account's import, field and group are not there", async () => {
  const mine = (await upload(owner, 'email\na@x.example\n')).body.data;
  expect((await other.get(`/client-api/api/imports/${mine.id}/preview`)).status).toBe(404);
  expect((await start(other, { source: mine.source, emailColumn: 0 })).status).toBe(404);
  const done = await importAll(owner, 'email\nzz@x.example\n', { new_tags: ['Mine'] });
  expect((await other.get(`/client-api/api/imports/${done.id}`)).status).toBe(404);
  expect((await other.get(`/client-api/api/imports/${done.id}/rejected.csv`)).status).toBe(404);
  expect((await other.get('/client-api/api/imports')).body.data).toEqual([]);
  const theirs = (await upload(other, 'email\na@x.example\n')).body.data;
  expect(
    (await start(other, { source: theirs.source, emailColumn: 0, tags: [done.tags[0].id] })).status,
  ).toBe(422);
  expect((await server.client().get('/client-api/api/imports')).status).toBe(401);
  for (const id of ['nonsense', '0', encodeId('group', 1), encodeId('import', 999_999)])
    expect((await owner.get(`/client-api/api/imports/${id}`)).status).toBe(404);
});

test('a file whose worker died behind the last row goes when the way back ends', async () => {
  const account = await server.owner();
  const preview = (await upload(account, 'email\na@x.example\n')).body.data;
  await start(account, { source: preview.source, emailColumn: 0 });
  await server.runJobs();
  const { file_key: key } = await server.db
    .selectFrom('imports')
    .select('file_key')
    .where('account_id', '=', account.accountId)
    .executeTakeFirstOrThrow();
  expect(await files.get(key ?? '')).toBeUndefined();
  await files.put(key ?? '', Readable.from(['email\na@x.example\n']));
  clock.advance(6 * 86_400_000);
  await closeUndos(server.db, account.accountId);
  expect(await readWhole(key)).toContain('a@x.example');
  clock.advance(2 * 86_400_000);
  await closeUndos(server.db, account.accountId);
  clock.reset();
  expect(await files.get(key ?? '')).toBeUndefined();
});

test('refused rows are deleted 30 days after the import; that there were some stays', async () => {
  const account = await server.owner();
  const csv = 'email\na@x.example\nnobody at home\n';
  const done = await importAll(account, csv);
  const day = 86_400_000;
  expect(Date.parse(done.rejected_until) - Date.parse(done.finished)).toBe(30 * day);
  const path = `/client-api/api/imports/${done.id}`;
  const rows = async () => {
    const { rows: left } = await sql`select 1 from import_rejections
      where account_id = ${account.accountId}`.execute(server.db);
    return left.length;
  };
  // Its own end is moved rather than the clock: whoever asks stays signed in.
  const ended = (before: number) =>
    sql`update imports set finished_at = ${new Date(clock.now().getTime() - before)}
      where account_id = ${account.accountId}`.execute(server.db);
  await ended(30 * day - 60_000);
  await deleteRejected(server.db, account.accountId);
  expect((await account.get(`${path}/rejected.csv`)).text).toContain('nobody at home');
  expect(await rows()).toBe(1);
  // Over with the minute that it is, and not with the next sweep.
  await ended(30 * day);
  const gone = await account.get(`${path}/rejected.csv`);
  expect([gone.status, gone.body.code]).toEqual([410, 'rejected_gone']);
  await deleteRejected(server.db, account.accountId);
  expect(await rows()).toBe(0);
  const { data } = (await account.get(path)).body;
  expect(data).toMatchObject({ rejected_count: 1, rejected_until: null });
});

async function readWhole(key: string | null): Promise<string> {
  let text = '';
  for await (const chunk of (await files.get(key ?? '')) ?? []) text += String(chunk);
  return text;
}

test('a field stays while an import gives people values of it, and the answer says which', async () => {
  const account = await server.owner();
  const fields = '/client-api/api/fields';
  const field = (await account.post(fields, { title: 'Town', type: 'text' })).body.data.id;
  const preview = (await upload(account, 'email,town\na@x.example,Oslo\n', 'spring.csv')).body.data;
  const columns = [{ column: 1, target: field }];
  await start(account, { source: preview.source, emailColumn: 0, columns });
  const refused = await account.delete(`${fields}/${field}`);
  expect([refused.status, refused.body.used_by]).toEqual([
    409,
    [{ kind: 'import', id: preview.id, title: 'spring.csv' }],
  ]);
  await server.runJobs();
  expect((await account.delete(`${fields}/${field}`)).status).toBe(200);
  await server.runJobs();
  const [person] = (await account.get('/client-api/api/subscribers')).body.data;
  expect([person.email, person.columns]).toEqual(['a@x.example', []]);
});

test('an import into a field that is being deleted does not start', async () => {
  const account = await server.owner();
  const fields = '/client-api/api/fields';
  const field = (await account.post(fields, { title: 'Town', type: 'text' })).body.data.id;
  const preview = (await upload(account, 'email,town\na@x.example,Oslo\n')).body.data;
  const { starting } = await inTransaction(server.db, async (tx) => {
    await deleteField(tx, account.accountId, decodeId('field', field) as number, 'eng');
    const columns = [{ column: 1, target: field }];
    // Sees the field still, and has to wait for what becomes of it.
    return { starting: start(account, { source: preview.source, emailColumn: 0, columns }) };
  });
  const refused = await starting;
  expect(refused.status).toBe(422);
  // Where it came to look after all was over, the column is named.
  expect(Object.keys(refused.body.errors)[0]).toMatch(/^columns/);
});

test('a file that is started while old ones are removed is kept', async () => {
  const account = await server.owner();
  const preview = (await upload(account, 'email\nlate@x.example\n')).body.data;
  clock.advance(25 * 3_600_000);
  // The owner's start holds the row; whoever removes old files comes to it in the meantime.
  const started = await inTransaction(server.db, async (tx) => {
    const id = decodeId('import', preview.id) as number;
    await lockImport(tx, account.accountId, id);
    const removing = removeUploads(server.db, account.accountId);
    const body = {
      source: id,
      emailColumn: 0,
      phoneColumn: null,
      columns: [],
      tags: [],
      new_tags: [],
    };
    const consent = { attested: true as const, channels: ['email' as const] };
    await startImport(tx, account, { ...body, consent }, { yes: 'Yes', no: 'No' });
    return { removing };
  });
  await started.removing;
  clock.reset();
  await server.runJobs();
  const { data } = (await account.get(`/client-api/api/imports/${preview.id}`)).body;
  expect(data).toMatchObject({ state: 'finished', created_count: 1 });
});

test('who is suppressed while the batch that adds them is under way is added as such', async () => {
  const account = await server.owner();
  const { accountId } = account;
  const group = (await account.post('/client-api/api/tags', { title: 'Held' })).body.data.id;
  const preview = (await upload(account, 'email\nfree@o.example\ngone@o.example\n')).body.data;
  await start(account, { source: preview.source, emailColumn: 0, tags: [group] });
  // The group is held: the batch has copied its people, and waits.
  const running = await inTransaction(server.db, async (tx) => {
    await sql`select 1 from groups where account_id = ${accountId} for update`.execute(tx);
    const jobs = server.runJobs();
    await vi.waitFor(async () => {
      expect((await lockWaiters(server.db)).length).toBeGreaterThan(0);
    }, 10_000);
    await inTransaction(server.db, (other) =>
      suppress(other, accountId, ['gone@o.example'], { channel: 'email', reason: 'bounced' }),
    );
    return { jobs };
  });
  await running.jobs;
  expect((await people(accountId)).map((one) => [one.email_key, one.email_status])).toEqual([
    ['free@o.example', 'active'],
    ['gone@o.example', 'bounced'],
  ]);
  const { data } = (await account.get(`/client-api/api/imports/${preview.id}`)).body;
  expect(countsOf(data)).toEqual([2, 0, 0, 0, 1]);
});

test('a stored file that is gone fails the import in words; unstarted files go after a day', async () => {
  const account = await server.owner();
  const preview = (await upload(account, 'email\na@x.example\n')).body.data;
  await start(account, { source: preview.source, emailColumn: 0 });
  const row = await server.db
    .selectFrom('imports')
    .selectAll()
    .where('account_id', '=', account.accountId)
    .executeTakeFirstOrThrow();
  await files.remove(row.file_key ?? '');
  await server.runJobs();
  const { data } = (await account.get(`/client-api/api/imports/${preview.id}`)).body;
  expect(data).toMatchObject({
    state: 'failed',
    error: { code: 'file_missing', message: expect.stringContaining('file') },
  });
  const unstarted = (await upload(account, 'email\na@x.example\n')).body.data;
  await removeUploads(server.db, account.accountId);
  expect((await account.get(`/client-api/api/imports/${unstarted.id}/preview`)).status).toBe(200);
  clock.advance(25 * 3_600_000);
  await removeUploads(server.db, account.accountId);
  clock.reset();
  expect((await account.get(`/client-api/api/imports/${unstarted.id}/preview`)).status).toBe(404);
});
