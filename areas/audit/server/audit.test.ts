// The audit log over HTTP: which actions are recorded, which are not, and who can read it.
import { sql } from 'kysely';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { invitationSent, systemEmailNeeded } from '#areas/accounts/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { type TestClient, type TestServer, testServer } from '#testing/setup/server.ts';
import { listActs } from './audit.sql.ts';
import { retentionPoller } from './retention.ts';

let server: TestServer;
const API = '/client-api/api';
const DAY_MS = 86_400_000;

beforeAll(async () => {
  server = await testServer();
});
afterEach(() => clock.reset());

const listEntries = async (client: TestClient, query = '') =>
  (await client.get(`${API}/audit${query}`)).body.data;
const listActions = async (client: TestClient, query = ''): Promise<string[]> =>
  (await listEntries(client, query)).map(({ action }: { action: string }) => action);

test('each successful change has one entry with its author; refused changes, reads and previews have none', async () => {
  const owner = await server.owner();
  const createdTag = await owner.post(`${API}/tags`, { title: 'Tea' });
  const { id } = createdTag.body.data;
  await owner.patch(`${API}/tags/${id}`, { title: 'Teas' });
  for (const response of [
    await owner.post(`${API}/tags`, { title: 'Teas' }),
    await owner.post(`${API}/tags`, {}),
    await owner.delete(`${API}/fields/${id}`),
  ])
    expect(response.status).toBeGreaterThanOrEqual(400);
  await owner.get(`${API}/tags`);
  await owner.post(`${API}/filters/preview`, { filter: { groups: [] } });
  const [renamed, created, signedIn, ...others] = await listEntries(owner);
  expect(others).toEqual([]);
  const { user } = (await owner.get(`${API}/users`)).body.data;
  const actor = { actor: 'session', token: null, user: { id: user.id, email: user.email } };
  expect(renamed).toMatchObject({
    ...actor,
    action: 'groups.renameGroup',
    subject: id,
    fields: ['title'],
    before: null,
    after: null,
  });
  expect(created).toMatchObject({ ...actor, action: 'groups.createGroup', subject: id });
  expect(signedIn).toMatchObject({ ...actor, action: 'accounts.openSession', subject: null });
});

test('an entry names the token that made the change and the settings of a new token, but no secrets or subscriber data', async () => {
  const owner = await server.owner();
  const input = { title: 'Till', validity_days: 30, scopes: ['people.change', 'people'] };
  const { token, id } = (await owner.post(`${API}/tokens`, input)).body.data;
  const program = server.client();
  const authorization = `Bearer ${token}`;
  const createResponse = await program.post(
    '/v2/subscribers',
    { email: 'ada@tea.example', firstname: 'Countess' },
    { authorization },
  );
  expect(createResponse.status).toBe(200);
  const updateResponse = await program.patch(
    '/v2/subscribers/ada@tea.example',
    { lastname: 'Lovelace' },
    { authorization },
  );
  expect(updateResponse.status).toBe(200);
  const [update, create, tokenMade] = await listEntries(owner);
  expect(update).toMatchObject({ action: 'audience.updateSubscriber', fields: ['lastname'] });
  expect(create).toMatchObject({
    action: 'audience.createSubscriber',
    actor: 'token',
    token: { id, title: 'Till' },
    fields: ['email', 'firstname'],
  });
  expect(tokenMade).toMatchObject({
    action: 'accounts.createToken',
    subject: id,
    after: { title: 'Till', scopes: ['people', 'people.change'], networks: null },
  });
  const { rows } = await sql<{ all: string }>`
    select coalesce(json_agg(a)::text, '') as all from audit a
    where account_id = ${owner.accountId}`.execute(server.db);
  for (const value of [token.replace(/^sl_\d+_/, ''), 'ada@tea.example', 'Countess', 'Lovelace'])
    expect(rows[0]?.all).not.toContain(value);
});

