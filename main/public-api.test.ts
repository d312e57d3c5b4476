// The public API over HTTP, in the shapes that existing clients read. Changing one of these shapes
// breaks programs outside this repository.
import { beforeAll, describe, expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { type PublicClient, publicClient } from '#testing/setup/public-client.ts';
import { sendReportedCampaign } from '#testing/worlds/reported-campaign.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';

const TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;
const ID = expect.stringMatching(/^[A-Za-z0-9]{6,}$/);
const TIMESTAMP = expect.stringMatching(TIME);
let server: TestServer;
let api: PublicClient;
let otherApi: PublicClient;

beforeAll(async () => {
  server = await testServer();
  api = await publicClient(server, await server.owner());
  otherApi = await publicClient(server, await server.owner());
});

describe('authentication', () => {
  test('a token works with and without Bearer and gets rate limit headers; a session, an invalid token or no token gets 401', async () => {
    const groups = await api.get('/groups');
    expect(groups.status).toBe(200);
    expect(groups.headers['content-type']).toBe('application/json');
    expect(groups.headers['x-ratelimit-limit']).toBe('300');
    expect(Number(groups.headers['x-ratelimit-reset'])).toBeGreaterThan(
      clock.now().getTime() / 1000,
    );
    const second = await api.get('/groups');
    expect(Number(second.headers['x-ratelimit-remaining'])).toBe(
      Number(groups.headers['x-ratelimit-remaining']) - 1,
    );
    const unauthenticated = server.client();
    const plainResponse = await unauthenticated.get('/v2/groups/', { authorization: api.token });
    expect(plainResponse.status).toBe(200);
    const owner = await server.owner();
    for (const response of [
      await owner.get('/v2/groups'),
      await unauthenticated.get('/v2/groups'),
      await unauthenticated.get('/v2/groups', {
        authorization: 'Bearer sl_1_nonsense_nonsense_nonsense',
      }),
    ]) {
      expect(response.status).toBe(401);
      expect(response.body).toMatchObject({ success: false, code: 'unauthorized' });
    }
  });

  test('a client beyond the limit gets 429 with Retry-After until its limit refills', async () => {
    const busy = await publicClient(server, await server.owner());
    const responses = await Promise.all(Array.from({ length: 600 }, () => busy.get('/fields')));
    const rejected =
      responses.find((response) => response.status !== 200) ?? expect.fail('No call was refused');
    expect(rejected.status).toBe(429);
    expect(rejected.headers).toMatchObject({ 'retry-after': '1', 'x-ratelimit-remaining': '0' });
    expect(rejected.body.success).toBe(false);
    clock.advance(15_000);
    expect((await busy.get('/fields')).status).toBe(200);
  });

  test('the API supports the calls that plugins make to check a token', async () => {
    const users = await api.get('/users');
    expect(users.body.account).toMatchObject({
      resource_key: ID,
      active_plan: { id: 'unlimited', type: 'UNLIMITED' },
    });
    expect((await api.get('/me')).body.data.account).toEqual(users.body.account);
    expect((await api.get('/accounts/current')).body.data).toEqual(users.body.account);
  });

  test('an unknown path gets 404 and malformed input 422, in the error shape', async () => {
    expect((await api.get('/nothing')).body).toMatchObject({ success: false, code: 'not_found' });
    const response = await api.post('/groups', { title: '' });
    expect(response.status).toBe(422);
    expect(response.body).toMatchObject({
      success: false,
      errors: { title: [expect.any(String)] },
    });
    const text = { 'content-type': 'application/json' };
    const broken = await api.send({
      method: 'POST',
      url: '/v2/groups',
      headers: { ...text, authorization: `Bearer ${api.token}` },
      payload: '{',
    });
    expect([broken.status, broken.body.success]).toEqual([422, false]);
  });
});

describe('an Idempotency-Key', () => {
  test('repeats the first response, even concurrently; another request with the key gets 422', async () => {
    const key = { 'idempotency-key': 'order 7' };
    const group = { title: 'Once' };
    const responses = await Promise.all([
      api.post('/groups', group, key),
      api.post('/groups', group, key),
    ]);
    expect(responses.map((response) => response.status)).toEqual([200, 200]);
    expect(responses[0]?.body).toEqual(responses[1]?.body);
    expect((await api.post('/groups', { title: 'Other' }, key)).status).toBe(422);
    expect((await api.post('/fields', { title: 'Other' }, key)).status).toBe(422);
    expect((await otherApi.post('/groups', group, key)).status).toBe(200);
  });
});

describe('groups, fields and segments', () => {
  test('groups are available under /groups and /tags', async () => {
    const created = await api.post('/groups', { title: 'Readers', unknown: 1 });
    expect(created.body).toMatchObject({ success: true, message: expect.any(String) });
    expect(created.body.data).toEqual({
      id: ID,
      title: 'Readers',
      recipient_count: 0,
      active_subscribers: 0,
      unsubscribed_count: 0,
      bounced_count: 0,
      phone_count: 0,
      active_phone_count: 0,
      account_id: ID,
      user_id: null,
      created: TIMESTAMP,
      modified: TIMESTAMP,
      is_recalculating_subscribers: false,
      is_favourite: false,
      used_in_integration: false,
    });
    const { id } = created.body.data;
    expect((await api.get(`/tags/${id}`)).body.data).toEqual(created.body.data);
    expect((await otherApi.get(`/groups/${id}`)).status).toBe(404);
    expect((await api.patch(`/tags/${id}/`, { title: 'Fans' })).body.success).toBe(true);
    expect((await otherApi.delete(`/groups/${id}`)).status).toBe(404);
    expect((await api.delete(`/groups/${id}`)).body.success).toBe(true);
    expect((await api.get(`/groups/${id}`)).status).toBe(404);
  });

  test('a list is paged by links to the requested host', async () => {
    const manyApi = await publicClient(server, await server.owner());
    for (const title of ['a', 'b', 'c']) await manyApi.post('/groups', { title });
    const { body } = await manyApi.get('/tags?limit=2&page=1', { host: 'mail.shop.example' });
    expect(body.data).toHaveLength(2);
    expect(body.has_more_resources).toBe(true);
    expect(body.links.next).toBe('http://mail.shop.example/v2/tags?limit=2&page=2');
    expect(body.meta).toMatchObject({
      current_page: 1,
      last_page: 2,
      per_page: 2,
      total: 3,
      from: 1,
      to: 2,
    });
    const next = (await manyApi.get('/tags?limit=2&page=2')).body;
    expect(next).toMatchObject({
      has_more_resources: false,
      links: { next: null },
      meta: { from: 3 },
    });
    expect((await manyApi.get('/tags?limit=nonsense&per_page=7')).body.data).toHaveLength(3);
  });

  test('a field returns its name in braces, and an unknown type is refused', async () => {
    const created = await api.post('/fields', { title: 'Test num', type: 'number' });
    expect(created.body.data).toMatchObject({
      id: ID,
      title: 'Test num',
      type: 'number',
      field_name: '{$test_num}',
    });
    expect((await api.get('/fields?limit=100')).body.data).toContainEqual(created.body.data);
    expect((await api.patch(`/fields/${created.body.data.id}`, { show: 1 })).body.data.show).toBe(
      1,
    );
    expect((await otherApi.delete(`/fields/${created.body.data.id}`)).status).toBe(404);
    expect((await api.post('/fields', { title: 'x', type: 'boolean' })).status).toBe(422);
  });

  test('a segment is read, its subscribers are listed, and it is deleted', async () => {
    const owner = await server.owner();
    const accountApi = await publicClient(server, owner);
    await accountApi.post('/subscribers', { email: 'ada@x.example', firstname: 'Ada' });
    await accountApi.post('/subscribers', { email: 'bob@x.example', firstname: 'Bob' });
    const conditions = 'firstname,equals,Ada,1,and,and,';
    const savedSegment = await owner.post('/client-api/api/filters', { conditions, title: 'Adas' });
    const { id } = savedSegment.body.data;
    const segment = (await accountApi.get(`/segments/${id}`)).body.data;
    expect(segment).toMatchObject({ id, name: 'Adas', subscribers: 1, created: TIMESTAMP });
    expect((await accountApi.get('/segments')).body.data).toMatchObject([{ id, name: 'Adas' }]);
    const subscribers = (await accountApi.get(`/segments/${id}/subscribers`)).body.data;
    expect(subscribers).toMatchObject([{ email: 'ada@x.example' }]);
    expect((await otherApi.get(`/segments/${id}/subscribers`)).status).toBe(404);
    expect((await accountApi.delete(`/segments/${id}`)).body.success).toBe(true);
    expect((await accountApi.get(`/segments/${id}`)).status).toBe(404);
  });
});

describe('subscribers', () => {
  test('subscribers are created or updated by one call, and found by each identifier', async () => {
    const group = (await api.post('/groups', { title: 'Shop' })).body.data.id;
    await api.post('/fields', { title: 'City' });
    const subscriber = {
      email: 'Lea@x.example',
      firstname: 'Lea',
      phone: '+37061234567',
      groups: [group],
      fields: { '{$city}': 'Oslo' },
      trigger_automation: false,
    };
    const created = await api.post('/subscribers', subscriber);
    expect(created.body).toMatchObject({ success: true, message: [] });
    const { data } = created.body;
    expect(data).toMatchObject({
      id: ID,
      email: 'Lea@x.example',
      phone_country: { phone_code: 370, country_code: 'LT' },
      created: TIMESTAMP,
      bounced_at: null,
      status: { email: 'active', temail: 'active', sms: 'non-subscribed', tsms: 'active' },
      subscriber_tags: [{ id: group, title: 'Shop' }],
      columns: [{ id: ID, title: 'City', type: 'text', value: 'Oslo' }],
      source: 'API',
    });
    const updateResponse = await api.post('/subscribers', {
      email: 'lea@x.example',
      fields: { city: 'Riga' },
    });
    expect(updateResponse.body.data).toMatchObject({
      id: data.id,
      firstname: 'Lea',
      columns: [{ value: 'Riga' }],
    });
    for (const name of [data.id, 'lea%40x.example', 'lea@x.example', '%2B37061234567']) {
      expect((await api.get(`/subscribers/${name}`)).body.data.id).toBe(data.id);
    }
    expect((await otherApi.get(`/subscribers/${data.id}`)).status).toBe(404);
    const patchResponse = await api.patch('/subscribers/lea@x.example', {
      lastname: 'L',
      subscriber_status: 'UNSUBSCRIBED',
    });
    expect(patchResponse.body).toEqual({ success: true, message: 'Success', data: [] });
    const updatedSubscriber = (await api.get(`/subscribers/${data.id}`)).body.data;
    expect(updatedSubscriber).toMatchObject({
      lastname: 'L',
      unsubscribed_at: TIMESTAMP,
      status: { email: 'unsubscribed' },
    });
    await api.patch(`/subscribers/${data.id}`, { subscriber_status: 'ACTIVE' });
    expect((await api.get(`/subscribers/${data.id}`)).body.data.status.email).toBe('active');
    await api.patch(`/subscribers/${data.id}`, { subscriber_status: 'SPAM_REPORTED' });
    const reactivation = await api.patch(`/subscribers/${data.id}`, {
      subscriber_status: 'ACTIVE',
    });
    expect([reactivation.status, reactivation.body.code]).toEqual([422, 'cannot_resubscribe']);
    expect((await api.delete(`/subscribers/${data.id}/phone`)).status).toBe(200);
    expect((await api.get(`/subscribers/${data.id}`)).body.data).toMatchObject({
      phone: null,
      phone_country: null,
    });
    expect((await api.post('/subscribers', { firstname: 'Nobody' })).body.errors).toHaveProperty(
      'email',
    );
    expect(
      (await api.post('/subscribers', { email: 'x@x.example', fields: { no: 1 } })).status,
    ).toBe(422);
    expect((await api.get('/subscribers/x@x.example')).status).toBe(404);
  });

  test('subscribers join and leave groups by address, with a result for each', async () => {
    const group = (await api.post('/groups', { title: 'Joiners' })).body.data.id;
    for (const email of ['one@x.example', 'two@x.example'])
      await api.post('/subscribers', { email });
    await api.post(`/subscribers/groups/${group}`, { subscribers: ['one@x.example'] });
    const addResponse = await api.post(`/subscribers/groups/${group}`, {
      subscribers: ['one@x.example', 'two@x.example', 'gone@x.example', 'no address'],
    });
    expect(addResponse.body).toEqual({
      success: true,
      message: {
        subscribers_add_tag_group: ['two@x.example'],
        subscribers_with_group_already: ['one@x.example'],
        non_existing_subscribers: ['gone@x.example'],
        invalid_emails: ['no address'],
      },
    });
    const groupSubscribers = await api.get(`/groups/${group}/subscribers`);
    expect(groupSubscribers.body.data.map((row: { email: string }) => row.email).sort()).toEqual([
      'one@x.example',
      'two@x.example',
    ]);
    const removeResponse = await api.delete(`/subscribers/groups/${group}`, {
      subscribers: ['two@x.example'],
    });
    expect(removeResponse.body.message.subscribers_remove_tag_group).toEqual(['two@x.example']);
    const missing = await api.post(`/subscribers/groups/${group}`, {
      subscribers: ['gone@x.example'],
    });
    expect([missing.status, missing.body.error]).toEqual([
      400,
      'No existing subscriber emails provided',
    ]);
    expect(
      (await otherApi.post(`/subscribers/groups/${group}`, { subscribers: ['one@x.example'] }))
        .status,
    ).toBe(404);
  });

  test('subscribers unsubscribe, resubscribe, are listed with their events, and are deleted', async () => {
    await api.post('/subscribers', { email: 'three@x.example' });
    const subscriberList = { subscribers: ['three@x.example'] };
    expect((await api.post('/unsubscribes', subscriberList)).body.data).toEqual({
      unsubscribed: 1,
    });
    expect(
      (await api.get('/subscribers/three@x.example/events?actions=["unsubscribed"]')).body,
    ).toMatchObject({
      email: { unsubscribed: [{ created_at: TIMESTAMP }] },
    });
    const reactivation = await api.post('/subscribers/reactivate', {
      ...subscriberList,
      channel_status: 'EMAIL',
    });
    expect(reactivation.body.data).toEqual({ reactivated: 1, skipped: 0 });
    const page = (await api.get('/subscribers?limit=1')).body;
    expect(page).toMatchObject({ has_more_not_deleted_subscribers: true, meta: { per_page: 1 } });
    await otherApi.delete('/subscribers', subscriberList);
    expect((await api.get('/subscribers/three@x.example')).status).toBe(200);
    expect((await api.delete('/subscribers/', subscriberList)).body).toHaveProperty(
      'delete_instance',
    );
    expect((await api.get('/subscribers/three@x.example')).status).toBe(404);
  });
});

describe('campaigns', () => {
  const body = {
    title: 'Spring',
    subject: 'Spring is here',
    from: 'Shop',
    reply_to: 'news@shop.example',
    content_type: 'html',
    content: '<p>Hello {{firstname}}</p> <a href="{{unsubscribe_link}}">Leave</a>',
  };

  test('campaigns are created, validated, scheduled, unscheduled, copied and deleted', async () => {
    const group = (await api.post('/groups', { title: 'Mailed' })).body.data.id;
    await api.post('/subscribers', { email: 'mailed@x.example', groups: [group] });
    const created = await api.post('/campaigns', {
      ...body,
      groups: [group],
      auto_followup_active: 1,
      auto_followup_subject: 'Again',
      auto_followup_delay: 24,
    });
    expect(created.body).toMatchObject({ success: true });
    const { id } = created.body.data;
    expect(created.body.data).toMatchObject({
      status: 'DRAFT',
      from: 'Shop',
      reply_to: 'news@shop.example',
      campaign_groups: [group],
      recipient_count: 1,
      auto_followup_active: 1,
      auto_followup_delay: 24,
      editor: 'html',
    });
    await api.post('/subscribers', { email: 'later@x.example', groups: [group] });
    const campaign = (await api.get(`/campaigns/${id}`)).body.data;
    expect(campaign.recipient_count).toBe(2);
    expect(campaign.html.html_content).toContain('Hello');
    expect((await api.get(`/campaigns/${id}/errors`)).body).toEqual({
      errors: ['postal_address_missing'],
      warnings: expect.any(Array),
    });
    const sendRefusal = await api.post(`/campaigns/${id}/send`);
    const reason = expect.stringContaining('postal address');
    expect([sendRefusal.status, sendRefusal.body]).toMatchObject([
      ...[422, { code: 'content_invalid', message: reason, errors: { sender: [reason] } }],
    ]);
    const time = { schedule_time: '2100-01-01 10:00:00' };
    expect((await api.post(`/campaigns/${id}/schedule`, time)).status).toBe(422);
    await saveAddress();
    expect((await api.post(`/campaigns/${id}/schedule`, time)).status).toBe(200);
    expect((await api.get('/campaigns?status=SCHEDULED')).body.data).toMatchObject([
      { id, schedule_time: time.schedule_time },
    ]);
    expect((await api.delete(`/campaigns/${id}/schedule`)).status).toBe(200);
    expect((await api.post(`/campaigns/${id}/cancel_followup`)).status).toBe(200);
    const copy = (await api.post(`/campaigns/${id}/copy`)).body.data.id;
    expect(copy).not.toBe(id);
    for (const call of ['send', 'copy', 'schedule'])
      expect((await otherApi.post(`/campaigns/${id}/${call}`, time)).status).toBe(404);
    expect((await api.delete(`/campaigns?ids=[${copy}]`)).status).toBe(200);
    expect((await api.delete(`/campaigns/${id}`)).status).toBe(200);
    expect((await api.get(`/campaigns/${id}`)).status).toBe(404);
  });

  test('an invalid campaign is refused with the name of the invalid field', async () => {
    const statusFor = async (change: object) =>
      (await api.post('/campaigns', { ...body, ...change })).status;
    expect(await statusFor({ reply_to: 'nobody' })).toBe(422);
    expect(await statusFor({ subject: 'a\r\nBcc: x@x.example' })).toBe(422);
    expect(await statusFor({ auto_followup_delay: 13 })).toBe(422);
    expect(await statusFor({ groups: ['nonsense'] })).toBe(422);
    const { message, errors } = (await api.post('/campaigns', { ...body, reply_to: 'nobody' }))
      .body;
    expect(message).toContain(`reply_to: ${errors.reply_to[0]}`);
    const { id } = (await api.post('/campaigns', body)).body.data;
    await saveAddress();
    const withoutTime = await api.post(`/campaigns/${id}/schedule`, { schedule_time: null });
    expect([withoutTime.status, Object.keys(withoutTime.body.errors)]).toEqual([
      422,
      ['schedule_time'],
    ]);
  });

  async function saveAddress() {
    const owner = server.client();
    await owner.post('/auth/api/sign-in', {
      email: 'owner1@shop.example',
      password: 'correct horse battery',
    });
    const addressResponse = await owner.patch('/client-api/api/account_questionnaire', {
      address: 'Storgata 1',
      city: 'Oslo',
      country: 'NO',
      zip_code: '0155',
      state: 'Oslo',
      timezone: 'Europe/Oslo',
    });
    expect(addressResponse.status).toBe(200);
  }
});

test('campaign activity lists opens, clicks with their URLs, bounces, unsubscribes and complaints', async () => {
  const fixture = await sendReportedCampaign();
  const accountApi = await publicClient(fixture.server, fixture.owner as never);
  const readKind = async (kind: string) =>
    (await accountApi.get(`/campaigns/${fixture.campaign}/${kind}?limit=2`)).body;
  const opens = await readKind('opens');
  expect(opens.data[0]).toEqual({
    recipient_id: ID,
    email: expect.any(String),
    created_at: TIMESTAMP,
  });
  expect(opens.meta.total).toBeGreaterThan(2);
  const clicks = await readKind('clicks');
  expect(clicks.data[0]).toMatchObject({
    link_id: ID,
    url: expect.stringContaining('https://shop.example/'),
  });
  for (const kind of ['hard_bounces', 'soft_bounces', 'unsubscribes', 'complaints'])
    expect((await readKind(kind)).data.length, kind).toBeGreaterThan(0);
  const outsider = await publicClient(fixture.server, await fixture.server.owner());
  expect((await outsider.get(`/campaigns/${fixture.campaign}/opens`)).status).toBe(404);
});

describe('forms and workflows', () => {
  test("forms have the shape that plugins' form pickers read", async () => {
    const owner = await server.owner();
    const accountApi = await publicClient(server, owner);
    const created = await owner.post('/client-api/api/forms', { type: 'embed', title: 'News' });
    const { id } = created.body.data;
    const list = (await accountApi.get('/forms?type=embed&limit=100')).body;
    expect(list.meta.last_page).toBe(1);
    expect(list.data).toEqual([
      {
        ...{
          id,
          title: 'News',
          type: 'embed',
          is_active: expect.any(Boolean),
          thumbnail_url: null,
        },
        settings: {
          ...{ id: expect.any(String), embed_hash: expect.any(String) },
          resource_path: expect.stringMatching(/^https?:.*\/f\/\w+\.js$/),
        },
        ...{ created: TIMESTAMP, modified: TIMESTAMP },
      },
    ]);
    const [{ is_active }] = list.data;
    const emptyList = await accountApi.get(`/forms?type=embed&is_active=${is_active ? 0 : 1}`);
    expect(emptyList.body.data).toEqual([]);
    expect((await accountApi.get('/forms?type=popup')).body.data).toEqual([]);
    const { title, settings } = (await accountApi.get(`/forms/${id}`)).body.data;
    expect([title, settings]).toEqual(['News', list.data[0].settings]);
    const tag = await server.client().get(new URL(settings.resource_path).pathname);
    expect([tag.status, tag.headers['content-type']]).toEqual([
      200,
      expect.stringContaining('javascript'),
    ]);
    expect((await otherApi.get(`/forms/${id}`)).status).toBe(404);
  });

  test('workflows have statistics, a report and steps; an inactive workflow does not start', async () => {
    const owner = await server.owner();
    const accountApi = await publicClient(server, owner);
    const created = await owner.post('/client-api/api/workflows', { title: 'Welcome' });
    const { id } = created.body.data;
    const list = (await accountApi.get('/workflows?status=DRAFT')).body;
    expect(list.data).toMatchObject([
      { id, title: 'Welcome', status: 'DRAFT', type: 'automation', index_report: { sent: 0 } },
    ]);
    expect((await accountApi.get('/workflows?status=ACTIVE')).body.data).toEqual([]);
    expect((await accountApi.get(`/workflows/${id}`)).body.data.report).toMatchObject({
      bounce_rate: 0,
    });
    const report = (await accountApi.get(`/workflows/${id}/average_report`)).body;
    expect(report).toMatchObject({ success: true, data: { sent: 0, open_rate: 0 } });
    const steps = (await accountApi.get(`/workflows/${id}/steps`)).body;
    expect(steps).toMatchObject([{ workflow_id: id, type: 'TRIGGER', parent_id: null }]);
    expect((await accountApi.post(`/workflows/${id}/start`, { email: 'a@x.example' })).status).toBe(
      409,
    );
    for (const path of ['', '/steps', '/average_report'])
      expect((await otherApi.get(`/workflows/${id}${path}`)).status).toBe(404);
  });
});
