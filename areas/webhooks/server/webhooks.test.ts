// Outgoing webhooks delivered to a receiver in the test: signatures, retries, disabled endpoints.
import { approvalDecided, approvalFiled } from '#areas/approvals/server/index.ts';
import { commentAdded } from '#areas/folders/server/index.ts';
import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { healthChanged } from '#areas/deliverability/server/index.ts';
import { messageReturned, singlesAccepted, smsDelivered } from '#areas/delivery/server/index.ts';
import { eraseSubscribers } from '#areas/subscribers/server/index.ts';
import { MAILBOXES } from '#areas/subscribers/shared.ts';
import { engagementRecorded } from '#areas/tracking/server/index.ts';
import { decodeId, encodePublicId } from '#platform/ids.ts';
import { type AuditedAction, actionAudited } from '#platform/server/audit.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { type PublicClient, publicClient } from '#testing/setup/public-client.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { GROUP_TOPICS, TOPICS } from '../shared.ts';
import { makeCalls } from './calls.ts';
import { deleteOldDeliveries, deliverDue } from './deliver.ts';
import { hasEndpointFor, insertEndpoint, updateEndpoint } from './endpoints.sql.ts';

type ReceivedHook = { headers: IncomingHttpHeaders; body: string };
let server: TestServer;
let api: PublicClient;
let otherApi: PublicClient;
let received: ReceivedHook[];
let url: string;
let status: number;

beforeAll(async () => {
  server = await testServer({ PRIVATE_HOSTS: 'yes' });
  api = await publicClient(server, await server.owner());
  otherApi = await publicClient(server, await server.owner());
});
beforeEach(async () => {
  received = [];
  status = 200;
  const receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      received.push({ headers: request.headers, body });
      response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end('thanks');
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  return () => new Promise((resolve) => receiver.close(resolve));
});

const webhook = async (topic: string, settings: object = {}) =>
  (await api.post('/account/webhooks', { url, topic, ...settings })).body;

test('a new subscriber is delivered in API format with both signatures, and after a rotation with both secrets', async () => {
  const endpoint = await webhook('subscribers/new');
  expect(endpoint).toMatchObject({ status: 'ACTIVE', group: null, data: { id: endpoint.id } });
  const { secret } = (await api.get('/account/webhooks/secret')).body.data;
  await api.post('/subscribers', { email: 'ada@x.example', firstname: 'Ada' });
  await otherApi.post('/subscribers', { email: 'eve@x.example' });
  await deliverDue(server.db);
  expect(received).toHaveLength(1);
  const [{ headers, body }] = received as [ReceivedHook];
  const { data } = (await api.get('/subscribers/ada@x.example')).body;
  const createdAt = `${data.created.replace(' ', 'T')}.000000Z`;
  expect(JSON.parse(body)).toEqual({ ...data, created: createdAt });
  const hex = createHmac('sha256', secret).update(body).digest('hex');
  expect(headers['x-sender-signature']).toBe(hex);
  const signedContent = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const standard = `v1,${createHmac('sha256', key).update(signedContent).digest('base64')}`;
  expect(headers['webhook-signature']).toBe(standard);
  const rotation = (await api.post('/account/webhooks/secret')).body.data;
  expect(rotation.secret).not.toBe(secret);
  await api.post('/subscribers', { email: 'bob@x.example' });
  await deliverDue(server.db);
  const [, overlap] = received as ReceivedHook[];
  expect(String(overlap?.headers['webhook-signature']).split(' ')).toHaveLength(2);
  const hexOf = (by: string, text = '') => createHmac('sha256', by).update(text).digest('hex');
  expect(overlap?.headers).toMatchObject({
    'x-sender-signature': hexOf(secret, overlap?.body),
    'x-sender-signature-next': hexOf(rotation.secret, overlap?.body),
  });
  clock.advance(25 * 3_600_000);
  await api.post('/subscribers', { email: 'cid@x.example' });
  await deliverDue(server.db);
  const { headers: later, body: laterBody } = received[2] as ReceivedHook;
  expect(later['x-sender-signature']).toBe(hexOf(rotation.secret, laterBody));
  expect(later).not.toHaveProperty('x-sender-signature-next');
  expect((await api.get(`/account/webhooks/${endpoint.id}`)).body).toMatchObject({
    total_deliveries: 3,
    total_failures: 0,
  });
  await api.delete(`/account/webhooks/${endpoint.id}`);
});