test('changes to webhooks, segments and sending limits record the values before and after, without data about subscribers', async () => {
  const owner = await server.owner();
  const url = 'https://shop.example/hooks?key=secret';
  const hook = (await owner.post(`${API}/webhooks`, { url, topic: 'subscribers/new' })).body.data;
  await owner.patch(`${API}/webhooks/${hook.id}`, { status: 'PAUSED' });
  await owner.delete(`${API}/webhooks/${hook.id}`);
  const [removed, paused, added] = await listEntries(owner, '?action=webhooks');
  const values = { host: 'shop.example', topic: 'subscribers/new' };
  expect(added).toMatchObject({ before: null, after: { ...values, status: 'ACTIVE' } });
  expect(paused).toMatchObject({
    before: { ...values, status: 'ACTIVE' },
    after: { ...values, status: 'PAUSED' },
  });
  expect(removed).toMatchObject({ before: { ...values, status: 'PAUSED' }, after: null });

  const conditionsWithAddress = 'email,equals,ada%40tea.example,1,and,and,';
  const segment = (await owner.post(`${API}/filters`, { conditions: conditionsWithAddress })).body
    .data;
  const active = 'email_status,is,active,1,and,and,';
  expect((await owner.patch(`${API}/filters/${segment.id}`, { conditions: active })).status).toBe(
    200,
  );
  const [edited] = await listEntries(owner, '?action=segments');
  expect(edited).toMatchObject({
    before: { conditions: 'email,equals,%E2%80%A6,1,and,and,' },
    after: { conditions: active },
  });

  const number = (await owner.post(`${API}/fields`, { title: 'Number', type: 'number' })).body.data;
  const day = (await owner.post(`${API}/fields`, { title: 'Day', type: 'datetime' })).body.data;
  const personalConditions = [
    `number,equals,481516,1,and,and,${number.id}`,
    `number,not-blank,,1,and,and,${number.id}`,
    `datetime,between,1984-05-06,1,and,and,${day.id},1984-05-07`,
    'email,blank,,1,and,and,',
  ].join('__next__');
  expect(
    (await owner.patch(`${API}/filters/${segment.id}`, { conditions: personalConditions })).status,
  ).toBe(200);
  const [numbered] = await listEntries(owner, '?action=segments');
  const visibleConditions = [
    `number,equals,%E2%80%A6,1,and,and,${number.id}`,
    `number,not-blank,,1,and,and,${number.id}`,
    `datetime,between,%E2%80%A6,1,and,and,${day.id},%E2%80%A6`,
    'email,blank,,1,and,and,',
  ].join('__next__');
  expect(numbered).toMatchObject({ after: { conditions: visibleConditions } });

  const window = { from: 9, to: 17, days: [1, 2], zone: 'account' };
  const limit = { messages: 3, days: 7, quiet_from: null, quiet_until: null };
  for (const [path, body] of [
    ['sending_window', { window }],
    ['sending_window', { window: null }],
    ['contact_guard', limit],
    ['contact_guard', { ...limit, messages: 5 }],
  ] as const) {
    const response = await owner.put(`${API}/${path}`, body);
    expect(response.status, response.text).toBe(200);
  }
  const [cleared] = await listEntries(owner, '?action=broadcasts');
  expect(cleared).toMatchObject({ before: { window }, after: { window: null } });
  const [raised] = await listEntries(owner, '?action=workflows');
  expect(raised).toMatchObject({ before: { messages: 3 }, after: { messages: 5 } });
  const json = JSON.stringify(await listEntries(owner, '?limit=200'));
  for (const secret of ['key=secret', 'ada@tea', 'ada%40tea', '481516', '1984'])
    expect(json).not.toContain(secret);
});

