// Passkeys over HTTP: they are added, used to sign in, renamed and removed. Replays, copied
// passkeys, foreign origins and passkeys of other users are refused.
import { afterEach, beforeAll, expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { type Authenticator, newAuthenticator } from '#testing/setup/authenticator.ts';
import { type TestClient, type TestServer, testServer } from '#testing/setup/server.ts';
import { invitationSent, systemEmailNeeded, signInChanged } from './events.ts';

const API = '/client-api/api/passkeys';
const SIGN_IN = '/auth/api/passkey';
const password = 'correct horse battery';
let server: TestServer;
const tokens: string[] = [];
const secrets = new Map<string, string>();
const changes: string[] = [];

beforeAll(async () => {
  server = await testServer();
  invitationSent.on(async (_, { token }) => {
    tokens.push(token);
  });
  systemEmailNeeded.on(async (_, { email, secret }) => void secrets.set(email, secret));
  signInChanged.on(async (_, { kind, email }) => void changes.push(`${kind} ${email}`));
});
afterEach(() => clock.reset());

const optionsFor = async (owner: TestClient) =>
  (await owner.post(`${API}/options`, { password })).body.data;
const signInOptions = async (client: TestClient) =>
  (await client.post(`${SIGN_IN}/options`)).body.data;

async function addPasskey(owner: TestClient, name = 'My phone') {
  const device = newAuthenticator();
  const passkey = device.create(await optionsFor(owner));
  const response = await owner.post(API, { name, passkey });
  expect([response.status, response.text]).toEqual([200, expect.any(String)]);
  return {
    device,
    id: response.body.data.passkey.id as string,
    codes: response.body.data.recovery_codes as string[] | null,
  };
}

async function signIn(device: Authenticator, overrides = {}, client = server.client()) {
  const passkey = device.get(await signInOptions(client), overrides);
  return { passkey, answer: await client.post(SIGN_IN, { passkey }) };
}

const isFailed = { status: 422, body: { code: 'passkey_failed' } };

test('adding a passkey requires the password, and each challenge allows one sign-in with the passkey', async () => {
  const owner = await server.owner('ada@passkey.example');
  expect((await owner.post(`${API}/options`, { password: 'no' })).body.code).toBe('wrong_password');
  const { device, id, codes } = await addPasskey(owner);
  expect(codes).toHaveLength(10);
  const [listed] = (await owner.get(API)).body.data;
  expect(listed).toMatchObject({ id, name: 'My phone', last_used: null });

  const visitor = server.client();
  const { passkey, answer: response } = await signIn(device, {}, visitor);
  expect(response.body.data.user.email).toBe('ada@passkey.example');
  expect((await visitor.get('/client-api/api/users')).status).toBe(200);
  expect((await owner.get(API)).body.data[0].last_used).not.toBeNull();
  // A replay is refused, and so is one of two concurrent responses to a challenge.
  expect(await server.client().post(SIGN_IN, { passkey })).toMatchObject(isFailed);
  const options = await signInOptions(visitor);
  const passkeys = [device.get(options), device.get(options)];
  const responses = await Promise.all(
    passkeys.map((passkey) => server.client().post(SIGN_IN, { passkey })),
  );
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 422]);
});

test('two concurrent first passkeys create one valid set of recovery codes', async () => {
  const email = 'twice@passkey.example';
  const owner = await server.owner(email);
  const devices = [newAuthenticator(), newAuthenticator()];
  const registrations = [];
  for (const device of devices) registrations.push(device.create(await optionsFor(owner)));
  const responses = await Promise.all(
    registrations.map((passkey, i) => owner.post(API, { name: `Device ${i}`, passkey })),
  );
  expect(responses.map(({ status }) => status)).toEqual([200, 200]);
  const sets = responses.flatMap(({ body }) => body.data.recovery_codes ?? []);
  expect(sets).toHaveLength(10);
  const credentials = { email, password, code: sets[0] };
  expect((await server.client().post('/auth/api/sign-in', credentials)).status).toBe(200);
});

test('a challenge expires within minutes and is valid only for signing in to this installation', async () => {
  const { device } = await addPasskey(await server.owner());
  const visitor = server.client();
  const latePasskey = device.get(await signInOptions(visitor));
  clock.advance(6 * 60_000);
  expect(await visitor.post(SIGN_IN, { passkey: latePasskey })).toMatchObject(isFailed);
  const foreignPasskey = device.get({ challenge: 'AAAAAAAAAAAAAAAAAAAAAA' });
  expect(await visitor.post(SIGN_IN, { passkey: foreignPasskey })).toMatchObject(isFailed);
  // A challenge for a registration does not sign in.
  const owner = await server.owner();
  const misusedPasskey = device.get(await optionsFor(owner));
  expect(await visitor.post(SIGN_IN, { passkey: misusedPasskey })).toMatchObject(isFailed);
});

