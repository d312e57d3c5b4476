// Failures during an import: kills, failed reads of the file, concurrent changes.
import { Readable } from 'node:stream';
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { deleteField } from '#areas/fields/server/fields.ts';
import { suppress } from '#areas/subscribers/server/index.ts';
import { decodeId } from '#platform/ids.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { files } from '#platform/server/files/files.ts';
import { JobInterrupted } from '#platform/server/jobs/jobs.ts';
import { lockWaiters } from '#testing/setup/lock-waiters.ts';
import { readCounts, readSubscribers, server, start, upload } from '#testing/worlds/importing.ts';
import { RecordReader } from './import-records.ts';
import { importJob } from './run-import.ts';
import { RunRecorder } from './run-record.ts';

test('an import killed between two batches resumes with exact counts', async () => {
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
  // The first worker is stopped after its first batch.
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
  expect(progress.created_count).toBe((await readSubscribers(account.accountId)).length);
  await importJob.run(payload, { db: server.db, signal: new AbortController().signal });
  const { data } = (await account.get(`/client-api/api/imports/${preview.id}`)).body;
  expect(data).toMatchObject({ state: 'finished', rowCount: 45_000 });
  expect(readCounts(data)).toEqual([44_954, 0, 0, 46, 0]);
  expect((await readSubscribers(account.accountId)).length).toBe(44_954);
  const [group] = (await account.get('/client-api/api/tags')).body.data;
  expect(group.recipient_count).toBe(44_954);
  // Nothing happens if the queue delivers the job again.
  await server.runJobs();
  expect((await readSubscribers(account.accountId)).length).toBe(44_954);
});

test('after a read failure during a batch, the file is read again and the import finishes', async () => {
  const account = await server.owner();
  const { accountId } = account;
  const csv = `email\n${Array.from({ length: 6_000 }, (_, i) => `p${i}@x.example`).join('\n')}\n`;
  const preview = (await upload(account, csv)).body.data;
  await start(account, { source: preview.source, emailColumn: 0 });
  const importId = decodeId('import', preview.id) as number;
  // The first batch waits until `release` is called; until then the file store fails once.
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const broken = Object.assign(new Error('The store is unavailable'), { code: 'ECONNABORTED' });
  let reads = 0;
  const getFile = vi.spyOn(files, 'get').mockImplementation(async () => {
    reads++;
    const isFirst = reads === 1;
    async function* bytes() {
      yield Buffer.from(csv);
      if (!isFirst) return;
      // The file store fails after the preceding rows are read.
      await new Promise((resolve) => setTimeout(resolve, 500));
      throw broken;
    }
    return Readable.from(bytes());
  });
  const holding = inTransaction(server.db, async (tx) => {
    await sql`select 1 from accounts where id = ${accountId} for update`.execute(tx);
    await gate;
  });
  const payload = { accountId, importId };
  const running = importJob.run(payload, { db: server.db, signal: new AbortController().signal });
  // The wait is longer than the first retry delay.
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  release();
  await Promise.all([holding, running]);
  getFile.mockRestore();
  const { data } = (await account.get(`/client-api/api/imports/${preview.id}`)).body;
  expect([data.state, ...readCounts(data)]).toEqual(['finished', 6_000, 0, 0, 0, 0]);
  expect(reads).toBe(2);
});

test('two concurrent workers of one import apply it once', async () => {
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
  expect([data.state, ...readCounts(data)]).toEqual(['finished', 25_000, 0, 0, 0, 0]);
});

test('a field in use by an import is not deleted, and the error names the import', async () => {
  const account = await server.owner();
  const fields = '/client-api/api/fields';
  const field = (await account.post(fields, { title: 'Town', type: 'text' })).body.data.id;
  const preview = (await upload(account, 'email,town\na@x.example,Oslo\n', 'spring.csv')).body.data;
  const columns = [{ column: 1, target: field }];
  await start(account, { source: preview.source, emailColumn: 0, columns });
  const response = await account.delete(`${fields}/${field}`);
  expect([response.status, response.body.used_by]).toEqual([
    409,
    [{ kind: 'import', id: preview.id, title: 'spring.csv' }],
  ]);
  await server.runJobs();
  expect((await account.delete(`${fields}/${field}`)).status).toBe(200);
  await server.runJobs();
  const [subscriber] = (await account.get('/client-api/api/subscribers')).body.data;
  expect([subscriber.email, subscriber.columns]).toEqual(['a@x.example', []]);
});

