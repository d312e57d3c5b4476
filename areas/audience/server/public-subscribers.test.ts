// Subscribers in the public API: sign-ups, statuses, values in the formats that clients use, and
// batches. Also segments, and the deletion of campaigns.
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { publicClient } from '#testing/setup/public-client.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await testServer();
});

test('a sign-up by API subscribes a buyer of a store, and opt-outs, bounces and complaints remain', async () => {
  const owner = await server.owner();
  const publicApi = await publicClient(server, owner);
  const { id } = (await publicApi.post('/stores', { domain: 'wool.example' })).body.data;
  const buyers = ['buys', 'left', 'full', 'angry'].map((name) => ({
    ...{ email: `${name}@wool.example`, phone: `+4791234${100 + name.length}` },
  }));
  await publicApi.post(`/stores/${id}/import_shop_data`, { customers: buyers });
  const statusOf = async (name: string) =>
    (await publicApi.get(`/subscribers/${name}@wool.example`)).body.data.status;
  const signUp = (name: string, overrides: object = {}) =>
    publicApi.post('/subscribers', { email: `${name}@wool.example`, ...overrides });
  expect(await statusOf('buys')).toMatchObject({ email: 'non-subscribed' });
  const response = await signUp('buys', { sms_status: 'ACTIVE' });
  expect(response.body).toMatchObject({
    ...{ success: true, message: ['Subscribed to email', 'Subscribed to sms'] },
    data: { status: { email: 'active', sms: 'active' } },
  });
  expect((await signUp('buys')).body.message).toEqual([]);
  const consents = await sql<{ channel: string }>`
    select c.channel from consents c join subscribers s
      on s.account_id = c.account_id and s.id = c.subscriber_id
    where c.account_id = ${owner.accountId} and s.email = 'buys@wool.example'
      and c.kind = 'attested' and c.source = 'api' and c.user_id = ${owner.userId}
    group by c.channel order by c.channel`.execute(server.db);
  expect(consents.rows).toEqual([{ channel: 'email' }, { channel: 'sms' }]);
  for (const [name, reason, status] of [
    ['left', 'unsubscribed', 'unsubscribed'],
    ['full', 'bounced', 'bounced'],
    ['angry', 'reported', 'reported'],
  ] as const) {
    const addresses = [`${name}@wool.example`];
    await publicApi.post('/suppressions', { addresses, reason });
    const refusal = await signUp(name, { firstname: 'Kim' });
    expect(refusal.body).toMatchObject({
      ...{ success: true, message: [`Not subscribed to email: the status stays ${status}`] },
      data: { firstname: 'Kim', status: { email: status } },
    });
    const setResponse = await publicApi.patch(`/subscribers/${addresses[0]}`, {
      subscriber_status: 'ACTIVE',
    });
    const code = reason === 'bounced' ? 'bounce_stays' : 'cannot_resubscribe';
    expect([setResponse.status, setResponse.body.code]).toEqual([422, code]);
    const reactivateResponse = await publicApi.post('/subscribers/reactivate', {
      subscribers: addresses,
    });
    expect(reactivateResponse.body.data).toEqual({ reactivated: 0, skipped: 1 });
    expect(await statusOf(name)).toMatchObject({ email: status });
  }
  await publicApi.post('/subscribers', { email: 'new@wool.example' });
  const noneResponse = await publicApi.patch('/subscribers/new@wool.example', {
    sms_status: 'ACTIVE',
  });
  expect([noneResponse.status, noneResponse.body.code]).toEqual([422, 'no_address']);
});

