// Deliveries to an HTTP server: retries, disabled endpoints, large backlogs, slow endpoints.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { decodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import {
  newWebhookAccount,
  startSilentServer,
  startWebhookReceiver,
  type WebhookReceiver,
} from '#testing/servers/webhook-receiver.ts';
import { publicClient } from '#testing/setup/public-client.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { makeCalls } from './calls.ts';
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

test('a delivery that fails with a redirect or error is retried under the same ID, even a day later', async () => {
  const { api, createWebhook } = await newWebhookAccount(server, receiver);
  await api.post('/subscribers', { email: 'ada@x.example' });
  const { id } = await createWebhook('subscribers/updated');
  receiver.status = 302;
  await api.patch('/subscribers/ada@x.example', { firstname: 'A' });
  await deliverDue(server.db);
  expect(receiver.received).toHaveLength(1);
  receiver.status = 500;
  clock.advance(7_000);
  await deliverDue(server.db);
  expect(receiver.received).toHaveLength(2);
  receiver.status = 204;
  clock.advance(24 * 3_600_000);
  await deliverDue(server.db);
  expect(receiver.received).toHaveLength(3);
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  const attempts = (await api.get(`/account/webhooks/${id}/deliveries`)).body.data;
  expect(attempts).toMatchObject([{ state: 'delivered', attempts: 3, status: 204 }]);
});

test('a 410 response disables an endpoint immediately', async () => {
  const { api, createWebhook } = await newWebhookAccount(server, receiver);
  await api.post('/subscribers', { email: 'ada@x.example' });
  const removedEndpoint = await createWebhook('subscribers/updated');
  receiver.status = 410;
  await api.patch('/subscribers/ada@x.example', { firstname: 'B' });
  await deliverDue(server.db);
  expect((await api.get(`/account/webhooks/${removedEndpoint.id}`)).body.status).toBe('DISABLED');
});

test('a paused endpoint gets its backlog once it is active again', async () => {
  const { api, createWebhook } = await newWebhookAccount(server, receiver);
  await api.post('/subscribers', { email: 'ada@x.example' });
  const pausedEndpoint = await createWebhook('subscribers/unsubscribed');
  await api.patch(`/account/webhooks/${pausedEndpoint.id}`, { status: 'PAUSED' });
  await api.patch('/subscribers/ada@x.example', { subscriber_status: 'UNSUBSCRIBED' });
  await deliverDue(server.db);
  expect(receiver.received).toHaveLength(0);
  await api.put(`/account/webhooks/${pausedEndpoint.id}`, { status: 'ACTIVE' });
  await deliverDue(server.db);
  expect(receiver.received).toHaveLength(1);
});

test('a paused endpoint with a large backlog and a slow endpoint delay no other endpoint', async () => {
  const { api, createWebhook } = await newWebhookAccount(server, receiver);
  const pausedEndpoint = await createWebhook('subscribers/updated');
  await sql`insert into webhook_deliveries (account_id, endpoint_id, topic, subject_id, next_at, created_at)
    select account_id, id, topic, 0, now() - interval '1 day', now() from webhook_endpoints,
      generate_series(1, 20000) where account_id = ${api.accountId}`.execute(server.db);
  await api.patch(`/account/webhooks/${pausedEndpoint.id}`, { status: 'PAUSED' });
  const slowServer = await startSilentServer();
  await createWebhook('subscribers/unsubscribed', { url: slowServer.url });
  await createWebhook('subscribers/new');
  await api.post('/subscribers', { email: 'late@x.example' });
  await api.patch('/subscribers/late@x.example', { subscriber_status: 'UNSUBSCRIBED' });
  const stop = new AbortController();
  const running = deliverDue(server.db, stop.signal);
  await expect.poll(() => receiver.received.length, { timeout: 5_000 }).toBe(1);
  stop.abort();
  slowServer.close();
  await running;
});

