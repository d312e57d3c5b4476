// Rights of users and tokens over HTTP, and the rotation, countries and networks of tokens.
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { RIGHT_PRESETS, RIGHTS } from '#platform/rights.ts';
import { clock } from '#platform/server/clock.ts';
import { type TestClient, type TestServer, testServer } from '#testing/setup/server.ts';
import { invitationSent, usedFromNewCountry } from './events.ts';

let server: TestServer;
const API = '/client-api/api';
const invitations: { email: string; token: string }[] = [];
const HOUR_MS = 3_600_000;

beforeAll(async () => {
  server = await testServer();
  invitationSent.on(async (_, invitation) => {
    invitations.push(invitation);
  });
});
afterEach(() => clock.reset());

async function join(
  inviter: TestClient,
  email: string,
  input: object = {},
): Promise<TestClient & { id: string }> {
  const response = await inviter.post(`${API}/invitations`, { email, ...input });
  expect(response.status).toBe(200);
  const { token } = invitations.findLast((invitation) => invitation.email === email) ?? {};
  const client = server.client();
  const joinResponse = await client.post('/auth/api/accept-invitation', {
    token,
    password: 'soup of the day 7',
  });
  expect(joinResponse.status).toBe(200);
  return Object.assign(client, { id: joinResponse.body.data.user.id as string });
}

const rightsFor = (id: string) => `${API}/account_users/${id}/rights`;

test('denying a right to a user takes effect on the next request of their sessions and tokens', async () => {
  const owner = await server.owner();
  const cook = await join(owner, 'cook@rights.example');
  const response = await cook.post(`${API}/tokens`, { title: 'Till', validity_days: 90 });
  const authorization = `Bearer ${response.body.data.token}`;
  const bearer = server.client();
  const create = (client: TestClient, title: string, headers = {}) =>
    client.post(`${API}/fields`, { title, type: 'text' }, headers);
  expect((await create(cook, 'One')).status).toBe(200);
  expect((await create(bearer, 'Two', { authorization })).status).toBe(200);

  const { no_sending: denied } = RIGHT_PRESETS;
  const saveResponse = await owner.put(rightsFor(cook.id), {
    denied: ['settings', ...denied, 'send'],
  });
  expect(saveResponse.body.data.denied).toEqual(['send', 'transactional', 'settings']);
  const missingRight = { status: 403, body: { code: 'missing_right', right: 'settings' } };
  expect(await create(cook, 'Three')).toMatchObject(missingRight);
  expect(await create(bearer, 'Four', { authorization })).toMatchObject(missingRight);
  expect((await cook.get(`${API}/users`)).body.data.rights).toEqual(
    RIGHTS.filter((right) => !['send', 'transactional', 'settings'].includes(right)),
  );
  // Scopes that the user lacks cannot be given to a token either.
  const wide = { title: 'Wide', validity_days: null, scopes: ['send'] };
  expect(await cook.post(`${API}/tokens`, wide)).toMatchObject({
    status: 403,
    body: { code: 'right_not_yours', right: 'send' },
  });
});

test('a user cannot grant rights that they lack, and at least one user always has full access', async () => {
  const owner = await server.owner('chef@rights.example');
  const { id } = (await owner.get(`${API}/users`)).body.data.user;
  const waiter = await join(owner, 'waiter@rights.example', { denied: ['billing', 'export'] });
  const guest = await join(waiter, 'guest@rights.example');
  const users = (await owner.get(`${API}/account_users`)).body.data;
  const deniedByEmail = Object.fromEntries(
    users.map((user: { email: string; denied: string[] }) => [user.email, user.denied]),
  );
  // An invited user also lacks the rights that the inviting user lacks.
  expect(deniedByEmail).toEqual({
    'chef@rights.example': [],
    'waiter@rights.example': ['export', 'billing'],
    'guest@rights.example': ['export', 'billing'],
  });
  const notYours = { status: 403, body: { code: 'right_not_yours' } };
  expect(await waiter.put(rightsFor(waiter.id), { denied: [] })).toMatchObject(notYours);
  expect(await waiter.put(rightsFor(guest.id), { denied: ['export'] })).toMatchObject(notYours);
  expect(await waiter.put(rightsFor(id), { denied: ['export'] })).toMatchObject(notYours);
  const wider = { email: 'friend@rights.example', denied: [] };
  expect(await waiter.post(`${API}/invitations`, wider)).toMatchObject(notYours);
  expect(
    (await waiter.put(rightsFor(guest.id), { denied: ['export', 'billing', 'send'] })).status,
  ).toBe(200);

  const lastFullUserError = { status: 409, body: { code: 'last_full_user' } };
  expect(await owner.put(rightsFor(id), { denied: ['send'] })).toMatchObject(lastFullUserError);
  expect(await waiter.delete(`${API}/account_users/${id}`)).toMatchObject(lastFullUserError);
  expect((await owner.put(rightsFor(waiter.id), { denied: [] })).status).toBe(200);
  // Two users with full access deny themselves a right concurrently; only one of them succeeds.
  const responses = await Promise.all([
    owner.put(rightsFor(id), { denied: ['send'] }),
    waiter.put(rightsFor(waiter.id), { denied: ['send'] }),
  ]);
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
});

