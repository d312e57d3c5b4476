// Cookies of an installation with an https address are Secure, even if a proxy omits
// X-Forwarded-Proto. Only a client on this machine that requests localhost or 127.0.0.1 directly by
// http gets them without Secure.
import { beforeAll, expect, test } from 'vitest';
import { type TestServer, testServer } from '#testing/setup/server.ts';

let server: TestServer;
const HOST = 'news.shop.example';

beforeAll(async () => {
  server = await testServer({ PUBLIC_URL: `https://${HOST}`, SMTP_URL: 'smtp://127.0.0.1:9' });
  await server.owner('ada@shop.example');
});

async function cookiesOf(headers: Record<string, string>, remoteAddress?: string) {
  const response = await server.client().send({
    method: 'POST',
    url: '/auth/api/sign-in',
    payload: { email: 'ada@shop.example', password: 'correct horse battery' },
    headers,
    ...(remoteAddress === undefined ? {} : { remoteAddress }),
  });
  expect(response.status, response.text).toBe(200);
  const cookies = [response.headers['set-cookie'] ?? []].flat();
  expect(cookies.length).toBeGreaterThan(3);
  return cookies;
}

test.each([
  ['a client of a remote proxy', { host: HOST }, '10.0.0.7'],
  ['a client of a local proxy', { host: HOST }, '127.0.0.1'],
  [
    'a browser behind a local proxy that requests 127.0.0.1',
    { host: '127.0.0.1:3000', origin: `https://${HOST}` },
    '127.0.0.1',
  ],
  [
    'a client of a local proxy that forwards the client address',
    { host: 'localhost', 'x-forwarded-for': '192.0.2.1' },
    '::1',
  ],
  ['a remote client with a localhost Host header', { host: 'localhost' }, '192.0.2.1'],
])('%s gets Secure cookies', async (_, headers, remoteAddress) => {
  for (const cookie of await cookiesOf(headers, remoteAddress))
    expect(cookie).toContain('; Secure');
});

test.each([
  ['curl', { host: 'localhost:3000' }],
  ['a browser', { host: '127.0.0.1:3000', origin: 'http://127.0.0.1:3000' }],
])('%s on this machine gets cookies without Secure', async (_, headers) => {
  for (const cookie of await cookiesOf(headers, '127.0.0.1'))
    expect(cookie).not.toContain('Secure');
});
