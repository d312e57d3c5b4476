// The official Node client against the running product over HTTP.
import type { AddressInfo } from 'node:net';
import { beforeAll, expect, test } from 'vitest';
import { publicClient } from '#testing/setup/public-client.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { Sendloom, SendloomError } from '../clients/node/index.ts';

let server: TestServer;
let token: string;
let baseUrl: string;

beforeAll(async () => {
  server = await testServer();
  ({ token } = await publicClient(server, await server.owner()));
  await server.app.listen({ port: 0, host: '127.0.0.1' });
  baseUrl = `http://127.0.0.1:${(server.app.server.address() as AddressInfo).port}`;
});

test('the client creates, gets and lists; errors name the field', async () => {
  const sendloom = new Sendloom({ token, baseUrl });
  const made = await sendloom.call('POST /v2/groups', { body: { title: 'Readers' } });
  expect(made.data.title).toBe('Readers');
  const { id } = made.data;
  const read = await sendloom.call('GET /v2/groups/{id}', { params: { id } });
  expect(read.data.id).toBe(id);
  const list = await sendloom.call('GET /v2/groups', { query: { limit: 1 } });
  expect(list.meta.total).toBe(1);
  const refused = await sendloom
    .call('POST /v2/groups', { body: { title: '' } })
    .catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(SendloomError);
  expect(refused).toMatchObject({ status: 422, errors: { title: [expect.any(String)] } });
  const stranger = new Sendloom({ token: 'nonsense', baseUrl });
  await expect(stranger.call('GET /v2/groups')).rejects.toMatchObject({ status: 401 });
});

test('the client retries with one idempotency key, so a request whose response was lost runs once', async () => {
  let tries = 0;
  const broken: typeof fetch = async (...args) => {
    const answer = await fetch(...args);
    tries++;
    if (tries === 1) throw new TypeError('The line broke');
    return tries === 2 ? new Response('{}', { status: 503 }) : answer;
  };
  const sendloom = new Sendloom({ token, baseUrl, fetch: broken });
  const made = await sendloom.call('POST /v2/groups', { body: { title: 'Once' } });
  expect(made.data.title).toBe('Once');
  expect(tries).toBe(3);
  const plain = new Sendloom({ token, baseUrl });
  const list = await plain.call('GET /v2/groups');
  expect(list.data.filter(({ title }) => title === 'Once')).toHaveLength(1);
});
