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
import { getCampaignRow } from './campaigns.ts';
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
    const campaign = (await owner.post(CAMPAIGNS, { title: 'Spring' })).body.data;
    expect(campaign).toMatchObject({
      status: 'DRAFT',
      last_action: 'step1',
      editor: null,
      figures: null,
    });
    expect((await owner.get('/client-api/api/users/onboard')).body.data.campaign_created).toBe(
      true,
    );
    const settings = await owner.patch(`${CAMPAIGNS}/${campaign.id}`, {
      ...SETTINGS,
      revision: campaign.revision,
    });
    expect(settings.body.data).toMatchObject({
      last_action: 'editor',
      revision: campaign.revision + 1,
    });
    const content = await owner.put(`${CAMPAIGNS}/${campaign.id}/content`, {
      revision: settings.body.data.revision,
      editor: 'text',
      plain_text: 'Hello',
    });
    expect(content.body.data).toMatchObject({
      editor: 'text',
      plain_text: 'Hello',
      content_revision: 1,
    });
    expect((await readCampaign(owner, campaign.id)).last_action).toBe('step3');
    await owner.post(`${CAMPAIGNS}/${campaign.id}/tags/set`, { tags_arr: [groupId] });
    expect(await readCampaign(owner, campaign.id)).toMatchObject({
      last_action: 'step4',
      tags: [{ id: groupId, title: 'Tea drinkers' }],
    });
  });

  test('a tab with an older revision never overwrites a draft', async () => {
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
      const staleResponse = await ada.post(`${url}/${call}`, { ...body, revision: revision - 1 });
      expect([staleResponse.status, staleResponse.body.code], call).toEqual([
        409,
        'stale_revision',
      ]);
      expect(await readCampaign(ada, data.id)).toMatchObject({ revision, send_to_all: toAll });
      expect((await ada.post(`${url}/${call}`, { ...body, revision })).status).toBe(200);
      expect((await readCampaign(ada, data.id)).revision).toBe(revision + 1);
    }
  });

  test('repeating a save after a lost response changes nothing', async () => {
    const { data } = (await ada.post(CAMPAIGNS, SETTINGS)).body;
    const url = `${CAMPAIGNS}/${data.id}/content`;
    const document = {
      ...createEmailDocument([
        createSection([[createBlock('text', { html: '<p>One <b>bold</b></p>' })]]),
      ]),
    };
    const body = { revision: data.revision, editor: 'editor', document };
    const firstResponse = await ada.put(url, body);
    expect(firstResponse.status).toBe(200);
    const repeatResponse = await ada.put(url, body);
    expect([repeatResponse.status, repeatResponse.body]).toEqual([200, firstResponse.body]);
    const otherDocument = createEmailDocument([
      createSection([[createBlock('text', { html: '<p>Two</p>' })]]),
    ]);
    expect((await ada.put(url, { ...body, document: otherDocument })).body.code).toBe(
      'stale_revision',
    );
    expect((await ada.put(url, { ...body, editor: 'html', html: 'x' })).status).toBe(409);
    const next = { ...body, revision: firstResponse.body.data.revision, document: otherDocument };
    expect((await ada.put(url, next)).status).toBe(200);
    // An outdated save does not overwrite a newer change, while repeating the newest save succeeds
    // and changes nothing.
    expect((await ada.put(url, body)).body.code).toBe('stale_revision');
    expect((await ada.put(url, { ...body, document: otherDocument })).status).toBe(200);
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
    const response = await ada.post(CAMPAIGNS, body);
    expect(response.status).toBe(422);
    expect(Object.keys(response.body.errors)).toEqual([field]);
  });

  test('invalid input is refused with 422, 413 or 404 and leaves the draft unchanged', async () => {
    const id = (await ada.post(CAMPAIGNS, SETTINGS)).body.data.id;
    const { revision } = await readCampaign(ada, id);
    const url = `${CAMPAIGNS}/${id}`;
    const largeResponse = await ada.put(`${url}/content`, {
      revision,
      editor: 'html',
      html: 'x'.repeat(2_000_000),
    });
    expect([largeResponse.status, Object.keys(largeResponse.body.errors)]).toEqual([422, ['html']]);
    const huge = await ada.put(`${url}/content`, {
      revision,
      editor: 'html',
      html: 'x'.repeat(9_000_000),
    });
    expect(huge.status).toBe(413);
    expect((await ada.put(`${url}/content`, { revision, editor: 'editor' })).status).toBe(422);
    const foreignGroup = (await bob.post('/client-api/api/tags', { title: 'Bob' })).body.data.id;
    for (const tags_arr of [['nonsense'], [foreignGroup], 'all', [encodeId('campaign', 1)]]) {
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
  const campaignBefore = await readCampaign(owner, id);
  const responses = [
    await bob.get(url),
    await bob.patch(url, { revision: campaignBefore.revision, subject: 'x' }),
    await bob.delete(url),
    await bob.post(`${url}/restore`, {}),
    await bob.post(`${url}/duplicate`, {}),
    await bob.get(`${url}/content`),
    await bob.put(`${url}/content`, {
      revision: campaignBefore.revision,
      editor: 'html',
      html: 'x',
    }),
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
  expect(responses.map((response) => response.status)).toEqual(responses.map(() => 404));
  expect(
    (await bob.get(CAMPAIGNS)).body.data.map((campaign: Campaign) => campaign.id),
  ).not.toContain(id);
  expect(await readCampaign(owner, id)).toEqual(campaignBefore);
});

test('the list of campaigns pages by five, sorts, filters, searches, and omits contents', async () => {
  const { owner, groupId } = await campaignShop(server, 1);
  for (const title of ['Banana', 'apple', 'Cherry', 'Äpple', 'Date 100%', 'Elder']) {
    await owner.post(CAMPAIGNS, { title });
    clock.advance(1000);
  }
  const firstPage = (await owner.get(CAMPAIGNS)).body;
  expect(firstPage.meta).toEqual({ from: 1, to: 5, page: 1, pageCount: 2, total: 6, perPage: 5 });
  expect(firstPage.data[0].title).toBe('Elder');
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

test('a duplicated campaign has its own content, and a deleted campaign can be restored once', async () => {
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

test('the recipient count contains each subscriber once and lists exclusions by reason', async () => {
  const { owner, ids, groupId } = await campaignShop(server, 8);
  const [a, b, c, d, e] = ids as [number, number, number, number, number];
  const second = (await owner.post('/client-api/api/tags', { title: 'Also' })).body.data.id;
  const excludedGroup = (await owner.post('/client-api/api/tags', { title: 'Out' })).body.data.id;
  await joinGroup(server, owner, second, [a, b]);
  await joinGroup(server, owner, excludedGroup, [a, e]);
  const updateSubscriber = (id: number, values: object) =>
    server.db
      .updateTable('subscribers')
      .set(values)
      .where('account_id', '=', owner.accountId)
      .where('id', '=', id)
      .execute();
  await updateSubscriber(b, { email_status: 'unsubscribed' });
  await updateSubscriber(c, { email_status: 'bounced' });
  await updateSubscriber(d, {
    email: null,
    email_key: null,
    phone: '+4791234567',
    phone_key: '+4791234567',
  });
  await updateSubscriber(e, { email_status: 'reported' });
  const id = (await owner.post(CAMPAIGNS, SETTINGS)).body.data.id;
  const count = async () => (await owner.get(`${CAMPAIGNS}/${id}/subscribers`)).body.data;
  expect(await count()).toEqual({ count: 0, total: 0, excluded: [] });
  await owner.post(`${CAMPAIGNS}/${id}/tags/set`, { tags_arr: [groupId, second] });
  await owner.post(`${CAMPAIGNS}/${id}/exclude_tags/set`, { tags_arr: [excludedGroup] });
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
    { id: excludedGroup, title: 'Out' },
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
  const firstCopy = await copy(one);
  expect((await copy(one)).body).toEqual(firstCopy.body);
  expect(await copy(other)).toMatchObject({ status: 422, body: { code: 'idempotency_conflict' } });
});

test('an account can request sixty test emails at once, then one a minute', async () => {
  const { owner } = await campaignShop(server, 0);
  const { id } = (await owner.post(CAMPAIGNS, SETTINGS)).body.data;
  clock.freeze(new Date());
  const sendTest = () => owner.post(`${CAMPAIGNS}/${id}/test`, { emails: ['one@test.example'] });
  // Requests of a campaign without content are refused for another reason, but still counted.
  for (let i = 0; i < 60; i++) expect((await sendTest()).status).toBe(422);
  const lastTest = await sendTest();
  expect([lastTest.status, lastTest.body.code]).toEqual([429, 'too_many_requests']);
  expect(Number(lastTest.headers['retry-after'])).toBe(60);
});

describe('UTM parameters', () => {
  const change = async (owner: TestOwner, id: string, body: object) => {
    const { revision } = await readCampaign(owner, id);
    const response = await owner.patch(`${CAMPAIGNS}/${id}`, { revision, ...body });
    expect(response.status).toBe(200);
    return response.body.data as Campaign;
  };
  /** Returns the email's link as it is sent. */
  async function sentLink(owner: TestOwner, id: string): Promise<string | undefined> {
    const row = await getCampaignRow(
      server.db,
      owner.accountId,
      decodeId('campaign', id) as number,
    );
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
    const ownUtm = { utm_campaign: 'own', utm: { medium: 'mail', term: '', id: '{campaign_id}' } };
    expect(await change(owner, id, ownUtm)).toMatchObject(ownUtm);
    expect(await sentLink(owner, id)).toBe(
      `https://tea.example/new?utm_source=shop&utm_medium=mail&utm_campaign=own&utm_term=tea&utm_content=Tea%20drinkers&utm_id=${id}`,
    );
    const copy = (await owner.post(`${url}/duplicate`, {})).body.data;
    expect(copy).toMatchObject(ownUtm);
    await change(owner, id, { utm_campaign: null });
    expect(await sentLink(owner, id)).toBe('https://tea.example/new');
  });

  test('new campaigns have UTM parameters if the account adds them by default', async () => {
    const owner = await server.owner();
    const readCreatedUtm = async (body: object) =>
      (await owner.post(CAMPAIGNS, { title: 'Spring', ...body })).body.data.utm_campaign;
    expect(await readCreatedUtm({})).toBeNull();
    const response = await owner.patch(UTM, { is_on: true });
    expect(response.body.data).toEqual({
      ...{ is_on: true, source: '', medium: '', campaign: '', term: '', content: '', id: '' },
    });
    expect(await readCreatedUtm({})).toBe('');
    expect(await readCreatedUtm({ utm_campaign: null })).toBeNull();
    expect((await bob.get(UTM)).body.data.is_on).toBe(false);
  });

  test('braces that do not form a token and values that are too long are refused', async () => {
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

  test('a title too long for a parameter is truncated, and a source whose tokens are all empty uses the built-in value', async () => {
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