test('a delivery that fails with a redirect or error is retried under the same ID, even a day later', async () => {
  const { id } = await webhook('subscribers/updated');
  status = 302;
  await api.patch('/subscribers/ada@x.example', { firstname: 'A' });
  await deliverDue(server.db);
  expect(received).toHaveLength(1);
  status = 500;
  clock.advance(7_000);
  await deliverDue(server.db);
  expect(received).toHaveLength(2);
  status = 204;
  clock.advance(24 * 3_600_000);
  await deliverDue(server.db);
  expect(received).toHaveLength(3);
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  const attempts = (await api.get(`/account/webhooks/${id}/deliveries`)).body.data;
  expect(attempts).toMatchObject([{ state: 'delivered', attempts: 3, status: 204 }]);
  await api.delete(`/account/webhooks/${id}`);
});

test('a 410 response disables an endpoint immediately; a paused endpoint gets its backlog once it is active again', async () => {
  const removedEndpoint = await webhook('subscribers/updated');
  status = 410;
  await api.patch('/subscribers/ada@x.example', { firstname: 'B' });
  await deliverDue(server.db);
  expect((await api.get(`/account/webhooks/${removedEndpoint.id}`)).body.status).toBe('DISABLED');
  await api.delete(`/account/webhooks/${removedEndpoint.id}`);
  const pausedEndpoint = await webhook('subscribers/unsubscribed');
  await api.patch(`/account/webhooks/${pausedEndpoint.id}`, { status: 'PAUSED' });
  status = 200;
  received = [];
  await api.patch('/subscribers/ada@x.example', { subscriber_status: 'UNSUBSCRIBED' });
  await deliverDue(server.db);
  expect(received).toHaveLength(0);
  await api.put(`/account/webhooks/${pausedEndpoint.id}`, { status: 'ACTIVE' });
  await deliverDue(server.db);
  expect(received).toHaveLength(1);
  await api.delete(`/account/webhooks/${pausedEndpoint.id}`);
});

test('an unsubscribe event is unchanged at delivery, even if the subscriber is active again or deleted', async () => {
  const hook = await webhook('subscribers/unsubscribed');
  const subscriber = { email: 'gone@x.example', firstname: 'Gone' };
  await api.post('/subscribers', subscriber);
  await api.patch(`/subscribers/${subscriber.email}`, { subscriber_status: 'UNSUBSCRIBED' });
  await api.patch(`/subscribers/${subscriber.email}`, { firstname: 'Later' });
  await api.delete('/subscribers', { subscribers: [subscriber.email] });
  await api.post('/subscribers', { email: 'back@x.example' });
  await api.patch('/subscribers/back@x.example', { subscriber_status: 'UNSUBSCRIBED' });
  await api.patch('/subscribers/back@x.example', { subscriber_status: 'ACTIVE' });
  received = [];
  await deliverDue(server.db);
  const bodies = received.map(({ body }) => JSON.parse(body));
  expect(bodies.map(({ email, firstname, status }) => [email, firstname, status.email])).toEqual([
    [subscriber.email, 'Gone', 'unsubscribed'],
    ['back@x.example', null, 'unsubscribed'],
  ]);
  const { data } = (await api.get(`/account/webhooks/${hook.id}/deliveries`)).body;
  expect(data).toMatchObject([{ status: 200 }, { status: 200 }]);
  await api.delete(`/account/webhooks/${hook.id}`);
});

