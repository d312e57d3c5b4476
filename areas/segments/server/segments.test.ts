// Segments over HTTP: saving, wording, counts, lists, previews, refused conditions, uses that
// prevent deletion, and conditions that refer to deleted objects.
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { decodeId, encodeId } from '#platform/ids.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { addPeople } from '#testing/worlds/sending-helpers.ts';
import { fillAudience, type NamedIds } from '#testing/oracles/segment-audience.ts';
import { type TestOwner, type TestServer, testServer } from '#testing/setup/server.ts';
import { segmentUsedBy } from './events.ts';

const FILTERS = '/client-api/api/filters';
const ACTIVE = [{ type: 'email_status', operator: 'is', operand: 'active' }];

let server: TestServer;
let ada: TestOwner;

beforeAll(async () => {
  server = await testServer();
  ada = await server.owner();
});

/** Creates an owner with `count` subscribers and unsubscribes those with even ids. */
async function ownerOf(count: number): Promise<TestOwner & { ids: number[] }> {
  const owner = await server.owner();
  const ids = await addPeople(server.db, owner.accountId, count);
  await sql`update subscribers set email_status = 'unsubscribed', country = 'NO'
    where account_id = ${owner.accountId} and id % 2 = 0`.execute(server.db);
  return Object.assign(owner, { ids });
}

const countEven = (ids: readonly number[]) => ids.filter((id) => id % 2 === 0).length;

test('an update based on an older revision overwrites nothing', async () => {
  const owner = await server.owner();
  const created = (await owner.post(FILTERS, { conditions: ACTIVE, title: 'Ours' })).body.data;
  const path = `${FILTERS}/${created.id}`;
  const { revision } = created;
  const responses = await Promise.all(
    ['Mine', 'Theirs'].map((title) => owner.patch(path, { title, revision })),
  );
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect(responses.find(({ status }) => status === 409)?.body.code).toBe('stale_revision');
  const currentSegment = (await owner.get(path)).body.data;
  expect(currentSegment).toMatchObject({ revision: revision + 1 });
  expect(responses.find(({ status }) => status === 200)?.body.data.title).toBe(
    currentSegment.title,
  );
  // An update without a revision always applies.
  const last = await owner.patch(path, { title: 'Last' });
  expect(last.body.data).toMatchObject({ title: 'Last', revision: revision + 2 });
});

test('a segment is saved with its sentence as title, counted, renamed, copied and deleted', async () => {
  const owner = await ownerOf(9);
  const active = 9 - countEven(owner.ids);
  const created = (await owner.post(FILTERS, { conditions: ACTIVE })).body.data;
  expect(created).toMatchObject({
    title: 'Email status is active',
    sentence: 'Email status is active',
    account_id: encodeId('account', owner.accountId),
    conditions: [
      {
        ...ACTIVE[0],
        group: 1,
        outside_concat: 'and',
        inside_concat: 'and',
        key: '',
        more: [],
      },
    ],
    filter: 'email_status,is,active,1,and,and,',
    is_broken: false,
    subscribers: active,
    active_subscribers: active,
    phone_count: 0,
  });
  const path = `${FILTERS}/${created.id}`;
  const response = await owner.patch(path, {
    title: 'Readers',
    conditions: 'email_status,is,active,1,and,and,__next__geolocation_eu,is,,1,and,or,',
  });
  expect(response.body.data).toMatchObject({
    title: 'Readers',
    sentence: 'Email status is active or in the European Union',
    subscribers: active,
  });
  expect((await owner.patch(path, { title: 'Friends' })).body.data.conditions).toHaveLength(2);
  const copy = (await owner.post(`${path}/duplicate`, {})).body.data;
  expect(copy).toMatchObject({ title: 'Friends', subscribers: active });
  expect(copy.id).not.toBe(created.id);
  expect((await owner.delete(path)).body).toEqual({ success: true });
  expect((await owner.get(path)).status).toBe(404);
  expect((await owner.get(`${FILTERS}/${copy.id}`)).status).toBe(200);
});

test('the list can be sorted, searched and returned without pages, and is separate for each account', async () => {
  const owner = await server.owner();
  for (const title of ['zebra', 'Apple', 'Äpple']) {
    await owner.post(FILTERS, { title, conditions: ACTIVE });
  }
  const titles = async (query: string) =>
    (await owner.get(`${FILTERS}?${query}`)).body.data.map((row: { title: string }) => row.title);
  expect(await titles('')).toEqual(['Apple', 'Äpple', 'zebra']);
  expect(await titles('order=created&direction=desc')).toEqual(['Äpple', 'Apple', 'zebra']);
  expect(await titles('search=PPLE&order=title DESC')).toEqual(['Äpple', 'Apple']);
  const all = await owner.get(`${FILTERS}?no_paginate=1`);
  expect([all.body.data.length, all.body.meta]).toEqual([3, undefined]);
  const id = all.body.data[0].id;
  expect((await ada.get(FILTERS)).body.data).toEqual([]);
  expect((await ada.get(`${FILTERS}/${id}`)).status).toBe(404);
  expect((await ada.patch(`${FILTERS}/${id}`, { title: 'mine' })).status).toBe(404);
  expect((await ada.delete(`${FILTERS}/${id}`)).status).toBe(404);
});

