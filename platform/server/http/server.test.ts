// Tests the headers of responses, what the server serves besides calls, and which requests it
// refuses before a call.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyPluginAsync } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { publicClient } from '#testing/setup/public-client.ts';
import { testServer } from '#testing/setup/server.ts';
import { streamResponse } from './event-stream.ts';
import { createServer } from './server.ts';

const countOf = (server: Server) =>
  new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));

test('the server serves health, readiness, metrics and the API description', async () => {
  const server = await testServer();
  const client = server.client();
  expect((await client.get('/health')).body).toEqual({ status: 'ok' });
  expect((await client.get('/ready')).body).toEqual({ status: 'ready' });
  expect((await client.get('/metrics')).text).toContain(
    'sendloom_http_request_duration_seconds_bucket',
  );
  const document = (await client.get('/docs/openapi.json')).body;
  expect(document.openapi).toBe('3.1.0');
  expect(document.paths['/client-api/api/tags'].post.operationId).toBe('groups.createGroup');
  expect((await client.get('/docs/')).text).toContain('swagger-ui');
  expect((await client.get('/docs/json')).body).toEqual(document);
  const publicDocument = (await client.get('/docs/v2/json')).body;
  expect(publicDocument).toEqual((await client.get('/docs/v2.json')).body);
  expect(Object.keys(publicDocument.paths).filter((call) => !call.startsWith('/v2/'))).toEqual([]);
  for (const { paths, tags } of [document, publicDocument]) {
    const calls = Object.values<object>(paths).flatMap((path) => Object.values(path));
    expect(new Set(tags.map(({ name }: { name: string }) => name))).toEqual(
      new Set(calls.flatMap((call) => call.tags)),
    );
  }
  expect((await client.get('/docs/v2/yaml')).text).toContain('title: Sendloom API');
  // In text that is not code, the page would take `<token>` for a tag and drop it.
  for (const { info } of [document, publicDocument])
    expect(info.description.replaceAll(/`[^`]*`/g, '')).not.toMatch(/[<>]/);
});

test('other requests do not wait while an API description is built', async () => {
  const client = (await testServer()).client();
  const requestedPaths: string[] = [];
  const visit = async (path: string) => {
    expect((await client.get(path)).status).toBe(200);
    requestedPaths.push(path);
  };
  await Promise.all([visit('/docs/json'), visit('/docs/openapi.json'), visit('/health')]);
  expect(requestedPaths[0]).toBe('/health');
});

test('metrics are served only to this machine, and not through a proxy', async () => {
  const { app } = await testServer();
  const fetchStatus = async (remoteAddress: string, headers: Record<string, string> = {}) =>
    (await app.inject({ url: '/metrics', remoteAddress, headers })).statusCode;
  for (const near of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '127.8.8.8'])
    expect(await fetchStatus(near, { host: 'localhost:3000' }), near).toBe(200);
  for (const far of ['10.0.0.7', '::ffff:10.0.0.7', '2001:db8::1', '1.127.0.0'])
    expect(await fetchStatus(far, { host: '127.0.0.1' }), far).toBe(404);
  for (const header of ['X-Forwarded-For', 'Forwarded', 'X-Real-IP', 'Via', 'X-Forwarded-Host'])
    expect(await fetchStatus('127.0.0.1', { [header]: '198.51.100.4' }), header).toBe(404);
  expect(await fetchStatus('127.0.0.1', { host: 'news.shop.example' })).toBe(404);
});

test('the public port serves no metrics if METRICS_PORT is set', async () => {
  const client = (await testServer({ METRICS_PORT: '0' })).client();
  const response = await client.get('/metrics');
  expect([response.status, response.body.code]).toEqual([404, 'not_found']);
  expect((await client.get('/ready')).body).toEqual({ status: 'ready' });
});

test('the response to a call has an ID and is not cached, and a path may end in a slash', async () => {
  const server = await testServer();
  const owner = await server.owner();
  const response = await owner.get('/client-api/api/users/');
  expect(response.status).toBe(200);
  expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  expect(response.headers['cache-control']).toContain('no-cache');
  expect(response.headers['content-security-policy']).toContain("default-src 'self'");
});

test('an undecodable path returns a regular not-found response', async () => {
  const client = (await testServer()).client();
  const paths = ['/client-api/api/subscribers/%ff', '/v2/%zz', `/x/${'a'.repeat(600)}`, '/%c3%28'];
  for (const url of paths) {
    const { status, body, headers } = await client.get(url, { 'accept-language': 'de' });
    expect([status, Object.keys(body), body.code], url).toEqual([
      404,
      url.startsWith('/v2/') ? ['success', 'message', 'code'] : ['message', 'code'],
      'not_found',
    ]);
    expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  }
});

test("an undecodable link in an email returns a page in the visitor's language", async () => {
  const client = (await testServer()).client();
  const longText = 'a'.repeat(600);
  const paths = [
    '/u/%zz',
    '/u/%zz/preferences',
    '/v/%ff',
    '/t/c/%zz/1',
    `/u/${longText}`,
    '/u/a/b/c',
  ];
  for (const url of paths) {
    const headers = { 'accept-language': 'nb', accept: 'text/html' };
    const response = await client.get(url, headers);
    expect([response.status, response.headers['content-type']], url).toEqual([
      404,
      'text/html; charset=utf-8',
    ]);
    expect(response.text).toContain('Denne lenken virker ikke');
    expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  }
});

test('signed-out browsers are sent to the configured sign-in service, which may return them only to the product', async () => {
  const server = await testServer({ AUTH_URL: 'https://id.shop.example/login' });
  const response = await server.client().get('/auth?next=%2Fcampaigns');
  expect(response.status).toBe(302);
  expect(response.headers.location).toBe('https://id.shop.example/login?next=%2Fcampaigns');
  const foreignResponse = await server.client().get('/auth?next=https%3A%2F%2Fevil.example');
  expect(foreignResponse.headers.location).toBe('https://id.shop.example/login');
});

const PAGE = '<!doctype html><title>The client</title>';

/** Creates a server with a built client and no calls. */
async function clientServer() {
  const { config, db } = await testServer();
  const folder = await mkdtemp(path.join(os.tmpdir(), `sendloom-test-${process.pid}-client-`));
  await writeFile(path.join(folder, 'index.html'), PAGE);
  const app = await createServer({
    config,
    db,
    routes: [],
    authenticate: async () => undefined,
    clientFolder: folder,
  });
  onTestFinished(async () => {
    await app.close();
    await rm(folder, { recursive: true });
  });
  return app;
}

test('GET and HEAD return the client page to browsers and monitors; unknown calls and files get 404', async () => {
  const app = await clientServer();
  const browser = 'text/html,application/xhtml+xml,*/*;q=0.8';
  for (const accept of [browser, '*/*', undefined])
    for (const url of ['/', '/campaigns', '/subscribers?filter=a.b']) {
      const headers = accept === undefined ? {} : { accept };
      const page = await app.inject({ method: 'GET', url, headers });
      expect([page.statusCode, page.body], `${url} for ${accept}`).toEqual([200, PAGE]);
      const head = await app.inject({ method: 'HEAD', url, headers });
      expect([head.statusCode, head.body]).toEqual([200, '']);
      for (const name of ['content-type', 'content-length', 'cache-control'])
        expect(head.headers[name], name).toBe(page.headers[name]);
    }
  for (const url of ['/client-api/api/nothing', '/api/nothing', '/v2/nothing', '/api', '/t/x'])
    for (const accept of [browser, '*/*']) {
      const response = await app.inject({ method: 'GET', url, headers: { accept } });
      expect([response.statusCode, response.json().code], url).toEqual([404, 'not_found']);
    }
  // The status shows a monitor that it requested the wrong path.
  const far = { url: '/metrics', remoteAddress: '10.0.0.7', headers: { accept: '*/*' } };
  expect((await app.inject(far)).statusCode).toBe(404);
  const acceptImages = 'image/avif,image/webp,*/*;q=0.8';
  for (const [method, url, accept] of [
    ['GET', '/robots.txt', '*/*'],
    ['GET', '/logo', acceptImages],
    ['GET', '/campaigns', 'application/json'],
    ['POST', '/campaigns', browser],
  ] as const)
    expect((await app.inject({ method, url, headers: { accept } })).statusCode, url).toBe(404);
});

test('no other website may frame the client page, which has sign-in, consent and approvals', async () => {
  const app = await clientServer();
  for (const url of ['/', '/login', '/connect?request=x']) {
    const { body, headers } = await app.inject({ url, headers: { accept: 'text/html' } });
    expect(body, url).toBe(PAGE);
    expect(headers['x-frame-options'], url).toBe('SAMEORIGIN');
    expect(headers['content-security-policy'], url).toMatch(/(?:^|;)frame-ancestors 'self'(?:;|$)/);
  }
});

test('a request that starts before a shutdown is answered even if it ends later; new connections are refused', async () => {
  const { app } = await testServer();
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  const response = text(socket);
  await new Promise<void>((sent) =>
    socket.write('GET /health HTTP/1.1\r\nhost: x\r\n', () => sent()),
  );
  await expect.poll(() => countOf(app.server)).toBe(1);
  const closing = app.close();
  await expect
    .poll(() =>
      fetch(`http://127.0.0.1:${port}/health`).then(
        () => 'answered',
        () => 'refused',
      ),
    )
    .toBe('refused');
  socket.end('\r\n');
  expect(await response).toMatch(/^HTTP\/1\.1 200 [^]*connection: close[^]*\{"status":"ok"\}/i);
  await closing;
});

