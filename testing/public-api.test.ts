// The public API as existing clients use it: the common behavior of all calls, and the calls about
// subscribers. Campaigns and other sending are in public-api-sending.test.ts.
import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import {
  expectPage,
  FIELD,
  type ForeignClient,
  foreignClient,
  GROUP,
  HAS_MORE,
  ID,
  SUCCESS_BODY,
  SEGMENT,
  SUBSCRIBER,
  TEXT,
  TIME,
} from './setup/foreign-client.ts';
import { type TestOwner, type TestServer, testServer } from './setup/server.ts';

let server: TestServer;
let owner: TestOwner;
let client: ForeignClient;
beforeAll(async () => {
  server = await testServer();
});
beforeEach(async () => {
  owner = await server.owner();
  client = await foreignClient(server, owner);
});
const call: ForeignClient['call'] = (...args) => client.call(...args);
const getPath: ForeignClient['get'] = (path) => client.get(path);
const ok: ForeignClient['requireOk'] = (...args) => client.requireOk(...args);

const ada = { email: 'ada@home.example', firstname: 'Ada', lastname: 'L', phone: '+37060000000' };
const group = async (title = 'Test group') =>
  (await ok('POST', '/groups', { title })).data.id as string;

describe('common behavior', () => {
  test('calls accept tokens with or without Bearer, and paths with trailing slashes; responses have one error format and rate limit headers', async () => {
    const unauthenticated = await call('GET', '/me', undefined, { authorization: client.token });
    expect(unauthenticated.status).toBe(200);
    expect((await getPath('/me/')).status).toBe(200);
    for (const authorization of ['', 'Bearer nonsense', 'Basic eDp5', `Bearer ${client.token}x`]) {
      const response = await call('GET', '/me', undefined, { authorization });
      expect(response.status).toBe(401);
      expect(response.body).toMatchObject({ success: false, message: TEXT });
    }
    const unknown = await getPath('/nothing');
    expect([unknown.status, unknown.body.success]).toEqual([404, false]);
    for (const response of [
      unauthenticated,
      await getPath('/groups/none'),
      await call('POST', '/groups', {}),
    ]) {
      expect(response.headers.get('x-ratelimit-limit')).toBe('300');
      expect(Number(response.headers.get('x-ratelimit-remaining'))).toBeLessThan(300);
      const reset = Number(response.headers.get('x-ratelimit-reset'));
      expect(Math.abs(reset - Date.now() / 1000)).toBeLessThan(120);
    }
    const invalid = await call('POST', '/groups', {});
    expect([invalid.status, invalid.body]).toEqual([
      422,
      expect.objectContaining({
        ...{ success: false, message: TEXT },
        errors: { title: [expect.any(String)] },
      }),
    ]);
    const broken = await fetch(`${client.base}/groups`, {
      method: 'POST',
      headers: { authorization: `Bearer ${client.token}`, 'content-type': 'application/json' },
      body: '{"title":',
    });
    expect(broken.status).toBe(422);
  });

  test('a client beyond the limit gets 429 with the time to retry', async () => {
    const responses = await Promise.all(Array.from({ length: 340 }, () => getPath('/me')));
    const rejectedCalls = responses.filter(({ status }) => status === 429);
    expect(rejectedCalls.length).toBeGreaterThan(0);
    expect(rejectedCalls[0]?.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(rejectedCalls[0]?.headers.get('x-ratelimit-remaining')).toBe('0');
    expect(rejectedCalls[0]?.body).toMatchObject({ success: false, message: TEXT });
  });

  test('a token expires at the chosen time, and its last use is stored', async () => {
    const createToken = async (validity: number | null) => {
      const body = { title: 'Till', validity_days: validity };
      return (await owner.post('/client-api/api/tokens', body)).body.data.token as string;
    };
    const [day, ever] = [await createToken(1), await createToken(null)];
    const status = async (token: string) =>
      (await call('GET', '/me', undefined, { authorization: `Bearer ${token}` })).status;
    expect([await status(day), await status(ever)]).toEqual([200, 200]);
    const { rows } = await sql<{ used: number }>`
      select count(*)::int as used from api_tokens
      where account_id = ${owner.accountId} and last_used_at is not null`.execute(server.db);
    expect(rows[0]?.used).toBeGreaterThan(0);
    clock.advance(25 * 3_600_000);
    try {
      expect([await status(day), await status(ever)]).toEqual([401, 200]);
    } finally {
      clock.reset();
    }
  });

  test('token checks by plug-ins succeed', async () => {
    const account = {
      ...{ id: ID, title: TEXT, resource_key: ID },
      active_plan: { id: TEXT, type: TEXT },
    };
    expect(await ok('GET', '/users')).toMatchObject({ id: ID, account });
    expect((await ok('GET', '/me')).data).toMatchObject({ id: ID, account });
    expect((await ok('GET', '/accounts/current')).data).toMatchObject(account);
  });
});

describe('audience', () => {
  test('subscribers are created or updated, read by email, phone and id, unsubscribed, resubscribed and deleted', async () => {
    const groups = [await group()];
    const field = { title: 'Test num', type: 'number' };
    await ok('POST', '/fields', field);
    const fields = { '{$test_num}': 8 };
    const creation = await ok('POST', '/subscribers', { ...ada, groups, fields, unknown: 1 });
    expect(creation).toEqual({ success: true, message: [], data: SUBSCRIBER });
    expect(creation.data).toMatchObject({
      phone_country: { phone_code: 370, country_code: 'LT' },
      subscriber_tags: [{ id: groups[0], title: 'Test group' }],
      columns: [{ title: 'Test num', value: 8 }],
      status: { email: 'active', temail: 'active' },
    });
    const updateResult = await ok('POST', '/subscribers', {
      ...{ email: 'ADA@home.example', firstname: 'Augusta', fields: { test_num: 9 } },
    });
    expect(updateResult.data).toMatchObject({
      ...{ id: creation.data.id, firstname: 'Augusta', lastname: 'L' },
      columns: [{ value: 9 }],
    });
    for (const name of ['ada%40home.example', 'ada@home.example', '+37060000000', creation.data.id])
      expect(await ok('GET', `/subscribers/${name}`)).toEqual({ success: true, data: SUBSCRIBER });
    expectPage(await ok('GET', '/subscribers?limit=5&page=1'), SUBSCRIBER, HAS_MORE);
    expectPage(await ok('GET', `/groups/${groups[0]}/subscribers?page=1`), SUBSCRIBER, HAS_MORE);
    const successBody = { success: true, message: 'Success', data: [] };
    const unsubscribedBody = { subscriber_status: 'UNSUBSCRIBED', trigger_automation: false };
    expect(await ok('PATCH', `/subscribers/${ada.email}`, unsubscribedBody)).toEqual(successBody);
    expect((await ok('GET', `/subscribers/${ada.email}`)).data).toMatchObject({
      ...{ status: { email: 'unsubscribed', temail: 'active' }, unsubscribed_at: TIME },
    });
    await ok('POST', '/subscribers/reactivate', {
      ...{ subscribers: [creation.data.id], channel_status: 'EMAIL' },
    });
    await ok('POST', '/unsubscribes', { subscribers: [creation.data.id] });
    const { data: field9 } = await ok('GET', '/fields?limit=100');
    const path = `/subscribers/${creation.data.id}/fields/${field9[0].id}`;
    expect(await ok('PATCH', path, { value: 12 })).toEqual(successBody);
    expect(await ok('DELETE', `/subscribers/${creation.data.id}/phone`)).toEqual(successBody);
    expect((await ok('GET', `/subscribers/${creation.data.id}`)).data).toMatchObject({
      ...{ phone: null, phone_country: null, columns: [{ value: 12 }] },
    });
    const events = await ok(
      'GET',
      `/subscribers/${creation.data.id}/events?actions=["unsubscribed"]`,
    );
    expect(events).toEqual({
      email: { unsubscribed: expect.any(Array) },
    });
    const several = `actions=got&actions=unsubscribed`;
    expect(Object.keys(await ok('GET', `/subscribers/${ada.email}/events?${several}`))).toEqual([
      'email',
    ]);
    expect(await ok('DELETE', '/subscribers/', { subscribers: [ada.email] })).toEqual({
      ...{ message: TEXT, delete_instance: TEXT },
    });
    expect((await getPath(`/subscribers/${ada.email}`)).status).toBe(404);
    const invalid = await call('POST', '/subscribers', { firstname: 'Ada' });
    expect([invalid.status, invalid.body.errors]).toEqual([422, { email: [TEXT] }]);
  });

  test('groups are also available as tags, and adding or removing subscribers reports the result for each', async () => {
    const id = await group('Readers');
    expect(await ok('GET', `/groups/${id}`)).toEqual({ success: true, data: GROUP });
    expect(await ok('GET', `/tags/${id}`)).toEqual({ success: true, data: GROUP });
    expectPage(await ok('GET', '/groups'), GROUP);
    const tags = await ok('GET', '/tags?limit=1000&page=1');
    expectPage(tags, GROUP);
    expect(tags.meta.last_page).toBe(1);
    expect(await ok('PATCH', `/groups/${id}`, { title: 'Fans' })).toMatchObject(SUCCESS_BODY);
    await ok('POST', '/subscribers', ada);
    const subscribers = [ada.email, 'nobody@home.example', 'broken@'];
    expect(await ok('POST', `/subscribers/groups/${id}`, { subscribers })).toEqual({
      success: true,
      message: {
        subscribers_add_tag_group: [ada.email],
        non_existing_subscribers: ['nobody@home.example'],
        invalid_emails: ['broken@'],
        subscribers_with_group_already: [],
      },
    });
    const missing = await call('POST', `/subscribers/groups/${id}`, {
      subscribers: ['a@b.example'],
    });
    expect([missing.status, missing.body]).toEqual([
      400,
      expect.objectContaining({
        error: 'No existing subscriber emails provided',
        invalid_emails: [],
        non_existing_subscribers: ['a@b.example'],
      }),
    ]);
    expect(
      await ok('DELETE', `/subscribers/groups/${id}`, { subscribers: [ada.email, 'b@b.example'] }),
    ).toMatchObject({
      message: {
        subscribers_remove_tag_group: [ada.email],
        subscribers_without_group_already: [],
        non_existing_subscribers: ['b@b.example'],
        invalid_emails: [],
      },
    });
    expect(await ok('DELETE', `/groups/${id}`, { delete_subscribers: false })).toMatchObject(
      SUCCESS_BODY,
    );
    expect((await getPath(`/groups/${id}`)).status).toBe(404);
  });

  test('a birthday is written as month and day and returned as MM-DD', async () => {
    const { data: field } = await ok('POST', '/fields', { title: 'Birthday', type: 'birthday' });
    expect(field).toMatchObject({ type: 'birthday', field_name: '{$birthday}' });
    const creation = await ok('POST', '/subscribers', {
      ...ada,
      fields: { '{$birthday}': '05/12' },
    });
    expect(creation.data.columns).toMatchObject([
      { id: field.id, type: 'birthday', value: '05-12' },
    ]);
    const path = `/subscribers/${creation.data.id}`;
    await ok('PATCH', path, { fields: { birthday: '02-29' } });
    const refusal = await call('PATCH', path, { fields: { birthday: '02-30' } });
    expect(refusal).toMatchObject({
      status: 422,
      body: { errors: { 'fields.birthday': [expect.stringContaining('MM-DD')] } },
    });
    expect((await ok('GET', path)).data.columns).toMatchObject([{ value: '02-29' }]);
  });

  test('fields and segments are listed, created and deleted', async () => {
    const creation = await ok('POST', '/fields', { title: 'Birthday', type: 'datetime' });
    expect(creation).toMatchObject({
      ...SUCCESS_BODY,
      data: { id: ID, title: 'Birthday', type: 'datetime' },
    });
    expectPage(await ok('GET', '/fields?page=1&limit=100'), FIELD);
    const change = { title: 'Born', show: false };
    expect(await ok('PATCH', `/fields/${creation.data.id}`, change)).toMatchObject(SUCCESS_BODY);
    expect((await ok('GET', '/fields')).data).toMatchObject([{ title: 'Born', show: 0 }]);
    expect(await ok('DELETE', `/fields/${creation.data.id}`)).toMatchObject(SUCCESS_BODY);
    expect((await call('POST', '/fields', { title: 'x', type: 'color' })).status).toBe(422);
    await ok('POST', '/subscribers', ada);
    const segment = await owner.post('/client-api/api/filters', {
      ...{ title: 'All', conditions: 'email_status,is,active,1,and,and,' },
    });
    expect(segment.status, segment.text).toBe(200);
    const { id } = segment.body.data;
    expectPage(await ok('GET', '/segments'), SEGMENT);
    expect(await ok('GET', `/segments/${id}`)).toEqual({ data: SEGMENT });
    const subscriberPage = await ok('GET', `/segments/${id}/subscribers`);
    expectPage(subscriberPage, SUBSCRIBER, HAS_MORE);
    expect(subscriberPage.data).toMatchObject([{ email: ada.email }]);
    expect(await ok('DELETE', `/segments/${id}`)).toMatchObject(SUCCESS_BODY);
  });
});
