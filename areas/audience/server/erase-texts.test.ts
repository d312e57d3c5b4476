// Erasure of a subscriber's address and number from text that users wrote, over HTTP.
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { pushJob } from '#areas/accounts/server/push-job.ts';
import { encodeId } from '#platform/ids.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { addJob } from '#platform/server/jobs/jobs.ts';
import { listSettledSubscribers, publishForm, signUp } from '#testing/servers/form-site.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { findTablesContaining } from '#testing/setup/tables-containing.ts';
import { createColleague } from '#testing/worlds/colleagues.ts';

const API = '/client-api/api';
const LIST_PATH = `${API}/subscribers`;
let server: TestServer;

beforeAll(async () => {
  server = await testServer();
});

test('erasing removes the address from comments and notes of requests, and from the webhook deliveries that quote them', async () => {
  const owner = await server.owner();
  const colleague = await createColleague(server, owner);
  const ids: string[] = [];
  for (const [name, phone] of [
    ['Quillon', '+37061234567'],
    ['Neighbour', '+37069876543'],
  ]) {
    const profile = { email: `${name}.secret@x.example`, phone, firstname: name };
    ids.push((await owner.post(LIST_PATH, profile)).body.data.id);
  }
  const hooks: string[] = [];
  for (const topic of ['comments/new', 'approvals/new']) {
    const hook = { url: 'https://hooks.example/in', topic };
    const hookResponse = await owner.post(`${API}/webhooks`, hook);
    expect(hookResponse.status, hookResponse.text).toBe(200);
    hooks.push(hookResponse.body.data.id);
  }
  const text = (name: string, digits: string) =>
    `${name}.Secret@x.example (+370 ${digits.slice(0, 3)} ${digits.slice(3)}) complained`;
  const author = await createColleague(server, owner, ['people.delete']);
  const mentions = [encodeId('user', colleague.userId)];
  for (const [base, body] of [
    ['campaigns', { title: 'Spring' }],
    ['workflows', { title: 'Spring' }],
    ['forms', { title: 'Spring', type: 'embed' }],
  ] as const) {
    const { id } = (await owner.post(`${API}/${base}`, body)).body.data;
    for (const fragment of [text('Quillon', '61234567'), text('Neighbour', '69876543')]) {
      const noteResponse = await owner.post(`${API}/${base}/${id}/notes`, {
        text: fragment,
        mentions,
      });
      expect(noteResponse.status, noteResponse.text).toBe(200);
    }
  }
  const encodedText = encodeURIComponent(text('Quillon', '61234567'));
  const request = await author.post(`${LIST_PATH}/${ids[1]}/erase?ask=1&note=${encodedText}`, {});
  expect(request.body.code, request.text).toBe('approval_requested');
  // Notices to users are encrypted until they are sent, and then deleted.
  await server.runJobs();
  const quotingTables = ['item_notes', 'webhook_deliveries'];
  expect(await findTablesContaining(server.db, 'quillon.secret')).toEqual(
    expect.arrayContaining([...quotingTables, 'approvals']),
  );
  // A webhook that was changed to another topic still has its deliveries of the previous one.
  const response = await owner.patch(`${API}/webhooks/${hooks[0]}`, { topic: 'subscribers/new' });
  expect(response.status, response.text).toBe(200);
  expect((await owner.post(`${LIST_PATH}/${ids[0]}/erase`)).status).toBe(200);

  for (const fragment of ['quillon', '61234567', '612 34567'])
    expect(await findTablesContaining(server.db, fragment)).toEqual([]);
  expect(
    await findTablesContaining(server.db, 'neighbour.secret@x.example (+370 698 76543)'),
  ).toEqual(expect.arrayContaining(quotingTables));
  const { rows } = await sql<{ text: string }>`
    select text from item_notes where account_id = ${owner.accountId} order by id`.execute(
    server.db,
  );
  expect(rows[0]?.text).toBe('erased@invalid (+000000000000000) complained');
});

