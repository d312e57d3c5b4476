// Tests the three captchas against a local server that implements their protocol, and a form that
// one of them protects.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { CAPTCHA_KINDS } from '#areas/forms/server/captcha-provider.ts';
import { testServer, type TestServer } from '#testing/setup/server.ts';
import { captcha } from './index.ts';

let service: Server;
let base = '';
let server: TestServer;
/** The requests that the service received, and its response. */
let requests: Record<string, string>[] = [];
let respond: () => { status: number; body: unknown };

beforeAll(async () => {
  service = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      requests.push(Object.fromEntries(new URLSearchParams(body)));
      const { status, body: responseBody } = respond();
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(responseBody));
    });
  });
  await new Promise<void>((settle) => service.listen(0, '127.0.0.1', settle));
  base = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  server = await testServer({
    SIGN_UP: 'open',
    CAPTCHA: 'turnstile',
    CAPTCHA_SITE_KEY: 'site-key',
    CAPTCHA_SECRET_KEY: 'secret-key',
    CAPTCHA_URL: base,
  });
});
afterAll(() => new Promise((settle) => service.close(settle)));
beforeEach(() => {
  requests = [];
  respond = () => ({ status: 200, body: { success: true } });
});

test.each(CAPTCHA_KINDS)(
  '%s handles correct, wrong and used tokens, and an unavailable service',
  async (kind) => {
    const provider = captcha({ kind, siteKey: 'site', secretKey: 'secret', baseUrl: base });
    expect(await provider.verify('token', '192.0.2.7')).toBe('right');
    expect(requests).toEqual([{ secret: 'secret', response: 'token', remoteip: '192.0.2.7' }]);
    for (const code of [
      'invalid-input-response',
      'timeout-or-duplicate',
      'missing-input-response',
    ]) {
      respond = () => ({ status: 200, body: { success: false, 'error-codes': [code] } });
      expect(await provider.verify('token', null), code).toBe('wrong');
    }
    respond = () => ({
      status: 200,
      body: { success: false, 'error-codes': ['invalid-input-secret'] },
    });
    expect(await provider.verify('token', null)).toBe('away');
    respond = () => ({ status: 503, body: {} });
    expect(await provider.verify('token', null)).toBe('away');
    respond = () => ({ status: 200, body: 'no object' });
    expect(await provider.verify('token', null)).toBe('wrong');
    requests = [];
    expect(await provider.verify('', null)).toBe('wrong');
    expect(requests).toEqual([]);
    const unreachable = captcha({
      kind,
      siteKey: 'site',
      secretKey: 'secret',
      baseUrl: 'http://127.0.0.1:9',
    });
    expect(await unreachable.verify('token', null)).toBe('away');
  },
);

test('a protected form needs a token and falls back to email confirmation during an outage', async () => {
  const owner = await server.owner();
  const API = '/client-api/api/forms';
  const createdForm = (await owner.post(API, { type: 'embed', title: 'News' })).body.data;
  const confirmation = { from_email: 'news@shop.example', from_name: 'Shop' };
  const form = (
    await owner.patch(`${API}/${createdForm.id}`, { is_active: 1, settings: { confirmation } })
  ).body.data;
  const hash = form.settings.embed_hash;
  const snapshot = (await server.client().get(`/f/s/${hash}.1.json`)).body;
  expect(snapshot.captcha).toBe('turnstile');
  expect(JSON.stringify(snapshot)).not.toContain('secret-key');
  const frame = await server.client().get(`/f/captcha/${hash}?hl=lt`);
  expect(frame.text).toContain('data-sitekey="site-key"');
  expect(frame.headers['content-security-policy']).toContain(`script-src 'sha256-`);
  expect(frame.headers['content-security-policy']).toContain('frame-ancestors *');
  expect((await server.client().get('/f/captcha/nonsense')).status).toBe(404);
  const post = (key: string, email: string, proof: string) =>
    server.client().send({
      method: 'POST',
      url: `/f/${hash}`,
      headers: { 'content-type': 'text/plain' },
      payload: JSON.stringify({ key, version: 1, data: { email }, proof, ms: 9_000 }),
    });
  respond = () => ({
    status: 200,
    body: { success: false, 'error-codes': ['missing-input-response'] },
  });
  const refusal = await post('without-a-token', 'a@guarded.example', '');
  expect(refusal.status).toBe(422);
  expect(refusal.body.errors.form).toBe('Please complete captcha');
  expect((await post('with-a-false-one', 'a@guarded.example', 'made-up')).status).toBe(422);
  respond = () => ({ status: 200, body: { success: true } });
  expect((await post('with-a-true-one', 'a@guarded.example', 'token')).status).toBe(200);
  respond = () => ({ status: 500, body: {} });
  expect((await post('while-it-is-away', 'b@guarded.example', 'token')).status).toBe(200);
  const statuses = async () =>
    Object.fromEntries(
      (await owner.get('/client-api/api/subscribers')).body.data.map(
        (row: { email: string; status: { email: string } }) => [row.email, row.status.email],
      ),
    );
  await expect
    .poll(statuses)
    .toEqual({ 'a@guarded.example': 'active', 'b@guarded.example': 'non-subscribed' });
});