test('the event for a new subscriber includes the groups of the same call and is dropped after an erasure', async () => {
  const hook = await webhook('subscribers/new');
  const group = (await api.post('/groups', { title: 'Erased' })).body.data;
  await api.post('/subscribers', { email: 'erased@x.example' });
  await api.post('/subscribers', { email: 'member@x.example', groups: [group.id] });
  const { data } = (await api.get('/subscribers/erased@x.example')).body;
  await inTransaction(server.db, (tx) =>
    eraseSubscribers(tx, decodeId('account', hook.account_id) as number, {
      subscriberIds: [decodeId('subscriber', data.id) as number],
    }),
  );
  received = [];
  await deliverDue(server.db);
  expect(received.map(({ body }) => JSON.parse(body))).toMatchObject([
    { email: 'member@x.example', subscriber_tags: [{ id: group.id }] },
  ]);
  await api.delete(`/account/webhooks/${hook.id}`);
});

test('an endpoint gets only its group’s events, and other accounts and invalid settings are refused', async () => {
  const group = (await api.post('/groups', { title: 'VIP' })).body.data.id;
  expect(
    (await api.post('/account/webhooks', { url, topic: 'groups/new-subscriber' })).status,
  ).toBe(422);
  const endpoint = await webhook('groups/new-subscriber', { relation_id: group });
  expect(endpoint.group).toBe(group);
  await api.post('/subscribers', { email: 'vip@x.example', groups: [group] });
  await deliverDue(server.db);
  expect(received.map(({ body }) => JSON.parse(body).email)).toEqual(['vip@x.example']);
  expect((await otherApi.get(`/account/webhooks/${endpoint.id}`)).status).toBe(404);
  expect((await otherApi.post(`/account/webhooks/${endpoint.id}/resend`)).status).toBe(404);
  for (const change of [
    { url: 'ftp://x.example' },
    { topic: 'nothing' },
    { url: 'http://x.example:25/' },
  ])
    expect(
      (await api.post('/account/webhooks', { url, topic: 'bounces/new', ...change })).status,
    ).toBe(422);
});

test('a paused endpoint with a large backlog and a slow endpoint delay no other endpoint', async () => {
  const pausedEndpoint = await webhook('subscribers/updated');
  await sql`insert into webhook_deliveries (account_id, endpoint_id, topic, subject_id, next_at, created_at)
    select account_id, id, topic, 0, now() - interval '1 day', now() from webhook_endpoints,
      generate_series(1, 20000) where url = ${url}`.execute(server.db);
  await api.patch(`/account/webhooks/${pausedEndpoint.id}`, { status: 'PAUSED' });
  const slowServer = createServer((request) => void request.resume());
  await new Promise<void>((resolve) => slowServer.listen(0, '127.0.0.1', resolve));
  const slowUrl = `http://127.0.0.1:${(slowServer.address() as AddressInfo).port}/`;
  const slowEndpoint = await webhook('subscribers/unsubscribed', { url: slowUrl });
  const quickEndpoint = await webhook('subscribers/new');
  await api.post('/subscribers', { email: 'late@x.example' });
  await api.patch('/subscribers/late@x.example', { subscriber_status: 'UNSUBSCRIBED' });
  const stop = new AbortController();
  const running = deliverDue(server.db, stop.signal);
  await expect.poll(() => received.length, { timeout: 5_000 }).toBe(1);
  stop.abort();
  slowServer.closeAllConnections();
  slowServer.close();
  await running;
  for (const { id } of [pausedEndpoint, quickEndpoint, slowEndpoint])
    await api.delete(`/account/webhooks/${id}`);
});