test('a stream that starts before a shutdown is sent completely before its connection closes', async () => {
  const end = Promise.withResolvers<void>();
  const begin = Promise.withResolvers<void>();
  const streaming: FastifyPluginAsync = async (app) => {
    app.get('/stream', (request, reply) =>
      streamResponse(request, reply, async (onText) => {
        onText('first');
        await end.promise;
        return 'last';
      }),
    );
    app.get('/late', async () => {
      await begin.promise;
      return 'late';
    });
  };
  const { config, db } = await testServer();
  const app = await createServer({
    ...{ config, db, routes: [], plugins: [streaming] },
    authenticate: async () => undefined,
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const stream = await fetch(`http://127.0.0.1:${port}/stream`);
  expect(stream.headers.get('connection')).toBe('keep-alive');
  const lateResponse = fetch(`http://127.0.0.1:${port}/late`);
  await expect.poll(() => countOf(app.server)).toBe(2);
  const closing = app.close();
  await expect.poll(() => app.server.listening).toBe(false);
  begin.resolve();
  expect((await lateResponse).headers.get('connection')).toBe('close');
  end.resolve();
  expect(await stream.text()).toBe('event: text\ndata: "first"\n\nevent: answer\ndata: "last"\n\n');
  const ended = await Promise.race([closing.then(() => 'closed'), delay(5000, 'waits')]);
  expect(ended).toBe('closed');
});

test('an unauthorized request is refused before its body is read', async () => {
  const { app } = await testServer();
  const postBody = (body: string) =>
    app.inject({
      method: 'POST',
      url: '/client-api/api/subscribers/text_import',
      headers: { 'content-type': 'application/json', 'x-sendloom': '1' },
      payload: body,
    });
  // If the body were read, the response would be another error: malformed or too large.
  for (const body of ['{', 'x'.repeat(40_000_000)]) {
    const { statusCode, json } = await postBody(body);
    expect([statusCode, json().code]).toEqual([401, 'unauthorized']);
  }
});

test('a list of the public API links to the public address if the Host header is invalid', async () => {
  const server = await testServer();
  const api = await publicClient(server, await server.owner());
  for (const host of ['a b', '[', 'x:99999999', 'shop.example:x', '%00']) {
    const { status, body } = await api.get('/subscribers', { host });
    expect([status, body.links.first], host).toEqual([
      200,
      expect.stringMatching(`^${server.config.publicUrl}/v2/subscribers`),
    ]);
  }
});

test('bodies that nest too deeply or contain too many values are refused before parsing', async () => {
  const server = await testServer();
  const owner = await server.owner();
  const api = await publicClient(server, owner);
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${api.token}` };
  const send = (url: string, payload: string) =>
    server
      .client()
      .send({ method: 'POST', url, headers: { ...headers, 'x-sendloom': '' }, payload });
  const nest = (open: string, close: string) => open.repeat(100_000) + close.repeat(100_000);
  for (const url of ['/v2/subscribers', '/v2/events', '/client-api/api/subscribers'])
    for (const payload of [
      nest('[', ']'),
      `{"email":${nest('{"a":', '}').replace('}', '1}')}}`,
      `[${'1,'.repeat(400_000)}1]`,
    ]) {
      const { status, body } = await send(url, payload);
      expect([status, Object.keys(body.errors)], url).toEqual([422, ['body']]);
    }
  const quotedPayload = { email: 'deep@shop.example', firstname: '\\"[[['.repeat(20) };
  expect((await send('/client-api/api/subscribers', JSON.stringify(quotedPayload))).status).toBe(
    200,
  );
});

test('queries with too many parameters are refused before validation', async () => {
  const server = await testServer();
  const owner = await server.owner();
  const api = await publicClient(server, owner);
  const queryOf = (name: string, count: number) => Array(count).fill(`${name}=1`).join('&');
  for (const name of ['search', 'ids[]', 'filter[a][b]', ''])
    for (const response of [
      await owner.get(`/client-api/api/subscribers?${queryOf(name, 201)}`),
      await api.get(`/subscribers?${queryOf(name, 201)}`),
      await server.client().get(`/auth/api/invitation?${queryOf(name, 201)}`),
    ])
      expect([response.status, response.body.errors], name).toEqual([
        422,
        { query: ['No more than 200 entries'] },
      ]);
  expect((await api.get(`/subscribers?${queryOf('unknown[]', 200)}`)).status).toBe(200);
  const page = await server.client().get(`/u/nothing?${queryOf('a', 3000)}`);
  expect(page.status).toBeLessThan(500);
});

test('a request that Node refuses gets an error code', async () => {
  const { app } = await testServer();
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const responseTo = (request: string) => {
    const socket = connect(port, '127.0.0.1');
    socket.write(request);
    return text(socket);
  };
  const largeResponse = await responseTo(
    `GET /v2/me HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`,
  );
  expect(largeResponse).toMatch(/^HTTP\/1\.1 431 [^]*"code":"headers_too_large"/);
  const broken = await responseTo('GET / HTTP/1.1\r\nno header\r\n\r\n');
  expect(broken).toMatch(/^HTTP\/1\.1 400 [^]*"code":"malformed_request"/);
});
