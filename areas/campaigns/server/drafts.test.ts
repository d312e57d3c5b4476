// Drafts of campaigns over HTTP: saves from several tabs, the list, copies, deletion, the number of
// recipients, and UTM parameters.
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  createBlock,
  createEmailDocument,
  createSection,
} from '#areas/content/document-factory.ts';
import { extractNewLinks } from '#areas/content/server/index.ts';
import { decodeId, encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import {
  CAMPAIGNS,
  campaignShop,
  HTML,
  joinGroup,
  readCampaign,
  createReadyCampaign,
  SETTINGS,
} from '#testing/worlds/campaign-shop.ts';
import { type TestOwner, type TestServer, testServer } from '#testing/setup/server.ts';
import type { Campaign } from '../contract.ts';
import { campaignRow } from './campaigns.ts';
import { campaignSource } from './email.ts';

const UTM = '/client-api/api/utm';
const OPTIONS = { publicUrl: 'https://mail.example', needsVerifiedSender: false };

let server: TestServer;
let ada: TestOwner;
let bob: TestOwner;

beforeAll(async () => {
  server = await testServer();
  ada = await server.owner();
  bob = await server.owner();
});

afterEach(() => clock.reset());

describe('a draft', () => {
  test('a draft is created by its first save, and last_action names the next step', async () => {
    const { owner, groupId } = await campaignShop(server, 0);
    const created = (await owner.post(CAMPAIGNS, { title: 'Spring' })).body.data;
    expect(created).toMatchObject({
      status: 'DRAFT',
      last_action: 'step1',
      editor: null,
      figures: null,
    });
    expect((await owner.get('/client-api/api/users/onboard')).body.data.campaign_created).toBe(
      true,
    );
    const settings = await owner.patch(`${CAMPAIGNS}/${created.id}`, {
      ...SETTINGS,
      revision: created.revision,
    });
    expect(settings.body.data).toMatchObject({
      last_action: 'editor',
      revision: created.revision + 1,
    });
    const content = await owner.put(`${CAMPAIGNS}/${created.id}/content`, {
      revision: settings.body.data.revision,
      editor: 'text',
      plain_text: 'Hello',
    });
    expect(content.body.data).toMatchObject({
      editor: 'text',
      plain_text: 'Hello',
      content_revision: 1,
    });
    expect((await readCampaign(owner, created.id)).last_action).toBe('step3');
    await owner.post(`${CAMPAIGNS}/${created.id}/tags/set`, { tags_arr: [groupId] });
    expect(await readCampaign(owner, created.id)).toMatchObject({
      last_action: 'step4',
      tags: [{ id: groupId, title: 'Tea drinkers' }],
    });
  });

  test('a draft is never overwritten by a tab with an older revision', async () => {
    const { data } = (await ada.post(CAMPAIGNS, SETTINGS)).body;
    const url = `${CAMPAIGNS}/${data.id}`;
    expect((await ada.patch(url, { revision: data.revision, subject: 'A' })).status).toBe(200);
    const stale = await ada.patch(url, { revision: data.revision, subject: 'B' });
    expect(stale.status).toBe(409);
    expect(stale.body).toMatchObject({ code: 'stale_revision', revision: data.revision + 1 });
    expect((await ada.patch(url, { subject: 'B' })).status).toBe(409);
    const content = { revision: data.revision, editor: 'html', html: 'x' };
    expect((await ada.put(`${url}/content`, content)).status).toBe(409);
    expect((await readCampaign(ada, data.id)).subject).toBe('A');
    for (const [call, body] of [
      ['tags/set', { tags_arr: [], send_to_all: true }],
      ['exclude_tags/set', { tags_arr: [] }],
      ['filters/set', { filters_arr: [] }],
      ['exclude_filters/set', { filters_arr: [] }],
    ] as const) {
      const { revision, send_to_all: toAll } = await readCampaign(ada, data.id);
      const old = await ada.post(`${url}/${call}`, { ...body, revision: revision - 1 });
      expect([old.status, old.body.code], call).toEqual([409, 'stale_revision']);
      expect(await readCampaign(ada, data.id)).toMatchObject({ revision, send_to_all: toAll });
      expect((await ada.post(`${url}/${call}`, { ...body, revision })).status).toBe(200);
      expect((await readCampaign(ada, data.id)).revision).toBe(revision + 1);
    }
  });

  test('a repeated save after a lost response changes nothing', async () => {
    const { data } = (await ada.post(CAMPAIGNS, SETTINGS)).body;
    const url = `${CAMPAIGNS}/${data.id}/content`;
    const document = {
      ...createEmailDocument([
        createSection([[createBlock('text', { html: '<p>One <b>bold</b></p>' })]]),
      ]),
    };
    const sent = { revision: data.revision, editor: 'editor', document };
    const first = await ada.put(url, sent);
    expect(first.status).toBe(200);
    const again = await ada.put(url, sent);
    expect([again.status, again.body]).toEqual([200, first.body]);
    const other = createEmailDocument([
      createSection([[createBlock('text', { html: '<p>Two</p>' })]]),
    ]);
    expect((await ada.put(url, { ...sent, document: other })).body.code).toBe('stale_revision');
    expect((await ada.put(url, { ...sent, editor: 'html', html: 'x' })).status).toBe(409);
    const next = { ...sent, revision: first.body.data.revision, document: other };
    expect((await ada.put(url, next)).status).toBe(200);
    // An outdated save does not overwrite a newer change, while repeating the newest save succeeds
    // and changes nothing.
    expect((await ada.put(url, sent)).body.code).toBe('stale_revision');
    expect((await ada.put(url, { ...sent, document: other })).status).toBe(200);
    expect((await readCampaign(ada, data.id)).revision).toBe(next.revision + 1);
  });

  test('a draft retains every revision of its content', async () => {
    const id = (await ada.post(CAMPAIGNS, SETTINGS)).body.data.id;
    let { revision } = await readCampaign(ada, id);
    for (const html of ['one', 'two\0', 'three']) {
      revision = (await ada.put(`${CAMPAIGNS}/${id}/content`, { revision, editor: 'html', html }))
        .body.data.revision;
    }
    const rows = await server.db
      .selectFrom('content_revisions')
      .select(['revision', 'html'])
      .where('account_id', '=', ada.accountId)
      .orderBy('content_id', 'desc')
      .orderBy('revision')
      .limit(3)
      .execute();
    expect(rows).toEqual([
      { revision: 1, html: 'one' },
      { revision: 2, html: 'two' },
      { revision: 3, html: 'three' },
    ]);
  });

  test.each([
    ['an unknown field', { title: 'x', color: 'red' }, 'color'],
    ['a header in the subject', { title: 'x', subject: 'a\r\nBcc: b@c.example' }, 'subject'],
    ['a NUL character', { title: 'a\0b' }, 'title'],
    ['a sender that is not an address', { title: 'x', from_email: 'nobody' }, 'from_email'],
    ['a number as title', { title: 7 }, 'title'],
    ['no title', {}, 'title'],
    ['a too long subject', { title: 'x', subject: 'y'.repeat(256) }, 'subject'],
    ['an unsupported language', { title: 'x', language: 'tlh' }, 'language'],
  ])('a draft with %s is refused', async (_, body, field) => {
    const answer = await ada.post(CAMPAIGNS, body);
    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body.errors)).toEqual([field]);
  });

  test('invalid input is refused with 422, 413 or 404, and leaves the draft unchanged', async () => {
    const id = (await ada.post(CAMPAIGNS, SETTINGS)).body.data.id;
    const { revision } = await readCampaign(ada, id);
    const url = `${CAMPAIGNS}/${id}`;
    const large = await ada.put(`${url}/content`, {
      revision,
      editor: 'html',
      html: 'x'.repeat(2_000_000),
    });
    expect([large.status, Object.keys(large.body.errors)]).toEqual([422, ['html']]);
    const huge = await ada.put(`${url}/content`, {
      revision,
      editor: 'html',
      html: 'x'.repeat(9_000_000),
    });
    expect(huge.status).toBe(413);
    expect((await ada.put(`${url}/content`, { revision, editor: 'editor' })).status).toBe(422);
    const foreign = (await bob.post('/client-api/api/tags', { title: 'Bob' })).body.data.id;
    for (const tags_arr of [['nonsense'], [foreign], 'all', [encodeId('campaign', 1)]]) {
      expect((await ada.post(`${url}/tags/set`, { tags_arr })).status).toBe(422);
      expect((await ada.post(`${url}/exclude_tags/set`, { tags_arr })).status).toBe(422);
    }
    expect((await ada.post(`${url}/test`, { emails: [] })).status).toBe(422);
    expect((await ada.post(`${url}/test`, { emails: ['x'] })).status).toBe(422);
    expect((await ada.post(`${url}/schedule`, { revision: 0 })).status).toBe(422);
    // Only an explicit null sends now: a missing time must not send to all.
    expect((await ada.post(`${url}/schedule`, {})).body.errors).toHaveProperty('schedule_time');
    expect((await ada.post(`${url}/schedule`, { schedule_time: 'tomorrow' })).status).toBe(422);
    expect((await ada.get(`${CAMPAIGNS}/nonsense`)).status).toBe(404);
    expect((await ada.get(`${url}/preview?subscriber=nonsense`)).status).toBe(422);
    expect((await readCampaign(ada, id)).revision).toBe(revision);
  });
});

