// Imports over HTTP: uploaded, previewed, started once, with exact counts.
import { expect, test } from 'vitest';
import { unsubscribe } from '#areas/subscribers/server/index.ts';
import { decodeId, encodeId } from '#platform/ids.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { files } from '#platform/server/files/files.ts';
import {
  readCounts,
  importFile,
  otherOwner,
  owner,
  readSubscribers,
  server,
  start,
  upload,
} from '#testing/worlds/importing.ts';

test('a file is uploaded, previewed and started with new fields and groups, and its subscribers are imported', async () => {
  const csv =
    'E-post;Fornavn;Alder;Siden\nada@x.example;Ada;36,5;31.01.2026\nbob@x.example;Bob;;\nnot an address;X;1;\n';
  const response = await upload(owner, csv, 'C:\\lists\\våre.csv');
  expect(response.status, response.text).toBe(200);
  const preview = response.body.data;
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
  expect(preview.columns.map((column: { target: string }) => column.target)).toEqual([
    'email',
    'firstname',
    'skip',
    'skip',
  ]);
  expect((await owner.get('/client-api/api/imports')).body.data).toEqual([]);
  const startResponse = await start(owner, {
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
  expect(startResponse.status, startResponse.text).toBe(200);
  expect(startResponse.body.data).toMatchObject({
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
  expect(readCounts(data)).toEqual([2, 0, 0, 1, 0]);
  const [ada] = await readSubscribers(owner.accountId);
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
  const rejectedCsv = await owner.get(`/client-api/api/imports/${preview.id}/rejected.csv`);
  expect(rejectedCsv.headers['content-type']).toMatch(/text\/csv/);
  expect(rejectedCsv.text).toBe(
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

test('an import without attested consent does not subscribe its new subscribers', async () => {
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
  const response = await client.post('/client-api/api/subscribers/start_import', body);
  expect(response.status, response.text).toBe(200);
  await server.runJobs();
  const subscribers = await readSubscribers(client.accountId);
  expect(subscribers.map((row) => [row.email, row.firstname, row.email_status])).toEqual([
    ['known@x.example', 'Known', 'active'],
    ['new@x.example', 'New', 'non-subscribed'],
  ]);
  const { data } = (await client.get(`/client-api/api/imports/${source}`)).body;
  expect(readCounts(data)).toEqual([1, 1, 0, 0, 0]);
});

test('five concurrent requests to start one import run it once, and different settings for the same file are refused', async () => {
  const account = await server.owner();
  const preview = (await upload(account, 'email\na@x.example\nb@x.example\n')).body.data;
  const body = { source: preview.source, emailColumn: 0 };
  const responses = await Promise.all([1, 2, 3, 4, 5].map(() => start(account, body)));
  expect(responses.map((response) => response.status)).toEqual([200, 200, 200, 200, 200]);
  expect(new Set(responses.map((response) => response.body.data.id)).size).toBe(1);
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
  expect((await readSubscribers(account.accountId)).length).toBe(2);
  expect((await account.get(`/client-api/api/imports/${preview.id}/preview`)).status).toBe(409);
});

test('importing a file again does not change any subscriber, and a newer file changes the subscribers that it names', async () => {
  const account = await server.owner();
  await importFile(account, 'email,firstname\na@x.example,A\nb@x.example,B\n');
  expect(
    readCounts(await importFile(account, 'email,firstname\na@x.example,A\nb@x.example,B\n')),
  ).toEqual([0, 0, 2, 0, 0]);
  expect(
    readCounts(
      await importFile(account, 'email,firstname\na@x.example,Ann\nB@x.example,\nc@x.example,C\n'),
    ),
  ).toEqual([1, 1, 1, 0, 0]);
});

test('unsubscribed subscribers remain unsubscribed, and the result counts them', async () => {
  const account = await server.owner();
  await importFile(account, 'email\nleft@x.example\n');
  const [left] = await readSubscribers(account.accountId);
  await inTransaction(server.db, (tx) =>
    unsubscribe(
      tx,
      account.accountId,
      { subscriberIds: [left?.id ?? 0] },
      { channel: 'email', reason: 'link' },
    ),
  );
  const finishedImport = await importFile(
    account,
    'email,status\nleft@x.example,active\nnew@x.example,unsubscribed\n',
  );
  expect(readCounts(finishedImport)).toEqual([1, 0, 1, 0, 1]);
  expect(
    (await readSubscribers(account.accountId)).map((subscriber) => subscriber.email_status),
  ).toEqual(['unsubscribed', 'unsubscribed']);
  const rejectedCsv = await account.get(
    `/client-api/api/imports/${finishedImport.id}/rejected.csv`,
  );
  expect(rejectedCsv.text).toContain('The person had unsubscribed');
});

test("a repeated address is imported once without losing the second row's opt-out", async () => {
  const account = await server.owner();
  const manyRows = Array.from({ length: 6_000 }, (_, i) => `p${i}@x.example,active`);
  const finishedImport = await importFile(
    account,
    `email,status\ntwice@x.example,active\nbad@x.example,active\n${manyRows.join('\n')}\ntwice@x.example,unsubscribed\nbad@x.example,cleaned\np1@x.example,active\n`,
  );
  expect(readCounts(finishedImport)).toEqual([6_002, 0, 0, 3, 0]);
  const statuses = new Map(
    (await readSubscribers(account.accountId)).map((subscriber) => [
      subscriber.email_key,
      subscriber.email_status,
    ]),
  );
  expect(statuses.get('twice@x.example')).toBe('unsubscribed');
  expect(statuses.get('bad@x.example')).toBe('bounced');
  expect(statuses.get('p1@x.example')).toBe('active');
});

test("an incomplete or contradictory request is refused with the field's name", async () => {
  const preview = (await upload(owner, 'x,y\na@x.example,1\n')).body.data;
  const getInvalidFields = async (body: object) => {
    const response = await start(owner, { source: preview.source, ...body });
    return [response.status, Object.keys(response.body.errors ?? {})];
  };
  expect(await getInvalidFields({})).toEqual([422, ['emailColumn']]);
  expect(await getInvalidFields({ emailColumn: 7 })).toEqual([422, ['emailColumn']]);
  expect(
    await getInvalidFields({ emailColumn: 0, columns: [{ column: 1, target: 'email' }] }),
  ).toEqual([422, ['emailColumn']]);
  expect(
    await getInvalidFields({ emailColumn: 0, columns: [{ column: 1, target: 'nonsense' }] }),
  ).toEqual([422, ['columns.0.target']]);
  expect(
    await getInvalidFields({ emailColumn: 0, columns: [{ column: 1, target: 'new' }] }),
  ).toEqual([422, ['columns.0.target']]);
  expect(await getInvalidFields({ emailColumn: 0, tags: [encodeId('group', 999_999)] })).toEqual([
    422,
    ['tags'],
  ]);
  expect(await getInvalidFields({ emailColumn: 0, consent: { attested: false } })).toEqual([
    422,
    ['consent.attested'],
  ]);
  expect(await getInvalidFields({ emailColumn: 0, undo: true })).toEqual([422, ['undo']]);
  expect((await owner.post('/client-api/api/subscribers/start_import', {})).status).toBe(422);
});

test("another account's import, field and group are not found", async () => {
  const pendingUpload = (await upload(owner, 'email\na@x.example\n')).body.data;
  expect((await otherOwner.get(`/client-api/api/imports/${pendingUpload.id}/preview`)).status).toBe(
    404,
  );
  expect((await start(otherOwner, { source: pendingUpload.source, emailColumn: 0 })).status).toBe(
    404,
  );
  const finishedImport = await importFile(owner, 'email\nzz@x.example\n', { new_tags: ['Mine'] });
  expect((await otherOwner.get(`/client-api/api/imports/${finishedImport.id}`)).status).toBe(404);
  expect(
    (await otherOwner.get(`/client-api/api/imports/${finishedImport.id}/rejected.csv`)).status,
  ).toBe(404);
  expect((await otherOwner.get('/client-api/api/imports')).body.data).toEqual([]);
  const otherUpload = (await upload(otherOwner, 'email\na@x.example\n')).body.data;
  expect(
    (
      await start(otherOwner, {
        source: otherUpload.source,
        emailColumn: 0,
        tags: [finishedImport.tags[0].id],
      })
    ).status,
  ).toBe(422);
  expect((await server.client().get('/client-api/api/imports')).status).toBe(401);
  for (const id of ['nonsense', '0', encodeId('group', 1), encodeId('import', 999_999)])
    expect((await owner.get(`/client-api/api/imports/${id}`)).status).toBe(404);
});