test('groups, fields and missing properties are accepted in the formats that clients use', async () => {
  const api = await publicClient(server, await server.owner());
  const createId = async (path: string, body: object) => (await api.post(path, body)).body.data.id;
  const firstGroup = await createId('/groups', { title: 'First' });
  const second = await createId('/groups', { title: 'Second' });
  const sinceField = await createId('/fields', { title: 'Since', type: 'datetime' });
  await createId('/fields', { title: 'Born', type: 'birthday' });
  const groupsOf = async (groups: unknown, email: string) => {
    const response = await api.post('/subscribers', { email, groups });
    expect(response.status, response.text).toBe(200);
    return response.body.data.subscriber_tags.map(({ title }: { title: string }) => title).sort();
  };
  expect(await groupsOf({ a: firstGroup, b: '', c: second }, 'map@w.example')).toEqual([
    ...['First', 'Second'],
  ]);
  expect(await groupsOf(`${firstGroup}, ${second}`, 'text@w.example')).toEqual(['First', 'Second']);
  expect(await groupsOf([firstGroup, '', null], 'gaps@w.example')).toEqual(['First']);
  expect(await groupsOf(null, 'null@w.example')).toEqual([]);
  expect((await api.post('/subscribers', { email: 'x@w.example', groups: [7] })).status).toBe(422);
  const createResponse = await api.post('/subscribers', {
    ...{ email: 'ute@w.example', firstname: null, groups: null, trigger_automation: null },
    fields: {
      ...{ '{$firstname}': 'Ute', lastname: 'Berg', '{$phone}': '+4791234567', eZVD4w: 'old' },
      [sinceField]: '2026-03-01T02:30:00.250+02:00',
    },
  });
  expect(createResponse.body).toMatchObject({
    message: ['Unknown field: eZVD4w'],
    data: { lastname: 'Berg', phone: '+4791234567', columns: [{ value: '2026-03-01 00:30:00' }] },
  });
  for (const fields of [[], null])
    expect((await api.post('/subscribers', { email: 'ute@w.example', fields })).status).toBe(200);
  const broken = await api.patch('/subscribers/ute@w.example', { fields: { '{$born}': 'May' } });
  expect([broken.status, Object.keys(broken.body.errors)]).toEqual([422, ['fields.{$born}']]);
  const nestedResponse = await api.patch('/subscribers/ute@w.example', {
    fields: { '{$born}': {} },
  });
  expect([nestedResponse.status, Object.keys(nestedResponse.body.errors)]).toEqual([
    422,
    ['fields.{$born}'],
  ]);
  expect((await api.delete('/subscribers/ute@w.example/remove_phone')).status).toBe(200);
  expect((await api.get('/subscribers/ute@w.example')).body.data.phone).toBeNull();
  const hook = (
    await api.post('/account/webhooks', { url: 'https://w.example/h', topic: 'groups/new' })
  ).body.id;
  const pauseResponse = await api.post(`/account/webhooks/${hook}`, { status: 'PAUSED' });
  expect(pauseResponse.body).toMatchObject({ id: hook, status: 'PAUSED' });
});

test('setting an address field to the address of another subscriber returns 409 and changes nothing', async () => {
  const api = await publicClient(server, await server.owner());
  const phone = '+4791234567';
  for (const body of [{ email: 'one@taken.example', phone }, { email: 'two@taken.example' }])
    expect((await api.post('/subscribers', body)).status).toBe(200);
  const path = '/subscribers/two@taken.example';
  for (const [field, value] of Object.entries({ email: 'one@taken.example', phone })) {
    const refusal = await api.patch(`${path}/fields/${field}`, { value });
    expect([refusal.status, refusal.body.code]).toEqual([409, `${field}_taken`]);
  }
  expect((await api.get(path)).body.data).toMatchObject({ phone: null });
});

test('the API deletes campaigns by id, status or title, and never all campaigns without a filter', async () => {
  const owner = await server.owner();
  const api = await publicClient(server, owner);
  const create = async (title: string) => {
    const body = {
      ...{ title, subject: 'Hello', from: 'Shop', reply_to: 'news@w.example', preheader: null },
      ...{ content_type: 'html', content: null, groups: null, auto_followup_delay: null },
    };
    const campaign = await api.post('/campaigns', body);
    expect(campaign.status, campaign.text).toBe(200);
    return campaign.body.data.id as string;
  };
  const titles = async () =>
    (await api.get('/campaigns')).body.data.map(({ title }: { title: string }) => title).sort();
  const ids = [await create('Spring'), await create('spring'), await create('Autumn')];
  const [spring = ''] = ids;
  expect((await api.delete('/campaigns?ids[]=all')).status).toBe(422);
  expect((await api.delete('/campaigns')).status).toBe(422);
  await api.delete(`/campaigns?ids[]=${spring}&status=SENT`);
  await api.delete(`/campaigns?ids[]=${spring}`, { title: 'Autumn' });
  expect(await titles()).toEqual(['Autumn', 'Spring', 'spring']);
  expect((await api.delete('/campaigns?ids[]=all&title=SPRING')).status).toBe(200);
  expect(await titles()).toEqual(['Autumn']);
  const foreignClient = await publicClient(server, await server.owner());
  expect((await foreignClient.delete('/campaigns', { ids: ['all'], status: 'DRAFT' })).status).toBe(
    200,
  );
  expect(await titles()).toEqual(['Autumn']);
  await api.delete('/campaigns', { ids: ['all'], status: 'DRAFT' });
  expect(await titles()).toEqual([]);
  const response = await owner.post(`/client-api/api/campaigns/${spring}/restore`, {});
  expect([response.status, await titles()]).toEqual([200, ['Spring']]);
});

