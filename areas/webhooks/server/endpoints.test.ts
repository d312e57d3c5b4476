// Settings of webhooks, which endpoints get an event, the list of deliveries, and resends.
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { type AuditedAction, actionAudited } from '#platform/server/audit.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import {
  newWebhookAccount,
  startWebhookReceiver,
  type WebhookReceiver,
} from '#testing/servers/webhook-receiver.ts';
import { publicClient } from '#testing/setup/public-client.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { deleteOldDeliveries, deliverDue } from './deliver.ts';
import { hasEndpointFor, insertEndpoint, updateEndpoint } from './endpoints.sql.ts';

let server: TestServer;
let receiver: WebhookReceiver;

beforeAll(async () => {
  server = await testServer({ PRIVATE_HOSTS: 'yes' });
});
beforeEach(async () => {
  receiver = await startWebhookReceiver();
  return () => receiver.close();
});

test('an endpoint gets only its group’s events, and other accounts and invalid settings are refused', async () => {
  const { api, createWebhook } = await newWebhookAccount(server, receiver);
  const otherApi = await publicClient(server, await server.owner());
  const group = (await api.post('/groups', { title: 'VIP' })).body.data.id;
  expect(
    (await api.post('/account/webhooks', { url: receiver.url, topic: 'groups/new-subscriber' }))
      .status,
  ).toBe(422);
  const endpoint = await createWebhook('groups/new-subscriber', { relation_id: group });
  expect(endpoint.group).toBe(group);
  await api.post('/subscribers', { email: 'vip@x.example', groups: [group] });
  await deliverDue(server.db);
  expect(receiver.received.map(({ body }) => JSON.parse(body).email)).toEqual(['vip@x.example']);
  expect((await otherApi.get(`/account/webhooks/${endpoint.id}`)).status).toBe(404);
  expect((await otherApi.post(`/account/webhooks/${endpoint.id}/resend`)).status).toBe(404);
  for (const change of [
    { url: 'ftp://x.example' },
    { topic: 'nothing' },
    { url: 'http://x.example:25/' },
  ])
    expect(
      (await api.post('/account/webhooks', { url: receiver.url, topic: 'bounces/new', ...change }))
        .status,
    ).toBe(422);
});

test('endpoint topics cached by a transaction include the endpoints that it adds or changes', async () => {
  const { accountId } = await server.owner();
  const auditedAction: AuditedAction = {
    ...{ accountId, userId: null, viaId: null, ip: null, subject: null, fields: [], change: {} },
    via: 'system',
    action: 'groups.createGroup',
  };
  const endpoint = {
    url: receiver.url,
    topic: 'groups/new',
    group_id: null,
    at: clock.now(),
  } as const;
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
  expect(receiver.received.map(({ body }) => JSON.parse(body).action)).toEqual([
    'groups.deleteGroup',
  ]);
});

test('attempts are listed with bodies and responses, one delivery or a range is resent, and old deliveries are deleted', async () => {
  const { owner, api, createWebhook } = await newWebhookAccount(server, receiver);
  const endpoint = await createWebhook('subscribers/new');
  const path = `/client-api/api/webhooks/${endpoint.id}`;
  receiver.status = 500;
  await api.post('/subscribers', { email: 'eve@x.example' });
  await deliverDue(server.db);
  const [delivery] = (await owner.get(`${path}/deliveries`)).body.data;
  expect(delivery).toMatchObject({ state: 'due', attempts: 1, status: 500, is_test: false });
  const attempts = (await owner.get(`${path}/deliveries/${delivery.id}`)).body.data;
  expect(attempts).toMatchObject([{ status: 500, answer: 'thanks' }]);
  expect(JSON.parse(attempts[0].body).email).toBe('eve@x.example');
  receiver.status = 200;
  expect((await owner.post(`${path}/deliveries/${delivery.id}/resend`)).body.data.count).toBe(1);
  await deliverDue(server.db);
  const span = { from: new Date(Date.now() - 3_600_000).toISOString() };
  expect((await owner.post(`${path}/resend`, span)).body.data.count).toBe(1);
  await deliverDue(server.db);
  expect(receiver.received).toHaveLength(3);
  const outsider = await server.owner();
  for (const subpath of ['', '/deliveries', `/deliveries/${delivery.id}`])
    expect((await outsider.get(path + subpath)).status).toBe(404);
  expect((await outsider.post(`${path}/deliveries/${delivery.id}/resend`)).status).toBe(404);
  clock.advance(40 * 86_400_000);
  await deleteOldDeliveries(server.db);
  expect((await api.get(`/account/webhooks/${endpoint.id}/deliveries`)).body.data).toEqual([]);
});