test('invalid changes to rights are refused, and a user without the right to administer can rename only themselves', async () => {
  const owner = await server.owner();
  const outsider = await server.owner();
  const { id } = (await outsider.get(`${API}/users`)).body.data.user;
  expect((await owner.put(rightsFor(id), { denied: ['send'] })).status).toBe(404);
  const cook = await join(owner, 'baker@rights.example');
  for (const denied of [['read'], ['everything'], 'send', Array(50).fill('send')]) {
    expect((await owner.put(rightsFor(cook.id), { denied })).status).toBe(422);
  }
  const admin = { denied: ['admin'] };
  expect((await owner.put(rightsFor(cook.id), admin)).status).toBe(200);
  const { id: ownerId } = (await owner.get(`${API}/users`)).body.data.user;
  // Users can rename themselves without a right; renaming others requires one.
  expect((await cook.patch(`${API}/account_users/${cook.id}`, { name: 'Remy' })).status).toBe(200);
  expect(await cook.patch(`${API}/account_users/${ownerId}`, { name: 'Remy' })).toMatchObject({
    status: 403,
    body: { code: 'missing_right' },
  });
});

test('a renewed invitation retains its rights unless the request specifies others', async () => {
  const owner = await server.owner();
  const invite = (input: object) =>
    owner.post(`${API}/invitations`, { email: 'again@rights.example', ...input });
  const { read_only: denied } = RIGHT_PRESETS;
  expect((await invite({ denied })).body.data.denied).toEqual([...denied]);
  expect((await invite({})).body.data.denied).toEqual([...denied]);
  expect((await invite({ denied: [] })).body.data.denied).toEqual([]);
});

test('a rotated token works with both secrets for a day, and then only with the new one', async () => {
  const owner = await server.owner();
  const { id, token } = (await owner.post(`${API}/tokens`, { title: 'Till', validity_days: 30 }))
    .body.data;
  const status = async (secret: string) =>
    (await server.client().get('/v2/me', { authorization: `Bearer ${secret}` })).status;
  const rotate = async () => {
    await owner.post('/auth/api/refresh');
    return owner.post(`${API}/tokens/${id}/rotate`);
  };
  clock.advance(29 * 24 * HOUR_MS);
  const rotation = await rotate();
  expect(rotation.status).toBe(200);
  const { token: second, former_until: until } = rotation.body.data;
  expect(Date.parse(until) - clock.now().getTime()).toBeGreaterThan(23 * HOUR_MS);
  expect([await status(token), await status(second)]).toEqual([200, 200]);
  clock.advance(2 * HOUR_MS);
  const { token: third } = (await rotate()).body.data;
  expect([await status(token), await status(second), await status(third)]).toEqual([401, 200, 200]);
  clock.advance(25 * HOUR_MS);
  expect([await status(second), await status(third)]).toEqual([401, 200]);
  clock.advance(30 * 24 * HOUR_MS);
  expect(await status(third)).toBe(401);
});

test('only the creator of a token can rotate it, while other administrators can limit and revoke it', async () => {
  const owner = await server.owner();
  const cook = await join(owner, 'porter@rights.example');
  const { id } = (await owner.post(`${API}/tokens`, { title: 'Till', validity_days: null })).body
    .data;
  expect(await cook.post(`${API}/tokens/${id}/rotate`)).toMatchObject({
    status: 403,
    body: { code: 'token_of_another' },
  });
  const scopes = ['send', 'read', 'read'];
  const response = await cook.patch(`${API}/tokens/${id}`, { scopes });
  expect(response.body.data.scopes).toEqual(['read', 'send']);
  expect((await cook.patch(`${API}/tokens/${id}`, { scopes: [] })).status).toBe(422);
  expect((await cook.delete(`${API}/tokens/${id}`)).status).toBe(200);
  expect((await cook.patch(`${API}/tokens/${id}`, { scopes: null })).status).toBe(404);
});

