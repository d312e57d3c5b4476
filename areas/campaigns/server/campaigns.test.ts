// The calls of campaigns over HTTP: the way from a first save to people's mailboxes.
import { sql } from 'kysely';
import PostalMime from 'postal-mime';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { newBlock, newDocument, newSection } from '#areas/content/document-factory.ts';
import { addToGroups } from '#areas/groups/server/index.ts';
import { readSubscriber, suppress } from '#areas/subscribers/server/index.ts';
import { decodeId, encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { addPeople } from '#testing/mailing.ts';
import { startTestSender } from '#testing/sender.ts';
import { type TestServer, testServer } from '#testing/server.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/smtp-server.ts';
import type { Campaign } from '../contract.ts';
import { readCampaign, restoreCampaign } from './campaigns.ts';
import { schedule, startDue } from '#areas/broadcasts/server/index.ts';
import { campaignOwner } from './owner.ts';

type Named = {
  id: string;
  title: string;
  code: string;
  severity: string;
  line: number;
  column: number;
};
const CAMPAIGNS = '/client-api/api/campaigns';
const OPTIONS = { publicUrl: 'http://localhost:3000', needsVerifiedSender: false };
const HTML =
  '<p>Dear {{ firstname | default: "friend" }}, fresh tea has come in from the mountains this week.</p>' +
  '<a href="https://tea.example/new">New</a><a href="{{unsubscribe_link}}">Unsubscribe</a>';

type Owner = Awaited<ReturnType<TestServer['owner']>>;
let server: TestServer;
let relay: TestSmtpServer;
let ada: Owner;
let bob: Owner;

beforeAll(async () => {
  server = await testServer();
  relay = await startSmtpServer();
  ada = await server.owner();
  bob = await server.owner();
  return () => relay.close();
});

afterEach(() => clock.reset());

/** An account with its postal address, people and one group of all of them. */
async function shop(people = 6) {
  const owner = await server.owner();
  const saved = await owner.patch('/client-api/api/account_questionnaire', {
    address: 'Storgata 1',
    city: 'Oslo',
    state: 'Oslo',
    timezone: 'Europe/Oslo',
    country: 'NO',
    zip_code: '0155',
  });
  expect(saved.status).toBe(200);
  const ids = people > 0 ? await addPeople(server.db, owner.accountId, people) : [];
  const group = await owner.post('/client-api/api/tags', { title: 'Tea drinkers' });
  const groupId: string = group.body.data.id;
  await join(owner, groupId, ids);
  return { owner, ids, groupId };
}

async function join(owner: Owner, group: string, ids: number[]) {
  if (ids.length === 0) return;
  const groupId = decodeId('group', group) as number;
  await inTransaction(server.db, (tx) =>
    addToGroups(tx, owner.accountId, {
      groupIds: [groupId],
      subscriberIds: ids,
      origin: 'bulk' as const,
    }),
  );
}

const SETTINGS = {
  title: 'Spring',
  subject: 'Hello {{ firstname | default: "friend" }}',
  preheader: 'Fresh leaves',
  from_name: 'Nordic Tea',
  from_email: 'news@tea.example',
  reply_to: 'hello@tea.example',
};

/** A draft that lacks nothing. */
async function ready(owner: Owner, groupId: string) {
  const created = await owner.post(CAMPAIGNS, SETTINGS);
  expect(created.status).toBe(200);
  const { id, revision } = created.body.data;
  const content = await owner.put(`${CAMPAIGNS}/${id}/content`, {
    revision,
    editor: 'html',
    html: HTML,
  });
  expect(content.status).toBe(200);
  const groups = await owner.post(`${CAMPAIGNS}/${id}/tags/set`, { tags_arr: [groupId] });
  expect(groups.status).toBe(200);
  return id as string;
}

const read = async (owner: Owner, id: string) => (await owner.get(`${CAMPAIGNS}/${id}`)).body.data;

async function until(owner: Owner, id: string, isRight: (campaign: Campaign) => boolean) {
  const end = performance.now() + 30_000;
  for (;;) {
    const campaign = await read(owner, id);
    if (isRight(campaign)) return campaign;
    if (performance.now() > end) throw new Error(`Still not: ${JSON.stringify(campaign)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('a draft', () => {
  test('comes with its first save, and last_action names the step to continue', async () => {
    const { owner, groupId } = await shop(0);
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
    expect((await read(owner, created.id)).last_action).toBe('step3');
    await owner.post(`${CAMPAIGNS}/${created.id}/tags/set`, { tags_arr: [groupId] });
    expect(await read(owner, created.id)).toMatchObject({
      last_action: 'step4',
      tags: [{ id: groupId, title: 'Tea drinkers' }],
    });
  });

  test('is never overwritten by a tab that saw an older one', async () => {
    const { data } = (await ada.post(CAMPAIGNS, SETTINGS)).body;
    const url = `${CAMPAIGNS}/${data.id}`;
    expect((await ada.patch(url, { revision: data.revision, subject: 'A' })).status).toBe(200);
    const stale = await ada.patch(url, { revision: data.revision, subject: 'B' });
    expect(stale.status).toBe(409);
    expect(stale.body).toMatchObject({ code: 'stale_revision', revision: data.revision + 1 });
    expect((await ada.patch(url, { subject: 'B' })).status).toBe(409);
    const content = { revision: data.revision, editor: 'html', html: 'x' };
    expect((await ada.put(`${url}/content`, content)).status).toBe(409);
    expect((await read(ada, data.id)).subject).toBe('A');
    for (const [call, body] of [
      ['tags/set', { tags_arr: [], send_to_all: true }],
      ['exclude_tags/set', { tags_arr: [] }],
      ['filters/set', { filters_arr: [] }],
      ['exclude_filters/set', { filters_arr: [] }],
    ] as const) {
      const { revision, send_to_all: toAll } = await read(ada, data.id);
      const old = await ada.post(`${url}/${call}`, { ...body, revision: revision - 1 });
      expect([old.status, old.body.code], call).toEqual([409, 'stale_revision']);
      expect(await read(ada, data.id)).toMatchObject({ revision, send_to_all: toAll });
      expect((await ada.post(`${url}/${call}`, { ...body, revision })).status).toBe(200);
      expect((await read(ada, data.id)).revision).toBe(revision + 1);
    }
  });

  test('takes a save again whose answer was lost, and changes nothing by it', async () => {
    const { data } = (await ada.post(CAMPAIGNS, SETTINGS)).body;
    const url = `${CAMPAIGNS}/${data.id}/content`;
    const document = {
      ...newDocument([newSection([[newBlock('text', { html: '<p>One <b>bold</b></p>' })]])]),
    };
    const sent = { revision: data.revision, editor: 'editor', document };
    const first = await ada.put(url, sent);
    expect(first.status).toBe(200);
    const again = await ada.put(url, sent);
    expect([again.status, again.body]).toEqual([200, first.body]);
    const other = newDocument([newSection([[newBlock('text', { html: '<p>Two</p>' })]])]);
    expect((await ada.put(url, { ...sent, document: other })).body.code).toBe('stale_revision');
    expect((await ada.put(url, { ...sent, editor: 'html', html: 'x' })).status).toBe(409);
    const next = { ...sent, revision: first.body.data.revision, document: other };
    expect((await ada.put(url, next)).status).toBe(200);
    // What is there since is not written over, but said once more it changes nothing.
    expect((await ada.put(url, sent)).body.code).toBe('stale_revision');
    expect((await ada.put(url, { ...sent, document: other })).status).toBe(200);
    expect((await read(ada, data.id)).revision).toBe(next.revision + 1);
  });

  test('keeps every revision of its content', async () => {
    const id = (await ada.post(CAMPAIGNS, SETTINGS)).body.data.id;
    let { revision } = await read(ada, id);
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
    ['NUL', { title: 'a\0b' }, 'title'],
    ['a sender that is no address', { title: 'x', from_email: 'nobody' }, 'from_email'],
    ['a number as title', { title: 7 }, 'title'],
    ['no name at all', {}, 'title'],
    ['a subject too long', { title: 'x', subject: 'y'.repeat(256) }, 'subject'],
    ['a language that we lack', { title: 'x', language: 'tlh' }, 'language'],
  ])('is refused with %s', async (_, body, field) => {
    const answer = await ada.post(CAMPAIGNS, body);
    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body.errors)).toEqual([field]);
  });

  test('answers 422, 413 or 404 to what makes no sense, and stays', async () => {
    const id = (await ada.post(CAMPAIGNS, SETTINGS)).body.data.id;
    const { revision } = await read(ada, id);
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
    // Only a plain null sends now: who forgot the time must not have sent to everybody.
    expect((await ada.post(`${url}/schedule`, {})).body.errors).toHaveProperty('schedule_time');
    expect((await ada.post(`${url}/schedule`, { schedule_time: 'tomorrow' })).status).toBe(422);
    expect((await ada.get(`${CAMPAIGNS}/nonsense`)).status).toBe(404);
    expect((await ada.get(`${url}/preview?subscriber=nonsense`)).status).toBe(422);
    expect((await read(ada, id)).revision).toBe(revision);
  });
});

test("another account's campaign does not exist", async () => {
  const { owner, groupId } = await shop(2);
  const id = await ready(owner, groupId);
  const url = `${CAMPAIGNS}/${id}`;
  const before = await read(owner, id);
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
  expect((await bob.get(CAMPAIGNS)).body.data.map((one: Named) => one.id)).not.toContain(id);
  expect(await read(owner, id)).toEqual(before);
});

test('the list pages by five, sorts, filters, searches, and shows no content', async () => {
  const { owner, groupId } = await shop(1);
  for (const title of ['Banana', 'apple', 'Cherry', 'Äpple', 'Date 100%', 'Elder']) {
    await owner.post(CAMPAIGNS, { title });
    clock.advance(1000);
  }
  const first = (await owner.get(CAMPAIGNS)).body;
  expect(first.meta).toEqual({ from: 1, to: 5, page: 1, pageCount: 2, total: 6, perPage: 5 });
  expect(first.data[0].title).toBe('Elder');
  const titles = async (query: string) =>
    (await owner.get(`${CAMPAIGNS}?${query}`)).body.data.map((one: Named) => one.title);
  expect(await titles('order=title ASC&limit=3')).toEqual(['apple', 'Äpple', 'Banana']);
  expect(await titles('order=title&direction=DESC&limit=1')).toEqual(['Elder']);
  expect(await titles('order=created&direction=asc&limit=1')).toEqual(['Banana']);
  expect(await titles('search=100%25')).toEqual(['Date 100%']);
  expect(await titles('search=zzz')).toEqual([]);
  expect((await owner.get(`${CAMPAIGNS}?no_paginate=true`)).body.meta).toBeUndefined();
  const id = await ready(owner, groupId);
  await owner.post(`${CAMPAIGNS}/${id}/schedule`, { schedule_time: '2090-01-01 10:00:00' });
  expect(await titles('status=SCHEDULED')).toEqual(['Spring']);
  expect(await titles('status=DRAFT&limit=10')).toHaveLength(6);
  expect((await owner.get(`${CAMPAIGNS}?status=NOPE`)).status).toBe(422);
  const lean = (await owner.get(`${CAMPAIGNS}?as_list=true&status=SCHEDULED`)).body.data[0];
  expect(JSON.stringify(lean)).not.toContain('fresh tea');
});

test('a campaign is duplicated whole, deleted, and brought back', async () => {
  const { owner, groupId } = await shop(1);
  const id = await ready(owner, groupId);
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

test('the possible count is deduplicated, with each exclusion under its reason', async () => {
  const { owner, ids, groupId } = await shop(8);
  const [a, b, c, d, e] = ids as [number, number, number, number, number];
  const second = (await owner.post('/client-api/api/tags', { title: 'Also' })).body.data.id;
  const out = (await owner.post('/client-api/api/tags', { title: 'Out' })).body.data.id;
  await join(owner, second, [a, b]);
  await join(owner, out, [a, e]);
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

describe('previews', () => {
  test('show the mail as a subscriber gets it, uncounted', async () => {
    const { owner, ids, groupId } = await shop(3);
    const id = await ready(owner, groupId);
    const people = (await owner.get(`${CAMPAIGNS}/${id}/preview_people?search=person2`)).body.data;
    expect(people).toEqual([
      {
        id: encodeId('subscriber', ids[1] as number),
        email: 'person2@outlook.com',
        name: 'Name 2',
      },
    ]);
    const shown = (await owner.get(`${CAMPAIGNS}/${id}/preview?subscriber=${people[0].id}`)).body
      .data;
    expect(shown.subject).toBe('Hello Name 2');
    expect(shown.html).toContain('Dear Name 2, fresh tea');
    expect(shown.html).toContain('<a href="https://tea.example/new">');
    expect(shown.html).toContain('Storgata 1');
    const plain = (await owner.get(`${CAMPAIGNS}/${id}/plain_preview`)).body.data;
    expect(plain.text).toContain('fresh tea has come in');
    const stranger = encodeId('subscriber', 999_999);
    expect((await owner.get(`${CAMPAIGNS}/${id}/preview?subscriber=${stranger}`)).status).toBe(404);
  });

  test('of unsaved content name what is wrong with it, with its place', async () => {
    const { owner, groupId } = await shop(1);
    const id = await ready(owner, groupId);
    const html = '<p>Hi</p>\n{{ nope }} {% for x in y %}<script>1</script>';
    const { data } = (await owner.post(`${CAMPAIGNS}/${id}/preview`, { editor: 'html', html }))
      .body;
    expect(data.html).toBeNull();
    const found = data.findings.map(
      (one: Named) => `${one.severity} ${one.code} ${one.line}:${one.column}`,
    );
    expect(found).toEqual(
      expect.arrayContaining([
        'error tag_control_flow 2:12',
        'error script 2:28',
        'error tag_unknown 2:1',
      ]),
    );
    expect((await owner.get(`${CAMPAIGNS}/${id}/content`)).body.data.html).toBe(HTML);
  });
});

test('a test mail to whoever wants none is refused, and says whose it is', async () => {
  const { owner, groupId } = await shop(2);
  const id = await ready(owner, groupId);
  await inTransaction(server.db, (tx) =>
    suppress(tx, owner.accountId, ['left@test.example'], {
      channel: 'email',
      reason: 'unsubscribed',
    }),
  );
  const emails = ['one@test.example', 'Left@test.example'];
  const answer = await owner.post(`${CAMPAIGNS}/${id}/test`, { emails });
  expect([answer.status, answer.body.code]).toEqual([422, 'test_unwanted']);
  expect(answer.body.message).toContain('left@test.example wants no more emails');
});

test('a test mail goes to several addresses, once each', async () => {
  const { owner, groupId } = await shop(2);
  const id = await ready(owner, groupId);
  startTestSender(server.db, relay.url);
  const emails = ['one@test.example', 'two@test.example', 'one@test.example'];
  const key = { 'idempotency-key': 'test-1' };
  for (let i = 0; i < 2; i++) {
    const answer = await owner.post(`${CAMPAIGNS}/${id}/test`, { emails }, key);
    expect(answer.body.data).toEqual({ sent: 2 });
  }
  // For the limit it was one call, too.
  await sql`update rate_buckets set tokens = 0 where key = ${`test-email:${owner.accountId}`}`.execute(
    server.db,
  );
  expect((await owner.post(`${CAMPAIGNS}/${id}/test`, { emails }, key)).status).toBe(200);
  expect((await owner.post(`${CAMPAIGNS}/${id}/test`, { emails: [] }, key)).status).toBe(422);
  expect((await owner.post(`${CAMPAIGNS}/${id}/test`, { emails })).status).toBe(429);
  const others = { emails: ['three@test.example'] };
  expect((await owner.post(`${CAMPAIGNS}/${id}/test`, others, key)).status).toBe(422);
  await expect
    .poll(() => relay.accepted.filter((one) => one.to[0]?.endsWith('@test.example')).length)
    .toBe(2);
  const mail = relay.accepted.find((one) => one.to[0] === 'one@test.example');
  expect((await PostalMime.parse(mail?.source ?? '')).subject).toMatch(/^\[Test\] Hello Name \d$/);
  expect((await read(owner, id)).status).toBe('DRAFT');
});

test('a key that was used for one campaign does nothing to another', async () => {
  const { owner, groupId } = await shop(1);
  const [one, other] = [await ready(owner, groupId), await ready(owner, groupId)];
  const key = { 'idempotency-key': 'launch' };
  const copy = (id: string) => owner.post(`${CAMPAIGNS}/${id}/duplicate`, {}, key);
  const first = await copy(one);
  expect((await copy(one)).body).toEqual(first.body);
  expect(await copy(other)).toMatchObject({ status: 422, body: { code: 'idempotency_conflict' } });
});

test('trying a mail out: sixty in a row, then one a minute', async () => {
  const { owner } = await shop(0);
  const { id } = (await owner.post(CAMPAIGNS, SETTINGS)).body.data;
  clock.freeze(new Date());
  const ask = () => owner.post(`${CAMPAIGNS}/${id}/test`, { emails: ['one@test.example'] });
  // Without content each is refused for another reason, but counted.
  for (let i = 0; i < 60; i++) expect((await ask()).status).toBe(422);
  const last = await ask();
  expect([last.status, last.body.code]).toEqual([429, 'too_many_requests']);
  expect(Number(last.headers['retry-after'])).toBe(60);
});

describe('sending', () => {
  test('now: frozen, handed over, SENT with the first copy, counted to the last', async () => {
    const { owner, groupId } = await shop(9);
    const id = await ready(owner, groupId);
    const answer = await owner.post(`${CAMPAIGNS}/${id}/schedule`, { schedule_time: null });
    expect(answer.body.data).toMatchObject({
      status: 'SCHEDULED',
      schedule_time: null,
      delivery: { state: 'preparing' },
    });
    expect(
      (
        await owner.patch(`${CAMPAIGNS}/${id}`, {
          revision: answer.body.data.revision,
          subject: 'x',
        })
      ).body.code,
    ).toBe('campaign_not_draft');
    expect((await owner.post(`${CAMPAIGNS}/${id}/tags/set`, { tags_arr: [] })).status).toBe(409);
    expect((await owner.delete(`${CAMPAIGNS}/${id}`)).body.code).toBe('campaign_sending');
    expect((await owner.delete(`/client-api/api/tags/${groupId}`, {})).status).toBe(409);
    await server.runJobs();
    startTestSender(server.db, relay.url);
    const sent = await until(owner, id, (campaign) => campaign.delivery?.state === 'finished');
    expect(sent).toMatchObject({
      status: 'SENT',
      delivery: { audience: 9, accepted: 9, remaining: 0, failed: 0 },
      figures: { sent: 9, delivered: 9, opens: 0 },
    });
    expect(sent.sent_at).not.toBeNull();
    expect((await owner.get('/client-api/api/users/onboard')).body.data.email_sent).toBe(true);
    const copies = relay.accepted.filter((one) =>
      one.source.includes(`m${sentMessage(one.source)}`),
    );
    expect(copies.length).toBeGreaterThanOrEqual(9);
    expect((await owner.post(`${CAMPAIGNS}/${id}/cancel`, {})).body.code).toBe('campaign_finished');
    expect((await owner.delete(`${CAMPAIGNS}/${id}`)).status).toBe(200);
  });

  test('links of a deleted campaign go on working: clicks, view in browser, leaving', async () => {
    const { owner, ids, groupId } = await shop(1);
    const id = await ready(owner, groupId);
    await owner.post(`${CAMPAIGNS}/${id}/schedule`, { schedule_time: null });
    await server.runJobs();
    const before = relay.accepted.length;
    startTestSender(server.db, relay.url);
    await until(owner, id, (campaign) => campaign.delivery?.state === 'finished');
    const news = relay.accepted.slice(before).find(({ source }) => /^List-Id:/m.test(source));
    // Nobody here reads mailed unsubscribes: none is offered, at the reply address neither.
    expect(news?.source).toMatch(
      /^List-Unsubscribe: <http[^<>]+>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m,
    );
    const { html = '' } = await PostalMime.parse(news?.source ?? '');
    const [, click = ''] = /href="http:\/\/[^/]+(\/t\/c\/[^"]+)"/.exec(html) ?? [];
    const [, leave = '', token = ''] = /href="http:\/\/[^/]+(\/u\/([^"]+))"/.exec(html) ?? [];
    expect((await owner.delete(`${CAMPAIGNS}/${id}`)).status).toBe(200);
    expect((await owner.get(`${CAMPAIGNS}/${id}`)).status).toBe(404);
    const reader = server.client();
    const clicked = await reader.get(click);
    expect([clicked.status, clicked.headers.location]).toEqual([302, 'https://tea.example/new']);
    expect((await reader.get(`/v/${token}`)).status).toBe(200);
    expect((await reader.get(leave)).status).toBe(200);
    const left = await server.app.inject({
      method: 'POST',
      url: leave,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'List-Unsubscribe=One-Click',
    });
    expect(left.statusCode).toBe(200);
    const person = await readSubscriber(server.db, owner.accountId, ids[0] as number);
    expect(person.email_status).toBe('unsubscribed');
  });

  test('waits for a postal address, content, recipients', async () => {
    const owner = await server.owner();
    await addPeople(server.db, owner.accountId, 1);
    const id = (await owner.post(CAMPAIGNS, { title: 'Bare' })).body.data.id;
    const refused = await owner.post(`${CAMPAIGNS}/${id}/schedule`, { schedule_time: null });
    expect(refused.status).toBe(422);
    const codes = refused.body.findings.map((one: Named) => one.code).sort();
    expect(codes).toEqual([
      'content_empty',
      'postal_address_missing',
      'recipients_missing',
      'sender_missing',
      'subject_missing',
    ]);
    const checks = (await owner.get(`${CAMPAIGNS}/${id}/checks`)).body.data;
    const order = checks.map((one: Named) => ['error', 'warning', 'tip'].indexOf(one.severity));
    expect(order).toEqual([...order].sort());
    const { groupId, owner: other } = await shop(0);
    const empty = await ready(other, groupId);
    const now = { schedule_time: null };
    expect((await other.post(`${CAMPAIGNS}/${empty}/schedule`, now)).body.code).toBe(
      'nobody_to_send_to',
    );
  });

  test('is paused, resumed and cancelled', async () => {
    const { owner, groupId } = await shop(5);
    const id = await ready(owner, groupId);
    const act = async (verb: string) => {
      const body = verb === 'schedule' ? { schedule_time: null } : {};
      return (await owner.post(`${CAMPAIGNS}/${id}/${verb}`, body)).body;
    };
    expect((await act('pause')).code).toBe('campaign_not_sending');
    await act('schedule');
    await server.runJobs();
    expect((await act('pause')).data.delivery.state).toBe('paused');
    expect((await act('pause')).data.delivery.state).toBe('paused');
    expect((await act('resume')).data.delivery.state).toBe('sending');
    expect((await act('resume')).data.delivery.state).toBe('sending');
    const cancelled = (await act('cancel')).data;
    expect(cancelled).toMatchObject({ status: 'DRAFT', delivery: null, schedule_time: null });
    expect((await act('cancel')).data.status).toBe('DRAFT');
    expect((await act('schedule')).data.status).toBe('SCHEDULED');
  });
});

function sentMessage(source: string): string {
  return /^Feedback-ID: m(\d+):/m.exec(source)?.[1] ?? '';
}

/** Past the end of the session, when the clock was moved far. */
const readNow = (owner: Owner, id: string) =>
  readCampaign(server.db, owner.accountId, decodeId('campaign', id) as number);

describe('scheduling', () => {
  test('fifty calls at once make one schedule; another time is a 409', async () => {
    const { owner, groupId } = await shop(2);
    const id = await ready(owner, groupId);
    const body = { schedule_time: '2090-03-26 02:30:00' };
    const calls = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        owner.post(`${CAMPAIGNS}/${id}/schedule`, body, i % 2 ? { 'idempotency-key': 'k' } : {}),
      ),
    );
    expect(new Set(calls.map((call) => call.status))).toEqual(new Set([200]));
    for (const call of calls) expect(call.body).toEqual(calls[0]?.body);
    // The night in which clocks go from two to three: the later instant counts.
    expect(calls[0]?.body.data).toMatchObject({
      schedule_time: '2090-03-26 02:30:00',
      schedule_zone: 'Europe/Oslo',
      scheduled_at: '2090-03-26T01:30:00.000Z',
    });
    const other = await owner.post(`${CAMPAIGNS}/${id}/schedule`, {
      schedule_time: '2091-01-01 10:00:00',
    });
    expect([other.status, other.body.code]).toEqual([409, 'already_scheduled']);
    const reused = await owner.post(
      `${CAMPAIGNS}/${id}/schedule`,
      { schedule_time: null },
      { 'idempotency-key': 'k' },
    );
    expect(reused.status).toBe(422);
  });

  test('fifty calls for now make one message', async () => {
    const { owner, groupId } = await shop(2);
    const id = await ready(owner, groupId);
    const calls = await Promise.all(
      Array.from({ length: 50 }, () =>
        owner.post(`${CAMPAIGNS}/${id}/schedule`, { schedule_time: null }),
      ),
    );
    expect(new Set(calls.map((call) => call.status))).toEqual(new Set([200]));
    const messages = await server.db
      .selectFrom('messages')
      .select(['kind', 'source_id'])
      .where('account_id', '=', owner.accountId)
      .where('kind', '=', 'campaign')
      .execute();
    expect(messages).toEqual([{ kind: 'campaign', source_id: decodeId('campaign', id) }]);
  });

  test('leaves as its owner saw it: a change in between is a 409, and nothing is sent', async () => {
    const { owner, groupId } = await shop(1);
    const id = await ready(owner, groupId);
    const url = `${CAMPAIGNS}/${id}`;
    const { revision } = await read(owner, id);
    const changed = await owner.patch(url, { revision, subject: 'Another one' });
    expect(changed.status).toBe(200);
    for (const schedule_time of [null, '2090-01-01 10:00:00']) {
      const answer = await owner.post(`${url}/schedule`, { schedule_time, revision });
      expect([answer.status, answer.body.code]).toEqual([409, 'stale_revision']);
    }
    expect(await read(owner, id)).toMatchObject({ status: 'DRAFT', delivery: null });
    const seen = { schedule_time: null, revision: revision + 1 };
    expect((await owner.post(`${url}/schedule`, seen)).status).toBe(200);
  });

  test('rounds up to a quarter of an hour, refuses the past, and is taken back', async () => {
    const { owner, groupId } = await shop(1);
    const id = await ready(owner, groupId);
    const past = await owner.post(`${CAMPAIGNS}/${id}/schedule`, {
      schedule_time: '2020-01-01 10:00:00',
    });
    expect([past.status, Object.keys(past.body.errors)]).toEqual([422, ['schedule_time']]);
    const answer = await owner.post(`${CAMPAIGNS}/${id}/schedule`, {
      schedule_time: '2090-01-01 10:01:00',
    });
    expect(answer.body.data).toMatchObject({
      schedule_time: '2090-01-01 10:15:00',
      delivery: null,
    });
    const back = await owner.post(`${CAMPAIGNS}/${id}/cancel`, {});
    expect(back.body.data).toMatchObject({
      status: 'DRAFT',
      schedule_time: null,
      scheduled_at: null,
    });
  });

  test('starts once when its time has come, whoever asks', async () => {
    const { owner, groupId } = await shop(3);
    const id = await ready(owner, groupId);
    await owner.post(`${CAMPAIGNS}/${id}/schedule`, { schedule_time: '2092-01-01 10:00:00' });
    clock.freeze(new Date('2092-01-01T08:59:59Z'));
    expect(await startDue(server.db, campaignOwner(OPTIONS))).toBe(0);
    clock.freeze(new Date('2092-01-01T09:00:01Z'));
    const started = await Promise.all(
      Array.from({ length: 5 }, () => startDue(server.db, campaignOwner(OPTIONS))),
    );
    expect(started.reduce((sum, one) => sum + one)).toBe(1);
    expect(await readNow(owner, id)).toMatchObject({
      status: 'SCHEDULED',
      delivery: { state: 'preparing' },
    });
  });

  test('what no longer passes its checks is a draft again, and its owner is told', async () => {
    const { owner, groupId } = await shop(1);
    const id = await ready(owner, groupId);
    await owner.post(`${CAMPAIGNS}/${id}/schedule`, { schedule_time: '2094-01-01 10:00:00' });
    await sql`update content_revisions set html = '<p>{{ nobody knows }}</p>'
      where account_id = ${owner.accountId}`.execute(server.db);
    clock.freeze(new Date('2094-01-01T09:00:01Z'));
    const started = await Promise.all(
      [1, 2].map(() => startDue(server.db, campaignOwner(OPTIONS))),
    );
    expect(Math.max(...started)).toBe(1);
    expect(await readNow(owner, id)).toMatchObject({
      status: 'DRAFT',
      schedule_time: null,
      schedule_zone: null,
      scheduled_at: null,
      delivery: null,
    });
    const { rows } = await sql<{ kind: string; count: number; subject: string }>`
      select m.kind, count(*) as count, max(m.frozen->'source'->>'subject') as subject
      from messages m where m.account_id = ${owner.accountId}
        and m.frozen->'source'->>'html' not like '%verify-email%' group by 1`.execute(server.db);
    // A letter, and nothing left of the campaign's own message.
    expect(rows).toEqual([
      { kind: 'letter', count: 1, subject: '“{{ mail_subject }}” did not leave at its time' },
    ]);
  });

  test('what is laid out too slowly is tried again, and keeps no other waiting', async () => {
    const { owner, groupId } = await shop(1);
    const id = await ready(owner, groupId);
    const other = await ready(owner, groupId);
    const at = (time: string) => ({ schedule_time: `2095-01-01 ${time}` });
    await owner.post(`${CAMPAIGNS}/${id}/schedule`, at('10:00:00'));
    await owner.post(`${CAMPAIGNS}/${other}/schedule`, at('10:15:00'));
    const slowly = {
      needsVerifiedSender: false,
      get publicUrl(): string {
        throw new AppError('document_too_slow');
      },
    };
    clock.freeze(new Date('2095-01-01T09:14:59Z'));
    expect(await startDue(server.db, campaignOwner(slowly))).toBe(0);
    expect(await readNow(owner, id)).toMatchObject({ status: 'SCHEDULED', delivery: null });
    clock.freeze(new Date('2095-01-01T09:15:01Z'));
    expect(await startDue(server.db, campaignOwner(OPTIONS))).toBe(1);
    expect((await readNow(owner, other)).delivery).not.toBeNull();
    for (const minute of [16, 17, 18]) {
      clock.freeze(new Date(`2095-01-01T09:${minute}:10Z`));
      expect(await startDue(server.db, campaignOwner(slowly))).toBe(0);
      expect(await readNow(owner, id)).toMatchObject({ status: 'SCHEDULED', delivery: null });
    }
    clock.freeze(new Date('2095-01-01T09:20:00Z'));
    expect(await startDue(server.db, campaignOwner(OPTIONS))).toBe(1);
    expect((await readNow(owner, id)).delivery).not.toBeNull();
  });

  test('what fails as nobody expected is tried again, and keeps no other waiting', async () => {
    const { owner, groupId } = await shop(1);
    const id = await ready(owner, groupId);
    const other = await ready(owner, groupId);
    const at = (time: string) => ({ schedule_time: `2096-01-01 ${time}` });
    await owner.post(`${CAMPAIGNS}/${id}/schedule`, at('10:00:00'));
    await owner.post(`${CAMPAIGNS}/${other}/schedule`, at('10:15:00'));
    const faulty = {
      needsVerifiedSender: false,
      get publicUrl(): string {
        throw new Error('nobody expected this');
      },
    };
    clock.freeze(new Date('2096-01-01T09:14:30Z'));
    expect(await startDue(server.db, campaignOwner(faulty))).toBe(0);
    clock.freeze(new Date('2096-01-01T09:15:01Z'));
    expect(await startDue(server.db, campaignOwner(OPTIONS))).toBe(1);
    expect((await readNow(owner, other)).delivery).not.toBeNull();
    for (const minute of [16, 17, 18, 19, 20, 21]) {
      clock.freeze(new Date(`2096-01-01T09:${minute}:10Z`));
      expect(await startDue(server.db, campaignOwner(faulty))).toBe(0);
      expect(await readNow(owner, id)).toMatchObject({ status: 'SCHEDULED', delivery: null });
    }
    // Laid out too slowly once, after an outage: nothing to give it back for.
    const slowly = {
      needsVerifiedSender: false,
      get publicUrl(): string {
        throw new AppError('document_too_slow');
      },
    };
    clock.freeze(new Date('2096-01-01T09:22:20Z'));
    expect(await startDue(server.db, campaignOwner(slowly))).toBe(0);
    expect(await readNow(owner, id)).toMatchObject({ status: 'SCHEDULED', delivery: null });
    clock.freeze(new Date('2096-01-01T09:24:00Z'));
    expect(await startDue(server.db, campaignOwner(OPTIONS))).toBe(1);
    expect((await readNow(owner, id)).delivery).not.toBeNull();
  });

  test('brought back after its time it is a draft, and mails nobody', async () => {
    const { owner, groupId } = await shop(1);
    const id = await ready(owner, groupId);
    const url = `${CAMPAIGNS}/${id}`;
    await owner.post(`${url}/schedule`, { schedule_time: '2093-01-01 10:00:00' });
    expect((await owner.delete(url)).status).toBe(200);
    const early = await owner.post(`${url}/restore`, {});
    expect(early.body.data).toMatchObject({ status: 'SCHEDULED' });
    await owner.delete(url);
    clock.freeze(new Date('2093-01-01T09:00:01Z'));
    const campaignId = decodeId('campaign', id) as number;
    const back = await inTransaction(server.db, (tx) =>
      restoreCampaign(tx, owner.accountId, campaignId),
    );
    expect(back).toMatchObject({ status: 'DRAFT', schedule_time: null, scheduled_at: null });
    expect(await startDue(server.db, campaignOwner(OPTIONS))).toBe(0);
  });

  test('more than an hour late asks the owner', async () => {
    const { owner, groupId } = await shop(3);
    const id = await ready(owner, groupId);
    await owner.post(`${CAMPAIGNS}/${id}/schedule`, { schedule_time: '2091-01-01 10:00:00' });
    clock.freeze(new Date('2091-01-01T10:00:00Z'));
    expect(await startDue(server.db, campaignOwner(OPTIONS))).toBe(0);
    expect(await readNow(owner, id)).toMatchObject({
      status: 'SCHEDULED',
      is_late: true,
      delivery: null,
    });
    const campaignId = decodeId('campaign', id) as number;
    const now = await inTransaction(server.db, (tx) =>
      schedule(tx, campaignOwner(OPTIONS), owner.accountId, campaignId, null),
    );
    expect(now).toMatchObject({ is_late: false, delivery: { state: 'preparing' } });
  });
});
