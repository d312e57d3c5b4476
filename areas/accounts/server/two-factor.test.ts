// The second factor over HTTP: it is set up, required at every sign-in and turned off. Codes are
// single-use and rate limited.
import { TOTP, Secret } from 'otpauth';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { type TestClient, type TestServer, testServer } from '#testing/setup/server.ts';
import { invitationSent } from './events.ts';

const API = '/client-api/api/two_factor';
const SIGN_IN = '/auth/api/sign-in';
let server: TestServer;
const tokens: string[] = [];

beforeAll(async () => {
  server = await testServer();
  invitationSent.on(async (_, { token }) => {
    tokens.push(token);
  });
});
afterEach(() => clock.reset());

const password = 'correct horse battery';
const codeOf = (secret: string) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: clock.now().getTime() });
/**
 * Returns the code of the next 30-second step at a time well within this step so that a slow
 * machine computes the same code.
 */
const nextCode = (secret: string) => {
  clock.freeze(new Date((Math.floor(clock.now().getTime() / 30_000) + 1) * 30_000 + 5_000));
  return codeOf(secret);
};

async function turnOn(owner: TestClient) {
  const { secret, address, picture } = (await owner.post(API, { password })).body.data;
  expect(address).toContain(`secret=${secret}`);
  expect(picture).toMatch(/^data:image\/svg\+xml;base64,/);
  const response = await owner.post(`${API}/confirm`, { code: '12345' });
  expect(response).toMatchObject({ status: 422, body: { code: 'wrong_code' } });
  const confirmation = await owner.post(`${API}/confirm`, { code: nextCode(secret) });
  expect(confirmation.status).toBe(200);
  return { secret, codes: confirmation.body.data.recovery_codes as string[] };
}

test('sign-in requires a code after the password, and each code works once', async () => {
  const email = 'owner@factor.example';
  const owner = await server.owner(email);
  expect((await owner.get(API)).body.data).toEqual({
    is_on: false,
    has_app: false,
    recovery_left: 0,
  });
  expect((await owner.post(API, { password: 'not this one' })).body.code).toBe('wrong_password');
  // Until the first code is confirmed, the password alone is sufficient.
  await owner.post(API, { password });
  expect((await server.client().post(SIGN_IN, { email, password })).status).toBe(200);
  const { secret, codes } = await turnOn(owner);
  expect(new Set(codes).size).toBe(10);
  expect((await owner.get(API)).body.data).toEqual({
    is_on: true,
    has_app: true,
    recovery_left: 10,
  });
  expect((await owner.post(API, { password })).body.code).toBe('two_factor_on');

  const visitor = server.client();
  const signIn = (code?: string) =>
    visitor.post(SIGN_IN, { email, password, ...(code !== undefined && { code }) });
  expect(await signIn()).toMatchObject({ status: 422, body: { code: 'code_required' } });
  // A wrong password reveals nothing about the second factor.
  const guess = await visitor.post(SIGN_IN, { email, password: 'not this one' });
  expect(guess.body.code).toBe('wrong_credentials');
  expect((await signIn('000')).body.code).toBe('wrong_code');
  const code = nextCode(secret);
  expect((await signIn(` ${code.slice(0, 3)} ${code.slice(3)}`)).status).toBe(200);
  expect((await signIn(code)).body.code).toBe('wrong_code');

  // A recovery code is accepted as typed from paper, and works once.
  expect((await signIn(codes[0]?.toUpperCase().replace('-', ' '))).status).toBe(200);
  expect((await signIn(codes[0])).body.code).toBe('wrong_code');
  expect((await owner.get(API)).body.data.recovery_left).toBe(9);
  const renewal = await owner.post(`${API}/recovery_codes`, { password });
  expect(renewal.body.data.recovery_codes).toHaveLength(10);
  expect((await signIn(codes[1])).body.code).toBe('wrong_code');

  expect((await owner.post(`${API}/off`, { password: 'no' })).body.code).toBe('wrong_password');
  expect((await owner.post(`${API}/off`, { password })).status).toBe(200);
  expect((await signIn()).status).toBe(200);
  expect((await owner.post(`${API}/recovery_codes`, { password })).body.code).toBe(
    'two_factor_off',
  );
});

test('attempts to enter a code are limited, and only one of several concurrent sign-ins with the same code succeeds', async () => {
  const email = 'guessed@factor.example';
  const { secret } = await turnOn(await server.owner(email));
  const body = { email, password, code: nextCode(secret) };
  const responses = await Promise.all([1, 2].map(() => server.client().post(SIGN_IN, body)));
  expect(responses.map((response) => response.status).sort()).toEqual([200, 422]);
  const visitor = server.client();
  const attempts = [];
  for (let attempt = 0; attempt < 12; attempt += 1) {
    attempts.push((await visitor.post(SIGN_IN, { email, password, code: 'x' })).status);
  }
  expect(attempts[0]).toBe(422);
  expect(attempts.at(-1)).toBe(429);
});

test('accepting an invitation to another account requires the second factor, with limited attempts', async () => {
  const email = 'guest@factor.example';
  const { secret } = await turnOn(await server.owner(email));
  const host = await server.owner('host@factor.example');
  await host.post('/client-api/api/invitations', { email });
  const token = tokens.at(-1);
  const path = '/auth/api/accept-invitation';
  const visitor = server.client();
  expect((await visitor.post(path, { token, password })).body.code).toBe('code_required');
  expect((await visitor.get('/client-api/api/users')).status).toBe(401);
  const response = await visitor.post(path, { token, password, code: nextCode(secret) });
  expect(response.status).toBe(200);
  const third = await server.owner('third@factor.example');
  await third.post('/client-api/api/invitations', { email });
  const attempts = [];
  for (let attempt = 0; attempt < 11; attempt += 1) {
    const guess = { token: tokens.at(-1), password, code: '000000' };
    attempts.push((await visitor.post(path, guess)).status);
  }
  expect([attempts[0], attempts.at(-1)]).toEqual([422, 429]);
});

test('a second factor applies only to its user, and visitors cannot see whether it is enabled', async () => {
  const owner = await server.owner('one@factor.example');
  const otherOwner = await server.owner('two@factor.example');
  await turnOn(owner);
  expect((await otherOwner.get(API)).body.data.is_on).toBe(false);
  expect((await server.client().get(API)).status).toBe(401);
});