test('each delivery of a large backlog is sent and recorded once', async () => {
  const { api, createWebhook } = await newWebhookAccount(server, receiver);
  await createWebhook('groups/new');
  await sql`insert into webhook_deliveries
      (account_id, endpoint_id, topic, subject_id, details, next_at, created_at)
    select account_id, id, topic, 0, jsonb_build_object('sample', n), now() - interval '1 day', now()
    from webhook_endpoints, generate_series(1, 1100) n
    where account_id = ${api.accountId}`.execute(server.db);
  await deliverDue(server.db);
  expect(receiver.received).toHaveLength(1100);
  expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1100);
  const { rows } = await sql<{ count: number; attempts: number; deliveries: number }>`
    select count(*) as count, min(e.total_deliveries) as deliveries, (select count(*) from webhook_attempts
      where account_id = ${api.accountId} and event_id = any(array_agg(v.id))) as attempts
    from webhook_deliveries v join webhook_endpoints e on e.account_id = v.account_id and e.id = v.endpoint_id
    where v.account_id = ${api.accountId} and v.state = 'delivered'`.execute(server.db);
  expect(rows).toEqual([{ count: 1100, attempts: 1100, deliveries: 1100 }]);
});

test('slow endpoints and slow workflow calls of one account leave capacity for another account', async () => {
  const { api, createWebhook } = await newWebhookAccount(server, receiver);
  const slowServer = await startSilentServer();
  const slowUrl = slowServer.url;
  const slowApi = await publicClient(server, await server.owner());
  const { accountId } = slowApi;
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
  const subscriber = await slowApi.post('/subscribers', { email: 'slow@x.example' });
  await calls(accountId, slowUrl, 1, decodeId('subscriber', subscriber.body.data.id) as number);
  await createWebhook('subscribers/new');
  const quickSubscriber = await api.post('/subscribers', { email: 'quick@x.example' });
  await calls(
    api.accountId,
    receiver.url,
    2,
    decodeId('subscriber', quickSubscriber.body.data.id) as number,
  );
  const stop = new AbortController();
  const running = [deliverDue(server.db, stop.signal), makeCalls(server.db, stop.signal)];
  await expect.poll(() => receiver.received.length, { timeout: 10_000 }).toBe(2);
  // The slow account gets at most sixteen concurrent endpoints, and five concurrent calls of a step.
  expect(slowServer.connections.length).toBeLessThanOrEqual(16 + 5);
  stop.abort();
  slowServer.close();
  await Promise.all(running);
  await sql`delete from workflow_http_calls`.execute(server.db);
  await sql`delete from webhook_endpoints where account_id = ${accountId}`.execute(server.db);
});

test('a ten-megabyte response is read up to a limit and counts as success', async () => {
  const { api, createWebhook } = await newWebhookAccount(server, receiver);
  await api.post('/subscribers', { email: 'ada@x.example' });
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
  const floodedEndpoint = await createWebhook('subscribers/updated', { url: floodUrl });
  await api.patch('/subscribers/ada@x.example', { firstname: 'C' });
  await deliverDue(server.db);
  const [attempt] = (await api.get(`/account/webhooks/${floodedEndpoint.id}/deliveries`)).body.data;
  expect(attempt).toMatchObject({ state: 'delivered', status: 200 });
  expect(attempt.answer.length).toBeLessThanOrEqual(2_048);
  flood.closeAllConnections();
  flood.close();
});

test('five days of failures disable an endpoint and send a system email', async () => {
  const { api, createWebhook } = await newWebhookAccount(server, receiver);
  await api.post('/subscribers', { email: 'ada@x.example' });
  const failing = await createWebhook('subscribers/updated');
  receiver.status = 503;
  const emailCount = async () =>
    (
      await sql<{ count: number }>`
        select count(*)::int as count from single_sends s
        join messages m on m.account_id = s.account_id and m.id = s.message_id
        where s.account_id = ${api.accountId} and m.kind = 'letter'
          and m.frozen #>> '{source,subject}' like '%webhook%'`.execute(server.db)
    ).rows[0]?.count;
  for (let day = 0; day <= 5; day++) {
    expect(await emailCount(), `day ${day}`).toBe(0);
    expect((await api.get(`/account/webhooks/${failing.id}`)).body.status).toBe('ACTIVE');
    await api.patch('/subscribers/ada@x.example', { firstname: `Day ${day}` });
    await deliverDue(server.db);
    clock.advance(24 * 3_600_000 + 60_000);
  }
  expect((await api.get(`/account/webhooks/${failing.id}`)).body.status).toBe('DISABLED');
  expect(await emailCount()).toBe(1);
  // No delivery is lost: after it was enabled again, the endpoint gets its backlog.
  receiver.status = 200;
  receiver.received = [];
  await api.patch(`/account/webhooks/${failing.id}`, { status: 'ACTIVE' });
  clock.advance(24 * 3_600_000);
  await deliverDue(server.db);
  expect(receiver.received.length).toBeGreaterThan(0);
});
