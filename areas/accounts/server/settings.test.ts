// Users, invitations, passwords, sessions, tokens and settings of an account, over HTTP.
import { sql } from 'kysely';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { type TestClient, type TestServer, testServer } from '#testing/setup/server.ts';
import { invitationSent, systemEmailNeeded, tokenExpiring } from './events.ts';
import { tokenExpiryPoller } from './token-expiry.ts';

let server: TestServer;
const invitations: { email: string; token: string; inviter: string }[] = [];
const API = '/client-api/api';

beforeAll(async () => {
  server = await testServer();
  invitationSent.on(async (_, invitation) => {
    invitations.push(invitation);
  });
});
afterEach(() => clock.reset());

const tokenFor = (email: string) =>
  invitations.findLast((invitation) => invitation.email === email)?.token;

test('an invited user joins with a new password, removing a user ends their sessions, and the last user cannot be removed', async () => {
  const owner = await server.owner('owner@inn.example');
  expect((await owner.post(`${API}/invitations`, { email: 'cook@inn.example' })).status).toBe(200);
  await owner.post(`${API}/invitations`, { email: 'Cook@inn.example' });
  expect((await owner.get(`${API}/invitations`)).body.meta.total).toBe(1);
  const token = tokenFor('Cook@inn.example');
  const cook = server.client();
  const invitationResponse = await cook.post('/auth/api/invitation', { token });
  expect(invitationResponse.body.data).toMatchObject({
    email: 'Cook@inn.example',
    has_user: false,
  });
  for (const password of ['qwertyuiop', 'soup', '', 'soup of the day '.repeat(20)]) {
    const rejection = await cook.post('/auth/api/accept-invitation', { token, password });
    expect(rejection).toMatchObject({
      status: 422,
      body: { errors: { password: [expect.any(String)] } },
    });
  }
  const acceptance = await cook.post('/auth/api/accept-invitation', {
    token,
    password: 'soup of the day 7',
  });
  expect(acceptance.body.data.user).toMatchObject({
    email: 'Cook@inn.example',
    email_verified: true,
    tour: 2,
  });
  expect(
    (await cook.post('/auth/api/accept-invitation', { token, password: 'soup of the day 7' })).body
      .code,
  ).toBe('link_expired');
  const { data } = (await owner.get(`${API}/account_users?order=title ASC`)).body;
  expect(data.map((user: { email: string; is_you: boolean }) => [user.email, user.is_you])).toEqual(
    [
      ['Cook@inn.example', false],
      ['owner@inn.example', true],
    ],
  );
  expect(
    (await owner.patch(`${API}/account_users/${data[0].id}`, { name: 'Remy' })).body.data.name,
  ).toBe('Remy');
  expect((await owner.delete(`${API}/account_users/${data[0].id}`)).status).toBe(200);
  expect((await cook.get(`${API}/users`)).status).toBe(401);
  expect(await owner.delete(`${API}/account_users/${data[1].id}`)).toMatchObject({
    status: 409,
    body: { code: 'last_user' },
  });
});

test('an existing user joins a second account with their current password and can switch only between these accounts', async () => {
  const a = await server.owner('a@first.example');
  await server.owner('b@second.example');
  await a.post(`${API}/invitations`, { email: 'b@second.example' });
  const token = tokenFor('b@second.example');
  const client = server.client();
  expect((await client.post('/auth/api/invitation', { token })).body.data.has_user).toBe(true);
  expect(
    (await client.post('/auth/api/accept-invitation', { token, password: 'some other words' })).body
      .code,
  ).toBe('wrong_credentials');
  expect(
    (await client.post('/auth/api/accept-invitation', { token, password: 'correct horse battery' }))
      .status,
  ).toBe(200);
  // The user can now switch to both accounts, but not to a third one.
  const ownAccounts = (await client.get(`${API}/users/accounts`)).body.data;
  expect(
    ownAccounts.map((account: { owner: string; is_current: boolean }) => [
      account.owner,
      account.is_current,
    ]),
  ).toEqual([
    ['b@second.example', false],
    ['a@first.example', true],
  ]);
  const tokenBefore = client.cookies.get('token') as string;
  const response = await client.post(`${API}/users/accounts`, { account: ownAccounts[0].id });
  expect(response).toMatchObject({
    status: 200,
    body: { data: { account: { id: ownAccounts[0].id } } },
  });
  expect((await client.get(`${API}/users`)).body.data.account.id).toBe(ownAccounts[0].id);
  const clientBefore = server.client();
  clientBefore.cookies.set('token', tokenBefore);
  expect((await clientBefore.get(`${API}/users`)).status).toBe(401);
  const third = await server.owner();
  const { id: otherAccount } = (await third.get(`${API}/users`)).body.data.account;
  expect((await client.post(`${API}/users/accounts`, { account: otherAccount })).status).toBe(404);
  expect((await client.get(`${API}/users`)).status).toBe(200);
  const users = (await a.get(`${API}/account_users`)).body.data;
  const otherUser = users.find((user: { is_you: boolean }) => !user.is_you);
  expect((await a.patch(`${API}/account_users/${otherUser.id}`, { name: 'Bee' })).body.code).toBe(
    'not_your_profile',
  );
  expect((await a.post(`${API}/invitations`, { email: 'b@second.example' })).body.code).toBe(
    'already_member',
  );
});

