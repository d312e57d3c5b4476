// The official Node client against the running product over HTTP.
import type { AddressInfo } from 'node:net';
import { beforeAll, expect, test, vi } from 'vitest';
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

test('the client creates, gets and lists groups, and an error names the refused field', async () => {
  const sendloom = new Sendloom({ token, baseUrl });
  const group = await sendloom.call('POST /v2/groups', { body: { title: 'Readers' } });
  expect(group.data.title).toBe('Readers');
  const { id } = group.data;
  const readGroup = await sendloom.call('GET /v2/groups/{id}', { params: { id } });
  expect(readGroup.data.id).toBe(id);
  const list = await sendloom.call('GET /v2/groups', { query: { limit: 1 } });
  expect(list.meta.total).toBe(1);
  const validationError = await sendloom
    .call('POST /v2/groups', { body: { title: '' } })
    .catch((error: unknown) => error);
  expect(validationError).toBeInstanceOf(SendloomError);
  expect(validationError).toMatchObject({ status: 422, errors: { title: [expect.any(String)] } });
  const unauthorizedClient = new Sendloom({ token: 'nonsense', baseUrl });
  await expect(unauthorizedClient.call('GET /v2/groups')).rejects.toMatchObject({ status: 401 });
});

test('the client retries with the same idempotency key, so a request whose response is lost runs once', async () => {
  let attempt = 0;
  const broken: typeof fetch = async (...args) => {
    const response = await fetch(...args);
    attempt++;
    if (attempt === 1) throw new TypeError('The connection was lost');
    return attempt === 2 ? new Response('{}', { status: 503 }) : response;
  };
  const sendloom = new Sendloom({ token, baseUrl, fetch: broken });
  const group = await sendloom.call('POST /v2/groups', { body: { title: 'Once' } });
  expect(group.data.title).toBe('Once');
  expect(attempt).toBe(3);
  const plainClient = new Sendloom({ token, baseUrl });
  const list = await plainClient.call('GET /v2/groups');
  expect(list.data.filter(({ title }) => title === 'Once')).toHaveLength(1);
});

/** Returns a client that receives these responses, and a count of its requests. */
function clientWithResponses(...responses: (() => Response | Promise<Response>)[]) {
  let calls = 0;
  const stub: typeof fetch = async (_, init) => {
    init?.signal?.throwIfAborted();
    return (responses[Math.min(calls++, responses.length - 1)] as () => Response)();
  };
  const sendloom = new Sendloom({ token: 'a', baseUrl: 'https://news.shop.example', fetch: stub });
  return { sendloom, calls: () => calls };
}

const errorOf = (sendloom: Sendloom, input: { signal?: AbortSignal } = {}) =>
  sendloom.call('GET /v2/groups', input).catch((error: unknown) => error);

test('a non-JSON response is an error, even with status 200', async () => {
  const page = () => new Response('<p>Welcome', { headers: { 'content-type': 'text/html' } });
  for (const respond of [page, () => new Response(''), () => new Response(null, { status: 204 })]) {
    const { sendloom, calls } = clientWithResponses(respond);
    const error = await errorOf(sendloom);
    expect(error).toBeInstanceOf(SendloomError);
    expect(error).toMatchObject({ status: respond().status, code: 'not_json' });
    expect((error as Error).message).toContain('baseUrl');
    expect(calls()).toBe(1);
  }
  const movedClient = clientWithResponses(
    () => new Response('', { status: 301, headers: { location: 'https://new.shop.example/' } }),
  );
  expect(await errorOf(movedClient.sendloom)).toMatchObject({ status: 301, code: 'redirected' });
  const busy = clientWithResponses(
    () => new Response('<h1>Bad gateway', { status: 502, headers: { 'retry-after': '0' } }),
    () => Response.json({ data: [] }),
  );
  expect(await busy.sendloom.call('GET /v2/groups')).toEqual({ data: [] });
});

test('an error about refused content contains the findings', async () => {
  const findings = [{ code: 'tag_unknown', part: 'html', line: 3 }];
  const { sendloom } = clientWithResponses(() =>
    Response.json({ message: 'No', code: 'content_invalid', findings }, { status: 422 }),
  );
  expect(await errorOf(sendloom)).toMatchObject({ code: 'content_invalid', findings, errors: {} });
});

test.each([
  ['seconds', () => '20'],
  ['a date', () => new Date(Date.now() + 20_000).toUTCString()],
])('the client waits for Retry-After in %s', async (_, retryAfter) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  try {
    const headers = { 'retry-after': retryAfter() };
    const { sendloom, calls } = clientWithResponses(
      () => Response.json({}, { status: 429, headers }),
      () => Response.json({ data: [] }),
    );
    const pendingCall = sendloom.call('GET /v2/groups');
    await vi.advanceTimersByTimeAsync(18_000);
    expect(calls()).toBe(1);
    await vi.advanceTimersByTimeAsync(3000);
    expect([await pendingCall, calls()]).toEqual([{ data: [] }, 2]);
  } finally {
    vi.useRealTimers();
  }
});

test('an aborted signal ends a call, even while it waits to retry', async () => {
  const missingClient = clientWithResponses(() => Response.json({ data: [] }));
  const reason = new Error('The user left the page');
  expect(await errorOf(missingClient.sendloom, { signal: AbortSignal.abort(reason) })).toBe(reason);
  expect(missingClient.calls()).toBe(0);
  const headers = { 'retry-after': '30' };
  const busy = clientWithResponses(() => Response.json({}, { status: 503, headers }));
  const controller = new AbortController();
  const cancelledError = errorOf(busy.sendloom, { signal: controller.signal });
  await expect.poll(busy.calls).toBe(1);
  controller.abort(reason);
  expect(await cancelledError).toBe(reason);
  const silent: typeof fetch = (_, init) =>
    new Promise((__, reject) => {
      init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error));
    });
  const hung = new Sendloom({ token, baseUrl, fetch: silent });
  const lateController = new AbortController();
  const stoppedError = errorOf(hung, { signal: lateController.signal });
  lateController.abort(reason);
  expect(await stoppedError).toBe(reason);
});

test('an invalid base URL, a missing token or an unsafe parameter causes a clear error', async () => {
  const client = (address: string | undefined) => () => new Sendloom({ token, baseUrl: address });
  expect(client('news.shop.example')).toThrow('must begin with https:// or http://');
  expect(client('localhost:3000')).toThrow('must begin with https:// or http://');
  expect(client('ftp://news.shop.example')).toThrow('must begin with https:// or http://');
  expect(client('https://')).toThrow('not a valid address');
  expect(client(undefined)).toThrow('{ baseUrl }');
  expect(() => new Sendloom({ token: undefined, baseUrl })).toThrow('{ token }');
  for (const suffix of ['/', '/v2', '/v2//'])
    expect(await client(`${baseUrl}${suffix}`)().call('GET /v2/me')).toBeInstanceOf(Object);
  for (const id of ['', '.', '..'])
    await expect(client(baseUrl)().call('GET /v2/groups/{id}', { params: { id } })).rejects.toThrow(
      'params.id',
    );
});
