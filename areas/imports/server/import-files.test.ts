// Files of imports: how many are stored and for how long, and which are refused.
import { Readable } from 'node:stream';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import writeXlsxFile from 'write-excel-file/node';
import { decodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
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
  UPLOADS,
  upload,
} from '#testing/worlds/importing.ts';
import { lockImport } from './imports.sql.ts';
import { removeUploads } from './imports.ts';
import { deleteExpiredRowIssues } from './rejected-rows.ts';
import { getValueTexts, startImport } from './start-import.ts';
import { closeUndos } from './undo.ts';

test('an account stores at most 20 unstarted files, even under concurrency, and can delete them', async () => {
  const client = await server.owner();
  const list = async () => (await client.get(UPLOADS)).body.data;
  for (let i = 0; i < 17; i++) await upload(client, 'Email\nada@a.example\n', `${i}.csv`);
  const responses = await Promise.all(
    Array.from({ length: 8 }, () => upload(client, 'Email\nada@a.example\n')),
  );
  const rejectedUploads = responses.filter((response) => response.status !== 200);
  expect(rejectedUploads).toHaveLength(5);
  for (const response of rejectedUploads) {
    expect([response.status, response.body.code]).toEqual([409, 'too_many_uploads']);
    expect(response.body.message).toContain('You have 20 files that are not started.');
  }
  const text = { subscribers: 'bo@a.example' };
  const pasteResponse = await client.post('/client-api/api/subscribers/text_import', text);
  expect(pasteResponse.body.code).toBe('too_many_uploads');
  expect((await upload(otherOwner, 'Email\nada@a.example\n')).status).toBe(200);
  const before = await list();
  expect(before).toHaveLength(20);
  expect(before.at(-1)).toMatchObject({ fileName: '0.csv', rowCount: 1, state: 'uploaded' });
  const url = `/client-api/api/imports/${before.at(-1).id}`;
  expect((await otherOwner.delete(url)).status).toBe(404);
  expect((await client.delete(url)).status).toBe(200);
  expect((await client.delete(url)).status).toBe(404);
  const retriedUpload = await upload(client, 'Email\nada@a.example\n');
  expect(retriedUpload.status).toBe(200);
  expect((await start(client, { source: retriedUpload.body.data.id, emailColumn: 0 })).status).toBe(
    200,
  );
  const deletion = await client.delete(`/client-api/api/imports/${retriedUpload.body.data.id}`);
  expect([deletion.status, deletion.body.code]).toEqual([409, 'import_already_started']);
  expect(await list()).toHaveLength(19);
});

test('the email column of a long file is found although its first 600 rows have no address in it', async () => {
  const account = await server.owner();
  const rows = Array.from({ length: 30_000 }, (_, i) =>
    i < 600 ? `call ${i},boss${i}@a.example,Ona` : `person${i}@a.example,,Ona`,
  );
  const { id, columns } = (await upload(account, `Email,Boss,Name\n${rows.join('\n')}\n`)).body
    .data;
  const targets = columns.map((column: { target: string }) => column.target);
  expect(targets).toEqual(['email', 'skip', 'firstname']);
  const secondPreview = await account.get(`/client-api/api/imports/${id}/preview`);
  expect(secondPreview.body.data.columns).toEqual(columns);
});

test('a file with 1,000 columns is imported', async () => {
  const account = await server.owner();
  const titles = Array.from({ length: 1_000 }, (_, i) => (i === 500 ? 'email' : `Column ${i}`));
  const row = (email: string) => titles.map((title, i) => (i === 500 ? email : title)).join(',');
  const preview = (
    await upload(account, `${titles.join(',')}\n${row('a@x.example')}\n${row('b@x.example')}\n`)
  ).body.data;
  expect(preview.columns.length).toBe(1_000);
  const response = await start(account, {
    source: preview.source,
    emailColumn: 500,
    columns: [{ column: 999, target: 'new', title: 'Last', type: 'text' }],
  });
  expect(response.status, response.text).toBe(200);
  await server.runJobs();
  const subscribers = await readSubscribers(account.accountId);
  expect(
    subscribers.map((row) => [row.email_key, Object.values(row.field_values as object)]),
  ).toEqual([
    ['a@x.example', ['Column 999']],
    ['b@x.example', ['Column 999']],
  ]);
});