test('a user who was removed from their only account can return by signing up or by accepting an invitation', async () => {
  const owner = await server.owner();
  const join = async (email: string, password: string) => {
    await owner.post(`${API}/invitations`, { email });
    const token = tokenFor(email);
    const client = server.client();
    const invitationResponse = await client.post('/auth/api/invitation', { token });
    expect(invitationResponse.body.data.has_user).toBe(false);
    const response = await client.post('/auth/api/accept-invitation', { token, password });
    expect(response.status).toBe(200);
    return response.body.data.user;
  };
  const guest = await join('guest@inn.example', 'the first of my words');
  await owner.patch(`${API}/account_users/${guest.id}`, { name: 'Gus', surname: 'Guest' });
  await owner.delete(`${API}/account_users/${guest.id}`);
  // An invitation does not require the old password.
  const secondJoin = await join('guest@inn.example', 'the second of my words');
  expect(secondJoin).toMatchObject({ name: null, surname: null, email_verified: true });
  await owner.delete(`${API}/account_users/${secondJoin.id}`);
  // Sign-up creates a new account with an unverified address.
  const ownClient = server.client();
  const signUp = { email: 'guest@inn.example', password: 'the third of my words' };
  const signUpResponse = await ownClient.post('/auth/api/sign-up', signUp);
  expect(signUpResponse).toMatchObject({
    status: 200,
    body: { data: { user: { email_verified: false, tour: 0 }, account: { title: '' } } },
  });
  expect((await ownClient.get(`${API}/account_users`)).body.meta.total).toBe(1);
  expect((await server.client().post('/auth/api/sign-up', signUp)).body.code).toBe('email_taken');
  const oldCredentials = { email: 'guest@inn.example', password: 'the first of my words' };
  expect((await server.client().post('/auth/api/sign-in', oldCredentials)).status).toBe(422);
});

test('names in the settings may be empty and otherwise follow the rules of the onboarding form', async () => {
  const owner = await server.owner();
  const { user } = (await owner.get(`${API}/users`)).body.data;
  for (const url of [`${API}/account_users/${user.id}`, `${API}/users/${user.id}`]) {
    const response = await owner.patch(url, { name: 'A', surname: 'x'.repeat(65) });
    expect(response.body.errors).toEqual({
      name: ['First name must be at least 2 characters'],
      surname: ['Last name must be no more than 64 characters'],
    });
    expect((await owner.patch(url, { name: ' Ada ', surname: '' })).body.data).toMatchObject({
      name: 'Ada',
      surname: '',
    });
  }
});

test('two concurrent removals never leave an account without a user', async () => {
  const owner = await server.owner();
  await owner.post(`${API}/invitations`, { email: 'second@pair.example' });
  const second = server.client();
  await second.post('/auth/api/accept-invitation', {
    token: tokenFor('second@pair.example'),
    password: 'a pair of owners',
  });
  const [one, two] = (await owner.get(`${API}/account_users`)).body.data;
  const responses = await Promise.all([
    owner.delete(`${API}/account_users/${two.id}`),
    second.delete(`${API}/account_users/${one.id}`),
  ]);
  const remaining = await server.db
    .selectFrom('memberships')
    .select('user_id')
    .where('account_id', '=', owner.accountId)
    .execute();
  expect(remaining).toHaveLength(1);
  expect(responses.filter((response) => response.status === 200)).toHaveLength(1);
});

