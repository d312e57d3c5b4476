// SMS campaigns over HTTP: the list, drafts, previews and UTM parameters of links.
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { compileSms } from '#areas/content/server/index.ts';
import { decodeId } from '#platform/ids.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { getSmsRow } from './campaigns.ts';
import { toDraft, createSmsSource, resolveSmsUtm } from './message-text.ts';
import { readSmsTexts } from './settings.ts';

let server: TestServer;
const LIST_PATH = '/client-api/api/sms/campaign';

beforeAll(async () => {
  server = await testServer();
});

test('the list of SMS campaigns is paged, filtered and sorted and contains no campaign of another account', async () => {
  const owner = await server.owner();
  const response = await owner.get(
    `${LIST_PATH}?limit=5&status=SENT&order=created&direction=desc&page=1`,
  );
  expect(response).toMatchObject({
    status: 200,
    body: { data: [], meta: { total: 0, perPage: 5 } },
  });
  for (const [n, status] of ['DRAFT', 'SENT', 'DRAFT'].entries()) {
    await sql`
      insert into sms_campaigns (account_id, title, status, created_at, modified_at)
      values (${owner.accountId}, ${`Spring ${n}`}, ${status}, ${new Date(2026, 0, n + 1)},
        ${new Date(2026, 0, 9 - n)})`.execute(server.db);
  }
  const drafts = await owner.get(`${LIST_PATH}?status=DRAFT&order=modified&direction=desc&limit=1`);
  expect(drafts.body.meta).toMatchObject({ total: 2, pageCount: 2, perPage: 1 });
  expect(drafts.body.data[0]).toMatchObject({
    title: 'Spring 0',
    status: 'DRAFT',
    add_organization_name: 'TRUE',
    append_opt_out: 'TRUE',
    send_to_all: 'FALSE',
    google_analytics: 'FALSE',
    last_action: 'step1',
  });
  expect((await owner.get(`${LIST_PATH}?search=ring%202`)).body.data).toHaveLength(1);
  expect((await owner.get(`${LIST_PATH}?status=LOST`)).status).toBe(422);
  const otherOwner = await server.owner();
  expect((await otherOwner.get(LIST_PATH)).body.data).toEqual([]);
  expect((await server.client().get(LIST_PATH)).status).toBe(401);
});

test('a draft is created, updated at its revision, duplicated, deleted and restored', async () => {
  const owner = await server.owner();
  const phone = (
    await owner.post('/client-api/api/phone', {
      kind: 'alphanumeric',
      value: 'Bloom',
      use_case: 'Offers',
    })
  ).body.data;
  expect((await owner.post(LIST_PATH, { text: 'No title' })).status).toBe(422);
  const response = await owner.post(LIST_PATH, {
    title: 'Spring',
    text: 'Hi {{firstname}}, see https://bloom.example/tulips.',
    phone_id: phone.id,
  });
  expect(response.body.data).toMatchObject({ sender: 'Bloom', last_action: 'step3', revision: 1 });
  const path = `${LIST_PATH}/${response.body.data.id}`;
  for (const segment of ['links', 'unsubscribes', 'failed', 'replies', 'shares', 'earned']) {
    const report = await owner.get(`${path}/report/${segment}`);
    expect(report, segment).toMatchObject({ status: 409, body: { code: 'not_sent_yet' } });
  }
  const stale = await owner.patch(path, { revision: 9, text: 'x' });
  expect(stale).toMatchObject({ status: 409, body: { code: 'stale_revision' } });
  expect((await owner.patch(path, { revision: 1, phone_id: null })).body.data).toMatchObject({
    sender: '',
    revision: 2,
  });
  expect((await owner.patch(path, { revision: 2, text: 'a'.repeat(2_001) })).status).toBe(422);
  expect((await owner.post(`${path}/duplicate`, {})).body.data).toMatchObject({
    title: 'Spring',
    status: 'DRAFT',
  });
  expect((await owner.delete(path)).status).toBe(200);
  expect((await owner.get(path)).status).toBe(404);
  expect((await owner.post(`${path}/restore`, {})).status).toBe(200);
  const outsider = await server.owner();
  for (const attempt of [
    outsider.get(path),
    outsider.patch(path, { revision: 2 }),
    outsider.delete(path),
  ]) {
    expect((await attempt).status).toBe(404);
  }
});