test('each delivery of a large backlog is sent and recorded once', async () => {
  const endpoint = await webhook('groups/new');
  await sql`insert into webhook_deliveries
      (account_id, endpoint_id, topic, subject_id, details, next_at, created_at)
    select account_id, id, topic, 0, jsonb_build_object('sample', n), now() - interval '1 day', now()
    from webhook_endpoints, generate_series(1, 1100) n where url = ${url}`.execute(server.db);
  await deliverDue(server.db);
  expect(received).toHaveLength(1100);
  expect(new Set(received.map(({ body }) => body)).size).toBe(1100);
  const { rows } = await sql<{ count: number; attempts: number; deliveries: number }>`
    select count(*) as count, min(e.total_deliveries) as deliveries, (select count(*) from webhook_attempts
      where account_id = ${api.accountId} and event_id = any(array_agg(v.id))) as attempts
    from webhook_deliveries v join webhook_endpoints e on e.account_id = v.account_id and e.id = v.endpoint_id
    where v.account_id = ${api.accountId} and e.url = ${url} and v.state = 'delivered'`.execute(
    server.db,
  );
  expect(rows).toEqual([{ count: 1100, attempts: 1100, deliveries: 1100 }]);
  await api.delete(`/account/webhooks/${endpoint.id}`);
});

test('slow endpoints and slow workflow calls of one account leave capacity for another account', async () => {
  const openSockets: { destroy(): void }[] = [];
  const slowServer = createServer((request) => void request.resume());
  slowServer.on('connection', (socket) => openSockets.push(socket));
  await new Promise<void>((resolve) => slowServer.listen(0, '127.0.0.1', resolve));
  const slowUrl = `http://127.0.0.1:${(slowServer.address() as AddressInfo).port}/`;
  const { accountId } = otherApi;
  await sql`with e as (
      insert into webhook_endpoints (account_id, url, topic, created_at)
      select ${accountId}, ${slowUrl} || n, 'groups/new', now() from generate_series(1, 70) n
      returning id)
    insert into webhook_deliveries (account_id, endpoint_id, topic, subject_id, details, next_at, created_at)
    select ${accountId}, id, 'groups/new', 0, '{"sample": {}}', now() - interval '1 day', now()
    from e`.execute(server.db);
  const calls = async (account: number, callUrl: string, step: number, subject: number) =>
    sql`insert into workflow_http_calls (account_id, url, workflow_id, step_id, subject_id, next_at, created_at)
      select ${account}, ${callUrl}, 1, ${step}, ${subject}, now() - interval '1 hour', now()
      from generate_series(1, ${step === 1 ? 3000 : 1})`.execute(server.db);
  const subscriber = await otherApi.post('/subscribers', { email: 'slow@x.example' });
  await calls(accountId, slowUrl, 1, decodeId('subscriber', subscriber.body.data.id) as number);
  const quickEndpoint = await webhook('subscribers/new');
  const quickSubscriber = await api.post('/subscribers', { email: 'quick@x.example' });
  await calls(
    api.accountId,
    url,
    2,
    decodeId('subscriber', quickSubscriber.body.data.id) as number,
  );
  const stop = new AbortController();
  const running = [deliverDue(server.db, stop.signal), makeCalls(server.db, stop.signal)];
  await expect.poll(() => received.length, { timeout: 10_000 }).toBe(2);
  // The slow account gets at most sixteen concurrent endpoints, and five concurrent calls of a step.
  expect(openSockets.length).toBeLessThanOrEqual(16 + 5);
  stop.abort();
  slowServer.closeAllConnections();
  for (const socket of openSockets) socket.destroy();
  slowServer.close();
  await Promise.all(running);
  await sql`delete from workflow_http_calls`.execute(server.db);
  await sql`delete from webhook_endpoints where account_id = ${accountId}`.execute(server.db);
  await api.delete(`/account/webhooks/${quickEndpoint.id}`);
});