test('the API finds subscribers by address, and creates and counts segments', async () => {
  const api = await publicClient(server, await server.owner());
  for (const name of ['ann', 'bob', 'cis'])
    await api.post('/subscribers', { email: `${name}@q.example`, firstname: name });
  await api.patch('/subscribers/cis@q.example', { subscriber_status: 'UNSUBSCRIBED' });
  const findByEmail = async (email: string) => {
    const { body } = await api.get(`/subscribers?email=${encodeURIComponent(email)}`);
    return [body.meta.total, ...body.data.map((row: { firstname: string }) => row.firstname)];
  };
  expect(await findByEmail('BOB@q.example')).toEqual([1, 'bob']);
  expect(await findByEmail('ob@q.example')).toEqual([0]);
  expect(await findByEmail('nonsense')).toEqual([0]);
  expect((await api.get('/subscribers?limit=2')).body.meta).toMatchObject({ total: 3, to: 2 });
  const conditions = 'email_status,is,active,1,and,and,';
  const segment = await api.post('/segments', { name: 'Reachable', conditions });
  expect(segment.body).toMatchObject({
    ...{ success: true, data: { name: 'Reachable', subscribers: 2, active_subscribers: 2 } },
  });
  const { id, conditions: listed } = segment.body.data;
  const count = async (counted: unknown) => {
    const { status, body } = await api.post('/segments/count', { conditions: counted });
    return status === 200 ? body.data.subscribers : [status, body.code];
  };
  expect(await count(listed)).toBe(2);
  expect(await count([])).toBe(3);
  expect(await count('email_status,is,nonsense,1,and,and,')).toEqual([422, 'conditions_malformed']);
  expect((await api.post('/segments', { name: 'None', conditions: [] })).status).toBe(422);
  const members = (await api.get(`/segments/${id}/subscribers`)).body.data;
  expect(members.map(({ firstname }: { firstname: string }) => firstname).sort()).toEqual([
    ...['ann', 'bob'],
  ]);
  const otherApi = await publicClient(server, await server.owner());
  expect((await otherApi.get(`/segments/${id}`)).status).toBe(404);
});

test('a batch has the same effect as individual requests for its rows', async () => {
  const addressOf = (name: string) => `${name}@same.example`;
  const save = async (isBatch: boolean) => {
    const api = await publicClient(server, await server.owner());
    const createId = async (path: string, body: object) =>
      (await api.post(path, body)).body.data.id;
    const firstGroup = await createId('/groups', { title: 'First' });
    const second = await createId('/groups', { title: 'Second' });
    await createId('/fields', { title: 'Size', type: 'number' });
    await createId('/fields', { title: 'Color', type: 'text' });
    await api.post('/subscribers', {
      email: addressOf('old'),
      firstname: 'Old',
      fields: { size: 7 },
    });
    await api.post('/subscribers', { email: addressOf('left'), subscriber_status: 'UNSUBSCRIBED' });
    await api.post('/subscribers', { phone: '+4791234501', firstname: 'By phone' });
    await api.post('/suppressions', { addresses: [addressOf('suppressed')] });
    const rows = [
      {
        email: addressOf('new'),
        firstname: ' Ann ',
        groups: [firstGroup],
        fields: { size: 3, color: 'red' },
      },
      {
        email: addressOf('old'),
        lastname: 'Berg',
        groups: [firstGroup, second],
        fields: { color: 'x' },
      },
      { email: addressOf('sms'), phone: '+4791234502', sms_status: 'ACTIVE', groups: [second] },
      { email: addressOf('left'), firstname: 'Left' },
      { email: addressOf('suppressed'), firstname: 'Sup' },
      { email: addressOf('adopts'), phone: '+4791234501' },
      { email: addressOf('twin'), phone: '+4791234502' },
      { email: addressOf('quiet'), trigger_automation: false, groups: [firstGroup] },
      { email: addressOf('new'), firstname: null, fields: { size: null } },
      { email: addressOf('away'), subscriber_status: 'UNSUBSCRIBED' },
      { email: addressOf('lost'), groups: ['zzzzzz'] },
      { email: addressOf('wrong'), fields: { size: 'much' } },
      { email: addressOf('own'), fields: { '{$firstname}': 'Own', '{$phone}': '+4791234503' } },
      { phone: '+4791234504', firstname: 'Number' },
    ];
    const results: unknown[] = [];
    if (isBatch) {
      const { body } = await api.post('/subscribers/batch', { subscribers: rows });
      for (const { success, notes, code } of body.data)
        results.push(success ? { success, notes } : { success, code });
    } else
      for (const row of rows) {
        const { body } = await api.post('/subscribers', row);
        const { success, message: notes, code } = body;
        results.push(success ? { success, notes } : { success, code });
      }
    type ListedRow = Record<string, unknown> & {
      subscriber_tags: { title: string }[];
      columns: { title: string; value: unknown }[];
    };
    const listedRows = (await api.get('/subscribers?limit=100')).body.data.map(
      ({ email, phone, firstname, lastname, status, source, ...overrides }: ListedRow) => ({
        ...{ email, phone, firstname, lastname, status, source },
        groups: overrides.subscriber_tags.map(({ title }) => title).sort(),
        values: overrides.columns.map(({ title, value }) => [title, value]),
      }),
    );
    const { rows: consents } = await sql`
      select s.email, c.channel, c.kind, c.source, count(*) as count from consents c
      join subscribers s on s.account_id = c.account_id and s.id = c.subscriber_id
      where c.account_id = ${api.accountId} group by 1, 2, 3, 4 order by 1, 2`.execute(server.db);
    const { body: account } = await api.get('/groups');
    const groups = account.data.map((group: Record<string, unknown>) => [
      ...[group.title, group.recipient_count, group.active_subscribers],
    ]);
    const key = ({ email, phone }: Record<string, unknown>) => `${String(email)} ${String(phone)}`;
    listedRows.sort((a: ListedRow, b: ListedRow) => (key(a) < key(b) ? -1 : 1));
    return { results, listed: listedRows, consents, groups };
  };
  const batch = await save(true);
  expect(batch).toEqual(await save(false));
  expect(batch.listed.length).toBeGreaterThan(9);
});