test('a search for entries of users does not read the entries of API tokens', async () => {
  const { accountId } = await server.owner();
  const at = new Date('2026-03-01T00:00:00Z');
  await sql`
    insert into audit (account_id, at, action, actor)
    select ${accountId}, ${at}::timestamptz + n * interval '1 second', 'audience.createSubscriber',
      case when n % 10000 = 0 then 'session' else 'token' end
    from generate_series(1, 30000) n`.execute(server.db);
  await sql`analyze audit`.execute(server.db);
  const filter = { actor: 'session', zone: 'UTC' };
  const rows = await listActs(server.db, accountId, filter, { before: undefined, limit: 51 });
  const createdEntries = rows.filter(({ action }) => action === 'audience.createSubscriber');
  expect(createdEntries).toHaveLength(3);
  const plan = await sql`
    explain (format json) select * from audit
    where account_id = ${accountId} and actor = ${'session'}
    order by at desc, id desc limit 51`.execute(server.db);
  expect(JSON.stringify(plan.rows)).toContain('audit_by_actor');
});

test('a bulk action has one entry with its count and conditions, without data about subscribers', async () => {
  const owner = await server.owner();
  const ids = [];
  for (const name of ['ada', 'bob', 'cyd']) {
    const subscriber = { email: `${name}@bulk.example`, firstname: 'Secretname' };
    ids.push((await owner.post(`${API}/subscribers`, subscriber)).body.data.id as string);
  }
  const group = (await owner.post(`${API}/tags`, { title: 'All' })).body.data.id;
  const filter = [
    { type: 'firstname', operator: 'equals', operand: 'Secretname' },
    { type: 'email_status', operator: 'is', operand: 'active' },
  ];
  for (const body of [
    { subscribers: ids.slice(1) },
    { conditions: filter },
    { search: 'Secretname' },
    { all: true },
  ]) {
    const response = await owner.post(`${API}/subscribers/groups/${group}`, body);
    expect(response.status, response.text).toBe(200);
  }
  const auditEntries = await listEntries(owner, '?action=audience.addToGroup');
  expect(
    auditEntries.map(({ count, after }: { count: number; after: object }) => [count, after]),
  ).toEqual([
    [0, { all: true }],
    [0, { search: '…' }],
    [
      1,
      { conditions: expect.stringMatching(/^firstname,equals,%E2%80%A6,.*email_status,is,active/) },
    ],
    [2, null],
  ]);
  expect(JSON.stringify(auditEntries)).not.toContain('Secretname');
});

test('a password reset and an accepted invitation have an entry with their user', async () => {
  const owner = await server.owner('host@inn.example');
  let token = '';
  const disconnect = [
    invitationSent.on(async (_, event) => void (token = event.token)),
    systemEmailNeeded.on(async (_, event) => void (token = event.secret)),
  ];
  await owner.post(`${API}/invitations`, { email: 'guest@inn.example', denied: ['send'] });
  const password = 'correct horse battery';
  const guest = server.client();
  expect((await guest.post('/auth/api/accept-invitation', { token, password })).status).toBe(200);
  await server.client().post('/auth/api/forgot-password', { email: 'guest@inn.example' });
  await server.runJobs();
  const reset = { token, password: 'soup of the day 7' };
  expect((await server.client().post('/auth/api/reset-password', reset)).status).toBe(200);
  for (const stop of disconnect) stop();
  const user = { email: 'guest@inn.example' };
  const [resetEntry] = await listEntries(owner, '?action=accounts.resetPassword');
  expect(resetEntry).toMatchObject({ user, actor: 'session', after: null });
  const [joined] = await listEntries(owner, '?action=accounts.acceptInvitation');
  expect(joined).toMatchObject({ user, after: { ...user, denied: ['send'] } });
});

test('a repeated request with the same key has one entry', async () => {
  const owner = await server.owner();
  const key = { 'idempotency-key': 'once' };
  for (let i = 0; i < 2; i++)
    expect((await owner.post(`${API}/tags`, { title: 'Tea' }, key)).status).toBe(200);
  expect(await listActions(owner, '?action=groups')).toEqual(['groups.createGroup']);
});

test('a call that runs its own transactions also has an entry', async () => {
  const owner = await server.owner();
  const { id } = (await owner.post(`${API}/tags`, { title: 'Tea' })).body.data;
  expect((await owner.delete(`${API}/tags/${id}`)).status).toBe(200);
  const [deleted] = await listEntries(owner);
  expect(deleted).toMatchObject({ action: 'groups.deleteGroup', subject: id });
});