test('a ten-megabyte response is read up to a limit and counts as success; five days of failures disable an endpoint and send a system email', async () => {
  let sentBytes = 0;
  const flood = createServer((_, response) => {
    response.writeHead(200);
    const chunk = Buffer.alloc(65_536, 'x');
    const write = (): void => {
      if (sentBytes >= 10_485_760 || response.destroyed) return void response.end();
      sentBytes += chunk.length;
      if (response.write(chunk)) setImmediate(write);
      else response.once('drain', write);
    };
    write();
  });
  await new Promise<void>((resolve) => flood.listen(0, '127.0.0.1', resolve));
  const floodUrl = `http://127.0.0.1:${(flood.address() as AddressInfo).port}/`;
  const floodedEndpoint = await webhook('subscribers/updated', { url: floodUrl });
  await api.patch('/subscribers/ada@x.example', { firstname: 'C' });
  await deliverDue(server.db);
  const [attempt] = (await api.get(`/account/webhooks/${floodedEndpoint.id}/deliveries`)).body.data;
  expect(attempt).toMatchObject({ state: 'delivered', status: 200 });
  expect(attempt.answer.length).toBeLessThanOrEqual(2_048);
  flood.closeAllConnections();
  flood.close();
  await api.delete(`/account/webhooks/${floodedEndpoint.id}`);

  const failing = await webhook('subscribers/updated');
  status = 503;
  const emailCount = async () =>
    (
      await sql<{ count: number }>`
        select count(*)::int as count from single_sends s
        join messages m on m.account_id = s.account_id and m.id = s.message_id
        where s.account_id = ${api.accountId} and m.kind = 'letter'
          and m.frozen #>> '{source,subject}' like '%webhook%'`.execute(server.db)
    ).rows[0]?.count;
  // An earlier test disabled an endpoint, which sent one email.
  expect(await emailCount()).toBe(1);
  for (let day = 0; day <= 5; day++) {
    expect(await emailCount(), `day ${day}`).toBe(1);
    expect((await api.get(`/account/webhooks/${failing.id}`)).body.status).toBe('ACTIVE');
    await api.patch('/subscribers/ada@x.example', { firstname: `Day ${day}` });
    await deliverDue(server.db);
    clock.advance(24 * 3_600_000 + 60_000);
  }
  expect((await api.get(`/account/webhooks/${failing.id}`)).body.status).toBe('DISABLED');
  expect(await emailCount()).toBe(2);
  // No delivery is lost: after it was enabled again, the endpoint gets its backlog.
  status = 200;
  received = [];
  await api.patch(`/account/webhooks/${failing.id}`, { status: 'ACTIVE' });
  clock.advance(24 * 3_600_000);
  await deliverDue(server.db);
  expect(received.length).toBeGreaterThan(0);
  await api.delete(`/account/webhooks/${failing.id}`);
});

