// Sign-up, sign-in, sessions, password resets and changes of the email address, over HTTP. Also the
// deletion of expired data.
import { sql } from 'kysely';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { failNode } from '#testing/setup/node-failures.ts';
import { type TestOwner, type TestServer, testServer } from '#testing/setup/server.ts';
import { systemEmailNeeded } from './events.ts';
import { deleteOldSessions, housekeepingPoller } from './housekeeping.ts';
import { checkCredentials, computeDelay } from './sign-in.ts';

let server: TestServer;
const emails: { kind: string; email: string; secret: string }[] = [];

beforeAll(async () => {
  server = await testServer();
  systemEmailNeeded.on(async (_, systemEmail) => {
    emails.push(systemEmail);
  });
});

afterEach(() => clock.reset());

test('sign-up creates an account, signs its owner in and emails a verification link that works until it expires', async () => {
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
  const systemEmail = emails.find(({ email }) => email === 'ada@shop.example');
  expect((await owner.post('/auth/api/verify-email', { token: systemEmail?.secret })).status).toBe(
    200,
  );
  expect((await owner.get('/client-api/api/users/onboard')).body.data.email_verified).toBe(true);
  // Email clients open links before the reader does, so a second request also succeeds.
  expect((await owner.post('/auth/api/verify-email', { token: systemEmail?.secret })).status).toBe(
    200,
  );
  clock.advance(8 * 86_400_000);
  expect(
    await server.client().post('/auth/api/verify-email', { token: systemEmail?.secret }),
  ).toMatchObject({ status: 422, body: { code: 'link_expired' } });
});