test('entries are filtered by author, action, object and day, paged, and hidden from other accounts', async () => {
  const owner = await server.owner();
  const otherOwner = await server.owner();
  const ids: string[] = [];
  for (const title of ['One', 'Two', 'Three', 'Four'])
    ids.push((await owner.post(`${API}/tags`, { title })).body.data.id);
  await owner.post(`${API}/fields`, { title: 'Size', type: 'text' });
  expect(await listActions(owner, `?subject=${ids[1]}`)).toEqual(['groups.createGroup']);
  expect(await listActions(owner, '?action=fields')).toEqual(['fields.createField']);
  expect(await listActions(owner, '?action=groups.createGroup')).toHaveLength(4);
  expect(await listActions(owner, '?actor=token')).toEqual([]);
  const { user } = (await owner.get(`${API}/users`)).body.data;
  expect(await listActions(owner, `?user=${user.id}`)).toHaveLength(6);
  const today = clock.now().toISOString().slice(0, 10);
  expect(await listActions(owner, `?from=${today}&to=${today}`)).toHaveLength(6);
  expect(await listActions(owner, '?to=2020-01-01')).toEqual([]);

  const pageIds: string[] = [];
  let next: string | null = '';
  while (next !== null) {
    const page = await owner.get(`${API}/audit?limit=4${next && `&before=${next}`}`);
    pageIds.push(...page.body.data.map(({ id }: { id: string }) => id));
    next = page.body.next;
  }
  expect(new Set(pageIds).size).toBe(6);
  expect(pageIds).toHaveLength(6);
  expect(await listActions(otherOwner)).toEqual(['accounts.openSession']);
  expect(await listActions(otherOwner, `?subject=${ids[1]}`)).toEqual([]);
  for (const query of ['user=x', 'action=%25', "subject='", 'before=x', 'limit=0', 'to=1'])
    expect((await owner.get(`${API}/audit?${query}`)).status, query).toBe(422);
});

test('administrators with the right to export download the log, and the download is recorded', async () => {
  const owner = await server.owner();
  await owner.post(`${API}/tags`, { title: '=1+1' });
  const file = await owner.get(`${API}/audit/export?action=groups`);
  expect(file.status).toBe(200);
  const [titles, line, ...others] = file.text.trim().split('\r\n');
  expect(titles).toBe('at,action,subject,actor,user,token,ip,fields,before,after,count');
  expect(line).toContain('groups.createGroup');
  expect(others).toEqual([]);
  // The action is recorded after the file is sent.
  await expect.poll(async () => (await listActions(owner))[0]).toBe('audit.exportAudit');
  const limitedToken = await owner.post(`${API}/tokens`, {
    title: 'Till',
    validity_days: 1,
    scopes: ['export'],
  });
  const authorization = `Bearer ${limitedToken.body.data.token}`;
  for (const path of ['/audit/export', '/audit'])
    expect((await server.client().get(`${API}${path}`, { authorization })).status).toBe(403);
});

test('entries are deleted after the retention time of their account', async () => {
  const owner = await server.owner();
  const otherOwner = await server.owner();
  for (const days of [29, 2556, 30.5, null])
    expect((await owner.put(`${API}/audit/settings`, { retention_days: days })).status).toBe(422);
  expect((await owner.get(`${API}/audit/settings`)).body.data).toEqual({ retention_days: 365 });
  expect((await owner.put(`${API}/audit/settings`, { retention_days: 30 })).status).toBe(200);
  clock.advance(31 * DAY_MS);
  await retentionPoller.run(server.db, new AbortController().signal);
  const readRemaining = async ({ accountId }: { accountId: number }) => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from audit where account_id = ${accountId}`.execute(server.db);
    return rows[0]?.count;
  };
  expect([await readRemaining(owner), await readRemaining(otherOwner)]).toEqual([0, 1]);
});