test('erasing removes the address from titles, and from the notices and webhook deliveries that quote them', async () => {
  const owner = await server.owner();
  const ids: string[] = [];
  for (const [name, phone] of [
    ['Ostrava', '+37061239876'],
    ['Meadow', '+37069871234'],
  ]) {
    const profile = { email: `${name}.secret@x.example`, phone, firstname: name };
    ids.push((await owner.post(LIST_PATH, profile)).body.data.id);
  }
  for (const topic of ['campaigns/new', 'groups/new']) {
    const hook = { url: 'https://hooks.example/in', topic };
    expect((await owner.post(`${API}/webhooks`, hook)).status).toBe(200);
  }
  const make = async (path: string, body: object) => {
    const response = await owner.post(`${API}/${path}`, body);
    expect(response.status, `${path} ${response.text}`).toBe(200);
  };
  const { accountId } = owner;
  for (const [name, phone] of [
    ['Ostrava', '+370 612 39876'],
    ['Meadow', '+370 698 71234'],
  ]) {
    const title = `${name}.Secret@x.example, ${phone}`;
    await make('tags', { title });
    // After the erasure, titles that differ only in the notation of the number would be identical.
    await make('tags', { title: title.replaceAll(' ', '') });
    await make('tags', { title: title.replaceAll(' ', '').replace(',', ', ') });
    await make('folders', { kind: 'campaign', title });
    await make('labels', { title, color: 'blue' });
    await make('campaigns', { title });
    await make('sms/campaign', { title });
    await make('forms', { title, type: 'embed' });
    await make('workflows', { title });
    await make('transactional', { title });
    await inTransaction(server.db, (tx) =>
      addJob(tx, pushJob, {
        ...{ accountId, browser: 'none', language: 'eng' },
        notice: { title, body: title, path: '/', tag: 'one' },
      }),
    );
  }
  const quoting = await findTablesContaining(server.db, 'meadow.secret@x.example, +370 698 71234');
  expect(quoting).toEqual(
    expect.arrayContaining(['graphile_worker._private_jobs', 'labels', 'webhook_deliveries']),
  );
  expect((await owner.post(`${LIST_PATH}/${ids[0]}/erase`)).status).toBe(200);
  for (const fragment of ['ostrava', '61239876', '612 39876'])
    expect(await findTablesContaining(server.db, fragment)).toEqual([]);
  expect(await findTablesContaining(server.db, 'meadow.secret@x.example, +370 698 71234')).toEqual(
    quoting,
  );
});

test('erasing lists content that contains the address and does not change it', async () => {
  const owner = await server.owner();
  const profile = { email: 'petra.quoted@x.example', phone: '+37061277777', firstname: 'Petra' };
  const { id } = (await owner.post(LIST_PATH, profile)).body.data;
  const quotedText = 'Write to Petra.Quoted@x.example or +370 (612) 77-777.';
  const nearly = 'Write to my.petra.quoted@x.example or petra.quoted@x.example.org.';
  const createTitled = async (path: string, body: object) =>
    (await owner.post(`${API}/${path}`, body)).body.data;
  const write = async (path: string, title: string, text: string) => {
    const item = await createTitled(path, { title });
    const contentResponse = await owner.put(`${API}/${path}/${item.id}/content`, {
      ...{ revision: item.revision, editor: 'html', html: `<p>${text}</p>` },
    });
    expect(contentResponse.status, contentResponse.text).toBe(200);
  };
  await write('campaigns', 'By email', quotedText);
  await write('campaigns', 'By number', 'Call 8 612 77 777.');
  await write('campaigns', 'Nearly', nearly);
  await write('transactional', 'Receipt', quotedText);
  const subject = 'For petra.quoted@x.example';
  await createTitled('campaigns', { title: 'Subject', subject });
  await createTitled('campaigns', { title: 'Other', subject: nearly });
  const sms = await createTitled('sms/campaign', { title: 'Text' });
  const smsResponse = await owner.patch(`${API}/sms/campaign/${sms.id}`, {
    ...{ revision: sms.revision, text: quotedText },
  });
  expect(smsResponse.status, smsResponse.text).toBe(200);
  const eraseResponse = await owner.post(`${LIST_PATH}/${id}/erase`);
  expect(eraseResponse.status, eraseResponse.text).toBe(200);
  const foundIn = eraseResponse.body.found_in.map(
    ({ kind, title }: { kind: string; title: string }) => `${kind} ${title}`,
  );
  expect(foundIn.sort()).toEqual([
    'campaign By email',
    'campaign By number',
    'campaign Subject',
    'sms Text',
    'transactional Receipt',
  ]);
  expect(await findTablesContaining(server.db, 'petra.quoted@x.example or +370')).toEqual(
    expect.arrayContaining(['content_revisions', 'sms_campaigns']),
  );
});