describe('use of a token from a new country', () => {
  const requestFrom = (token: string, remoteAddress: string) =>
    server.client().send({
      ...{ method: 'GET', url: '/v2/me', remoteAddress },
      headers: { authorization: `Bearer ${token}` },
    });
  const US = '8.8.8.8';
  const NL = '193.0.6.139';

  test('a token used from another country is announced once per country', async () => {
    const owner = await server.owner();
    const announcements: string[] = [];
    const unsubscribe = usedFromNewCountry.on(async (_, { accountId, title, country, ip }) => {
      if (accountId === owner.accountId) announcements.push(`${title} ${country} ${ip}`);
    });
    const make = async (title: string) =>
      (await owner.post(`${API}/tokens`, { title, validity_days: null })).body.data.token;
    const till = await make('Till');
    // No notification is sent for the first use or for addresses without a country.
    for (const ip of ['127.0.0.1', US, '8.8.4.4', '10.0.0.8', US])
      expect((await requestFrom(till, ip)).status).toBe(200);
    expect(announcements).toEqual([]);
    const responses = await Promise.all(
      [NL, NL, '2001:67c:2e8:22::c100:68b'].map((ip) => requestFrom(till, ip)),
    );
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(announcements).toHaveLength(1);
    expect(announcements[0]).toMatch(/^Till NL /);
    for (const ip of [US, '8.8.4.4', NL, '193.0.6.140']) await requestFrom(till, ip);
    // Each token has its own countries.
    expect((await requestFrom(await make('Shop'), NL)).status).toBe(200);
    expect(announcements).toHaveLength(1);
    unsubscribe();
  });

  test('a token stores any number of countries, including the country of its last use before countries were stored', async () => {
    const owner = await server.owner();
    const announcements: string[] = [];
    const unsubscribe = usedFromNewCountry.on(async (_, { accountId, country }) => {
      if (accountId === owner.accountId) announcements.push(country);
    });
    const input = { title: 'Till', validity_days: null };
    const { token } = (await owner.post(`${API}/tokens`, input)).body.data;
    const update = (values: { last_ip?: string; countries?: string[] }) =>
      server.db
        .updateTable('api_tokens')
        .set(values)
        .where('account_id', '=', owner.accountId)
        .execute();
    await update({ last_ip: US });
    await requestFrom(token, NL);
    expect(announcements).toEqual(['NL']);
    const storedCountries = Array.from({ length: 60 }, (_, index) => `x${index}`);
    await update({ countries: storedCountries });
    await requestFrom(token, '1.0.0.1');
    const { countries } = await server.db
      .selectFrom('api_tokens')
      .select('countries')
      .where('account_id', '=', owner.accountId)
      .executeTakeFirstOrThrow();
    expect(countries).toEqual([...storedCountries, 'AU']);
    unsubscribe();
  });

  test('a token works even if its country cannot be recorded, and the next use retries', async () => {
    const owner = await server.owner();
    const input = { title: 'Till', validity_days: null };
    const { token } = (await owner.post(`${API}/tokens`, input)).body.data;
    await requestFrom(token, US);
    let isBroken = true;
    const announcements: string[] = [];
    const unsubscribe = usedFromNewCountry.on(async (_, { accountId, country }) => {
      if (accountId !== owner.accountId) return;
      if (isBroken) throw new Error('The email could not be queued');
      announcements.push(country);
    });
    expect((await requestFrom(token, NL)).status).toBe(200);
    isBroken = false;
    expect((await requestFrom(token, NL)).status).toBe(200);
    expect(announcements).toEqual(['NL']);
    unsubscribe();
  });
});

test('a token works only from its networks, and its last use is recorded', async () => {
  const owner = await server.owner();
  const input = { title: 'Till', validity_days: 365, networks: ['198.51.100.7', '2001:DB8::/32'] };
  const token = (await owner.post(`${API}/tokens`, input)).body.data;
  expect(token.networks).toEqual(['198.51.100.7/32', '2001:db8::/32']);
  const requestFrom = (remoteAddress: string) =>
    server.client().send({
      method: 'GET',
      url: '/v2/me',
      remoteAddress,
      headers: { authorization: `Bearer ${token.token}`, 'user-agent': 'till/2' },
    });
  expect(await requestFrom('198.51.100.8')).toMatchObject({
    status: 403,
    body: { code: 'network_not_allowed' },
  });
  expect((await requestFrom('198.51.100.7')).status).toBe(200);
  const [listed] = (await owner.get(`${API}/tokens`)).body.data;
  expect(listed).toMatchObject({ last_ip: '198.51.100.7', last_client: 'till/2' });
  expect(listed.last_used).not.toBeNull();
  for (const networks of [['everywhere'], ['10.0.0.0/33'], Array(21).fill('10.0.0.1')]) {
    expect((await owner.post(`${API}/tokens`, { ...input, networks })).status).toBe(422);
  }
});