test('a draft can be saved without a sender, even after its sender was released', async () => {
  const owner = await server.owner();
  const addPhone = async (value: string): Promise<string> => {
    const input = { kind: 'alphanumeric', value, use_case: 'Offers' };
    return (await owner.post('/client-api/api/phone', input)).body.data.id;
  };
  const content = { add_organization_name: 'TRUE', append_opt_out: 'TRUE' };
  const { id } = (await owner.post(LIST_PATH, { title: 'Spring', phone_id: null })).body.data;
  const path = `${LIST_PATH}/${id}`;
  const save = (revision: number, text: string, phone_id: string | null) =>
    owner.patch(path, { ...content, revision, title: 'Spring', text, phone_id, utm: {} });
  const preview = (text: string, phone_id: string | null) =>
    owner.post('/client-api/api/sms/preview', { ...content, text, phone_id });
  expect((await save(1, 'Hi', null)).body.data).toMatchObject({ text: 'Hi', revision: 2 });
  expect((await preview('Hi', null)).status).toBe(200);
  for (const segment of ['checks', 'subscribers']) {
    expect((await owner.get(`${path}/${segment}`)).status, segment).toBe(200);
  }

  const phone = await addPhone('Bloom');
  expect((await save(2, 'Hi', phone)).body.data).toMatchObject({ sender: 'Bloom', revision: 3 });
  expect((await owner.delete(`/client-api/api/phone/${phone}`)).status).toBe(200);
  const noSender = { phone_id: null, sender: '', last_action: 'step1' };
  expect((await owner.get(path)).body.data).toMatchObject({ ...noSender, revision: 3 });
  // An open tab still sends the ID of the released sender.
  expect((await preview('Hi you', phone)).status).toBe(200);
  expect((await save(3, 'Hi you', phone)).body.data).toMatchObject({ ...noSender, text: 'Hi you' });
  const next = await addPhone('Blossom');
  expect((await save(4, 'Hi you', next)).body.data).toMatchObject({ sender: 'Blossom' });
});

test('a copy of a campaign whose sender was released has no sender', async () => {
  const owner = await server.owner();
  const input = { kind: 'alphanumeric', value: 'Bloom', use_case: 'Offers' };
  const phone = (await owner.post('/client-api/api/phone', input)).body.data.id;
  const response = await owner.post(LIST_PATH, { title: 'Spring', text: 'Hi', phone_id: phone });
  const path = `${LIST_PATH}/${response.body.data.id}`;
  await server.db
    .updateTable('sms_campaigns')
    .set({ status: 'SENT' })
    .where('account_id', '=', owner.accountId)
    .execute();
  expect((await owner.delete(`/client-api/api/phone/${phone}`)).status).toBe(200);
  // The report still shows the sender.
  expect((await owner.get(path)).body.data.sender).toBe('Bloom');
  const copy = (await owner.post(`${path}/duplicate`, {})).body.data;
  expect(copy).toMatchObject({ text: 'Hi', phone_id: null, sender: '', last_action: 'step1' });
});

test('a preview shows links at their real length, and the subscriber whose copy has the most parts', async () => {
  const owner = await server.owner();
  await sql`
    insert into subscribers (account_id, phone, phone_key, firstname, sms_status, created_at, modified_at)
    select ${owner.accountId}, '+1512555' || 1000 + n, '+1512555' || 1000 + n,
      case n when 3 then repeat('Maximilian ', 12) when 4 then 'Žygimantas' else 'Al' end,
      'active', now(), now()
    from generate_series(1, 5) n`.execute(server.db);
  const preview = async (body: object) =>
    (await owner.post('/client-api/api/sms/preview', body)).body.data;
  const text = `Hi {{firstname}}, see https://bloom.example/tulips?x=1. ${'a'.repeat(20)}`;
  const { shown, worst } = await preview({ text, add_organization_name: 'FALSE' });
  expect(shown.text).toMatch(
    /^Hi Al, see https?:\/\/[^/]+\/s\/x{20}\. a{20}\nReply STOP to opt out$/,
  );
  expect(shown).toMatchObject({ encoding: 'GSM-7', parts: 1 });
  expect(worst).toMatchObject({ encoding: 'GSM-7', parts: 2 });
  expect(worst.person.name).toContain('Maximilian');
  const shortPreview = await preview({
    text: `{{firstname}} ${'a'.repeat(45)}`,
    append_opt_out: 'FALSE',
    add_organization_name: 'FALSE',
  });
  expect(shortPreview.shown.parts).toBe(1);
  for (const unusualText of [
    '',
    '\u0000',
    '\ud800',
    '{{',
    '{% if %}',
    'https://',
    'x'.repeat(2000),
  ]) {
    const response = await owner.post('/client-api/api/sms/preview', { text: unusualText });
    expect([unusualText, response.status < 500]).toEqual([unusualText, true]);
  }
});