test('a failed registration or sign-in consumes its challenge', async () => {
  const owner = await server.owner();
  const { device } = await addPasskey(owner);
  const options = await optionsFor(owner);
  const authenticator = newAuthenticator();
  const wrongPasskey = authenticator.create(options, { origin: 'https://phish.example' });
  expect(await owner.post(API, { name: 'x', passkey: wrongPasskey })).toMatchObject(isFailed);
  const registration = authenticator.create(options);
  expect(await owner.post(API, { name: 'x', passkey: registration })).toMatchObject(isFailed);
  const visitor = server.client();
  const challenge = await signInOptions(visitor);
  for (const overrides of [{ origin: 'https://phish.example' }, {}]) {
    const passkey = device.get(challenge, overrides);
    expect(await visitor.post(SIGN_IN, { passkey })).toMatchObject(isFailed);
  }
});

test('another site, another domain, missing user verification and a cloned authenticator are refused', async () => {
  const owner = await server.owner();
  const { device } = await addPasskey(owner);
  for (const overrides of [
    { origin: 'https://phish.example' },
    { origin: 'http://localhost:3001' },
    { rpId: 'phish.example' },
    { isUnverified: true },
  ]) {
    expect((await signIn(device, overrides)).answer, JSON.stringify(overrides)).toMatchObject(
      isFailed,
    );
    const passkey = newAuthenticator().create(await optionsFor(owner), overrides);
    expect(await owner.post(API, { name: 'x', passkey }), JSON.stringify(overrides)).toMatchObject(
      isFailed,
    );
  }
  expect((await signIn(device, { counter: 20 })).answer.status).toBe(200);
  for (const counter of [20, 7]) {
    expect((await signIn(device, { counter })).answer).toMatchObject(isFailed);
  }
  expect((await signIn(device, { counter: 21 })).answer.status).toBe(200);
  // An authenticator without a counter reports 0 each time.
  const authenticator = newAuthenticator();
  const passkey = authenticator.create(await optionsFor(owner), { counter: 0 });
  expect((await owner.post(API, { name: 'Synced', passkey })).status).toBe(200);
  for (let at = 0; at < 2; at += 1) {
    expect((await signIn(authenticator, { counter: 0 })).answer.status).toBe(200);
  }
});

test("a user can neither read, use nor remove another user's passkeys", async () => {
  const owner = await server.owner('mine@passkey.example');
  const otherOwner = await server.owner('theirs@passkey.example');
  const { device, id } = await addPasskey(owner);
  expect((await otherOwner.get(API)).body.data).toEqual([]);
  expect((await otherOwner.patch(`${API}/${id}`, { name: 'Mine' })).status).toBe(404);
  expect((await otherOwner.post(`${API}/${id}/remove`, { password })).status).toBe(404);
  expect((await server.client().get(API)).status).toBe(401);
  // A challenge for one user cannot be answered in the session of another user.
  const passkey = newAuthenticator().create(await optionsFor(owner));
  expect(await otherOwner.post(API, { name: 'x', passkey })).toMatchObject(isFailed);
  // A registered passkey cannot be added again, by any user.
  const secondPasskey = device.create(await optionsFor(otherOwner));
  expect(await otherOwner.post(API, { name: 'x', passkey: secondPasskey })).toMatchObject(isFailed);
  // A passkey is not a second factor for another user's password.
  await addPasskey(otherOwner);
  const signedPasskey = device.get(await signInOptions(otherOwner));
  const body = { email: 'theirs@passkey.example', password, passkey: signedPasskey };
  expect(await server.client().post('/auth/api/sign-in', body)).toMatchObject(isFailed);
  // A passkey that returns the handle of another user is refused.
  device.create({ challenge: 'x', user: { id: 'c29tZWJvZHkgZWxzZQ' } });
  expect((await signIn(device)).answer).toMatchObject(isFailed);
});