test('removing a user ends the invitations that the user sent but not other users’ invitations', async () => {
  const owner = await server.owner('keeper@inn.example');
  await owner.post(`${API}/invitations`, { email: 'leaver@inn.example' });
  const guest = server.client();
  const token = tokenFor('leaver@inn.example');
  const acceptance = { token, password: 'soup of the day 7' };
  expect((await guest.post('/auth/api/accept-invitation', acceptance)).status).toBe(200);
  await guest.post(`${API}/invitations`, { email: 'leaver.again@inn.example' });
  await owner.post(`${API}/invitations`, { email: 'stayer@inn.example' });
  const users = (await owner.get(`${API}/account_users`)).body.data;
  const { id } = users.find((user: { is_you: boolean }) => !user.is_you);
  expect((await owner.delete(`${API}/account_users/${id}`)).status).toBe(200);
  const remaining = (await owner.get(`${API}/invitations`)).body.data;
  expect(remaining.map((user: { email: string }) => user.email)).toEqual(['stayer@inn.example']);
  const tokenBody = { token: tokenFor('leaver.again@inn.example') };
  const response = await server.client().post('/auth/api/invitation', tokenBody);
  expect(response.body.code).toBe('link_expired');
});

test('an invitation expires and can be withdrawn, and a forged one is refused', async () => {
  const owner = await server.owner();
  await owner.post(`${API}/invitations`, { email: 'late@inn.example' });
  const token = tokenFor('late@inn.example');
  clock.advance(15 * 86_400_000);
  const client = server.client();
  expect((await client.post('/auth/api/invitation', { token })).body.code).toBe('link_expired');
  clock.reset();
  const [invitation] = (await owner.get(`${API}/invitations`)).body.data;
  expect((await owner.delete(`${API}/invitations/${invitation.id}`)).status).toBe(200);
  expect((await client.post('/auth/api/invitation', { token })).body.code).toBe('link_expired');
  expect(
    (await client.post('/auth/api/invitation', { token: '1.AAAAAAAAAAAAAAAAAAAAAAAAAAAA' })).status,
  ).toBe(422);
});

test("changing the password ends the user's other sessions", async () => {
  const owner = await server.owner('change@inn.example');
  const elsewhere = server.client();
  await elsewhere.post('/auth/api/sign-in', {
    email: 'change@inn.example',
    password: 'correct horse battery',
  });
  const { user } = (await owner.get(`${API}/users`)).body.data;
  const url = `${API}/users/${user.id}/password`;
  const response = await owner.post(url, {
    current: 'not this one',
    password: 'something else entirely',
  });
  expect(response).toMatchObject({
    status: 422,
    body: { errors: { current: ['This is not the current password.'] } },
  });
  expect(
    (
      await owner.post(url, {
        current: 'correct horse battery',
        password: 'something else entirely',
      })
    ).status,
  ).toBe(200);
  expect((await elsewhere.get(`${API}/users`)).status).toBe(401);
  expect((await owner.get(`${API}/users`)).status).toBe(200);
});

/**
 * Creates an owner with a token, an SMTP user and an invitation, and a colleague with one of each.
 */
async function withAccess(email: string) {
  const owner = await server.owner(email);
  await owner.post(`${API}/invitations`, { email: `colleague.${email}` });
  const colleague = server.client();
  const token = tokenFor(`colleague.${email}`);
  await colleague.post('/auth/api/accept-invitation', { token, password: 'correct horse battery' });
  for (const client of [owner, colleague]) {
    await client.post(`${API}/tokens`, { title: 'Shop', validity_days: null });
    await client.post(`${API}/smtp_users`, { title: 'Receipts' });
    await client.post(`${API}/invitations`, { email: `by.${client === owner}.${email}` });
  }
  const countAccess = async (client: TestClient) => ({
    tokens: (await client.get(`${API}/tokens`)).body.data.length,
    smtp: (await client.get(`${API}/smtp_users`)).body.data.length,
    invitations: (await client.get(`${API}/invitations`)).body.data.length,
  });
  return { owner, colleague, countAccess };
}

test("changing the password ends the user's invitations and the selected access keys", async () => {
  const { owner, colleague, countAccess } = await withAccess('keys@inn.example');
  const { user } = (await owner.get(`${API}/users`)).body.data;
  const keys = (await owner.get(`${API}/users/${user.id}/access_keys`)).body.data;
  expect(keys).toMatchObject([
    { kind: 'token', title: 'Shop', last_used: null },
    { kind: 'smtp_user', title: 'Receipts', last_used: null },
  ]);
  expect((await colleague.get(`${API}/users/${user.id}/access_keys`)).status).toBe(404);
  const colleagueId = (await colleague.get(`${API}/users`)).body.data.user.id;
  const foreignKeyId = (await colleague.get(`${API}/users/${colleagueId}/access_keys`)).body.data[0]
    .id;
  const url = `${API}/users/${user.id}/password`;
  const change = { current: 'correct horse battery', password: 'something else entirely' };
  for (const end of [[foreignKeyId], ['nonsense']]) {
    const response = await owner.post(url, { ...change, end });
    expect([response.status, Object.keys(response.body.errors)]).toEqual([422, ['end']]);
  }
  expect(await countAccess(owner)).toEqual({ tokens: 2, smtp: 2, invitations: 2 });
  const [token] = keys;
  expect((await owner.post(url, { ...change, end: [token.id] })).status).toBe(200);
  expect(await countAccess(owner)).toEqual({ tokens: 1, smtp: 2, invitations: 1 });
});