test('concurrent batches with the same subscribers save each subscriber once', async () => {
  const owner = await server.owner();
  const api = await publicClient(server, owner);
  const subscribers = Array.from({ length: 60 }, (_, i) => ({
    email: `twin${i}@b.example`,
    phone: `+4792${String(i).padStart(6, '0')}`,
  }));
  const orders = [subscribers, subscribers.toReversed(), subscribers, subscribers.toReversed()];
  const responses = await Promise.all(
    orders.map((rows) => api.post('/subscribers/batch', { subscribers: rows })),
  );
  expect(responses.map(({ status, text }) => (status === 200 ? '' : text))).toEqual([
    '',
    '',
    '',
    '',
  ]);
  expect(responses.map(({ body }) => [body.saved, body.failed])).toEqual(orders.map(() => [60, 0]));
  const results = responses.flatMap(({ body }) => body.data as { id: string; created: boolean }[]);
  expect(results.filter(({ created }) => created)).toHaveLength(60);
  expect(new Set(results.map(({ id }) => id)).size).toBe(60);
  const { rows } = await sql<{ people: number; consents: number; counted: number }>`
    select (select count(*)::int from subscribers where account_id = ${owner.accountId}) as people,
      (select count(distinct subscriber_id)::int from consents
        where account_id = ${owner.accountId}) as consents,
      (select subscriber_count::int from accounts where id = ${owner.accountId}) as counted`.execute(
    server.db,
  );
  expect(rows).toEqual([{ people: 60, consents: 60, counted: 60 }]);
});

test('a batch of subscribers or events has a result per row, and a repeat with the same key gets the same response', async () => {
  const api = await publicClient(server, await server.owner());
  const subscribers = [
    { email: 'one@b.example', firstname: 'One' },
    { email: 'broken' },
    { email: 'one@b.example', firstname: 'Uno' },
    { email: 'two@b.example', fields: { nonsense: 1 } },
    7,
    { email: 'three@b.example', phone: '+4791234577', sms_status: 'ACTIVE' },
  ];
  const key = { 'idempotency-key': 'first batch' };
  const response = await api.post('/subscribers/batch', { subscribers }, key);
  expect(response.body).toMatchObject({ success: true, saved: 3, failed: 3 });
  expect(response.body.data).toMatchObject([
    { index: 0, success: true, created: true, id: expect.any(String) },
    { index: 1, success: false, errors: { email: [expect.any(String)] } },
    { index: 2, success: true, created: false },
    { index: 3, success: false, errors: { 'fields.nonsense': [expect.any(String)] } },
    { index: 4, success: false, code: 'invalid' },
    { index: 5, success: true, created: true, notes: ['Subscribed to sms'] },
  ]);
  expect((await api.post('/subscribers/batch', { subscribers }, key)).body).toEqual(response.body);
  expect((await api.get('/subscribers/one@b.example')).body.data.firstname).toBe('Uno');
  expect((await api.get('/subscribers/two@b.example')).status).toBe(404);
  const tooMany = Array.from({ length: 1001 }, () => ({ email: 'one@b.example' }));
  expect((await api.post('/subscribers/batch', { subscribers: tooMany })).status).toBe(422);
  expect((await api.post('/subscribers/batch', { subscribers: [] })).status).toBe(422);
  const buildEvent = (email: string, overrides: object = {}) => ({
    ...{ subscriber: { email }, type: 'viewed', ...overrides },
  });
  const events = await api.post('/events/batch', {
    events: [
      buildEvent('one@b.example'),
      buildEvent('nobody@b.example'),
      buildEvent('x', { value: 'much' }),
    ],
  });
  expect(events.body).toMatchObject({
    ...{ saved: 1, failed: 2, data: [{ success: true }, { success: false }, { success: false }] },
  });
  expect(Object.keys(events.body.data[2].errors)).toEqual(['value']);
});