test('a password sign-in also requires a passkey or a recovery code if the user has a passkey', async () => {
  const email = 'both@passkey.example';
  const owner = await server.owner(email);
  const { device, id, codes } = await addPasskey(owner);
  const factor = async () => (await owner.get('/client-api/api/two_factor')).body.data;
  expect(await factor()).toEqual({ is_on: true, has_app: false, recovery_left: 10 });
  const visitor = server.client();
  const enter = (extraFields = {}) =>
    visitor.post('/auth/api/sign-in', { email, password, ...extraFields });
  expect((await enter()).body.code).toBe('code_required');
  expect((await enter({ code: '123456' })).body.code).toBe('wrong_code');
  expect((await enter({ passkey: device.get(await signInOptions(visitor)) })).status).toBe(200);
  expect((await enter({ code: codes?.[0] })).status).toBe(200);
  expect((await enter({ code: codes?.[0] })).body.code).toBe('wrong_code');
  const response = await owner.post('/client-api/api/two_factor/recovery_codes', { password });
  expect(response.body.data.recovery_codes).toHaveLength(10);
  // A second passkey creates no codes; the existing ones remain valid.
  const second = await addPasskey(owner, 'Laptop');
  expect(second.codes).toBeNull();
  expect(await factor()).toMatchObject({ recovery_left: 10 });

  // Accepting an invitation also requires the second factor.
  const host = await server.owner();
  await host.post('/client-api/api/invitations', { email });
  const accept = (extraFields = {}) =>
    visitor.post('/auth/api/accept-invitation', { token: tokens.at(-1), password, ...extraFields });
  expect((await accept()).body.code).toBe('code_required');
  const challenge = await signInOptions(visitor);
  const passkey = device.get(challenge);
  expect((await accept({ passkey, password: 'wrong' })).body.code).toBe('wrong_credentials');
  // The failed attempt consumed the challenge.
  expect((await accept({ passkey: device.get(challenge) })).body.code).toBe('passkey_failed');
  expect((await accept({ passkey: device.get(await signInOptions(visitor)) })).status).toBe(200);

  expect((await owner.patch(`${API}/${id}`, { name: 'Old phone' })).body.data.name).toBe(
    'Old phone',
  );
  expect((await owner.post(`${API}/${id}/remove`, { password: 'no' })).body.code).toBe(
    'wrong_password',
  );
  for (const passkeyId of [id, second.id]) {
    expect((await owner.post(`${API}/${passkeyId}/remove`, { password })).status).toBe(200);
  }
  expect((await signIn(device)).answer).toMatchObject(isFailed);
  expect(await factor()).toEqual({ is_on: false, has_app: false, recovery_left: 0 });
  expect((await enter()).status).toBe(200);
});

test('a user who was removed from their last account and signs up again does not get the earlier passkeys', async () => {
  const host = await server.owner();
  const email = 'left@passkey.example';
  await host.post('/client-api/api/invitations', { email });
  const guest = server.client();
  await guest.post('/auth/api/accept-invitation', { token: tokens.at(-1), password });
  const { device } = await addPasskey(guest);
  const { id } = (await guest.get('/client-api/api/users')).body.data.user;
  await host.delete(`/client-api/api/account_users/${id}`);
  expect((await signIn(device)).answer).toMatchObject(isFailed);
  await server.owner(email);
  expect((await signIn(device)).answer).toMatchObject(isFailed);
});

test('a password reset keeps second factors unless the address is unverified', async () => {
  const reset = async (email: string) => {
    const client = server.client();
    await client.post('/auth/api/forgot-password', { email });
    await server.runJobs();
    const newCredentials = { token: secrets.get(email), password: 'the reader of the address' };
    expect((await client.post('/auth/api/reset-password', newCredentials)).status).toBe(200);
  };
  const email = 'whose@passkey.example';
  const outsider = await server.owner(email);
  const { device, codes } = await addPasskey(outsider);
  // No notification is sent to an unverified address, which may belong to another person.
  expect(changes).not.toContain(`passkey_added ${email}`);
  await reset(email);
  expect((await signIn(device)).answer).toMatchObject(isFailed);
  const credentials = { email, password: 'the reader of the address' };
  expect((await server.client().post('/auth/api/sign-in', credentials)).status).toBe(200);
  expect(codes).toHaveLength(10);

  // At a verified address, access to the mailbox alone does not bypass the second factor.
  const owner = server.client();
  await owner.post('/auth/api/sign-in', credentials);
  const options = await owner.post(`${API}/options`, { password: credentials.password });
  const authenticator = newAuthenticator();
  const passkey = authenticator.create(options.body.data);
  expect((await owner.post(API, { name: 'Mine', passkey })).status).toBe(200);
  expect(changes).toContain(`passkey_added ${email}`);
  await reset(email);
  expect((await server.client().post('/auth/api/sign-in', credentials)).body.code).toBe(
    'code_required',
  );
  expect((await signIn(authenticator)).answer.status).toBe(200);
});

test('a user has at most twenty passkeys, and invalid input gets an error', async () => {
  const owner = await server.owner();
  const visitor = server.client();
  for (const passkey of [null, {}, { id: 'x', rawId: 'x', type: 'public-key', response: {} }]) {
    expect((await visitor.post(SIGN_IN, { passkey })).status).toBe(422);
  }
  const text = 'bm90IEpTT04';
  const response = { clientDataJSON: text, authenticatorData: text, signature: text };
  const passkey = { id: 'x', rawId: 'x', type: 'public-key', response };
  expect(await visitor.post(SIGN_IN, { passkey })).toMatchObject(isFailed);
  const at = new Date();
  await server.db
    .insertInto('passkeys')
    .values(
      Array.from({ length: 20 }, (_, n) => ({
        user_id: owner.userId,
        credential_id: Buffer.from(`${owner.userId} ${n}`),
        public_key: Buffer.from('x'),
        counter: 0,
        name: `${n}`,
        created_at: at,
      })),
    )
    .execute();
  expect((await owner.post(`${API}/options`, { password })).body.code).toBe('too_many_passkeys');
});