test('a list returns the stored counts, and old counts are updated in the background', async () => {
  const owner = await ownerOf(6);
  const { id } = (await owner.post(FILTERS, { conditions: ACTIVE })).body.data;
  const first = (await owner.get(FILTERS)).body.data[0];
  await sql`update subscribers set email_status = 'bounced' where account_id = ${owner.accountId}`.execute(
    server.db,
  );
  expect((await owner.get(FILTERS)).body.data[0].subscribers).toBe(first.subscribers);
  await server.runJobs();
  expect((await owner.get(FILTERS)).body.data[0].subscribers).toBe(first.subscribers);
  await sql`update segments set counted_at = (counted_at at time zone 'UTC' - interval '6 minutes') at time zone 'UTC'
    where account_id = ${owner.accountId}`.execute(server.db);
  expect((await owner.get(FILTERS)).body.data[0].subscribers).toBe(first.subscribers);
  await server.runJobs();
  expect((await owner.get(FILTERS)).body.data[0].subscribers).toBe(0);
  // A single segment is always counted immediately.
  await sql`update subscribers set email_status = 'active' where account_id = ${owner.accountId}`.execute(
    server.db,
  );
  expect((await owner.get(`${FILTERS}/${id}`)).body.data.subscribers).toBe(6);
});

describe('wording', () => {
  test("a title is in the account's language, and the sentence of a response in the caller's", async () => {
    const owner = await server.owner();
    await sql`update accounts set language = 'swe' where id = ${owner.accountId}`.execute(
      server.db,
    );
    const conditions = [
      { type: 'open', operator: 'weeks', operand: '4' },
      { type: 'tag', operator: 'not-have', operand: await createGroup(owner, 'VIP'), group: 2 },
      { type: 'firstname', operator: 'begins', operand: 'An', group: 2, inside_concat: 'or' },
    ];
    const created = (await owner.post(FILTERS, { conditions })).body.data;
    expect(created.title).toBe(
      'Öppnade ett mejl de senaste 4 veckorna och (är inte i gruppen ”VIP” eller förnamnet börjar med ”An”)',
    );
    expect(created.sentence).toBe(
      'Opened an email in the last 4 weeks and (not in the group “VIP” or first name begins with “An”)',
    );
  });

  test('a long sentence is shortened to a title', async () => {
    const owner = await server.owner();
    const conditions = Array.from({ length: 30 }, (_, i) => ({
      type: 'email',
      operator: 'ends',
      operand: `@example${i}.com`,
      inside_concat: 'or',
    }));
    const { title, sentence } = (await owner.post(FILTERS, { conditions })).body.data;
    expect(title).toHaveLength(255);
    expect(title.endsWith('…')).toBe(true);
    expect(sentence.startsWith(title.slice(0, -1))).toBe(true);
  });
});

async function createGroup(owner: TestOwner, title: string): Promise<string> {
  return (await owner.post('/client-api/api/tags', { title })).body.data.id;
}

describe('a preview', () => {
  test('counts unsaved conditions and lists a few subscribers, newest first', async () => {
    const owner = await ownerOf(30);
    const { data } = (await owner.post(`${FILTERS}/preview`, { conditions: ACTIVE })).body;
    const active = owner.ids.filter((id) => id % 2 === 1);
    expect(data).toMatchObject({
      subscribers: active.length,
      active_subscribers: active.length,
      phone_count: 0,
      sentence: 'Email status is active',
    });
    expect(data.sample).toHaveLength(10);
    const ids = data.sample.map((subscriber: { id: string }) =>
      decodeId('subscriber', subscriber.id),
    );
    expect(ids).toEqual(active.slice(-10).reverse());
    expect(data.sample[0]).toMatchObject({ email: expect.stringContaining('@'), lastname: null });
    const emptyPreview = (await owner.post(`${FILTERS}/preview`, { conditions: [] })).body.data;
    expect(emptyPreview).toMatchObject({ subscribers: 30, active_subscribers: active.length });
    expect((await owner.get(FILTERS)).body.data).toEqual([]);
  });
});