test("a password reset ends the user's tokens, SMTP users and invitations but not a colleague’s", async () => {
  const { colleague, countAccess } = await withAccess('reset@inn.example');
  const secrets: string[] = [];
  const unsubscribe = systemEmailNeeded.on(async (_, { kind, secret }) => {
    if (kind === 'password_reset') secrets.push(secret);
  });
  await server.client().post('/auth/api/forgot-password', { email: 'reset@inn.example' });
  await server.runJobs();
  unsubscribe();
  const reset = { token: secrets[0], password: 'something else entirely' };
  expect((await server.client().post('/auth/api/reset-password', reset)).status).toBe(200);
  expect(await countAccess(colleague)).toEqual({ tokens: 1, smtp: 1, invitations: 1 });
});

test('a user can end their own sessions but not another user’s', async () => {
  const owner = await server.owner('many@inn.example');
  const phone = server.client();
  await phone.post('/auth/api/sign-in', {
    email: 'many@inn.example',
    password: 'correct horse battery',
  });
  const { data } = (await owner.get(`${API}/sessions`)).body;
  expect(data).toHaveLength(2);
  const otherSession = data.find((session: { is_current: boolean }) => !session.is_current);
  const outsider = await server.owner();
  expect((await outsider.delete(`${API}/sessions/${otherSession.id}`)).status).toBe(404);
  expect((await owner.delete(`${API}/sessions/${otherSession.id}`)).status).toBe(200);
  expect((await phone.get(`${API}/users`)).status).toBe(401);
});

test('an API token is shown once, works without the header X-Sendloom, expires and can be revoked', async () => {
  const owner = await server.owner();
  const tokenResponse = await owner.post(`${API}/tokens`, { title: 'Shop', validity_days: 7 });
  const { token, id } = tokenResponse.body.data;
  const list = (await owner.get(`${API}/tokens`)).body.data;
  expect(list).toEqual([expect.not.objectContaining({ token: expect.anything() })]);
  const bearer = { authorization: `Bearer ${token}`, 'x-sendloom': '' };
  const client = server.client();
  expect((await client.get(`${API}/users`, bearer)).status).toBe(200);
  expect((await client.patch(`${API}/accounts`, { title: 'By token' }, bearer)).status).toBe(200);
  expect(
    (await owner.get(`${API}/tokens`)).body.data.find((token: { id: string }) => token.id === id)
      .last_used,
  ).not.toBeNull();
  clock.advance(8 * 86_400_000);
  expect((await client.get(`${API}/users`, bearer)).status).toBe(401);
  clock.reset();
  const outsider = await server.owner();
  expect((await outsider.delete(`${API}/tokens/${id}`)).status).toBe(404);
  expect((await owner.delete(`${API}/tokens/${id}`)).status).toBe(200);
  expect((await client.get(`${API}/users`, bearer)).status).toBe(401);
  expect((await client.get(`${API}/users`, { authorization: 'Bearer sl_1_nonsense' })).status).toBe(
    401,
  );
  expect((await owner.post(`${API}/tokens`, { title: 'Odd', validity_days: 3 })).status).toBe(422);
});

test('a token can neither create tokens or invitations, nor change or remove its user, nor end a session', async () => {
  const owner = await server.owner();
  const { user } = (await owner.get(`${API}/users`)).body.data;
  const tokenResponse = await owner.post(`${API}/tokens`, { title: 'A day', validity_days: 1 });
  const bearer = { authorization: `Bearer ${tokenResponse.body.data.token}` };
  const client = server.client();
  const [session] = (await owner.get(`${API}/sessions`)).body.data;
  const responses = [
    await client.post(`${API}/tokens`, { title: 'More', validity_days: null }, bearer),
    await client.post(`${API}/invitations`, { email: 'thief@inn.example' }, bearer),
    await client.patch(`${API}/users/${user.id}`, { email: 'thief@inn.example' }, bearer),
    await client.post(
      `${API}/users/${user.id}/password`,
      { current: 'correct horse battery', password: 'the thief was here' },
      bearer,
    ),
    await client.delete(`${API}/account_users/${user.id}`, undefined, bearer),
    await client.delete(`${API}/sessions/${session.id}`, undefined, bearer),
  ];
  expect(responses.map((response) => [response.status, response.body.code])).toEqual(
    responses.map(() => [403, 'session_needed']),
  );
  expect((await owner.get(`${API}/users`)).body.data.user.email).toBe(user.email);
});