test("another account's campaign is not found", async () => {
  const { owner, groupId } = await campaignShop(server, 2);
  const id = await createReadyCampaign(owner, groupId);
  const url = `${CAMPAIGNS}/${id}`;
  const before = await readCampaign(owner, id);
  const answers = [
    await bob.get(url),
    await bob.patch(url, { revision: before.revision, subject: 'x' }),
    await bob.delete(url),
    await bob.post(`${url}/restore`, {}),
    await bob.post(`${url}/duplicate`, {}),
    await bob.get(`${url}/content`),
    await bob.put(`${url}/content`, { revision: before.revision, editor: 'html', html: 'x' }),
    await bob.get(`${url}/tags`),
    await bob.post(`${url}/tags/set`, { tags_arr: [] }),
    await bob.get(`${url}/exclude_tags`),
    await bob.post(`${url}/exclude_tags/set`, { tags_arr: [] }),
    await bob.delete(`${url}/exclude_tags/all`),
    await bob.get(`${url}/subscribers`),
    await bob.post(`${url}/schedule`, { schedule_time: null }),
    await bob.post(`${url}/cancel`, {}),
    await bob.post(`${url}/pause`, {}),
    await bob.post(`${url}/resume`, {}),
    await bob.get(`${url}/preview`),
    await bob.get(`${url}/plain_preview`),
    await bob.post(`${url}/preview`, { editor: 'html', html: 'x' }),
    await bob.get(`${url}/preview_people`),
    await bob.get(`${url}/checks`),
    await bob.post(`${url}/test`, { emails: ['a@b.example'] }),
    await bob.get(`${url}/merge_tags`),
  ];
  expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 404));
  expect(
    (await bob.get(CAMPAIGNS)).body.data.map((campaign: Campaign) => campaign.id),
  ).not.toContain(id);
  expect(await readCampaign(owner, id)).toEqual(before);
});

