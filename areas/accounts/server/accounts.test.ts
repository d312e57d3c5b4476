// Sign-up, sign-in, sessions and their ends, over HTTP.
import { afterEach, beforeAll, expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { type TestServer, testServer } from '#testing/server.ts';
import { letterNeeded } from './events.ts';
import { checkCredentials, delayAfter } from './sign-in.ts';

let server: TestServer;
const letters: { kind: string; email: string; secret: string }[] = [];

beforeAll(async () => {
  server = await testServer();
  letterNeeded.on(async (_, facts) => {
    letters.push(facts);
  });
});

afterEach(() => clock.reset());

test('sign-up opens an account, signs in and mails a verification link', async () => {
  const owner = await server.owner('ada@shop.example');
  expect([...owner.cookies.keys()].sort()).toEqual([
    'refresh_token',
    'token',
    'token_set_time',
    'ttl',
  ]);
  const { body } = await owner.get('/client-api/api/users');
  expect(body.data.user).toMatchObject({
    email: 'ada@shop.example',
    tour: 0,
    email_verified: false,
  });
  expect(body.data.user.account).toBe(body.data.account.id);
  const letter = letters.find((one) => one.email === 'ada@shop.example');
  expect((await owner.post('/auth/api/verify-email', { token: letter?.secret })).status).toBe(200);
  expect((await owner.get('/client-api/api/users/onboard')).body.data.email_verified).toBe(true);
  const again = await owner.post('/auth/api/verify-email', { token: letter?.secret });
  expect(again).toMatchObject({ status: 422, body: { code: 'link_expired' } });
});

test('a taken address, a short and a common password are refused by name', async () => {
  await server.owner('taken@shop.example');
  const client = server.client();
  const taken = await client.post('/auth/api/sign-up', {
    email: 'Taken@shop.example',
    password: 'correct horse battery',
  });
  expect(taken).toMatchObject({ status: 409, body: { code: 'email_taken' } });
  const short = await client.post('/auth/api/sign-up', { email: 'a@b.example', password: 'short' });
  expect(short.body.errors.password).toEqual(['At least 10 characters']);
  const common = await client.post('/auth/api/sign-up', {
    email: 'a@b.example',
    password: 'Qwertyuiop',
  });
  expect(common.status).toBe(422);
  expect(common.body.errors.password[0]).toMatch(/too easy/);
  const unknown = await client.post('/auth/api/sign-up', {
    email: 'a@b.example',
    password: 'correct horse battery',
    plan: 'free',
  });
  expect(unknown.body.errors).toEqual({ plan: ['This field is not known'] });
});

test('five sign-ups an hour from one address, then 429 with Retry-After', async () => {
  const client = server.client();
  const statuses: number[] = [];
  for (let i = 0; i < 7; i++) {
    const answer = await client.send({
      method: 'POST',
      url: '/auth/api/sign-up',
      payload: { email: `many${i}@shop.example`, password: 'correct horse battery' },
      remoteAddress: '10.9.9.9',
    });
    statuses.push(answer.status);
    if (answer.status === 429) expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  }
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
});

test('sign-in answers the same for a wrong password and an unknown address', async () => {
  await server.owner('sam@shop.example');
  const client = server.client();
  const wrong = await client.post('/auth/api/sign-in', {
    email: 'sam@shop.example',
    password: 'not it at all',
  });
  const unknown = await client.post('/auth/api/sign-in', {
    email: 'who@shop.example',
    password: 'not it at all',
  });
  expect(wrong.status).toBe(422);
  expect({ ...wrong.body }).toEqual({ ...unknown.body });
  const right = await client.post('/auth/api/sign-in', {
    email: ' SAM@shop.example ',
    password: 'correct horse battery',
  });
  expect(right.status).toBe(200);
});

test('failures delay the answer from the fifth on and never lock out', async () => {
  await server.owner('slow@shop.example');
  const waits: number[] = [];
  const wait = async (ms: number) => waits.push(ms);
  for (let i = 0; i < 8; i++) {
    await expect(checkCredentials(server.db, 'slow@shop.example', 'wrong', wait)).rejects.toThrow(
      'wrong_credentials',
    );
  }
  expect(waits).toEqual([0, 0, 0, 0, 0, 1000, 2000, 4000]);
  await expect(
    checkCredentials(server.db, 'slow@shop.example', 'correct horse battery', wait),
  ).resolves.toMatchObject({ userId: expect.any(Number) });
  expect(delayAfter({ failures: 40, last_at: clock.now() })).toBe(16_000);
});

test('a refresh token is used once; its second use ends the family', async () => {
  const owner = await server.owner();
  const stolen = owner.cookies.get('refresh_token') as string;
  expect((await owner.post('/auth/api/refresh')).status).toBe(200);
  expect(owner.cookies.get('refresh_token')).not.toBe(stolen);
  clock.advance(60_000);
  const thief = server.client();
  thief.cookies.set('refresh_token', stolen);
  expect((await thief.post('/auth/api/refresh')).status).toBe(401);
  expect((await owner.get('/client-api/api/users')).status).toBe(401);
  expect((await owner.post('/auth/api/refresh')).status).toBe(401);
});

test('the session cookie ends by itself and is renewed by the refresh token', async () => {
  const owner = await server.owner();
  clock.advance(901_000);
  expect((await owner.get('/client-api/api/users')).status).toBe(401);
  expect((await owner.post('/auth/api/refresh')).status).toBe(200);
  expect((await owner.get('/client-api/api/users')).status).toBe(200);
});

test('sign-out ends the session for good', async () => {
  const owner = await server.owner();
  const token = owner.cookies.get('token') as string;
  await owner.post('/auth/api/sign-out');
  expect(owner.cookies.size).toBe(0);
  owner.cookies.set('token', token);
  expect((await owner.get('/client-api/api/users')).status).toBe(401);
});

test('a forgotten password: same answer for all, one link, all sessions end', async () => {
  const owner = await server.owner('forgot@shop.example');
  const client = server.client();
  const known = await client.post('/auth/api/forgot-password', { email: 'Forgot@shop.example' });
  const unknown = await client.post('/auth/api/forgot-password', { email: 'nobody@shop.example' });
  expect(known.body).toEqual(unknown.body);
  await server.runJobs();
  const mailed = letters.filter((letter) => letter.kind === 'password_reset');
  expect(mailed.map((letter) => letter.email)).toEqual(['forgot@shop.example']);
  const reset = { token: mailed[0]?.secret, password: 'an entirely new secret' };
  expect((await client.post('/auth/api/reset-password', reset)).status).toBe(200);
  expect((await client.post('/auth/api/reset-password', reset)).body.code).toBe('link_expired');
  expect((await owner.get('/client-api/api/users')).status).toBe(401);
  const signIn = { email: 'forgot@shop.example', password: 'an entirely new secret' };
  expect((await client.post('/auth/api/sign-in', signIn)).status).toBe(200);
});

test('writes with a cookie need the header X-Sendloom', async () => {
  const owner = await server.owner();
  const { body } = await owner.get('/client-api/api/users');
  const url = `/client-api/api/users/${body.data.user.id}`;
  const without = await owner.send({
    method: 'PATCH',
    url,
    payload: { tour: 2 },
    headers: { 'x-sendloom': '' },
  });
  expect(without).toMatchObject({ status: 403, body: { code: 'write_header_missing' } });
  const letter = await owner.get(`${url}/resend_verification_letter`, { 'x-sendloom': '' });
  expect(letter.status).toBe(403);
  expect((await owner.patch(url, { tour: 2 })).body.data.tour).toBe(2);
});

test("another user's id is not found, whatever is asked of it", async () => {
  const owner = await server.owner();
  const other = await server.owner();
  const { body } = await other.get('/client-api/api/users');
  const url = `/client-api/api/users/${body.data.user.id}`;
  expect((await owner.patch(url, { tour: 2 })).status).toBe(404);
  expect((await owner.get(`${url}/resend_verification_letter`)).status).toBe(404);
  expect(
    (await owner.patch(`/client-api/api/users/${body.data.account.id}`, { tour: 2 })).status,
  ).toBe(404);
  expect((await owner.patch('/client-api/api/users/nonsense', { tour: 2 })).status).toBe(404);
});

test('errors speak the language of the caller', async () => {
  const client = server.client();
  const answer = await client.get('/client-api/api/users', {
    'accept-language': 'fa-IR, en;q=0.5',
  });
  expect(answer).toMatchObject({ status: 401, body: { message: 'لطفاً وارد شوید.' } });
});

test('not JSON, too large, a wrong type: each a clear answer', async () => {
  const client = server.client();
  const send = (payload: string, type = 'application/json') =>
    client.send({
      method: 'POST',
      url: '/auth/api/sign-in',
      payload,
      headers: { 'content-type': type },
    });
  expect(await send('{nonsense')).toMatchObject({
    status: 422,
    body: { errors: { body: ['This is not valid JSON'] } },
  });
  expect((await send('x', 'text/strange')).status).toBe(415);
  expect((await send(JSON.stringify({ email: 'x'.repeat(1_100_000) }))).status).toBe(413);
  expect(await send('{"email": 5, "password": null}')).toMatchObject({
    status: 422,
    body: { errors: { email: [expect.any(String)], password: [expect.any(String)] } },
  });
});