test('unusual input is accepted or refused, and never causes a server error', async () => {
  const owner = await server.owner();
  const { user } = (await owner.get(`${API}/users`)).body.data;
  const unusualTexts = [
    '',
    '   ',
    'x'.repeat(10_000),
    '🫖'.repeat(300),
    '\u202Eturned\u200F',
    '<script>alert(1)</script>',
    'NUL\u0000inside',
    "'; drop table users; --",
  ];
  for (const input of unusualTexts) {
    const responses = [
      await owner.patch(`${API}/accounts`, { title: input, website: input, timezone: input }),
      await owner.patch(`${API}/account_users/${user.id}`, { name: input, surname: input }),
      await owner.patch(`${API}/users/${user.id}`, { email: input }),
      await owner.post(`${API}/users/${user.id}/password`, { current: input, password: input }),
      await owner.post(`${API}/invitations`, { email: input }),
      await owner.post(`${API}/tokens`, { title: input, validity_days: 1 }),
      await owner.get(`${API}/account_users?search=${encodeURIComponent(input.slice(0, 300))}`),
      await owner.post('/auth/api/accept-invitation', { token: input, password: input }),
    ];
    for (const { status } of responses) expect([200, 413, 422, 429]).toContain(status);
  }
});

test("an account's name, website, time zone, language and date format can be changed, and invalid values are refused", async () => {
  const owner = await server.owner();
  const url = `${API}/accounts`;
  expect((await owner.get(`${API}/users`)).body.data.account.date_format).toBe('auto');
  const response = await owner.patch(url, {
    title: 'Tea House',
    website: 'https://tea.example',
    timezone: 'Europe/Vilnius',
    language: 'lit',
    date_format: 'DD.MM.YYYY',
  });
  expect(response.body.data).toMatchObject({
    title: 'Tea House',
    website: 'https://tea.example',
    timezone: 'Europe/Vilnius',
    language: 'lit',
    date_format: 'DD.MM.YYYY',
    status: 'active',
    plan_valid_to: null,
  });
  for (const input of [
    { website: 'http://192.168.0.1' },
    { website: '' },
    { date_format: 'YY' },
    { title: 'Tea\r\nHouse' },
    { timezone: 'Nowhere/Land' },
    // PostgreSQL reads this offset with the opposite sign.
    { timezone: '+05:00' },
    { language: 'deu' },
    { status: 'closed' },
  ]) {
    expect((await owner.patch(url, input)).status, JSON.stringify(input)).toBe(422);
  }
});

test('the expiry of a token is announced once, a week before, unless the token was valid for only a week', async () => {
  const owner = await server.owner();
  const announcements: string[] = [];
  const unsubscribe = tokenExpiring.on(async (_, { accountId, title }) => {
    if (accountId === owner.accountId) announcements.push(title);
  });
  for (const [title, validity_days] of [
    ['Month', 30],
    ['Revoked', 30],
    ['Week', 7],
    ['Ever', null],
  ])
    expect((await owner.post(`${API}/tokens`, { title, validity_days })).status).toBe(200);
  const poll = () => tokenExpiryPoller.run(server.db, new AbortController().signal);
  // A cluster refuses an update that subtracts an interval from a column.
  const age = async (days: number) => {
    const tokens = await server.db
      .selectFrom('api_tokens')
      .select(['id', 'created_at', 'expires_at'])
      .where('account_id', '=', owner.accountId)
      .execute();
    const shiftBack = (at: Date | null) => at && new Date(at.getTime() - days * 86_400_000);
    for (const token of tokens)
      await server.db
        .updateTable('api_tokens')
        .set({
          created_at: shiftBack(token.created_at) ?? clock.now(),
          expires_at: shiftBack(token.expires_at),
        })
        .where('account_id', '=', owner.accountId)
        .where('id', '=', token.id)
        .execute();
  };
  await sql`update api_tokens set revoked_at = now()
    where account_id = ${owner.accountId} and title = 'Revoked'`.execute(server.db);
  await age(22);
  await poll();
  expect(announcements).toEqual([]);
  await age(2);
  await poll();
  await poll();
  expect(announcements).toEqual(['Month']);
  unsubscribe();
});