test('events of emails, SMS, groups, campaigns and approvals are delivered, and each topic has a test delivery', async () => {
  const ids = new Map<string, string>();
  for (const topic of TOPICS.filter((topic) => !GROUP_TOPICS.includes(topic)))
    ids.set(topic, (await webhook(topic)).id);
  await api.post('/groups', { title: 'Told' });
  const campaign = { title: 'News', subject: 'News', from: 'Shop', reply_to: 'a@shop.example' };
  expect((await api.post('/campaigns', { ...campaign, content_type: 'html' })).status).toBe(200);
  await api.post('/events', { subscriber: { email: 'vip@x.example' }, type: 'looked' });
  const { accountId } = api;
  await inTransaction(server.db, async (tx) => {
    const [subscriber] = await sql<{ id: number }>`select id from subscribers
      where account_id = ${accountId} and email_key = 'vip@x.example'`
      .execute(tx)
      .then(({ rows }) => rows);
    const subscriberId = subscriber?.id ?? 0;
    const at = new Date();
    const messageEvent = {
      accountId,
      messageId: 1,
      kind: 'transactional',
      sourceId: null,
      at,
    } as const;
    const engagement = (['open', 'click'] as const).flatMap((kind) =>
      (['human', 'machine'] as const).map((verdict) => ({
        ...{ kind, messageId: 1, subscriberId, at, verdict },
        position: kind === 'click' ? 0 : null,
      })),
    );
    await engagementRecorded.announce(tx, { accountId, engagement });
    await singlesAccepted.announce(tx, { ...messageEvent, subscriberIds: [0], singleIds: [7] });
    const text = { ...messageEvent, kind: 'sms_transactional' } as const;
    // The acceptance of an SMS by a provider is not its delivery.
    await singlesAccepted.announce(tx, { ...text, subscriberIds: [0], singleIds: [8] });
    await smsDelivered.announce(tx, { ...text, subscriberId, singleId: 9 });
    const campaign = { ...text, kind: 'sms_campaign' } as const;
    await smsDelivered.announce(tx, { ...campaign, subscriberId, singleId: null });
    const messageReturn = { subscriberId, cause: 'person', code: '5.1.1', reply: 'none' };
    await messageReturned.announce(tx, {
      ...messageEvent,
      returns: [
        { ...messageReturn, kind: 'hard_bounce' },
        { ...messageReturn, kind: 'complaint' },
      ],
    });
    const approval = {
      ...{ accountId, approvalId: 4, title: 'Spring', note: '', requesterId: 1 },
      kind: 'campaign_schedule',
    } as const;
    await approvalFiled.announce(tx, { ...approval, deciders: [] });
    const decision = { state: 'approved', decidedBy: 2, reason: 'Good' } as const;
    await approvalDecided.announce(tx, { ...approval, ...decision });
    await commentAdded.announce(tx, {
      ...{ accountId, noteId: 5, kind: 'campaign', itemId: 6, title: 'Spring', path: '/' },
      ...{ text: 'Shorter', userId: 1, mentions: [] },
    });
    const since = '2026-06-01T10:00:00.000Z';
    await healthChanged.announce(tx, {
      ...{ accountId, domain: 'tea.example', mailbox: MAILBOXES.yahoo, state: 'act' },
      causes: [{ cause: 'complaints', level: 'act', since, count: 15, of: 2_000 }],
    });
  });
  await deliverDue(server.db);
  const topics = received.map(({ headers }) => headers['x-topic']).sort();
  expect(topics).toEqual([
    'approvals/decided',
    'approvals/new',
    'audit/new',
    'audit/new',
    'audit/new',
    'campaigns/new',
    'comments/new',
    'deliverability/changed',
    'emails/bounced',
    'emails/clicked',
    'emails/complained',
    'emails/delivered',
    'emails/opened',
    'events/new',
    'groups/new',
    'sms/delivered',
    'sms/delivered',
  ]);
  const bodyOf = (topic: string) =>
    JSON.parse(received.find(({ headers }) => headers['x-topic'] === topic)?.body ?? '{}');
  expect(bodyOf('groups/new')).toMatchObject({ title: 'Told', recipient_count: 0 });
  expect(bodyOf('campaigns/new')).toMatchObject({ title: 'News', status: 'DRAFT' });
  expect(bodyOf('events/new')).toMatchObject({
    type: 'looked',
    subscriber: { email: 'vip@x.example' },
  });
  expect(bodyOf('emails/delivered')).toMatchObject({ subscriber: null });
  const smsDeliveries = received.filter(({ headers }) => headers['x-topic'] === 'sms/delivered');
  expect(
    smsDeliveries.map(({ body }) => JSON.parse(body)).sort((payload) => (payload.sms_id ? -1 : 1)),
  ).toEqual([
    expect.objectContaining({ sms_id: encodePublicId('text', accountId, 9) }),
    expect.not.objectContaining({ sms_id: expect.anything() }),
  ]);
  expect(bodyOf('sms/delivered').subscriber).toMatchObject({ email: 'vip@x.example' });
  expect(bodyOf('deliverability/changed')).toMatchObject({
    ...{ domain: 'tea.example', mailbox: 'yahoo', state: 'act' },
    causes: [{ cause: 'complaints', level: 'act', count: 15, of: 2_000 }],
  });
  expect(bodyOf('approvals/decided')).toMatchObject({
    ...{ kind: 'campaign_schedule', title: 'Spring', state: 'approved', reason: 'Good' },
  });
  expect(bodyOf('comments/new')).toMatchObject({ kind: 'campaign', text: 'Shorter' });
  expect(bodyOf('audit/new')).toMatchObject({
    actor: expect.any(String),
    fields: expect.any(Array),
  });
  expect(bodyOf('emails/bounced')).toMatchObject({ kind: 'hard_bounce', code: '5.1.1' });
  received = [];
  for (const id of ids.values()) await api.post(`/account/webhooks/${id}/test`);
  await deliverDue(server.db);
  // Each test delivery is recorded as a separate action.
  const otherDeliveries = received.filter(({ headers }) => headers['x-topic'] !== 'audit/new');
  expect([otherDeliveries.length, received.length]).toEqual([ids.size - 1, 2 * ids.size]);
  expect(bodyOf('subscribers/new')).toMatchObject({ email: 'ada@example.com' });
  for (const id of ids.values()) await api.delete(`/account/webhooks/${id}`);
});

