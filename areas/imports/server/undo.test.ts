// Forecasts and undos of imports are exact and repeatable, and survive the death of workers.

import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { addToGroups } from '#areas/groups/server/index.ts';
import { unsubscribe, updateSubscriber } from '#areas/subscribers/server/index.ts';
import { decodeId, encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { JobInterrupted } from '#platform/server/jobs/jobs.ts';
import { markJobAsAbandoned } from '#testing/setup/killed-jobs.ts';
import {
  type TestClient,
  type TestOwner,
  type TestServer,
  testServer,
} from '#testing/setup/server.ts';
import { abortAfterChecks } from '#testing/setup/stopping.ts';
import { closeUndos, undoJob } from './undo.ts';

let server: TestServer;

beforeAll(async () => {
  server = await testServer();
});

async function paste(account: TestClient, csv: string) {
  const response = await account.post('/client-api/api/subscribers/text_import', {
    subscribers: csv,
  });
  expect(response.status, response.text).toBe(200);
  return response.body.data;
}

const toColumns = (preview: { columns: { column: number; target: string }[] }) =>
  preview.columns.map(({ column, target }) => ({ column, target }));

async function forecast(account: TestClient, csv: string) {
  const preview = await paste(account, csv);
  const path = `/client-api/api/imports/${preview.id}/forecast`;
  const response = await account.post(path, { columns: toColumns(preview) });
  expect(response.status, response.text).toBe(200);
  expect(response.body.data.state).toBe('queued');
  await server.runJobs();
  return { preview, data: (await account.get(path)).body.data };
}

async function importList(account: TestClient, csv: string, options: object = {}) {
  const preview = await paste(account, csv);
  return start(account, preview, options);
}

async function start(
  account: TestClient,
  preview: { id: string; source: string; columns: { column: number; target: string }[] },
  options: object = {},
) {
  const response = await account.post('/client-api/api/subscribers/start_import', {
    source: preview.source,
    columns: toColumns(preview),
    consent: { attested: true },
    ...options,
  });
  expect(response.status, response.text).toBe(200);
  await server.runJobs();
  const { data } = (await account.get(`/client-api/api/imports/${preview.id}`)).body;
  expect(data.state).toBe('finished');
  return data;
}

async function undo(account: TestClient, id: string) {
  const response = await account.post(`/client-api/api/imports/${id}/undo`);
  expect(response.status, response.text).toBe(200);
  await server.runJobs();
  return (await account.get(`/client-api/api/imports/${id}`)).body.data;
}

/** Reads the addresses, names, fields, statuses and groups of the account's subscribers. */
async function snapshot(account: TestOwner) {
  const { rows } = await sql<Record<string, unknown>>`
    select s.email_key, s.phone_key, s.firstname, s.lastname, s.field_values, s.email_status,
      s.temail_status, s.sms_status, s.tsms_status,
      (select json_agg(g.title order by g.title) from group_members m
        join groups g on g.account_id = m.account_id and g.id = m.group_id
        where m.account_id = s.account_id and m.subscriber_id = s.id) as groups
    from subscribers s where s.account_id = ${account.accountId} and s.deleted_at is null
    order by s.id`.execute(server.db);
  return rows;
}

const findSubscriberId = async (account: TestOwner, email: string) =>
  (
    await server.db
      .selectFrom('subscribers')
      .select('id')
      .where('account_id', '=', account.accountId)
      .where('email_key', '=', email)
      .where('deleted_at', 'is', null)
      .executeTakeFirstOrThrow()
  ).id;

const unsubscribeByLink = (account: TestOwner, id: number) =>
  inTransaction(server.db, (tx) =>
    unsubscribe(
      tx,
      account.accountId,
      { subscriberIds: [id] },
      { channel: 'email', reason: 'link' },
    ),
  );

const OLD_LIST = [
  'email,firstname,lastname,phone,status',
  'same@x.example,Same,One,,',
  'name@x.example,Old,Name,,',
  'left@x.example,Left,,,',
  'no@x.example,No,,,non-subscribed',
  'phone@x.example,,,+37060000001,',
  ',Phone,Only,+37060000002,',
].join('\n');

const NEW_LIST = [
  'email,firstname,lastname,phone,status,City',
  'same@x.example,Same,One,,,',
  'name@x.example,New,Name,,,Vilnius',
  'left@x.example,Left,,,active,',
  'no@x.example,No,,,active,',
  'adopted@x.example,Phone,Only,+37060000002,,',
  'phone@x.example,,,+37060000003,,',
  'fresh@x.example,Fresh,,+37060000001,,Riga',
  'away@x.example,,,,unsubscribed,',
  'fresh@x.example,Twice,,,,',
  'nonsense,,,,,',
].join('\n');

async function ownerWithOldList(): Promise<TestOwner> {
  const account = await server.owner();
  await importList(account, OLD_LIST, { new_tags: ['Before'] });
  await unsubscribeByLink(account, await findSubscriberId(account, 'left@x.example'));
  clock.advance(1000);
  return account;
}

test('a forecast matches the following import and does not change any subscriber', async () => {
  const account = await ownerWithOldList();
  const before = await snapshot(account);
  const { preview, data } = await forecast(account, NEW_LIST);
  expect(await snapshot(account)).toEqual(before);
  expect(data).toMatchObject({ state: 'finished', rowCount: 10, rows_read: 10, kept_count: 1 });
  expect(data.rejected.map((row: { reason: string }) => row.reason).sort()).toEqual([
    'duplicate_in_file',
    'email_missing_at',
  ]);
  expect(data.rejected[0].message).toMatch(/\w/);
  const changes = Object.fromEntries(
    data.samples.map((sample: { name: string; changes: object[] }) => [
      sample.name,
      sample.changes,
    ]),
  );
  expect(changes['name@x.example']).toEqual([
    { target: 'firstname', title: null, before: 'Old', after: 'New' },
  ]);
  expect(changes['no@x.example']).toEqual([
    { target: 'email_status', title: null, before: 'non-subscribed', after: 'active' },
  ]);
  expect(changes['phone@x.example']).toEqual([
    { target: 'phone', title: null, before: '+37060000001', after: '+37060000003' },
  ]);
  const finishedImport = await start(account, preview);
  expect([
    data.created_count,
    data.updated_count,
    data.unchanged_count,
    data.rejected_count,
  ]).toEqual([
    finishedImport.created_count,
    finishedImport.updated_count,
    finishedImport.unchanged_count,
    finishedImport.rejected_count,
  ]);
  const response = await account.post(`/client-api/api/imports/${preview.id}/forecast`, {});
  expect(response.body.code).toBe('import_already_started');
});

test('a forecast counts all rows as new if the account has no subscribers, and shows new field values for existing subscribers', async () => {
  const account = await server.owner();
  const preview = await paste(account, 'email,City\na@x.example,Vilnius\nb@x.example,\n');
  const path = `/client-api/api/imports/${preview.id}/forecast`;
  const columns = [
    { column: 0, target: 'email' },
    { column: 1, target: 'new', title: 'City', type: 'text' },
  ];
  await account.post(path, { columns });
  await server.runJobs();
  expect((await account.get(path)).body.data).toMatchObject({ created_count: 2, samples: [] });
  expect((await account.get('/client-api/api/fields')).body.data).toEqual([]);
  await start(account, { ...preview, columns: [] }, { columns, new_tags: [] });
  await account.post('/client-api/api/fields', { title: 'Town' });
  const second = await paste(account, 'email,Height\na@x.example,Tall\n');
  await account.post(`/client-api/api/imports/${second.id}/forecast`, {
    columns: [
      { column: 0, target: 'email' },
      { column: 1, target: 'new', title: 'Height', type: 'text' },
    ],
  });
  await server.runJobs();
  const { data } = (await account.get(`/client-api/api/imports/${second.id}/forecast`)).body;
  expect(data.samples).toEqual([
    {
      name: 'a@x.example',
      changes: [{ target: 'field', title: 'Height', before: '', after: 'Tall' }],
    },
  ]);
  const otherOwner = await server.owner();
  expect((await otherOwner.get(`/client-api/api/imports/${second.id}/forecast`)).status).toBe(404);
  expect((await otherOwner.post(`/client-api/api/imports/${second.id}/forecast`, {})).status).toBe(
    404,
  );
});

test('an undo restores the list as it was before the import, except that opt-outs of the import stay recorded', async () => {
  const account = await ownerWithOldList();
  const before = await snapshot(account);
  const finishedImport = await importList(account, NEW_LIST, { new_tags: ['Now'] });
  expect(finishedImport.undoable_until).not.toBeNull();
  expect(await snapshot(account)).not.toEqual(before);
  const undone = await undo(account, finishedImport.id);
  expect(undone.undo).toMatchObject({
    state: 'finished',
    removed_count: 2,
    restored_count: 4,
    left_groups_count: 6,
    kept_count: 0,
  });
  expect(undone.undoable_until).toBeNull();
  expect(await snapshot(account)).toEqual(before);
  const reimport = await importList(account, 'email,status\naway@x.example,active\n');
  expect(reimport.noted_count).toBe(1);
  // A repeated request returns the same result and has no effect.
  const after = await snapshot(account);
  expect((await undo(account, finishedImport.id)).undo.removed_count).toBe(2);
  expect(await snapshot(account)).toEqual(after);
});

test('an undo leaves subscribers and values that have changed since the import, and reports the reasons', async () => {
  const account = await ownerWithOldList();
  const finishedImport = await importList(
    account,
    'email,firstname,lastname\nname@x.example,New,Newer\nsame@x.example,Other,One\nf1@x.example,,\nf2@x.example,,\nf3@x.example,,\nf4@x.example,,\n',
  );
  clock.advance(1000);
  const setField = async (email: string, name: string, value: string) => {
    const id = encodeId('subscriber', await findSubscriberId(account, email));
    const response = await account.patch(`/client-api/api/subscribers/${id}/fields/${name}`, {
      value,
    });
    expect(response.status).toBe(200);
  };
  await setField('name@x.example', 'firstname', 'Mine');
  await setField('f1@x.example', 'firstname', 'Touched');
  await unsubscribeByLink(account, await findSubscriberId(account, 'f2@x.example'));
  const group = (await account.post('/client-api/api/tags', { title: 'Elsewhere' })).body.data.id;
  const f3 = await findSubscriberId(account, 'f3@x.example');
  await inTransaction(server.db, (tx) =>
    addToGroups(tx, account.accountId, {
      groupIds: [decodeId('group', group) as number],
      subscriberIds: [f3],
      origin: 'bulk' as const,
    }),
  );
  await account.delete('/client-api/api/subscribers', {
    subscribers: [
      (await account.get('/client-api/api/subscribers?search=same@x.example')).body.data[0].id,
    ],
  });
  const { undo: result } = await undo(account, finishedImport.id);
  expect(result).toMatchObject({ removed_count: 1, restored_count: 1, kept_count: 5 });
  expect(
    Object.fromEntries(
      result.kept.map((row: { reason: string; count: number }) => [row.reason, row.count]),
    ),
  ).toEqual({
    changed_since: 3,
    in_other_groups: 1,
    gone: 1,
  });
  const subscriber = await server.db
    .selectFrom('subscribers')
    .select(['firstname', 'lastname'])
    .where('account_id', '=', account.accountId)
    .where('email_key', '=', 'name@x.example')
    .executeTakeFirstOrThrow();
  expect(subscriber).toEqual({ firstname: 'Mine', lastname: 'Name' });
  const csv = await account.get(`/client-api/api/imports/${finishedImport.id}/undo_kept.csv`);
  expect(csv.text.split('\r\n').length).toBe(7);
  expect(csv.text).toContain('f3@x.example');
});

test('an undo interrupted midway and resumed by two workers takes effect once', async () => {
  const account = await server.owner();
  const lines = Array.from({ length: 3_500 }, (_, i) => `p${i}@x.example,Old`);
  await importList(account, `email,firstname\n${lines.slice(0, 2_000).join('\n')}`);
  const before = await snapshot(account);
  clock.advance(1000);
  const renamedLines = lines.map((line) => line.replace('Old', 'New'));
  const finishedImport = await importList(account, `email,firstname\n${renamedLines.join('\n')}`, {
    new_tags: ['All'],
  });
  expect([finishedImport.created_count, finishedImport.updated_count]).toEqual([1_500, 2_000]);
  await account.post(`/client-api/api/imports/${finishedImport.id}/undo`);
  const payload = {
    accountId: account.accountId,
    importId: decodeId('import', finishedImport.id) as number,
  };
  const state = async () =>
    (await account.get(`/client-api/api/imports/${finishedImport.id}`)).body.data.undo;
  // The first run stops after its first slice.
  const running = undoJob.run(payload, { db: server.db, signal: abortAfterChecks(1) });
  await expect(running).rejects.toThrow(JobInterrupted);
  expect(await state()).toMatchObject({ state: 'running', restored_count: 1_000 });
  const tools = { db: server.db, signal: new AbortController().signal };
  await Promise.all([undoJob.run(payload, tools), undoJob.run(payload, tools)]);
  await server.runJobs();
  expect(await state()).toMatchObject({
    state: 'finished',
    removed_count: 1_500,
    restored_count: 2_000,
    left_groups_count: 2_000,
    kept_count: 0,
  });
  expect(await snapshot(account)).toEqual(before);
  expect((await account.get('/client-api/api/users')).body.data.account.subscriber_count).toBe(
    2_000,
  );
});

test('an undo is refused after a week, and its data is deleted', async () => {
  const account = await ownerWithOldList();
  const finishedImport = await importList(account, NEW_LIST, { new_tags: ['Now'] });
  const count = async () =>
    (
      await sql<{ count: number }>`
        select (select count(*) from import_images where account_id = ${account.accountId})
          + (select count(*) from import_memberships where account_id = ${account.accountId}) as count
      `.execute(server.db)
    ).rows[0]?.count;
  expect(await count()).toBeGreaterThan(0);
  await sql`
    update imports set undoable_until = (undoable_until at time zone 'UTC' - interval '8 days') at time zone 'UTC'
    where account_id = ${account.accountId}`.execute(server.db);
  await closeUndos(server.db, account.accountId);
  expect(await count()).toBe(0);
  const response = await account.post(`/client-api/api/imports/${finishedImport.id}/undo`);
  expect([response.status, response.body.code]).toEqual([410, 'undo_too_late']);
  const pendingUpload = await paste(account, 'email\nq@x.example\n');
  expect((await account.post(`/client-api/api/imports/${pendingUpload.id}/undo`)).status).toBe(404);
  const otherOwner = await server.owner();
  expect((await otherOwner.post(`/client-api/api/imports/${finishedImport.id}/undo`)).status).toBe(
    404,
  );
});

test('an undo reverts SMS consent given or withdrawn by the import', async () => {
  const account = await server.owner();
  const header = 'email,phone,sms status\n';
  await importList(account, `${header},+37060000021,\nmoved@x.example,+37060000022,active\n`, {
    consent: { attested: true, channels: ['email', 'sms'] },
  });
  await sql`update subscribers set sms_status = 'non-subscribed'
    where account_id = ${account.accountId} and email_key is null`.execute(server.db);
  const before = await snapshot(account);
  clock.advance(1000);
  const csv = `${header}adopted@x.example,+37060000021,active\nmoved@x.example,+37060000023,non-subscribed\n`;
  const consent = { attested: true, channels: ['email', 'sms'] };
  const { preview, data } = await forecast(account, csv);
  const sample = data.samples.find((sample: { name: string }) => sample.name === 'moved@x.example');
  expect(sample.changes).toContainEqual({
    target: 'sms_status',
    title: null,
    before: 'active',
    after: 'non-subscribed',
  });
  const finishedImport = await start(account, preview, { consent });
  const statuses = (await snapshot(account)).map((row) => [row.email_key, row.sms_status]);
  expect(statuses.sort()).toEqual([
    ['adopted@x.example', 'active'],
    ['moved@x.example', 'non-subscribed'],
  ]);
  clock.advance(1000);
  expect((await undo(account, finishedImport.id)).undo).toMatchObject({
    state: 'finished',
    kept_count: 0,
  });
  expect(await snapshot(account)).toEqual(before);
});

test("an undo does not remove a subscriber's only address, reports that, and undoes the rest", async () => {
  const account = await server.owner();
  await importList(
    account,
    'email,phone,firstname\n,+37060000011,One\ntwo@x.example,,Two\nthree@x.example,,Three\n',
  );
  clock.advance(1000);
  const finishedImport = await importList(
    account,
    'email,phone,firstname\none@x.example,+37060000011,Uno\ntwo@x.example,+37060000012,Dos\nthree@x.example,,Tres\n',
  );
  clock.advance(1000);
  const change = async (email: string, to: { email: null } | { phone: null }) => {
    const id = await findSubscriberId(account, email);
    await inTransaction(server.db, (tx) => updateSubscriber(tx, account.accountId, id, to));
  };
  await change('one@x.example', { phone: null });
  await change('two@x.example', { email: null });
  const { undo: result } = await undo(account, finishedImport.id);
  expect(result).toMatchObject({
    state: 'finished',
    restored_count: 3,
    kept: [{ reason: 'changed_since', count: 2 }],
  });
  expect(
    (await snapshot(account)).map((row) => [row.firstname, row.email_key, row.phone_key]).sort(),
  ).toEqual([
    ['One', 'one@x.example', null],
    ['Three', 'three@x.example', null],
    ['Two', null, '+37060000012'],
  ]);
});

test('an undo that fails three times at one position ends as failed and can be requested again', async () => {
  const account = await ownerWithOldList();
  const finishedImport = await importList(account, NEW_LIST, { new_tags: ['Now'] });
  await account.post(`/client-api/api/imports/${finishedImport.id}/undo`);
  const damageImages = sql`
    update import_images set after = after - 'values' where account_id = ${account.accountId}`;
  const repairImages = sql`
    update import_images set after = after || '{"values": {}}' where account_id = ${account.accountId}`;
  await damageImages.execute(server.db);
  const payload = {
    accountId: account.accountId,
    importId: decodeId('import', finishedImport.id) as number,
  };
  const tools = { db: server.db, signal: new AbortController().signal };
  const readImport = async () =>
    (await account.get(`/client-api/api/imports/${finishedImport.id}`)).body.data;
  for (let i = 0; i < 2; i++) {
    await expect(undoJob.run(payload, tools)).rejects.toThrow();
    expect((await readImport()).undo.state).toBe('queued');
  }
  await undoJob.run(payload, tools);
  const failedImport = await readImport();
  expect(failedImport.undo).toMatchObject({ state: 'failed', restored_count: 0, finished: null });
  expect(failedImport.undoable_until).toBe(finishedImport.undoable_until);
  await repairImages.execute(server.db);
  expect((await undo(account, finishedImport.id)).undo).toMatchObject({
    state: 'finished',
    restored_count: 4,
  });
});

test('a forecast that kills its worker twice fails, and a new one succeeds', async () => {
  const account = await server.owner();
  const preview = await paste(account, OLD_LIST);
  const path = `/client-api/api/imports/${preview.id}/forecast`;
  const requestForecast = () => account.post(path, { columns: toColumns(preview) });
  await requestForecast();
  await markJobAsAbandoned(server.db, 'imports.forecast', account.accountId);
  await server.runJobs();
  expect((await account.get(path)).body.data).toMatchObject({ state: 'failed', rows_read: 0 });
  await requestForecast();
  await server.runJobs();
  expect((await account.get(path)).body.data.state).toBe('finished');
});

test('an undo that kills its worker twice fails, and succeeds when requested again', async () => {
  const account = await ownerWithOldList();
  const finishedImport = await importList(account, NEW_LIST, { new_tags: ['Now'] });
  await account.post(`/client-api/api/imports/${finishedImport.id}/undo`);
  await markJobAsAbandoned(server.db, 'imports.undo', account.accountId);
  await server.runJobs();
  const failedImport = (await account.get(`/client-api/api/imports/${finishedImport.id}`)).body
    .data;
  expect(failedImport.undo).toMatchObject({ state: 'failed', restored_count: 0 });
  expect(failedImport.undoable_until).toBe(finishedImport.undoable_until);
  expect((await undo(account, finishedImport.id)).undo.state).toBe('finished');
});

test('an undo that one worker finished stays finished when another worker abandons its job', async () => {
  const account = await ownerWithOldList();
  const finishedImport = await importList(account, NEW_LIST, { new_tags: ['Now'] });
  await undo(account, finishedImport.id);
  const payload = {
    accountId: account.accountId,
    importId: decodeId('import', finishedImport.id) as number,
  };
  await undoJob.onAbandoned?.(payload, { db: server.db, signal: new AbortController().signal });
  const currentImport = (await account.get(`/client-api/api/imports/${finishedImport.id}`)).body
    .data;
  expect(currentImport.undo.state).toBe('finished');
});
