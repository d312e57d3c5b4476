// Custom events over HTTP: API clients record occurrences, screens show them, and they are deleted
// with their subscriber.
import { beforeAll, expect, test } from 'vitest';
import { eraseSubscribers } from '#areas/subscribers/server/index.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { type PublicClient, publicClient } from '#testing/setup/public-client.ts';
import { type TestOwner, type TestServer, testServer } from '#testing/setup/server.ts';
import { customEventRecorded } from './index.ts';

const API = '/client-api/api/custom_events';
let server: TestServer;
let owner: TestOwner;
let api: PublicClient;
let otherApi: PublicClient;
let ada: string;

beforeAll(async () => {
  server = await testServer();
  owner = await server.owner();
  api = await publicClient(server, owner);
  otherApi = await publicClient(server, await server.owner());
  const created = await api.post('/subscribers', { email: 'ada@home.example' });
  ada = created.body.data.id;
});

const record = (changes: object = {}) =>
  api.post('/events', {
    subscriber: { email: 'ada@home.example' },
    type: 'product_viewed',
    value: 12.5,
    value_currency: 'eur',
    properties: { title: 'Green tea', price: 12.5, isNew: true },
    ...changes,
  });

test('an event is recorded by email address or ID, announced, charted and listed; a repeated key counts once', async () => {
  const payloads: object[] = [];
  const stopListening = customEventRecorded.on(async (_, payload) => void payloads.push(payload));
  expect((await record()).body).toEqual({ success: true, message: 'Event has been recorded' });
  expect((await record({ subscriber: { id: ada }, value: null })).status).toBe(200);
  for (let n = 0; n < 2; n++)
    await api.post(
      '/events',
      { subscriber: { id: ada }, type: 'logged_in' },
      { 'idempotency-key': 'one' },
    );
  stopListening();
  expect(payloads).toHaveLength(3);
  expect(payloads[0]).toMatchObject({ accountId: owner.accountId, origin: 'api' });
  const list = (await owner.get(API)).body.data;
  expect(list).toMatchObject([
    { name: 'logged_in', count: 1, people: 1 },
    { name: 'product_viewed', count: 2, people: 1 },
  ]);
  const { id } = list[1];
  const today = new Date().toISOString().slice(0, 10);
  const day = (offset: number) =>
    new Date(Date.parse(today) + offset * 86_400_000).toISOString().slice(0, 10);
  const chart = (await owner.get(`${API}/${id}/chart?from=${day(-1)}&to=${day(1)}`)).body.data;
  expect(chart).toHaveLength(3);
  expect(chart.reduce((total: number, day: { count: number }) => total + day.count, 0)).toBe(2);
  expect(chart.reduce((total: number, day: { value: number }) => total + day.value, 0)).toBe(12.5);
  const feed = (await owner.get(`${API}/${id}/feed`)).body;
  expect(feed.meta.total).toBe(2);
  expect(feed.data[1]).toMatchObject({
    person: 'ada@home.example',
    subscriber: ada,
    value: 12.5,
    currency: 'EUR',
    properties: { title: 'Green tea', price: 12.5, isNew: true },
  });
});

test('invalid input, excessive sizes, unknown subscribers and other accounts are refused', async () => {
  const expectRejection = async (changes: object, field: string) => {
    const { status, body } = await record(changes);
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
  };
  await expectRejection({ type: 'a b' }, 'type');
  await expectRejection({ type: '' }, 'type');
  await expectRejection({ subscriber: {} }, 'subscriber');
  await expectRejection({ subscriber: { email: 'nobody@home.example' } }, 'subscriber');
  await expectRejection({ value: 'much' }, 'value');
  await expectRejection({ value_currency: 'euro' }, 'value_currency');
  await expectRejection({ properties: { text: 'x'.repeat(2049) } }, 'properties.text');
  const largeData = Object.fromEntries(Array.from({ length: 5 }, (_, n) => [n, 'x'.repeat(2000)]));
  await expectRejection({ properties: largeData }, 'properties');
  await expectRejection({ properties: { nested: { a: 1 } } }, 'properties.nested');
  const foreignEvent = { subscriber: { id: ada }, type: 'x' };
  expect((await otherApi.post('/events', foreignEvent)).status).toBe(404);
  const [{ id }] = (await owner.get(API)).body.data;
  const otherOwner = await server.owner();
  for (const path of ['', '/feed', '/chart?from=2026-01-01&to=2026-01-02'])
    expect((await otherOwner.get(`${API}/${id}${path}`)).status).toBe(404);
  expect((await owner.get(`${API}/${id}/chart?from=2020-01-01&to=2026-01-02`)).status).toBe(422);
});

test('an event selects subscribers and cannot be deleted while a segment uses it', async () => {
  await record({ type: 'tea_tasted' });
  const events = (await owner.get(`${API}?search=tea_tasted`)).body.data;
  const [{ id: key }] = events as [{ id: string }];
  const emailsMatching = async (type: string, operator: string, operand = '') => {
    const conditions = [{ type, operator, operand, key }];
    const response = await owner.post('/client-api/api/filters/preview', { conditions });
    return response.body.data.sample.map(({ email }: { email: string }) => email);
  };
  expect(await emailsMatching('event', 'weeks', '1')).toEqual(['ada@home.example']);
  expect(await emailsMatching('event', 'more-than', '1')).toEqual([]);
  expect(await emailsMatching('not-event', 'all')).not.toContain('ada@home.example');
  await record({ type: 'tea_tasted' });
  expect(await emailsMatching('event', 'more-than', '1')).toEqual(['ada@home.example']);
  const conditions = [{ type: 'event', operator: 'all', key }];
  const segment = await owner.post('/client-api/api/filters', { conditions });
  expect(segment.body.data.title).toBe('Had the event “tea_tasted” at some time');
  const response = await owner.delete(`${API}/${key}`);
  expect([response.status, response.body.code]).toEqual([409, 'event_in_use']);
  await owner.delete(`/client-api/api/filters/${segment.body.data.id}`);
  expect((await owner.delete(`${API}/${key}`)).status).toBe(200);
});

test('an event is created, described and deleted; erasing a subscriber deletes the occurrences', async () => {
  const createResponse = await owner.post(API, { name: 'signed_up', description: 'On the site' });
  expect(createResponse.body.data).toMatchObject({ name: 'signed_up', count: 0, last: null });
  expect((await owner.post(API, { name: 'signed_up' })).status).toBe(409);
  const path = `${API}/${createResponse.body.data.id}`;
  expect((await owner.patch(path, { description: 'In the shop' })).body.data.description).toBe(
    'In the shop',
  );
  await record({ type: 'signed_up' });
  expect((await owner.get(path)).body.data.count).toBe(1);
  await inTransaction(server.db, async (tx) => {
    const [{ id }] = (await tx
      .selectFrom('subscribers')
      .select('id')
      .where('account_id', '=', owner.accountId)
      .where('email_key', '=', 'ada@home.example')
      .execute()) as [{ id: number }];
    await eraseSubscribers(tx, owner.accountId, { subscriberIds: [id] });
  });
  expect((await owner.get(path)).body.data.count).toBe(0);
  expect((await owner.delete(path)).status).toBe(200);
  expect((await owner.get(path)).status).toBe(404);
});