test('the list of campaigns pages by five, sorts, filters, searches, and omits contents', async () => {
  const { owner, groupId } = await campaignShop(server, 1);
  for (const title of ['Banana', 'apple', 'Cherry', 'Äpple', 'Date 100%', 'Elder']) {
    await owner.post(CAMPAIGNS, { title });
    clock.advance(1000);
  }
  const first = (await owner.get(CAMPAIGNS)).body;
  expect(first.meta).toEqual({ from: 1, to: 5, page: 1, pageCount: 2, total: 6, perPage: 5 });
  expect(first.data[0].title).toBe('Elder');
  const titles = async (query: string) =>
    (await owner.get(`${CAMPAIGNS}?${query}`)).body.data.map(
      (campaign: Campaign) => campaign.title,
    );
  expect(await titles('order=title ASC&limit=3')).toEqual(['apple', 'Äpple', 'Banana']);
  expect(await titles('order=title&direction=DESC&limit=1')).toEqual(['Elder']);
  expect(await titles('order=created&direction=asc&limit=1')).toEqual(['Banana']);
  expect(await titles('search=100%25')).toEqual(['Date 100%']);
  expect(await titles('search=zzz')).toEqual([]);
  expect((await owner.get(`${CAMPAIGNS}?no_paginate=true`)).body.meta).toBeUndefined();
  const id = await createReadyCampaign(owner, groupId);
  await owner.post(`${CAMPAIGNS}/${id}/schedule`, { schedule_time: '2090-01-01 10:00:00' });
  expect(await titles('status=SCHEDULED')).toEqual(['Spring']);
  expect(await titles('status=DRAFT&limit=10')).toHaveLength(6);
  expect((await owner.get(`${CAMPAIGNS}?status=NOPE`)).status).toBe(422);
  const lean = (await owner.get(`${CAMPAIGNS}?as_list=true&status=SCHEDULED`)).body.data[0];
  expect(JSON.stringify(lean)).not.toContain('fresh tea');
});

