// Outgoing webhooks against a receiver of the test's: what is told, signed, tried again, given up.
import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { type PublicClient, publicClient } from '#testing/public-client.ts';
import { type TestServer, testServer } from '#testing/server.ts';
import { deliverDue } from './deliver.ts';

type Told = { headers: IncomingHttpHeaders; body: string };
let server: TestServer;
let api: PublicClient;
let other: PublicClient;
let told: Told[];
let url: string;
let status: number;

beforeAll(async () => {
  server = await testServer({ PRIVATE_HOSTS: 'yes' });
  api = await publicClient(server, await server.owner());
  other = await publicClient(server, await server.owner());
});
beforeEach(async () => {
  told = [];
  status = 200;
  const receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      told.push({ headers: request.headers, body });
      response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end('thanks');
    });
  });
  await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening));
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  return () => new Promise((closed) => receiver.close(closed));
});

const webhook = async (topic: string, more: object = {}) =>
  (await api.post('/account/webhooks', { url, topic, ...more })).body;

test('a new subscriber is told as the API shows them, signed both ways', async () => {
  const made = await webhook('subscribers/new');
  expect(made).toMatchObject({ status: 'ACTIVE', group: null, data: { id: made.id } });
  const { secret } = (await api.get('/account/webhooks/secret')).body.data;
  await api.post('/subscribers', { email: 'ada@x.example', firstname: 'Ada' });
  await other.post('/subscribers', { email: 'eve@x.example' });
  await deliverDue(server.db);
  expect(told).toHaveLength(1);
  const [{ headers, body }] = told as [Told];
  expect(JSON.parse(body)).toEqual((await api.get('/subscribers/ada@x.example')).body.data);
  const hex = createHmac('sha256', secret).update(body).digest('hex');
  expect(headers['x-sender-signature']).toBe(hex);
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const standard = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  expect(headers['webhook-signature']).toBe(standard);
  const rotated = (await api.post('/account/webhooks/secret')).body.data;
  expect(rotated.secret).not.toBe(secret);
  await api.post('/subscribers', { email: 'bob@x.example' });
  await deliverDue(server.db);
  expect(String(told[1]?.headers['webhook-signature']).split(' ')).toHaveLength(2);
  expect((await api.get(`/account/webhooks/${made.id}`)).body).toMatchObject({
    total_deliveries: 2,
    total_failures: 0,
  });
  await api.delete(`/account/webhooks/${made.id}`);
});

test('what fails is tried again under the same id, for a day that the receiver is down; redirects fail', async () => {
  const { id } = await webhook('subscribers/updated');
  status = 302;
  await api.patch('/subscribers/ada@x.example', { firstname: 'A' });
  await deliverDue(server.db);
  expect(told).toHaveLength(1);
  status = 500;
  clock.advance(7_000);
  await deliverDue(server.db);
  expect(told).toHaveLength(2);
  status = 204;
  clock.advance(24 * 3_600_000);
  await deliverDue(server.db);
  expect(told).toHaveLength(3);
  expect(new Set(told.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  const attempts = (await api.get(`/account/webhooks/${id}/deliveries`)).body.data;
  expect(attempts).toMatchObject([{ state: 'delivered', attempts: 3, status: 204 }]);
  await api.delete(`/account/webhooks/${id}`);
});

test('410 disables at once; one that is paused is told later, all of it', async () => {
  const gone = await webhook('subscribers/updated');
  status = 410;
  await api.patch('/subscribers/ada@x.example', { firstname: 'B' });
  await deliverDue(server.db);
  expect((await api.get(`/account/webhooks/${gone.id}`)).body.status).toBe('DISABLED');
  await api.delete(`/account/webhooks/${gone.id}`);
  const paused = await webhook('subscribers/unsubscribed');
  await api.patch(`/account/webhooks/${paused.id}`, { status: 'PAUSED' });
  status = 200;
  told = [];
  await api.patch('/subscribers/ada@x.example', { subscriber_status: 'UNSUBSCRIBED' });
  await deliverDue(server.db);
  expect(told).toHaveLength(0);
  await api.put(`/account/webhooks/${paused.id}`, { status: 'ACTIVE' });
  await deliverDue(server.db);
  expect(told).toHaveLength(1);
  await api.delete(`/account/webhooks/${paused.id}`);
});

test('a group’s own topics, and what is refused', async () => {
  const group = (await api.post('/groups', { title: 'VIP' })).body.data.id;
  expect(
    (await api.post('/account/webhooks', { url, topic: 'groups/new-subscriber' })).status,
  ).toBe(422);
  const made = await webhook('groups/new-subscriber', { relation_id: group });
  expect(made.group).toBe(group);
  await api.post('/subscribers', { email: 'vip@x.example', groups: [group] });
  await deliverDue(server.db);
  expect(told.map(({ body }) => JSON.parse(body).email)).toEqual(['vip@x.example']);
  expect((await other.get(`/account/webhooks/${made.id}`)).status).toBe(404);
  expect((await other.post(`/account/webhooks/${made.id}/resend`)).status).toBe(404);
  for (const change of [
    { url: 'ftp://x.example' },
    { topic: 'nothing' },
    { url: 'http://x.example:25/' },
  ])
    expect(
      (await api.post('/account/webhooks', { url, topic: 'bounces/new', ...change })).status,
    ).toBe(422);
});