test('endpoint topics cached by a transaction include the endpoints that it adds or changes', async () => {
  const { accountId } = await server.owner();
  const auditedAction: AuditedAction = {
    ...{ accountId, userId: null, viaId: null, ip: null, subject: null, fields: [], change: {} },
    via: 'system',
    action: 'groups.createGroup',
  };
  const endpoint = { url, topic: 'groups/new', group_id: null, at: clock.now() } as const;
  await inTransaction(server.db, async (tx) => {
    expect(await hasEndpointFor(tx, accountId, ['audit/new'])).toBe(false);
    await actionAudited.announce(tx, auditedAction);
    const { id } = await insertEndpoint(tx, accountId, endpoint);
    expect(await hasEndpointFor(tx, accountId, ['audit/new'])).toBe(false);
    expect(await hasEndpointFor(tx, accountId, ['audit/new', 'groups/new'])).toBe(true);
    await updateEndpoint(tx, accountId, id, { topic: 'audit/new' });
    await actionAudited.announce(tx, { ...auditedAction, action: 'groups.deleteGroup' });
  });
  await deliverDue(server.db);
  expect(received.map(({ body }) => JSON.parse(body).action)).toEqual(['groups.deleteGroup']);
});

test('attempts are listed with bodies and responses, one delivery or a range is resent, and old deliveries are deleted', async () => {
  const owner = await server.owner();
  const accountApi = await publicClient(server, owner);
  const endpoint = (await accountApi.post('/account/webhooks', { url, topic: 'subscribers/new' }))
    .body;
  const path = `/client-api/api/webhooks/${endpoint.id}`;
  status = 500;
  await accountApi.post('/subscribers', { email: 'eve@x.example' });
  await deliverDue(server.db);
  const [delivery] = (await owner.get(`${path}/deliveries`)).body.data;
  expect(delivery).toMatchObject({ state: 'due', attempts: 1, status: 500, is_test: false });
  const attempts = (await owner.get(`${path}/deliveries/${delivery.id}`)).body.data;
  expect(attempts).toMatchObject([{ status: 500, answer: 'thanks' }]);
  expect(JSON.parse(attempts[0].body).email).toBe('eve@x.example');
  status = 200;
  expect((await owner.post(`${path}/deliveries/${delivery.id}/resend`)).body.data.count).toBe(1);
  await deliverDue(server.db);
  const span = { from: new Date(Date.now() - 3_600_000).toISOString() };
  expect((await owner.post(`${path}/resend`, span)).body.data.count).toBe(1);
  await deliverDue(server.db);
  expect(received).toHaveLength(3);
  const outsider = await server.owner();
  for (const subpath of ['', '/deliveries', `/deliveries/${delivery.id}`])
    expect((await outsider.get(path + subpath)).status).toBe(404);
  expect((await outsider.post(`${path}/deliveries/${delivery.id}/resend`)).status).toBe(404);
  clock.advance(40 * 86_400_000);
  await deleteOldDeliveries(server.db);
  expect((await accountApi.get(`/account/webhooks/${endpoint.id}/deliveries`)).body.data).toEqual(
    [],
  );
});