test('a campaign is duplicated with content of its own, deleted, and restored', async () => {
  const { owner, groupId } = await campaignShop(server, 1);
  const id = await createReadyCampaign(owner, groupId);
  const copy = (await owner.post(`${CAMPAIGNS}/${id}/duplicate`, { title: 'Again' })).body.data;
  expect(copy).toMatchObject({
    title: 'Again',
    subject: SETTINGS.subject,
    status: 'DRAFT',
    last_action: 'step4',
  });
  expect(copy.tags).toEqual([{ id: groupId, title: 'Tea drinkers' }]);
  const { revision } = copy;
  await owner.put(`${CAMPAIGNS}/${copy.id}/content`, { revision, editor: 'html', html: 'changed' });
  expect((await owner.get(`${CAMPAIGNS}/${id}/content`)).body.data.html).toBe(HTML);
  expect((await owner.delete(`${CAMPAIGNS}/${id}`)).status).toBe(200);
  expect((await owner.get(`${CAMPAIGNS}/${id}`)).status).toBe(404);
  expect((await owner.post(`${CAMPAIGNS}/${id}/restore`, {})).body.data.title).toBe('Spring');
  expect((await owner.post(`${CAMPAIGNS}/${id}/restore`, {})).status).toBe(404);
});

test('the recipient count contains each subscriber once, and lists exclusions by reason', async () => {
  const { owner, ids, groupId } = await campaignShop(server, 8);
  const [a, b, c, d, e] = ids as [number, number, number, number, number];
  const second = (await owner.post('/client-api/api/tags', { title: 'Also' })).body.data.id;
  const out = (await owner.post('/client-api/api/tags', { title: 'Out' })).body.data.id;
  await joinGroup(server, owner, second, [a, b]);
  await joinGroup(server, owner, out, [a, e]);
  const set = (id: number, values: object) =>
    server.db
      .updateTable('subscribers')
      .set(values)
      .where('account_id', '=', owner.accountId)
      .where('id', '=', id)
      .execute();
  await set(b, { email_status: 'unsubscribed' });
  await set(c, { email_status: 'bounced' });
  await set(d, { email: null, email_key: null, phone: '+4791234567', phone_key: '+4791234567' });
  await set(e, { email_status: 'reported' });
  const id = (await owner.post(CAMPAIGNS, SETTINGS)).body.data.id;
  const count = async () => (await owner.get(`${CAMPAIGNS}/${id}/subscribers`)).body.data;
  expect(await count()).toEqual({ count: 0, total: 0, excluded: [] });
  await owner.post(`${CAMPAIGNS}/${id}/tags/set`, { tags_arr: [groupId, second] });
  await owner.post(`${CAMPAIGNS}/${id}/exclude_tags/set`, { tags_arr: [out] });
  expect(await count()).toEqual({
    count: 3,
    total: 8,
    excluded: [
      { reason: 'excluded', count: 2 },
      { reason: 'no_address', count: 1 },
      { reason: 'unsubscribed', count: 1 },
      { reason: 'bounced', count: 1 },
    ],
  });
  expect((await owner.get(`${CAMPAIGNS}/${id}/exclude_tags`)).body.data).toEqual([
    { id: out, title: 'Out' },
  ]);
  expect((await owner.delete(`${CAMPAIGNS}/${id}/exclude_tags/all`)).body.data).toEqual([]);
  expect((await count()).count).toBe(4);
  await owner.post(`${CAMPAIGNS}/${id}/tags/set`, { tags_arr: [], send_to_all: true });
  expect((await count()).count).toBe(4);
});

test('an idempotency key used for one campaign is refused for another', async () => {
  const { owner, groupId } = await campaignShop(server, 1);
  const [one, other] = [
    await createReadyCampaign(owner, groupId),
    await createReadyCampaign(owner, groupId),
  ];
  const key = { 'idempotency-key': 'launch' };
  const copy = (id: string) => owner.post(`${CAMPAIGNS}/${id}/duplicate`, {}, key);
  const first = await copy(one);
  expect((await copy(one)).body).toEqual(first.body);
  expect(await copy(other)).toMatchObject({ status: 422, body: { code: 'idempotency_conflict' } });
});

test('an account requests at most sixty test emails in a row, then one a minute', async () => {
  const { owner } = await campaignShop(server, 0);
  const { id } = (await owner.post(CAMPAIGNS, SETTINGS)).body.data;
  clock.freeze(new Date());
  const sendTest = () => owner.post(`${CAMPAIGNS}/${id}/test`, { emails: ['one@test.example'] });
  // Requests of a campaign without content are refused for another reason, but still counted.
  for (let i = 0; i < 60; i++) expect((await sendTest()).status).toBe(422);
  const last = await sendTest();
  expect([last.status, last.body.code]).toEqual([429, 'too_many_requests']);
  expect(Number(last.headers['retry-after'])).toBe(60);
});