describe('validation', () => {
  test.each([
    ['an operator of another type', [{ type: 'tag', operator: 'begins', operand: 'a' }]],
    ['a range with one end', [{ type: 'created', operator: 'between', operand: '2026-01-01' }]],
    ['an empty number range', [{ type: 'order_count', operator: 'between', operand: '' }]],
    ['a missing group', [{ type: 'tag', operator: 'have', operand: 'aaaaaaa' }]],
    ['a malformed text', 'nonsense'],
    ['one malformed condition of two', 'email_status,is,active,1,and,and,__next__nonsense'],
    ['an unknown property', [{ ...ACTIVE[0], colour: 'red' }]],
    ['101 conditions', Array(101).fill(ACTIVE[0])],
    ['more than 8 KB', [{ type: 'email', operator: 'includes', operand: 'a'.repeat(8200) }]],
    ['no conditions', []],
  ])('a segment with %s is refused', async (_, conditions) => {
    const response = await ada.post(FILTERS, { conditions, title: 'x' });
    expect(response.status).toBe(422);
    expect(Object.keys(response.body.errors)[0]).toMatch(/^conditions/);
    const { id } = (await ada.post(FILTERS, { conditions: ACTIVE, title: 'kept' })).body.data;
    expect((await ada.patch(`${FILTERS}/${id}`, { conditions })).status).toBe(422);
    expect((await ada.get(`${FILTERS}/${id}`)).body.data.conditions).toMatchObject(ACTIVE);
    await ada.delete(`${FILTERS}/${id}`);
  });

  test('a segment with 100 conditions is accepted', async () => {
    const conditions = Array(100).fill(ACTIVE[0]);
    expect((await ada.post(FILTERS, { conditions })).body.data.conditions).toHaveLength(100);
  });
});

test('a segment in use is not deleted, and the error names its uses', async () => {
  const { id } = (await ada.post(FILTERS, { conditions: ACTIVE, title: 'held' })).body.data;
  const stop = segmentUsedBy.handle(async (_tx, { segmentId }) =>
    segmentId === decodeId('segment', id) ? [{ kind: 'workflow', id: 'x', title: 'Welcome' }] : [],
  );
  const response = await ada.delete(`${FILTERS}/${id}`);
  stop();
  expect(response.status).toBe(409);
  expect(response.body).toMatchObject({
    code: 'segment_in_use',
    used_by: [{ kind: 'workflow', title: 'Welcome' }],
  });
  expect(response.body.message).toContain('Welcome');
  expect((await ada.delete(`${FILTERS}/${id}`)).status).toBe(200);
});

test('a group or field that a segment uses cannot be deleted', async () => {
  const owner = await server.owner();
  const vip = await createGroup(owner, 'VIP');
  const field = (await owner.post('/client-api/api/fields', { title: 'Cups', type: 'number' })).body
    .data;
  const conditions = [
    { type: 'tag', operator: 'have', operand: vip },
    { type: 'number', operator: 'more-than', operand: '3', key: field.id },
  ];
  const { id, title } = (await owner.post(FILTERS, { conditions })).body.data;
  expect(title).toBe('In the group “VIP” and Cups is more than 3');
  const paths = [`/client-api/api/tags/${vip}`, `/client-api/api/fields/${field.id}`];
  for (const path of paths) {
    const response = await owner.delete(path, path.includes('tags') ? {} : undefined);
    expect([response.status, response.body.used_by]).toEqual([
      409,
      [{ kind: 'segment', id, title }],
    ]);
  }
  await owner.delete(`${FILTERS}/${id}`);
  for (const path of paths) {
    const response = await owner.delete(path, path.includes('tags') ? {} : undefined);
    expect(response.status).toBe(200);
  }
});

describe('a missing reference', () => {
  test('marks the segment as broken and empty', async () => {
    const owner = await server.owner();
    const { namedIds } = await inTransaction(server.db, (tx) =>
      fillAudience(tx, owner.accountId, 1, 5),
    );
    const conditions = [
      { type: 'specific_product', operator: 'not-have', operand: namedIds.products[0] },
    ];
    const { id, title } = (await owner.post(FILTERS, { conditions })).body.data;
    expect(title).toBe('Did not buy “Tea of the north”');
    await removeProduct(owner.accountId, namedIds);
    expect((await owner.get(`${FILTERS}/${id}`)).body.data).toMatchObject({
      is_broken: true,
      subscribers: 0,
      sentence: 'Did not buy something deleted',
    });
  });
});

async function removeProduct(accountId: number, named: NamedIds): Promise<void> {
  const id = decodeId('product', named.products[0] as string) as number;
  await sql`delete from products where account_id = ${accountId} and id = ${id}`.execute(server.db);
}