test('valid rows are imported from Windows-1257, UTF-16, a workbook, and a file with a row of 100 MB and a NUL', async () => {
  const account = await server.owner();
  const baltic = Buffer.concat([
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
  await importFile(account, baltic);
  await importFile(account, Buffer.from('\ufeffvardas\temail\nŪla\tula@x.example\n', 'utf16le'));
  const book = await writeXlsxFile([
    [{ value: 'Email' }, { value: 'Name' }],
    [{ value: 'book@x.example' }, { value: 'Büchler' }],
  ]).toBuffer();
  await importFile(account, book);
  const huge = Buffer.concat([
    Buffer.from('email,name\nbefore@x.example,B\n'),
    Buffer.alloc(100 * 1024 * 1024, 'x'),
    Buffer.from('\nnul\0@x.example,N\nafter@x.example,A\n'),
  ]);
  const finishedImport = await importFile(account, huge);
  expect(readCounts(finishedImport)).toEqual([2, 0, 0, 2, 0]);
  expect(
    (await readSubscribers(account.accountId)).map((subscriber) => [
      subscriber.email_key,
      subscriber.firstname,
    ]),
  ).toEqual([
    ['after@x.example', 'A'],
    ['before@x.example', 'B'],
    ['book@x.example', 'Büchler'],
    ['jusa@x.example', 'Jųša'],
    ['ula@x.example', 'Ūla'],
    ['z@x.example', 'Žydrūnė'],
  ]);
  const rejectedCsv = (
    await account.get(`/client-api/api/imports/${finishedImport.id}/rejected.csv`)
  ).text;
  expect(rejectedCsv.split('\r\n').length).toBe(4);
  expect(rejectedCsv).toContain('The row is too long');
});

test('a pasted list is read in several formats, and an empty one is refused', async () => {
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

test('files without a list or above the size limit are refused, each with its reason', async () => {
  const uploadErrorCode = async (content: string | Buffer) =>
    (await upload(owner, content)).body.code;
  expect(await uploadErrorCode('')).toBe('file_empty');
  expect(await uploadErrorCode('\n\n\n')).toBe('file_empty');
  expect(await uploadErrorCode(Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]))).toBe(
    'old_workbook',
  );
  expect(await uploadErrorCode(Buffer.from('PK\x03\x04 and nothing'))).toBe('workbook_damaged');
  for (const start of [
    '89504e470d0a1a0a',
    'ffd8ffe000104a46',
    '255044462d312e37',
    '1f8b080000000000',
  ])
    expect(await uploadErrorCode(Buffer.from(start, 'hex'))).toBe('no_list');
  expect(await uploadErrorCode(Buffer.alloc(121 * 1024 * 1024, 'a\n'))).toBe('file_too_large');
  expect((await owner.post('/client-api/api/subscribers/import_file', {})).body.code).toBe(
    'file_missing',
  );
  expect(
    (await owner.post('/client-api/api/subscribers/text_import', { subscribers: 5 })).status,
  ).toBe(422);
});

test('the preview can be reread with another encoding or delimiter, or without headings', async () => {
  const preview = (await upload(owner, 'email;name\na@x.example;A\n')).body.data;
  const reread = async (query: string) =>
    (await owner.get(`/client-api/api/imports/${preview.id}/preview?${query}`)).body;
  expect((await reread('delimiter=,')).data.columns.length).toBe(1);
  expect((await reread('has_header=0')).data.rows.length).toBe(2);
  expect((await reread('encoding=utf-16le')).data.encoding).toBe('utf-16le');
  expect((await reread('encoding=ebcdic')).errors).toHaveProperty('encoding');
});

test('if a worker dies after the last row, the file is deleted when the undo period ends', async () => {
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

test('rejected rows are deleted 30 days after the import, and their count remains', async () => {
  const account = await server.owner();
  const csv = 'email\na@x.example\nnobody at home\n';
  const finishedImport = await importFile(account, csv);
  const day = 86_400_000;
  expect(Date.parse(finishedImport.rejected_until) - Date.parse(finishedImport.finished)).toBe(
    30 * day,
  );
  const path = `/client-api/api/imports/${finishedImport.id}`;
  const rows = async () => {
    const { rows: left } = await sql`select 1 from import_rejections
      where account_id = ${account.accountId}`.execute(server.db);
    return left.length;
  };
  // The import's end is moved instead of the clock, so that the session stays valid.
  const setEndBefore = (before: number) =>
    sql`update imports set finished_at = ${new Date(clock.now().getTime() - before)}
      where account_id = ${account.accountId}`.execute(server.db);
  await setEndBefore(30 * day - 60_000);
  await deleteExpiredRowIssues(server.db, account.accountId);
  expect((await account.get(`${path}/rejected.csv`)).text).toContain('nobody at home');
  expect(await rows()).toBe(1);
  // The rows expire at this instant, not at the next cleanup.
  await setEndBefore(30 * day);
  const response = await account.get(`${path}/rejected.csv`);
  expect([response.status, response.body.code]).toEqual([410, 'rejected_gone']);
  await deleteExpiredRowIssues(server.db, account.accountId);
  expect(await rows()).toBe(0);
  const { data } = (await account.get(path)).body;
  expect(data).toMatchObject({ rejected_count: 1, rejected_until: null });
});

async function readWhole(key: string | null): Promise<string> {
  let text = '';
  for await (const chunk of (await files.get(key ?? '')) ?? []) text += String(chunk);
  return text;
}

test('an import that starts during the cleanup keeps its file', async () => {
  const account = await server.owner();
  const preview = (await upload(account, 'email\nlate@x.example\n')).body.data;
  clock.advance(25 * 3_600_000);
  // The owner's start holds the row lock when the cleanup reaches the file.
  const response = await inTransaction(server.db, async (tx) => {
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
    await startImport(
      tx,
      account,
      { ...body, consent },
      getValueTexts((key) => key),
    );
    return { removing };
  });
  await response.removing;
  clock.reset();
  await server.runJobs();
  const { data } = (await account.get(`/client-api/api/imports/${preview.id}`)).body;
  expect(data).toMatchObject({ state: 'finished', created_count: 1 });
});

test('a missing stored file fails the import with a message, and unstarted files are deleted after a day', async () => {
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
  const pendingUpload = (await upload(account, 'email\na@x.example\n')).body.data;
  await removeUploads(server.db, account.accountId);
  expect((await account.get(`/client-api/api/imports/${pendingUpload.id}/preview`)).status).toBe(
    200,
  );
  clock.advance(25 * 3_600_000);
  await removeUploads(server.db, account.accountId);
  clock.reset();
  expect((await account.get(`/client-api/api/imports/${pendingUpload.id}/preview`)).status).toBe(
    404,
  );
});