describe('UTM parameters', () => {
  const change = async (owner: TestOwner, id: string, body: object) => {
    const { revision } = await readCampaign(owner, id);
    const answer = await owner.patch(`${CAMPAIGNS}/${id}`, { revision, ...body });
    expect(answer.status).toBe(200);
    return answer.body.data as Campaign;
  };
  /** Returns the email's link as it is sent. */
  async function sentLink(owner: TestOwner, id: string): Promise<string | undefined> {
    const row = await campaignRow(server.db, owner.accountId, decodeId('campaign', id) as number);
    const source = await campaignSource(server.db, row, OPTIONS);
    const links = await extractNewLinks({ ...source, message_id: 0 });
    return links.find(({ url }) => url.startsWith('https://tea.example/new'))?.url;
  }

  test('a campaign uses its own values, then the account’s, then the built-in ones', async () => {
    const { owner, groupId } = await campaignShop(server, 1);
    const id = await createReadyCampaign(owner, groupId);
    const url = `${CAMPAIGNS}/${id}`;
    expect(await sentLink(owner, id)).toBe('https://tea.example/new');
    await change(owner, id, { utm_campaign: '' });
    expect(await sentLink(owner, id)).toBe(
      'https://tea.example/new?utm_source=newsletter&utm_medium=email&utm_campaign=Spring',
    );
    const defaults = { source: 'shop', campaign: '{date} {campaign_title}', content: '{group}' };
    expect((await owner.patch(UTM, defaults)).status).toBe(200);
    await owner.patch(UTM, { term: 'tea' });
    clock.freeze(new Date('2026-03-31T22:30:00Z'));
    // It is already April in Oslo.
    expect(await sentLink(owner, id)).toBe(
      'https://tea.example/new?utm_source=shop&utm_medium=email&utm_campaign=2026-04-01%20Spring&utm_term=tea&utm_content=Tea%20drinkers',
    );
    clock.freeze(undefined);
    const own = { utm_campaign: 'own', utm: { medium: 'mail', term: '', id: '{campaign_id}' } };
    expect(await change(owner, id, own)).toMatchObject(own);
    expect(await sentLink(owner, id)).toBe(
      `https://tea.example/new?utm_source=shop&utm_medium=mail&utm_campaign=own&utm_term=tea&utm_content=Tea%20drinkers&utm_id=${id}`,
    );
    const copy = (await owner.post(`${url}/duplicate`, {})).body.data;
    expect(copy).toMatchObject(own);
    await change(owner, id, { utm_campaign: null });
    expect(await sentLink(owner, id)).toBe('https://tea.example/new');
  });

  test('new campaigns have UTM parameters if the account adds them by default', async () => {
    const owner = await server.owner();
    const created = async (body: object) =>
      (await owner.post(CAMPAIGNS, { title: 'Spring', ...body })).body.data.utm_campaign;
    expect(await created({})).toBeNull();
    const saved = await owner.patch(UTM, { is_on: true });
    expect(saved.body.data).toEqual({
      ...{ is_on: true, source: '', medium: '', campaign: '', term: '', content: '', id: '' },
    });
    expect(await created({})).toBe('');
    expect(await created({ utm_campaign: null })).toBeNull();
    expect((await bob.get(UTM)).body.data.is_on).toBe(false);
  });

  test('braces that form no token, and values that are too long, are refused', async () => {
    const owner = await server.owner();
    for (const source of ['{nope}', '{{firstname}}', '{date', '}', 'a'.repeat(101), 'a\nb', 7]) {
      expect((await owner.patch(UTM, { source })).status, String(source)).toBe(422);
      const campaign = { title: 'Spring', utm: { source } };
      expect((await owner.post(CAMPAIGNS, campaign)).status, String(source)).toBe(422);
    }
    expect((await owner.patch(UTM, { source: '{nope}' })).body.errors.source[0]).toContain(
      '{date}',
    );
    expect((await owner.patch(UTM, { other: 'x' })).status).toBe(422);
    expect((await owner.get(UTM)).body.data.source).toBe('');
  });

  test('a title that is too long for a parameter is cut, and a source of empty tokens uses the built-in value', async () => {
    const { owner, groupId } = await campaignShop(server, 1);
    const id = await createReadyCampaign(owner, groupId);
    const title = '🍵'.repeat(120);
    await change(owner, id, { title, utm_campaign: '', utm: { source: '{group}' } });
    await owner.post(`${CAMPAIGNS}/${id}/tags/set`, { tags_arr: [], send_to_all: true });
    const { searchParams } = new URL((await sentLink(owner, id)) ?? '');
    expect(searchParams.get('utm_source')).toBe('newsletter');
    expect(title.startsWith(searchParams.get('utm_campaign') ?? '-')).toBe(true);
  });
});
