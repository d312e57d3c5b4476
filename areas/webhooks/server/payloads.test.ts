// Payloads and signatures of webhooks as an HTTP server receives them.
import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { approvalDecided, approvalFiled } from '#areas/approvals/server/index.ts';
import { healthChanged } from '#areas/deliverability/server/index.ts';
import { messageReturned, singlesAccepted, smsDelivered } from '#areas/delivery/server/index.ts';
import { commentAdded } from '#areas/folders/server/index.ts';
import { eraseSubscribers } from '#areas/subscribers/server/index.ts';
import { MAILBOXES } from '#areas/subscribers/shared.ts';
import { engagementRecorded } from '#areas/tracking/server/index.ts';
import { decodeId, encodePublicId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import {
  newWebhookAccount,
  type ReceivedHook,
  startWebhookReceiver,
  type WebhookReceiver,
} from '#testing/servers/webhook-receiver.ts';
import { publicClient } from '#testing/setup/public-client.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { GROUP_TOPICS, TOPICS } from '../shared.ts';
import { deliverDue } from './deliver.ts';

let server: TestServer;
let receiver: WebhookReceiver;

beforeAll(async () => {
  server = await testServer({ PRIVATE_HOSTS: 'yes' });
});
beforeEach(async () => {
  receiver = await startWebhookReceiver();
  return () => receiver.close();
});

test('a new subscriber is delivered in API format with both signatures, and after a rotation with both secrets', async () => {
  const { api, createWebhook } = await newWebhookAccount(server, receiver);
  const otherApi = await publicClient(server, await server.owner());
  const endpoint = await createWebhook('subscribers/new');
  expect(endpoint).toMatchObject({ status: 'ACTIVE', group: null, data: { id: endpoint.id } });
  const { secret } = (await api.get('/account/webhooks/secret')).body.data;
  await api.post('/subscribers', { email: 'ada@x.example', firstname: 'Ada' });
  await otherApi.post('/subscribers', { email: 'eve@x.example' });
  await deliverDue(server.db);
  expect(receiver.received).toHaveLength(1);
  const [{ headers, body }] = receiver.received as [ReceivedHook];
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
  const [, overlap] = receiver.received as ReceivedHook[];
  expect(String(overlap?.headers['webhook-signature']).split(' ')).toHaveLength(2);
  const hexOf = (by: string, text = '') => createHmac('sha256', by).update(text).digest('hex');
  expect(overlap?.headers).toMatchObject({
    'x-sender-signature': hexOf(secret, overlap?.body),
    'x-sender-signature-next': hexOf(rotation.secret, overlap?.body),
  });
  clock.advance(25 * 3_600_000);
  await api.post('/subscribers', { email: 'cid@x.example' });
  await deliverDue(server.db);
  const { headers: later, body: laterBody } = receiver.received[2] as ReceivedHook;
  expect(later['x-sender-signature']).toBe(hexOf(rotation.secret, laterBody));
  expect(later).not.toHaveProperty('x-sender-signature-next');
  expect((await api.get(`/account/webhooks/${endpoint.id}`)).body).toMatchObject({
    total_deliveries: 3,
    total_failures: 0,
  });
});

test('an unsubscribe event is unchanged at delivery, even if the subscriber is active again or deleted', async () => {
  const { api, createWebhook } = await newWebhookAccount(server, receiver);
  const hook = await createWebhook('subscribers/unsubscribed');
  const subscriber = { email: 'gone@x.example', firstname: 'Gone' };
  await api.post('/subscribers', subscriber);
  await api.patch(`/subscribers/${subscriber.email}`, { subscriber_status: 'UNSUBSCRIBED' });
  await api.patch(`/subscribers/${subscriber.email}`, { firstname: 'Later' });
  await api.delete('/subscribers', { subscribers: [subscriber.email] });
  await api.post('/subscribers', { email: 'back@x.example' });
  await api.patch('/subscribers/back@x.example', { subscriber_status: 'UNSUBSCRIBED' });
  await api.patch('/subscribers/back@x.example', { subscriber_status: 'ACTIVE' });
  receiver.received = [];
  await deliverDue(server.db);
  const bodies = receiver.received.map(({ body }) => JSON.parse(body));
  expect(bodies.map(({ email, firstname, status }) => [email, firstname, status.email])).toEqual([
    [subscriber.email, 'Gone', 'unsubscribed'],
    ['back@x.example', null, 'unsubscribed'],
  ]);
  const { data } = (await api.get(`/account/webhooks/${hook.id}/deliveries`)).body;
  expect(data).toMatchObject([{ status: 200 }, { status: 200 }]);
});

test('the event for a new subscriber includes the groups of the same call and is dropped after an erasure', async () => {
  const { api, createWebhook } = await newWebhookAccount(server, receiver);
  const hook = await createWebhook('subscribers/new');
  const group = (await api.post('/groups', { title: 'Erased' })).body.data;
  await api.post('/subscribers', { email: 'erased@x.example' });
  await api.post('/subscribers', { email: 'member@x.example', groups: [group.id] });
  const { data } = (await api.get('/subscribers/erased@x.example')).body;
  await inTransaction(server.db, (tx) =>
    eraseSubscribers(tx, decodeId('account', hook.account_id) as number, {
      subscriberIds: [decodeId('subscriber', data.id) as number],
    }),
  );
  receiver.received = [];
  await deliverDue(server.db);
  expect(receiver.received.map(({ body }) => JSON.parse(body))).toMatchObject([
    { email: 'member@x.example', subscriber_tags: [{ id: group.id }] },
  ]);
});

test('events of emails, SMS, groups, campaigns and approvals are delivered, and each topic has a test delivery', async () => {
  const { api, createWebhook } = await newWebhookAccount(server, receiver);
  await api.post('/subscribers', { email: 'vip@x.example' });
  const ids = new Map<string, string>();
  for (const topic of TOPICS.filter((topic) => !GROUP_TOPICS.includes(topic)))
    ids.set(topic, (await createWebhook(topic)).id);
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
  const topics = receiver.received.map(({ headers }) => headers['x-topic']).sort();
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
    JSON.parse(receiver.received.find(({ headers }) => headers['x-topic'] === topic)?.body ?? '{}');
  expect(bodyOf('groups/new')).toMatchObject({ title: 'Told', recipient_count: 0 });
  expect(bodyOf('campaigns/new')).toMatchObject({ title: 'News', status: 'DRAFT' });
  expect(bodyOf('events/new')).toMatchObject({
    type: 'looked',
    subscriber: { email: 'vip@x.example' },
  });
  expect(bodyOf('emails/delivered')).toMatchObject({ subscriber: null });
  const smsDeliveries = receiver.received.filter(
    ({ headers }) => headers['x-topic'] === 'sms/delivered',
  );
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
  receiver.received = [];
  for (const id of ids.values()) await api.post(`/account/webhooks/${id}/test`);
  await deliverDue(server.db);
  // Each test delivery is recorded as a separate action.
  const otherDeliveries = receiver.received.filter(
    ({ headers }) => headers['x-topic'] !== 'audit/new',
  );
  expect([otherDeliveries.length, receiver.received.length]).toEqual([ids.size - 1, 2 * ids.size]);
  expect(bodyOf('subscribers/new')).toMatchObject({ email: 'ada@example.com' });
  for (const id of ids.values()) await api.delete(`/account/webhooks/${id}`);
});