test('an import into a field being deleted does not start', async () => {
  const account = await server.owner();
  const fields = '/client-api/api/fields';
  const field = (await account.post(fields, { title: 'Town', type: 'text' })).body.data.id;
  const preview = (await upload(account, 'email,town\na@x.example,Oslo\n')).body.data;
  const { starting } = await inTransaction(server.db, async (tx) => {
    await deleteField(tx, account.accountId, decodeId('field', field) as number, 'eng');
    const columns = [{ column: 1, target: field }];
    // The starting transaction still sees the field and waits for the deletion.
    return { starting: start(account, { source: preview.source, emailColumn: 0, columns }) };
  });
  const response = await starting;
  expect(response.status).toBe(422);
  // If the check ran after the deletion, the error names the column.
  expect(Object.keys(response.body.errors)[0]).toMatch(/^columns/);
});

test('an address that bounces during the batch is added as bounced', async () => {
  const account = await server.owner();
  const { accountId } = account;
  const group = (await account.post('/client-api/api/tags', { title: 'Held' })).body.data.id;
  const preview = (await upload(account, 'email\nfree@o.example\ngone@o.example\n')).body.data;
  await start(account, { source: preview.source, emailColumn: 0, tags: [group] });
  // The batch has copied its subscribers when it waits for the locked group.
  const running = await inTransaction(server.db, async (tx) => {
    await sql`select 1 from groups where account_id = ${accountId} for update`.execute(tx);
    const jobs = server.runJobs();
    await vi.waitFor(async () => {
      expect((await lockWaiters(server.db)).length).toBeGreaterThan(0);
    }, 10_000);
    await inTransaction(server.db, (concurrentTx) =>
      suppress(concurrentTx, accountId, ['gone@o.example'], {
        channel: 'email',
        reason: 'bounced',
      }),
    );
    return { jobs };
  });
  await running.jobs;
  expect(
    (await readSubscribers(accountId)).map((subscriber) => [
      subscriber.email_key,
      subscriber.email_status,
    ]),
  ).toEqual([
    ['free@o.example', 'active'],
    ['gone@o.example', 'bounced'],
  ]);
  const { data } = (await account.get(`/client-api/api/imports/${preview.id}`)).body;
  expect(readCounts(data)).toEqual([2, 0, 0, 0, 1]);
});

test('a row that kills its worker repeatedly is reported and skipped, and other rows are imported', async () => {
  const account = await server.owner();
  const { accountId } = account;
  const csv = 'email\na@x.example\nfatal@x.example\nb@x.example\n';
  const preview = (await upload(account, csv)).body.data;
  await start(account, { source: preview.source, emailColumn: 0 });
  const payload = { accountId, importId: decodeId('import', preview.id) as number };
  const { read } = RecordReader.prototype;
  // A killed worker records nothing, so the recording of the end is disabled.
  const spy = vi.spyOn(RecordReader.prototype, 'read').mockImplementation(function (
    this: RecordReader,
    row,
  ) {
    if (row.cells[0] === 'fatal@x.example') throw new Killed();
    read.call(this, row);
  });
  const recordEnd = vi.spyOn(RunRecorder.prototype, 'recordEnd').mockResolvedValue();
  const run = () => importJob.run(payload, { db: server.db, signal: new AbortController().signal });
  for (let kill = 1; kill <= 3; kill++) await expect(run()).rejects.toThrow(Killed);
  recordEnd.mockRestore();
  await run();
  spy.mockRestore();
  const { data } = (await account.get(`/client-api/api/imports/${preview.id}`)).body;
  expect([data.state, ...readCounts(data)]).toEqual(['finished', 2, 0, 0, 1, 0]);
  const { text } = await account.get(`/client-api/api/imports/${preview.id}/rejected.csv`);
  expect(text).toMatch(/^3,.*Reading this row stopped the import twice.*fatal@x\.example/m);
});

/** Extends the interruption of a job, because an interruption is not counted as a failure. */
class Killed extends JobInterrupted {
  constructor() {
    super('killed');
  }
}
