// The public API over HTTP, in the shapes that existing clients read. Changing one of these shapes
// breaks programs outside this repository.
import { beforeAll, describe, expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { type PublicClient, publicClient } from '#testing/setup/public-client.ts';
import { sendReportedCampaign } from '#testing/worlds/reported-campaign.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';

const TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;
const ID = expect.stringMatching(/^[A-Za-z0-9]{6,}$/);
const AT = expect.stringMatching(TIME);
let server: TestServer;
let api: PublicClient;
let other: PublicClient;

beforeAll(async () => {
  server = await testServer();
  api = await publicClient(server, await server.owner());
  other = await publicClient(server, await server.owner());
});

describe('authentication', () => {
  test('a token works with and without Bearer and gets rate limit headers; a session, an invalid token or no token gets 401', async () => {
    const first = await api.get('/groups');
    expect(first.status).toBe(200);
    expect(first.headers['content-type']).toBe('application/json');
    expect(first.headers['x-ratelimit-limit']).toBe('300');
    expect(Number(first.headers['x-ratelimit-reset'])).toBeGreaterThan(
      clock.now().getTime() / 1000,
    );
    const second = await api.get('/groups');
    expect(Number(second.headers['x-ratelimit-remaining'])).toBe(
      Number(first.headers['x-ratelimit-remaining']) - 1,
    );
    const bare = server.client();
    const plain = await bare.get('/v2/groups/', { authorization: api.token });
    expect(plain.status).toBe(200);
    const owner = await server.owner();
    for (const answer of [
      await owner.get('/v2/groups'),
      await bare.get('/v2/groups'),
      await bare.get('/v2/groups', { authorization: 'Bearer sl_1_nonsense_nonsense_nonsense' }),
    ]) {
      expect(answer.status).toBe(401);
      expect(answer.body).toMatchObject({ success: false, code: 'unauthorized' });
    }
  });

  test('a client beyond the limit gets 429 with Retry-After until its limit refills', async () => {
    const busy = await publicClient(server, await server.owner());
    const answers = await Promise.all(Array.from({ length: 600 }, () => busy.get('/fields')));
    const answer =
      answers.find((answer) => answer.status !== 200) ?? expect.fail('No call was refused');
    expect(answer.status).toBe(429);
    expect(answer.headers).toMatchObject({ 'retry-after': '1', 'x-ratelimit-remaining': '0' });
    expect(answer.body.success).toBe(false);
    clock.advance(15_000);
    expect((await busy.get('/fields')).status).toBe(200);
  });

  test('the API answers the calls that plugins make to check a token', async () => {
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
    const answer = await api.post('/groups', { title: '' });
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ success: false, errors: { title: [expect.any(String)] } });
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
  test('repeats the first response, also concurrently; another request with the key gets 422', async () => {
    const key = { 'idempotency-key': 'order 7' };
    const group = { title: 'Once' };
    const answers = await Promise.all([
      api.post('/groups', group, key),
      api.post('/groups', group, key),
    ]);
    expect(answers.map((answer) => answer.status)).toEqual([200, 200]);
    expect(answers[0]?.body).toEqual(answers[1]?.body);
    expect((await api.post('/groups', { title: 'Other' }, key)).status).toBe(422);
    expect((await api.post('/fields', { title: 'Other' }, key)).status).toBe(422);
    expect((await other.post('/groups', group, key)).status).toBe(200);
  });
});

describe('groups, fields and segments', () => {
  test('groups are available under /groups and /tags', async () => {
    const made = await api.post('/groups', { title: 'Readers', unknown: 1 });
    expect(made.body).toMatchObject({ success: true, message: expect.any(String) });
    expect(made.body.data).toEqual({
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
      created: AT,
      modified: AT,
      is_recalculating_subscribers: false,
      is_favourite: false,
      used_in_integration: false,
    });
    const { id } = made.body.data;
    expect((await api.get(`/tags/${id}`)).body.data).toEqual(made.body.data);
    expect((await other.get(`/groups/${id}`)).status).toBe(404);
    expect((await api.patch(`/tags/${id}/`, { title: 'Fans' })).body.success).toBe(true);
    expect((await other.delete(`/groups/${id}`)).status).toBe(404);
    expect((await api.delete(`/groups/${id}`)).body.success).toBe(true);
    expect((await api.get(`/groups/${id}`)).status).toBe(404);
  });

  test('a list is paged by links to the requested host', async () => {
    const many = await publicClient(server, await server.owner());
    for (const title of ['a', 'b', 'c']) await many.post('/groups', { title });
    const { body } = await many.get('/tags?limit=2&page=1', { host: 'mail.shop.example' });
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
    const next = (await many.get('/tags?limit=2&page=2')).body;
    expect(next).toMatchObject({
      has_more_resources: false,
      links: { next: null },
      meta: { from: 3 },
    });
    expect((await many.get('/tags?limit=nonsense&per_page=7')).body.data).toHaveLength(3);
  });

  test('a field has its name in braces, and needs a known type', async () => {
    const made = await api.post('/fields', { title: 'Test num', type: 'number' });
    expect(made.body.data).toMatchObject({
      id: ID,
      title: 'Test num',
      type: 'number',
      field_name: '{$test_num}',
    });
    expect((await api.get('/fields?limit=100')).body.data).toContainEqual(made.body.data);
    expect((await api.patch(`/fields/${made.body.data.id}`, { show: 1 })).body.data.show).toBe(1);
    expect((await other.delete(`/fields/${made.body.data.id}`)).status).toBe(404);
    expect((await api.post('/fields', { title: 'x', type: 'boolean' })).status).toBe(422);
  });

  test('a segment is read, its subscribers are listed, and it is deleted', async () => {
    const owner = await server.owner();
    const mine = await publicClient(server, owner);
    await mine.post('/subscribers', { email: 'ada@x.example', firstname: 'Ada' });
    await mine.post('/subscribers', { email: 'bob@x.example', firstname: 'Bob' });
    const conditions = 'firstname,equals,Ada,1,and,and,';
    const saved = await owner.post('/client-api/api/filters', { conditions, title: 'Adas' });
    const { id } = saved.body.data;
    const segment = (await mine.get(`/segments/${id}`)).body.data;
    expect(segment).toMatchObject({ id, name: 'Adas', subscribers: 1, created: AT });
    expect((await mine.get('/segments')).body.data).toMatchObject([{ id, name: 'Adas' }]);
    const people = (await mine.get(`/segments/${id}/subscribers`)).body.data;
    expect(people).toMatchObject([{ email: 'ada@x.example' }]);
    expect((await other.get(`/segments/${id}/subscribers`)).status).toBe(404);
    expect((await mine.delete(`/segments/${id}`)).body.success).toBe(true);
    expect((await mine.get(`/segments/${id}`)).status).toBe(404);
  });
});

describe('subscribers', () => {
  test('subscribers are created or updated by one call, and found by each identifier', async () => {
    const group = (await api.post('/groups', { title: 'Shop' })).body.data.id;
    await api.post('/fields', { title: 'City' });
    const sent = {
      email: 'Lea@x.example',
      firstname: 'Lea',
      phone: '+37061234567',
      groups: [group],
      fields: { '{$city}': 'Oslo' },
      trigger_automation: false,
    };
    const made = await api.post('/subscribers', sent);
    expect(made.body).toMatchObject({ success: true, message: [] });
    const { data } = made.body;
    expect(data).toMatchObject({
      id: ID,
      email: 'Lea@x.example',
      phone_country: { phone_code: 370, country_code: 'LT' },
      created: AT,
      bounced_at: null,
      status: { email: 'active', temail: 'active', sms: 'non-subscribed', tsms: 'active' },
      subscriber_tags: [{ id: group, title: 'Shop' }],
      columns: [{ id: ID, title: 'City', type: 'text', value: 'Oslo' }],
      source: 'API',
    });
    const again = await api.post('/subscribers', {
      email: 'lea@x.example',
      fields: { city: 'Riga' },
    });
    expect(again.body.data).toMatchObject({
      id: data.id,
      firstname: 'Lea',
      columns: [{ value: 'Riga' }],
    });
    for (const name of [data.id, 'lea%40x.example', 'lea@x.example', '%2B37061234567']) {
      expect((await api.get(`/subscribers/${name}`)).body.data.id).toBe(data.id);
    }
    expect((await other.get(`/subscribers/${data.id}`)).status).toBe(404);
    const changed = await api.patch('/subscribers/lea@x.example', {
      lastname: 'L',
      subscriber_status: 'UNSUBSCRIBED',
    });
    expect(changed.body).toEqual({ success: true, message: 'Success', data: [] });
    const after = (await api.get(`/subscribers/${data.id}`)).body.data;
    expect(after).toMatchObject({
      lastname: 'L',
      unsubscribed_at: AT,
      status: { email: 'unsubscribed' },
    });
    await api.patch(`/subscribers/${data.id}`, { subscriber_status: 'ACTIVE' });
    expect((await api.get(`/subscribers/${data.id}`)).body.data.status.email).toBe('active');
    await api.patch(`/subscribers/${data.id}`, { subscriber_status: 'SPAM_REPORTED' });
    const back = await api.patch(`/subscribers/${data.id}`, { subscriber_status: 'ACTIVE' });
    expect([back.status, back.body.code]).toEqual([422, 'cannot_resubscribe']);
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
    const added = await api.post(`/subscribers/groups/${group}`, {
      subscribers: ['one@x.example', 'two@x.example', 'gone@x.example', 'no address'],
    });
    expect(added.body).toEqual({
      success: true,
      message: {
        subscribers_add_tag_group: ['two@x.example'],
        subscribers_with_group_already: ['one@x.example'],
        non_existing_subscribers: ['gone@x.example'],
        invalid_emails: ['no address'],
      },
    });
    const listed = await api.get(`/groups/${group}/subscribers`);
    expect(listed.body.data.map((row: { email: string }) => row.email).sort()).toEqual([
      'one@x.example',
      'two@x.example',
    ]);
    const removed = await api.delete(`/subscribers/groups/${group}`, {
      subscribers: ['two@x.example'],
    });
    expect(removed.body.message.subscribers_remove_tag_group).toEqual(['two@x.example']);
    const missing = await api.post(`/subscribers/groups/${group}`, {
      subscribers: ['gone@x.example'],
    });
    expect([missing.status, missing.body.error]).toEqual([
      400,
      'No existing subscriber emails provided',
    ]);
    expect(
      (await other.post(`/subscribers/groups/${group}`, { subscribers: ['one@x.example'] })).status,
    ).toBe(404);
  });

  test('subscribers unsubscribe, resubscribe, are listed with their events, and are deleted', async () => {
    await api.post('/subscribers', { email: 'three@x.example' });
    const named = { subscribers: ['three@x.example'] };
    expect((await api.post('/unsubscribes', named)).body.data).toEqual({ unsubscribed: 1 });
    expect(
      (await api.get('/subscribers/three@x.example/events?actions=["unsubscribed"]')).body,
    ).toMatchObject({
      email: { unsubscribed: [{ created_at: AT }] },
    });
    const back = await api.post('/subscribers/reactivate', { ...named, channel_status: 'EMAIL' });
    expect(back.body.data).toEqual({ reactivated: 1, skipped: 0 });
    const page = (await api.get('/subscribers?limit=1')).body;
    expect(page).toMatchObject({ has_more_not_deleted_subscribers: true, meta: { per_page: 1 } });
    await other.delete('/subscribers', named);
    expect((await api.get('/subscribers/three@x.example')).status).toBe(200);
    expect((await api.delete('/subscribers/', named)).body).toHaveProperty('delete_instance');
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
    const made = await api.post('/campaigns', {
      ...body,
      groups: [group],
      auto_followup_active: 1,
      auto_followup_subject: 'Again',
      auto_followup_delay: 24,
    });
    expect(made.body).toMatchObject({ success: true });
    const { id } = made.body.data;
    expect(made.body.data).toMatchObject({
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
    const read = (await api.get(`/campaigns/${id}`)).body.data;
    expect(read.recipient_count).toBe(2);
    expect(read.html.html_content).toContain('Hello');
    expect((await api.get(`/campaigns/${id}/errors`)).body).toEqual({
      errors: ['postal_address_missing'],
      warnings: expect.any(Array),
    });
    const refused = await api.post(`/campaigns/${id}/send`);
    const reason = expect.stringContaining('postal address');
    expect([refused.status, refused.body]).toMatchObject([
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
      expect((await other.post(`/campaigns/${id}/${call}`, time)).status).toBe(404);
    expect((await api.delete(`/campaigns?ids=[${copy}]`)).status).toBe(200);
    expect((await api.delete(`/campaigns/${id}`)).status).toBe(200);
    expect((await api.get(`/campaigns/${id}`)).status).toBe(404);
  });

  test('an invalid campaign is refused with the name of the invalid field', async () => {
    const refused = async (change: object) =>
      (await api.post('/campaigns', { ...body, ...change })).status;
    expect(await refused({ reply_to: 'nobody' })).toBe(422);
    expect(await refused({ subject: 'a\r\nBcc: x@x.example' })).toBe(422);
    expect(await refused({ auto_followup_delay: 13 })).toBe(422);
    expect(await refused({ groups: ['nonsense'] })).toBe(422);
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
    const saved = await owner.patch('/client-api/api/account_questionnaire', {
      address: 'Storgata 1',
      city: 'Oslo',
      country: 'NO',
      zip_code: '0155',
      state: 'Oslo',
      timezone: 'Europe/Oslo',
    });
    expect(saved.status).toBe(200);
  }
});

test('campaign activity lists opens, clicks with their URLs, bounces, unsubscribes and complaints', async () => {
  const sent = await sendReportedCampaign();
  const mine = await publicClient(sent.server, sent.owner as never);
  const read = async (kind: string) =>
    (await mine.get(`/campaigns/${sent.campaign}/${kind}?limit=2`)).body;
  const opens = await read('opens');
  expect(opens.data[0]).toEqual({ recipient_id: ID, email: expect.any(String), created_at: AT });
  expect(opens.meta.total).toBeGreaterThan(2);
  const clicks = await read('clicks');
  expect(clicks.data[0]).toMatchObject({
    link_id: ID,
    url: expect.stringContaining('https://shop.example/'),
  });
  for (const kind of ['hard_bounces', 'soft_bounces', 'unsubscribes', 'complaints'])
    expect((await read(kind)).data.length, kind).toBeGreaterThan(0);
  const stranger = await publicClient(sent.server, await sent.server.owner());
  expect((await stranger.get(`/campaigns/${sent.campaign}/opens`)).status).toBe(404);
});

describe('forms and workflows', () => {
  test("forms have the shape that plugins' form pickers read", async () => {
    const owner = await server.owner();
    const own = await publicClient(server, owner);
    const made = await owner.post('/client-api/api/forms', { type: 'embed', title: 'News' });
    const { id } = made.body.data;
    const list = (await own.get('/forms?type=embed&limit=100')).body;
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
        ...{ created: AT, modified: AT },
      },
    ]);
    const [{ is_active }] = list.data;
    const none = await own.get(`/forms?type=embed&is_active=${is_active ? 0 : 1}`);
    expect(none.body.data).toEqual([]);
    expect((await own.get('/forms?type=popup')).body.data).toEqual([]);
    const { title, settings } = (await own.get(`/forms/${id}`)).body.data;
    expect([title, settings]).toEqual(['News', list.data[0].settings]);
    const tag = await server.client().get(new URL(settings.resource_path).pathname);
    expect([tag.status, tag.headers['content-type']]).toEqual([
      200,
      expect.stringContaining('javascript'),
    ]);
    expect((await other.get(`/forms/${id}`)).status).toBe(404);
  });

  test('workflows have figures, a report and steps; an inactive workflow does not start', async () => {
    const owner = await server.owner();
    const own = await publicClient(server, owner);
    const made = await owner.post('/client-api/api/workflows', { title: 'Welcome' });
    const { id } = made.body.data;
    const list = (await own.get('/workflows?status=DRAFT')).body;
    expect(list.data).toMatchObject([
      { id, title: 'Welcome', status: 'DRAFT', type: 'automation', index_report: { sent: 0 } },
    ]);
    expect((await own.get('/workflows?status=ACTIVE')).body.data).toEqual([]);
    expect((await own.get(`/workflows/${id}`)).body.data.report).toMatchObject({ bounce_rate: 0 });
    const report = (await own.get(`/workflows/${id}/average_report`)).body;
    expect(report).toMatchObject({ success: true, data: { sent: 0, open_rate: 0 } });
    const steps = (await own.get(`/workflows/${id}/steps`)).body;
    expect(steps).toMatchObject([{ workflow_id: id, type: 'TRIGGER', parent_id: null }]);
    expect((await own.post(`/workflows/${id}/start`, { email: 'a@x.example' })).status).toBe(409);
    for (const path of ['', '/steps', '/average_report'])
      expect((await other.get(`/workflows/${id}${path}`)).status).toBe(404);
  });
});