test('erasing removes the address from titles of settings and lists webhooks and field names with it', async () => {
  const owner = await server.owner();
  const profile = { email: 'bramble.named@x.example', phone: '+37061255555', firstname: 'Bramble' };
  const { id } = (await owner.post(LIST_PATH, profile)).body.data;
  const title = 'Bramble.Named@x.example, +370 612 55555';
  const make = async (path: string, body: object) => {
    const createResponse = await owner.post(`${API}/${path}`, body);
    expect(createResponse.status, `${path} ${createResponse.text}`).toBe(200);
    return createResponse.body.data;
  };
  const field = await make('fields', { title: '+370 612 55555', type: 'text' });
  await make('coupon_pools', { title });
  await make('custom_events', { name: 'tasting', description: title });
  await make('tokens', { title, validity_days: 7 });
  const url = 'https://hooks.example/in?for=bramble.named%40x.example';
  const hook = await make('webhooks', { url, topic: 'subscribers/new' });
  const other = await make('subscribers', { email: 'neighbor.bramble@x.example' });
  await make(`subscribers/${other.id}/notes`, { text: `Married to ${title}` });

  const eraseResponse = await owner.post(`${LIST_PATH}/${id}/erase`);
  expect(eraseResponse.status, eraseResponse.text).toBe(200);
  for (const fragment of ['bramble.named@', '612 55555'])
    expect(await findTablesContaining(server.db, fragment)).toEqual([]);
  expect(await findTablesContaining(server.db, 'bramble.named%40')).toEqual(['webhook_endpoints']);
  expect(eraseResponse.body.found_in).toEqual(
    expect.arrayContaining([
      { kind: 'field', id: field.id, title: '+000000000000000' },
      { kind: 'endpoint', id: hook.id, title: url.replace('%40', '@') },
    ]),
  );
  const fields = (await owner.get(`${API}/fields`)).body.data;
  expect(fields).toMatchObject([{ name: field.name, title: '+000000000000000' }]);
});

test('erasing removes the answers of sign-ups, and a waiting sign-up creates no subscriber', async () => {
  const owner = await server.owner();
  const form = await publishForm(owner, { layout: 'card' });
  const page = { url: 'https://shop.example/p?from=sorrel.signed@x.example' };
  const submit = async (email: string) => {
    const response = await signUp(server, form, { email }, page);
    expect(response.status, response.text).toBe(200);
  };
  await submit('sorrel.signed@x.example');
  const [subscriber] = await listSettledSubscribers(server, owner);
  await submit('Sorrel.Signed@x.example');
  await submit('my.sorrel.signed@x.example');
  const eraseResponse = await owner.post(`${LIST_PATH}/${subscriber.id}/erase`);
  expect(eraseResponse.status, eraseResponse.text).toBe(200);
  const { rows } = await sql<{ answers: { email?: string }; ip: string | null; page: string }>`
    select answers, ip, page from form_submissions
    where account_id = ${owner.accountId} order by id`.execute(server.db);
  const erasedRow = { answers: {}, ip: null, page: 'https://shop.example/p' };
  expect(rows).toMatchObject([
    erasedRow,
    erasedRow,
    { answers: { email: 'my.sorrel.signed@x.example' }, page: 'https://shop.example/p' },
  ]);
  const subscribers = await listSettledSubscribers(server, owner);
  expect(subscribers.map(({ email }: { email: string }) => email)).toEqual([
    'my.sorrel.signed@x.example',
  ]);
});
