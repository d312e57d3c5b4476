// Exports that are deleted or fail while they run, the files that remain in storage, and the date
// in the name of a downloaded file.
import { sql } from 'kysely';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { files } from '#platform/server/files/files.ts';
import { decodeId } from '#platform/ids.ts';
import { markJobAsAbandoned } from '#testing/setup/killed-jobs.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { exportJob } from './run-export.ts';

const EXPORTS = '/client-api/api/exports';
let server: TestServer;

beforeAll(async () => {
  server = await testServer();
});
afterEach(() => {
  vi.restoreAllMocks();
});

async function ownerWithSubscribers() {
  const owner = await server.owner();
  for (const name of ['ada', 'bo'])
    await owner.post('/client-api/api/subscribers', { email: `${name}@x.example` });
  return owner;
}

async function keysOf(accountId: number): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of files.list()) if (key.startsWith(`exports/${accountId}/`)) keys.push(key);
  return keys;
}

test('an export deleted during the write of a part leaves no files', async () => {
  const owner = await ownerWithSubscribers();
  const { id } = (await owner.post(EXPORTS, { all: true })).body.data;
  const put = files.put.bind(files);
  vi.spyOn(files, 'put').mockImplementation(async (key, content) => {
    // The export is deleted first, so that the part is created after the deletion.
    expect((await owner.delete(`${EXPORTS}/${id}`)).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 50));
    return put(key, content);
  });
  await server.runJobs();
  expect(await keysOf(owner.accountId)).toEqual([]);
});

test('a file that a failed worker did not record is replaced by the retry and deleted with the export', async () => {
  const owner = await ownerWithSubscribers();
  const { id } = (await owner.post(EXPORTS, { all: true })).body.data;
  const payload = { accountId: owner.accountId, exportId: decodeId('export', id) as number };
  const tools = { db: server.db, signal: new AbortController().signal };
  const put = files.put.bind(files);
  const writing = vi.spyOn(files, 'put').mockImplementation(async (key, content) => {
    const size = await put(key, content);
    if (!key.includes('/parts/')) throw Object.assign(new Error('gone'), { code: 'ECONNRESET' });
    return size;
  });
  await expect(exportJob.run(payload, tools)).rejects.toThrow('gone');
  expect(await keysOf(owner.accountId)).toHaveLength(2);
  writing.mockRestore();
  await server.runJobs();
  expect((await owner.get(`${EXPORTS}/${id}`)).body.data.state).toBe('finished');
  expect(await keysOf(owner.accountId)).toHaveLength(1);
  expect((await owner.delete(`${EXPORTS}/${id}`)).status).toBe(200);
  await expect.poll(() => keysOf(owner.accountId)).toEqual([]);
});

test('a worker that fails after another one has finished leaves the recorded file', async () => {
  const owner = await ownerWithSubscribers();
  const { id } = (await owner.post(EXPORTS, { all: true })).body.data;
  const payload = { accountId: owner.accountId, exportId: decodeId('export', id) as number };
  const tools = { db: server.db, signal: new AbortController().signal };
  await sql`update exports set failures = 3
    where account_id = ${payload.accountId} and id = ${payload.exportId}`.execute(server.db);
  const get = files.get.bind(files);
  vi.spyOn(files, 'get').mockImplementationOnce(async (key) => {
    await exportJob.run(payload, tools);
    return get(key);
  });
  await exportJob.run(payload, tools);
  expect((await owner.get(`${EXPORTS}/${id}`)).body.data.state).toBe('finished');
  expect(await keysOf(owner.accountId)).toEqual([
    `exports/${owner.accountId}/whole/${payload.exportId}`,
  ]);
});

test("the file name has the account's date, even where it differs from the date in UTC", async () => {
  const owner = await ownerWithSubscribers();
  // At any hour, the date in one of the two zones differs from the date in UTC.
  const zone = clock.now().getUTCHours() < 11 ? 'Pacific/Pago_Pago' : 'Pacific/Kiritimati';
  await sql`update accounts set timezone = ${zone} where id = ${owner.accountId}`.execute(
    server.db,
  );
  const { id } = (await owner.post(EXPORTS, { all: true })).body.data;
  const day = new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(clock.now());
  await server.runJobs();
  const { hash } = (await owner.post(`${EXPORTS}/${id}/link`)).body.data;
  const { file_name } = (await owner.get(`/client-api/api/downloads/${hash}`)).body.data;
  expect(file_name).toBe(`subscribers-${day}.csv`);
});

test('an export that kills its worker twice fails with an error that reports this', async () => {
  const owner = await ownerWithSubscribers();
  const { id } = (await owner.post(EXPORTS, { all: true })).body.data;
  await markJobAsAbandoned(server.db, 'exports.run', owner.accountId);
  await server.runJobs();
  expect((await owner.get(`${EXPORTS}/${id}`)).body.data).toMatchObject({
    state: 'failed',
    error: {
      code: 'export_kills_worker',
      message: expect.stringContaining('stopped twice at the same place'),
    },
  });
  expect(await keysOf(owner.accountId)).toEqual([]);
});