test('a token that may not see subscribers gets previews with sample values and cannot choose a subscriber', async () => {
  const owner = await server.owner();
  await sql`
    insert into subscribers (account_id, phone, phone_key, firstname, sms_status, created_at, modified_at)
    values (${owner.accountId}, '+15125551001', '+15125551001', 'Žygimantas', 'active', now(), now())`.execute(
    server.db,
  );
  const [person] = (await owner.get('/client-api/api/sms/people')).body.data;
  const token = { title: 'Texts', validity_days: 30, scopes: ['read', 'drafts'] };
  const createdToken = (await owner.post('/client-api/api/tokens', token)).body.data;
  const headers = { authorization: `Bearer ${createdToken.token}` };
  const number = { kind: 'long_code', value: '+15125550177', use_case: 'Offers' };
  const phone = (await owner.post('/client-api/api/phone', number)).body.data;
  const text = 'Hi {{firstname}}';
  const missingRight = { status: 403, body: { code: 'missing_right', right: 'people' } };
  for (const [path, input] of [
    ['preview', {}],
    ['test', { phone_id: phone.id, phones: ['+15125551002'] }],
  ] as const) {
    const previewBody = { ...input, text, subscriber: person.id };
    const url = `/client-api/api/sms/${path}`;
    expect(await server.client().post(url, previewBody, headers)).toMatchObject(missingRight);
  }
  const sample = await server.client().post('/client-api/api/sms/preview', { text }, headers);
  expect(sample.status).toBe(200);
  expect(JSON.stringify(sample.body)).not.toContain('Žygimantas');
  const previewResponse = await owner.post('/client-api/api/sms/preview', { text });
  expect(previewResponse.body.data.shown.text).toContain('Žygimantas');
});

test('links of an SMS get the UTM parameters of its campaign and account unless they have their own', async () => {
  const owner = await server.owner();
  const { id } = (
    await owner.post(LIST_PATH, {
      title: 'Spring',
      text: 'https://bloom.example/tulips, https://bloom.example/?utm_source=own',
      google_analytics: 'TRUE',
    })
  ).body.data;
  const links = async () => {
    const row = await getSmsRow(server.db, owner.accountId, decodeId('sms', id) as number);
    const draft = toDraft(row);
    const campaignFields = { title: row.title, id, groups: [], at: null };
    const utm = await resolveSmsUtm(server.db, owner.accountId, draft, campaignFields);
    const smsTexts = await readSmsTexts(server.db, owner.accountId);
    return compileSms(createSmsSource(draft, smsTexts, undefined, utm)).links.map(({ url }) => url);
  };
  const ownLink = 'https://bloom.example/?utm_source=own';
  expect(await links()).toEqual([
    'https://bloom.example/tulips?utm_source=sendloom&utm_medium=sms&utm_campaign=Spring',
    ownLink,
  ]);
  await owner.patch('/client-api/api/utm', { source: 'shop', content: 'all' });
  const utm = { campaign: 'May {campaign_title}', content: 'sms' };
  const change = { revision: 1, utm };
  expect((await owner.patch(`${LIST_PATH}/${id}`, change)).body.data.utm).toEqual(utm);
  expect(await links()).toEqual([
    'https://bloom.example/tulips?utm_source=shop&utm_medium=sms&utm_campaign=May+Spring&utm_content=sms',
    ownLink,
  ]);
  expect((await owner.post(`${LIST_PATH}/${id}/duplicate`, {})).body.data.utm).toEqual(utm);
  expect((await owner.patch(`${LIST_PATH}/${id}`, { utm: { campaign: '{x}' } })).status).toBe(422);
  await owner.patch(`${LIST_PATH}/${id}`, { revision: 2, google_analytics: 'FALSE' });
  expect((await links())[0]).toBe('https://bloom.example/tulips');
});