test('a taken address, a short or common password and an unknown field are refused with specific errors', async () => {
  await server.owner('taken@shop.example');
  const client = server.client();
  const duplicate = await client.post('/auth/api/sign-up', {
    email: 'Taken@shop.example',
    password: 'correct horse battery',
  });
  expect(duplicate).toMatchObject({ status: 409, body: { code: 'email_taken' } });
  const response = await client.post('/auth/api/sign-up', {
    email: 'a@b.example',
    password: 'short',
  });
  expect(response.body.errors.password).toEqual(['At least 10 characters']);
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

test.each([
  ['A+tag@Shop.Example', 'A+tag@Shop.Example'],
  ["o'brien&sons@shop.example", "o'brien&sons@shop.example"],
  [' ada@bücher.example ', 'ada@xn--bcher-kva.example'],
  ['ada@пример.рф', 'ada@xn--e1afmkfd.xn--p1ai'],
  [`${'x'.repeat(64)}@long.example`, `${'x'.repeat(64)}@long.example`],
])(
  'a user signs up with the address %j and signs in with any capitalization of it',
  async (input, stored) => {
    const owner = await server.owner(input);
    expect((await owner.get('/client-api/api/users')).body.data.user.email).toBe(stored);
    const signIn = { email: input.toUpperCase(), password: 'correct horse battery' };
    expect((await server.client().post('/auth/api/sign-in', signIn)).status).toBe(200);
  },
);

test.each([
  'a@b',
  'a..b@shop.example',
  '"a b"@shop.example',
  'a@[127.0.0.1]',
  'a@shop.example\r\nBcc: b@shop.example',
  'a@shop.example,b@shop.example',
  'a\u0000@shop.example',
  'a@пример.рф/x',
  `${'x'.repeat(65)}@shop.example`,
  `a@${'x'.repeat(64)}.example`,
])('the address %j is refused with an error for its field', async (email) => {
  const response = await server.client().send({
    method: 'POST',
    url: '/auth/api/sign-up',
    payload: { email, password: 'correct horse battery' },
    remoteAddress: `10.7.0.${email.length % 250}`,
  });
  expect(response).toMatchObject({
    status: 422,
    body: { errors: { email: ['Please enter a valid email address'] } },
  });
});

test('sign-up returns 503 with a reason while a database node is down, and succeeds afterwards', async () => {
  const end = await failNode(server.db, 'users');
  const credentials = { email: 'away@shop.example', password: 'correct horse battery' };
  const response = await server.client().post('/auth/api/sign-up', credentials);
  await end();
  expect([response.status, response.body.code]).toEqual([503, 'sign_up_unavailable']);
  expect(response.body.message).toContain('Existing accounts are not affected');
  expect((await server.client().post('/auth/api/sign-up', credentials)).status).toBe(200);
});

test("a sign-in opens the user's second account if only the node of the first is down, and returns 503 if all nodes are down", async () => {
  const firstOwner = await server.owner('two@shop.example');
  const second = await server.owner();
  await sql`insert into memberships (user_id, account_id, created_at)
    values (${firstOwner.userId}, ${second.accountId}, ${clock.now()})`.execute(server.db);
  const credentials = { email: 'two@shop.example', password: 'correct horse battery' };
  const signedIn = async () => {
    const { status, body } = await server.client().post('/auth/api/sign-in', credentials);
    return { status, account: body.data?.account?.id };
  };
  const idOf = (accountId: number) => encodeId('account', accountId);
  expect(await signedIn()).toEqual({ status: 200, account: idOf(firstOwner.accountId) });
  const end = await failNode(server.db, 'sessions', `new.account_id = ${firstOwner.accountId}`);
  expect(await signedIn()).toEqual({ status: 200, account: idOf(second.accountId) });
  await end();
  const endAll = await failNode(server.db, 'sessions');
  expect((await signedIn()).status).toBe(503);
  await endAll();
});

test('the sixth sign-up from one IP address within an hour returns 429 with Retry-After', async () => {
  const client = server.client();
  const statuses: number[] = [];
  for (let i = 0; i < 7; i++) {
    const response = await client.send({
      method: 'POST',
      url: '/auth/api/sign-up',
      payload: { email: `many${i}@shop.example`, password: 'correct horse battery' },
      remoteAddress: '10.9.9.9',
    });
    statuses.push(response.status);
    if (response.status === 429) expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
  }
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
});

test('all addresses of an IPv6 network share the rate limit of sign-ups', async () => {
  const client = server.client();
  const statuses: number[] = [];
  for (let i = 0; i < 6; i++) {
    const response = await client.send({
      method: 'POST',
      url: '/auth/api/sign-up',
      payload: { email: `six${i}@shop.example`, password: 'correct horse battery' },
      remoteAddress: `2001:db8:1:2::${i + 1}`,
    });
    statuses.push(response.status);
  }
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  const neighbor = await client.send({
    method: 'POST',
    url: '/auth/api/sign-up',
    payload: { email: 'seven@shop.example', password: 'correct horse battery' },
    remoteAddress: '2001:db8:1:3::1',
  });
  expect(neighbor.status).toBe(200);
});

test('sign-in returns the same error for a wrong password and an unknown address', async () => {
  await server.owner('sam@shop.example');
  const client = server.client();
  const wrongResponse = await client.post('/auth/api/sign-in', {
    email: 'sam@shop.example',
    password: 'not it at all',
  });
  const unknown = await client.post('/auth/api/sign-in', {
    email: 'who@shop.example',
    password: 'not it at all',
  });
  expect(wrongResponse.status).toBe(422);
  expect({ ...wrongResponse.body }).toEqual({ ...unknown.body });
  const rightResponse = await client.post('/auth/api/sign-in', {
    email: ' SAM@shop.example ',
    password: 'correct horse battery',
  });
  expect(rightResponse.status).toBe(200);
});

test('sign-in responses are delayed after five failures, but the account is never locked', async () => {
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
  expect(computeDelay({ failures: 40, last_at: clock.now() })).toBe(16_000);
});

test('concurrent guesses of a user’s password are processed one at a time, and excess guesses are refused', async () => {
  await server.owner('parallel@shop.example');
  const waits: number[] = [];
  const guess = (password: string) =>
    checkCredentials(server.db, 'parallel@shop.example', password, async (ms) => waits.push(ms));
  const attempts = await Promise.allSettled([
    ...Array.from({ length: 8 }, (_, n) => guess(`wrong ${n}`)),
    guess('correct horse battery'),
    ...Array.from({ length: 20 }, () => guess('one too many')),
  ]);
  expect(waits.slice(0, 9)).toEqual([0, 0, 0, 0, 0, 1000, 2000, 4000, 8000]);
  expect(attempts[8]).toMatchObject({ status: 'fulfilled' });
  expect(attempts.at(-1)).toMatchObject({ reason: { code: 'too_many_requests' } });
});

test('a refresh token works once, and its second use ends the session', async () => {
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

test('session renewals are rate-limited, and a client over the limit keeps its session', async () => {
  const owner = await server.owner();
  expect((await owner.post('/auth/api/refresh')).status).toBe(200);
  clock.freeze(clock.now());
  await sql`update rate_buckets set tokens = 0, refilled_at = ${clock.now()}
    where key like 'refresh:%'`.execute(server.db);
  const response = await owner.post('/auth/api/refresh');
  expect([response.status, response.headers['retry-after']]).toEqual([429, '1']);
  expect((await owner.get('/client-api/api/users')).status).toBe(200);
  clock.advance(2_000);
  expect((await owner.post('/auth/api/refresh')).status).toBe(200);
});

test('the session cookie expires and is renewed by the refresh token', async () => {
  const owner = await server.owner();
  clock.advance(901_000);
  expect((await owner.get('/client-api/api/users')).status).toBe(401);
  expect((await owner.post('/auth/api/refresh')).status).toBe(200);
  expect((await owner.get('/client-api/api/users')).status).toBe(200);
});

test('sign-out ends the session permanently', async () => {
  const owner = await server.owner();
  const token = owner.cookies.get('token') as string;
  await owner.post('/auth/api/sign-out');
  expect(owner.cookies.size).toBe(0);
  owner.cookies.set('token', token);
  expect((await owner.get('/client-api/api/users')).status).toBe(401);
});

test('a password reset request gets the same response for every address; its link works once and ends all sessions', async () => {
  const owner = await server.owner('forgot@shop.example');
  const client = server.client();
  const knownResponse = await client.post('/auth/api/forgot-password', {
    email: 'Forgot@shop.example',
  });
  const unknown = await client.post('/auth/api/forgot-password', { email: 'nobody@shop.example' });
  expect(knownResponse.body).toEqual(unknown.body);
  await server.runJobs();
  const resetEmails = emails.filter((systemEmail) => systemEmail.kind === 'password_reset');
  expect(resetEmails.map((systemEmail) => systemEmail.email)).toEqual(['forgot@shop.example']);
  const reset = { token: resetEmails[0]?.secret, password: 'an entirely new secret' };
  expect((await client.post('/auth/api/reset-password', reset)).status).toBe(200);
  expect((await client.post('/auth/api/reset-password', reset)).body.code).toBe('link_expired');
  expect((await owner.get('/client-api/api/users')).status).toBe(401);
  const signIn = { email: 'forgot@shop.example', password: 'an entirely new secret' };
  expect((await client.post('/auth/api/sign-in', signIn)).status).toBe(200);
});

const emailsTo = (email: string, kind: string) =>
  emails.filter((systemEmail) => systemEmail.email === email && systemEmail.kind === kind);

const userUrl = async (client: TestOwner) =>
  `/client-api/api/users/${(await client.get('/client-api/api/users')).body.data.user.id}`;

test('a password reset link expires after another reset and after a password change', async () => {
  const owner = await server.owner('links@shop.example');
  const client = server.client();
  const requestReset = async () => {
    await client.post('/auth/api/forgot-password', { email: 'links@shop.example' });
    await server.runJobs();
    return emailsTo('links@shop.example', 'password_reset').at(-1)?.secret;
  };
  const firstLink = await requestReset();
  const second = await requestReset();
  const reset = (token: string | undefined, password: string) =>
    client.post('/auth/api/reset-password', { token, password });
  expect((await reset(second, 'the second of two links')).status).toBe(200);
  expect((await reset(firstLink, 'the first of two links')).body.code).toBe('link_expired');

  await owner.post('/auth/api/sign-in', {
    email: 'links@shop.example',
    password: 'the second of two links',
  });
  const third = await requestReset();
  const response = await owner.post(`${await userUrl(owner)}/password`, {
    current: 'the second of two links',
    password: 'changed by the owner',
  });
  expect(response.status).toBe(200);
  expect((await reset(third, 'the third of three links')).body.code).toBe('link_expired');
});

test("a password reset link expires when the user's address changes", async () => {
  const owner = await server.owner('before@shop.example');
  const client = server.client();
  await client.post('/auth/api/forgot-password', { email: 'before@shop.example' });
  await server.runJobs();
  const token = emailsTo('before@shop.example', 'password_reset').at(-1)?.secret;
  expect((await owner.patch(await userUrl(owner), { email: 'after@shop.example' })).status).toBe(
    200,
  );
  const reset = { token, password: 'whoever reads the old box' };
  expect((await client.post('/auth/api/reset-password', reset)).body.code).toBe('link_expired');
});

test('changing a verified address requires the password', async () => {
  const owner = await server.owner('verified@shop.example');
  const url = await userUrl(owner);
  await server.runJobs();
  const token = emailsTo('verified@shop.example', 'email_verification').at(-1)?.secret;
  expect((await server.client().post('/auth/api/verify-email', { token })).status).toBe(200);
  const email = 'elsewhere@shop.example';
  for (const body of [{ email }, { email, current: 'not the password' }]) {
    const { status, body: response } = await owner.patch(url, body);
    expect([status, response.code, Object.keys(response.errors)]).toEqual([
      422,
      'wrong_password',
      ['current'],
    ]);
  }
  expect((await owner.patch(url, { tour: 2 })).status).toBe(200);
  // A different spelling of the same address stays verified.
  const capital = await owner.patch(url, { email: 'Verified@shop.example' });
  expect(capital.body.data).toMatchObject({ email: 'Verified@shop.example', email_verified: true });
  expect((await owner.patch(url, { email })).body.code).toBe('wrong_password');
  const updateResponse = await owner.patch(url, { email, current: 'correct horse battery' });
  expect([updateResponse.status, updateResponse.body.data.email]).toEqual([200, email]);
});

test('a password reset link remains valid after a refused password', async () => {
  await server.owner('again@shop.example');
  const client = server.client();
  await client.post('/auth/api/forgot-password', { email: 'again@shop.example' });
  await server.runJobs();
  const token = emailsTo('again@shop.example', 'password_reset').at(-1)?.secret;
  const common = await client.post('/auth/api/reset-password', { token, password: 'password123' });
  expect(common.body.errors.password[0]).toMatch(/too easy/);
  const newCredentials = { token, password: 'a much better password' };
  expect((await client.post('/auth/api/reset-password', newCredentials)).status).toBe(200);
});

test('only one of several concurrent requests for the same new address succeeds', async () => {
  const owners = [await server.owner(), await server.owner(), await server.owner()];
  const urls = await Promise.all(owners.map(userUrl));
  const responses = await Promise.all(
    owners.map((owner, i) => owner.patch(urls[i] ?? '', { email: 'wanted@shop.example' })),
  );
  expect(responses.map((response) => response.status).sort()).toEqual([200, 409, 409]);
  const rejection = responses.find((response) => response.status === 409);
  expect(rejection?.body).toMatchObject({
    code: 'email_taken',
    errors: { email: [expect.stringMatching(/already/)] },
  });
});

test('expired sessions, email links and sign-in failures are deleted after a month', async () => {
  const owner = await server.owner('keep@shop.example');
  const signedOutClient = server.client();
  await signedOutClient.post('/auth/api/sign-in', {
    email: 'keep@shop.example',
    password: 'correct horse battery',
  });
  await signedOutClient.post('/auth/api/sign-out');
  await expect(
    checkCredentials(server.db, 'keep@shop.example', 'wrong', async () => undefined),
  ).rejects.toThrow('wrong_credentials');
  const count = async (table: 'sessions' | 'refresh_tokens') => {
    const rows = await server.db
      .selectFrom(table)
      .select('account_id')
      .where('account_id', '=', owner.accountId)
      .execute();
    return rows.length;
  };
  const secrets = () => server.db.selectFrom('email_tokens').select('kind').execute();
  const failures = () => server.db.selectFrom('sign_in_failures').select('failures').execute();
  clock.advance(20 * 86_400_000);
  await deleteOldSessions(server.db, new AbortController().signal);
  expect([await count('sessions'), await count('refresh_tokens')]).toEqual([2, 2]);
  expect([(await secrets()).length > 0, (await failures()).length > 0]).toEqual([true, true]);
  expect((await owner.post('/auth/api/refresh')).status).toBe(200);
  clock.advance(20 * 86_400_000);
  await deleteOldSessions(server.db, new AbortController().signal);
  // The session in use and its unused refresh token remain.
  expect(await count('sessions')).toBe(1);
  expect([await secrets(), await failures()]).toEqual([[], []]);
  expect((await owner.post('/auth/api/refresh')).status).toBe(200);
});

test('housekeeping deletes sign-in failures and rate limits even if deleting expired links fails', async () => {
  await expect(
    checkCredentials(server.db, 'nobody@shop.example', 'wrong', async () => undefined),
  ).rejects.toThrow('wrong_credentials');
  clock.advance(90 * 86_400_000);
  // In a cluster, the deletion fails in the same way while the node that stores the links is down.
  await sql`alter table email_tokens rename to links_away`.execute(server.db);
  const running = housekeepingPoller.run(server.db, new AbortController().signal);
  await expect(running).rejects.toThrow('email_tokens');
  await sql`alter table links_away rename to email_tokens`.execute(server.db);
  expect(await server.db.selectFrom('sign_in_failures').select('failures').execute()).toEqual([]);
  expect(await server.db.selectFrom('rate_buckets').select('key').execute()).toEqual([]);
});

test('a visitor’s IP address is deleted with its rate limit once the limit has refilled', async () => {
  const verifyFrom = (remoteAddress: string) =>
    server.client().send({
      method: 'POST',
      url: '/auth/api/verify-email',
      payload: { token: 'x'.repeat(43) },
      remoteAddress,
    });
  const buckets = async () => {
    const rows = await server.db.selectFrom('rate_buckets').select('key').execute();
    return rows.map((row) => row.key).filter((key) => /^verify.*203\.0\.113\./.test(key));
  };
  await verifyFrom('203.0.113.7');
  expect(await buckets()).toHaveLength(1);
  const [first] = await buckets();
  clock.advance(23 * 3_600_000);
  await verifyFrom('203.0.113.8');
  await housekeepingPoller.run(server.db, new AbortController().signal);
  expect(await buckets()).toHaveLength(2);
  clock.advance(2 * 3_600_000);
  await housekeepingPoller.run(server.db, new AbortController().signal);
  expect(await buckets()).toHaveLength(1);
  expect(await buckets()).not.toContain(first);
});

test('writes with a session cookie require the X-Sendloom header', async () => {
  const owner = await server.owner();
  const { body } = await owner.get('/client-api/api/users');
  const url = `/client-api/api/users/${body.data.user.id}`;
  const responseWithoutHeader = await owner.send({
    method: 'PATCH',
    url,
    payload: { tour: 2 },
    headers: { 'x-sendloom': '' },
  });
  expect(responseWithoutHeader).toMatchObject({
    status: 403,
    body: { code: 'write_header_missing' },
  });
  const response = await owner.get(`${url}/resend_verification_letter`, { 'x-sendloom': '' });
  expect(response.status).toBe(403);
  expect((await owner.patch(url, { tour: 2 })).body.data.tour).toBe(2);
});

test("an invalid ID, an account ID or another user's ID returns 404", async () => {
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

test("errors are in the caller's language", async () => {
  const client = server.client();
  const response = await client.get('/client-api/api/users', {
    'accept-language': 'fa-IR, en;q=0.5',
  });
  expect(response).toMatchObject({ status: 401, body: { message: 'لطفاً وارد شوید.' } });
});

test('invalid JSON, an oversized body, an unknown media type and values of the wrong type return specific errors', async () => {
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
