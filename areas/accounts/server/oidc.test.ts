// Sign-in at an identity provider: a real OpenID provider runs on this machine, and the test
// follows its redirects.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { encodeId } from '#platform/ids.ts';
import { findPreset } from '#platform/rights.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { runDuringChange, waitForLockWait } from '#testing/setup/lock-waiters.ts';
import { type TestClient, type TestServer, testServer } from '#testing/setup/server.ts';
import { CALLBACK } from '../oidc-contract.ts';
import { invitationSent, signInChanged, systemEmailNeeded } from './events.ts';
import { findUser, lockUser } from './accounts.sql.ts';
import { configureSignIn } from './identities.ts';
import { deleteIdentitiesOf, listIdentitiesOf } from './identities.sql.ts';
import { reclaimUser } from './sign-in.ts';

let server: TestServer;
let http: Server;
let issuer: string;
const secrets = new Map<string, string>();
const notices: string[] = [];
/** The claims of the person who is signed in at the provider. */
let userClaims: { sub: string; [claim: string]: unknown };

beforeAll(async () => {
  http = createServer();
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  server = await testServer({
    ...{ OIDC_ISSUER: issuer, OIDC_CLIENT_ID: 'sendloom', OIDC_CLIENT_SECRET: 'quiet' },
    ...{ OIDC_TITLE: 'Acme', OIDC_DOMAINS: 'acme.example' },
  });
  systemEmailNeeded.on(async (_, { email, secret }) => void secrets.set(email, secret));
  signInChanged.on(
    async (_, { kind, email, provider }) => void notices.push(`${kind} ${email} ${provider}`),
  );
  invitationSent.on(async (_, { email, token }) => void secrets.set(`invite ${email}`, token));
  serveProvider(`${server.config.publicUrl}${CALLBACK}`);
  return () => http.close();
});

/** Creates an owner with a verified address. */
async function verifiedOwner(email: string) {
  const owner = await server.owner(email);
  await sql`update users set email_verified_at = now() where id = ${owner.userId}`.execute(
    server.db,
  );
  return owner;
}

type OpenGrant = { addOIDCScope(scope: string): void; save(): Promise<string> };
type GrantContext = { oidc: { client: { clientId: string }; session: { accountId: string } } };

/**
 * Serves a provider that signs in the current person without a login page, and always grants the
 * scopes openid, email and profile.
 */
function serveProvider(redirectUri: string): void {
  const provider = new Provider(issuer, {
    clients: [{ client_id: 'sendloom', client_secret: 'quiet', redirect_uris: [redirectUri] }],
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['given_name', 'family_name', 'groups'],
    },
    features: { devInteractions: { enabled: false } },
    findAccount: (_context: unknown, sub: string) => ({ accountId: sub, claims: () => userClaims }),
    interactions: {
      url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}`,
    },
    loadExistingGrant: async ({ oidc: { client, session } }: GrantContext) => {
      const NewGrant = provider.Grant as unknown as new (owner: object) => OpenGrant;
      const grant = new NewGrant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
    cookies: { keys: ['a key of the tests'] },
    ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
  });
  const callback = provider.callback();
  http.on('request', (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return void callback(request, response);
    void provider
      .interactionResult(request, response, { login: { accountId: userClaims.sub } })
      .then((location) => response.writeHead(303, { location }).end());
  });
}

/** Follows the provider's redirects with its cookies, up to the callback of the product. */
async function throughProvider(address: string): Promise<string> {
  const cookies = new Map<string, string>();
  for (let url = address; ; ) {
    if (url.startsWith(server.config.publicUrl)) {
      return url.slice(server.config.publicUrl.length);
    }
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const set of response.headers.getSetCookie()) {
      const [name = '', value = ''] = set.split(';')[0]?.split(/=(.*)/s) ?? [];
      cookies.set(name, value);
    }
    const next = response.headers.get('location');
    if (!next) throw new Error(`${url} returned ${response.status}: ${await response.text()}`);
    url = new URL(next, url).href;
  }
}

async function signIn(client: TestClient, next = '/campaigns') {
  const startResponse = await client.get(`/auth/api/oidc/start?next=${next}`);
  expect(startResponse.status).toBe(302);
  return client.get(await throughProvider(String(startResponse.headers.location)));
}

const AUDIT = '/client-api/api/audit';
const IDENTITIES = '/client-api/api/identities';

/** Connects the identity of the current person at the provider to the signed-in user. */
async function connect(client: TestClient) {
  const { url } = (await client.post(IDENTITIES)).body.data;
  return client.get(await throughProvider(url));
}

async function resetPassword(email: string) {
  const client = server.client();
  await client.post('/auth/api/forgot-password', { email });
  await server.runJobs();
  const newCredentials = { token: secrets.get(email), password: 'the owner chose this password' };
  expect((await client.post('/auth/api/reset-password', newCredentials)).status).toBe(200);
}

const session = async (client: TestClient) =>
  (await client.get('/client-api/api/users')).body?.data;
const PROFILE = { given_name: 'Ada', family_name: 'Lovelace', email_verified: true };
const configureOidc = (overrides: object = {}) => {
  const { oidc } = server.config.signIn;
  if (!oidc) throw new Error('No identity provider is configured.');
  configureSignIn({ passwordsOnlyFor: undefined, oidc: { ...oidc, ...overrides } });
};

test('a new user of a declared domain joins the account with the configured rights, and does not rejoin after being removed', async () => {
  const owner = await server.owner();
  const account = encodeId('account', owner.accountId);
  const claim = { name: 'groups', value: 'marketing' };
  configureOidc({ account, access: 'no_sending', requiredClaim: claim });
  userClaims = { sub: 'ada', email: 'ada@acme.example', groups: ['marketing'], ...PROFILE };
  const client = server.client();
  const signInResponse = await signIn(client);
  expect([signInResponse.status, signInResponse.headers.location]).toEqual([302, '/campaigns']);
  const { user, rights } = await session(client);
  expect(user).toMatchObject({ email: 'ada@acme.example', name: 'Ada', surname: 'Lovelace' });
  expect(rights).not.toContain('send');
  const { body } = await owner.get(`/client-api/api/account_users/${user.id}`);
  expect(findPreset(body.data.denied)).toBe('no_sending');
  const [accounts] = (await owner.get(`${AUDIT}?action=accounts.joinAccount`)).body.data;
  expect(accounts).toMatchObject({ user: { id: user.id }, after: { provider: 'Acme' } });
  // The provider reports a new email address for the same user.
  userClaims = { ...userClaims, email: 'countess@acme.example' };
  const secondClient = server.client();
  await signIn(secondClient);
  expect((await session(secondClient)).user.id).toBe(user.id);
  expect((await owner.delete(`/client-api/api/account_users/${user.id}`)).status).toBe(200);
  expect((await signIn(server.client())).headers.location).toBe(
    '/auth?refused=identity_no_account',
  );
});

test.each([
  ['an unverified address', { email_verified: false }],
  ['an address of another domain', { email: 'eve@elsewhere.example' }],
])('%s neither signs in a user nor adds a member', async (_, claims) => {
  const owner = await server.owner(`${Math.random().toString(36).slice(2)}@acme.example`);
  configureOidc({ account: encodeId('account', owner.accountId), requiredClaim: undefined });
  const { user } = await session(owner);
  userClaims = { sub: `eve ${user.id}`, email: user.email, ...PROFILE, ...claims };
  const client = server.client();
  expect((await signIn(client)).headers.location).toBe('/auth?refused=identity_unknown');
  expect((await client.get('/client-api/api/users')).status).toBe(401);
});

test('a user without the required claim does not join', async () => {
  const owner = await server.owner();
  const claim = { name: 'groups', value: 'marketing' };
  configureOidc({ account: encodeId('account', owner.accountId), requiredClaim: claim });
  userClaims = { sub: 'guest', email: 'guest@acme.example', groups: ['sales'], ...PROFILE };
  expect((await signIn(server.client())).headers.location).toBe(
    '/auth?refused=identity_no_account',
  );
});

test('a verified address of a declared domain signs in its existing user', async () => {
  configureOidc({ account: undefined });
  const owner = await verifiedOwner('grace@acme.example');
  userClaims = { sub: 'grace', email: 'Grace@acme.example', ...PROFILE };
  const client = server.client();
  expect((await signIn(client)).headers.location).toBe('/campaigns');
  expect((await session(client)).user.id).toBe((await session(owner)).user.id);
});

test('a signed-in user connects an identity, which no other user can connect, and removes it', async () => {
  configureOidc({ account: undefined });
  const owner = await server.owner();
  const otherOwner = await server.owner();
  userClaims = { sub: 'private', email: 'any@elsewhere.example', email_verified: false };
  expect((await connect(owner)).headers.location).toBe('/settings/user');
  expect((await connect(otherOwner)).headers.location).toBe('/auth?refused=identity_taken');
  const auditEntries = (await owner.get(`${AUDIT}?action=accounts.connectIdentity`)).body.data;
  const [identity] = (await owner.get('/client-api/api/identities')).body.data;
  expect(auditEntries).toMatchObject([{ subject: identity.id, after: { provider: 'Acme' } }]);
  expect(identity).toMatchObject({ title: 'Acme', email: 'any@elsewhere.example' });
  const client = server.client();
  await signIn(client);
  expect((await session(client)).user.id).toBe((await session(owner)).user.id);
  const response = await otherOwner.delete(`/client-api/api/identities/${identity.id}`);
  expect(response.status).toBe(404);
  expect((await owner.delete(`/client-api/api/identities/${identity.id}`)).status).toBe(200);
  expect((await signIn(server.client())).headers.location).toBe('/auth?refused=identity_unknown');
});

test('a user with an unverified address cannot sign in through the provider until a password reset verifies it', async () => {
  configureOidc({ account: undefined });
  const email = 'kay@acme.example';
  const squatter = await server.owner(email);
  userClaims = { sub: 'kay', email, ...PROFILE };
  const response = await signIn(server.client());
  expect(response.headers.location).toBe('/auth?refused=identity_unverified');
  expect((await squatter.get('/client-api/api/identities')).body.data).toEqual([]);
  await resetPassword(email);
  const client = server.client();
  expect((await signIn(client)).headers.location).toBe('/campaigns');
  expect((await session(client)).user.email).toBe(email);
  expect((await squatter.get('/client-api/api/users')).status).toBe(401);
  expect(notices).toContain(`identity_added ${email} Acme`);
});

test('if passwords are off, a sign-in through the provider verifies the address of the user and ends all earlier access', async () => {
  const email = 'jean@acme.example';
  const squatter = await server.owner(email);
  const { token } = (
    await squatter.post('/client-api/api/tokens', { title: 'Old', validity_days: 1, scopes: null })
  ).body.data;
  configureOidc({ account: undefined });
  configureSignIn({ oidc: server.config.signIn.oidc, passwordsOnlyFor: 'emergency@acme.example' });
  userClaims = { sub: 'jean', email, ...PROFILE };
  const client = server.client();
  expect((await signIn(client)).headers.location).toBe('/campaigns');
  const { user } = await session(client);
  expect(user.email).toBe(email);
  expect((await squatter.get('/client-api/api/users')).status).toBe(401);
  const authorization = `Bearer ${token}`;
  expect((await server.client().get('/v2/campaigns', { authorization })).status).toBe(401);
});

test('if passwords are off, accepting an invitation does not open a session, and the invited user signs in at the provider', async () => {
  configureOidc({ account: undefined });
  const host = await verifiedOwner('host@acme.example');
  const squatter = await server.owner('taken@acme.example');
  configureSignIn({ oidc: server.config.signIn.oidc, passwordsOnlyFor: 'emergency@acme.example' });
  const password = 'correct horse battery';
  for (const email of ['new@acme.example', 'taken@acme.example']) {
    await host.post('/client-api/api/invitations', { email });
    const token = secrets.get(`invite ${email}`);
    const guest = server.client();
    const invitation = (await guest.post('/auth/api/invitation', { token })).body.data;
    expect(invitation).toMatchObject({ email, provider: 'Acme' });
    const response = await guest.post('/auth/api/accept-invitation', { token, password });
    expect(response.body.code).toBe('wrong_credentials');
    expect((await guest.post('/auth/api/join-by-invitation', { token })).status).toBe(200);
    expect(guest.cookies.size).toBe(0);
    const joinResponse = await guest.post('/auth/api/join-by-invitation', { token });
    expect(joinResponse.body.code).toBe('link_expired');
    userClaims = { sub: email, email, ...PROFILE };
    expect((await signIn(guest)).headers.location).toBe('/campaigns');
    const accounts = (await guest.get('/client-api/api/users/accounts')).body.data;
    expect(accounts).toContainEqual(expect.objectContaining({ owner: 'host@acme.example' }));
  }
  expect((await squatter.get('/client-api/api/users')).status).toBe(401);
});

test('if passwords are on, an invitation is not accepted without a password', async () => {
  configureOidc({ account: undefined });
  const host = await verifiedOwner('inviter@acme.example');
  await host.post('/client-api/api/invitations', { email: 'guest@acme.example' });
  const token = secrets.get('invite guest@acme.example');
  const response = await server.client().post('/auth/api/join-by-invitation', { token });
  expect(response.body.code).toBe('wrong_credentials');
});

test('a password reset removes the identities because a stranger may have connected them', async () => {
  configureOidc({ account: undefined });
  const owner = await verifiedOwner('annie@acme.example');
  userClaims = { sub: 'stranger', email: 'mallory@elsewhere.example', email_verified: true };
  await connect(owner);
  expect(notices).toContain('identity_added annie@acme.example Acme');
  expect((await signIn(server.client())).headers.location).toBe('/campaigns');
  await resetPassword('annie@acme.example');
  expect((await signIn(server.client())).headers.location).toBe('/auth?refused=identity_unknown');
});

test('a connection started before a password reset does not add an identity afterwards', async () => {
  configureOidc({ account: undefined });
  const owner = await verifiedOwner('rosa@acme.example');
  userClaims = { sub: 'rosa', email: 'mallory@elsewhere.example', email_verified: true };
  const { url } = (await owner.post(IDENTITIES)).body.data;
  const callback = await throughProvider(url);
  await resetPassword('rosa@acme.example');
  expect((await owner.get(callback)).headers.location).toBe('/auth?refused=oidc_expired');
  expect((await signIn(server.client())).headers.location).toBe('/auth?refused=identity_unknown');
});

test('a connection that finishes during a password reset does not add an identity', async () => {
  configureOidc({ account: undefined });
  const owner = await verifiedOwner('emmy@acme.example');
  userClaims = { sub: 'emmy', email: 'mallory@elsewhere.example', email_verified: true };
  const { url } = (await owner.post(IDENTITIES)).body.data;
  const callback = await throughProvider(url);
  const response = await runDuringChange(
    server.db,
    async (tx) => {
      const user = await findUser(tx, owner.userId);
      if (user) await reclaimUser(tx, user, 'the owner chose this password', clock.now());
    },
    () => owner.get(callback),
  );
  expect(response.headers.location).toBe('/auth?refused=oidc_expired');
  expect(await listIdentitiesOf(server.db, owner.userId)).toEqual([]);
});

test('a sign-in does not open a session if its identity is removed concurrently', async () => {
  configureOidc({ account: undefined });
  const owner = await verifiedOwner('lise@acme.example');
  userClaims = { sub: 'lise', email: 'lise@elsewhere.example', email_verified: true };
  await connect(owner);
  const client = server.client();
  const startResponse = await client.get('/auth/api/oidc/start?next=/');
  const callback = await throughProvider(String(startResponse.headers.location));
  const response = await runDuringChange(
    server.db,
    (tx) => deleteIdentitiesOf(tx, owner.userId),
    () => client.get(callback),
  );
  expect(response.headers.location).toBe('/auth?refused=identity_unknown');
  expect(client.cookies.has('token')).toBe(false);
});

test('a sign-in does not wait for the user lock that a concurrent password reset holds', async () => {
  configureOidc({ account: undefined });
  const owner = await verifiedOwner('otti@acme.example');
  userClaims = { sub: 'otti', email: 'otti@elsewhere.example', email_verified: true };
  await connect(owner);
  const client = server.client();
  const startResponse = await client.get('/auth/api/oidc/start?next=/');
  const callback = await throughProvider(String(startResponse.headers.location));
  const outcome = await inTransaction(server.db, async (tx) => {
    await lockUser(tx, owner.userId);
    return Promise.race([client.get(callback), waitForLockWait(server.db)]);
  });
  expect(outcome?.headers.location).toBe('/');
});

test('if passwords are off, one of two concurrent removals fails, so the user still has an identity at the current issuer', async () => {
  configureOidc({ account: undefined });
  const owner = await verifiedOwner('radia@acme.example');
  const subjects = ['radia', 'radia at home'];
  for (const sub of subjects) {
    userClaims = { sub, email: 'radia@elsewhere.example', email_verified: false };
    await connect(owner);
  }
  await sql`insert into identities (user_id, issuer, subject, created_at, used_at)
    values (${owner.userId}, 'https://former.example', 'radia', now(), now())`.execute(server.db);
  configureSignIn({ oidc: server.config.signIn.oidc, passwordsOnlyFor: 'emergency@acme.example' });
  const identityList = (await owner.get(IDENTITIES)).body.data as { id: string; title: string }[];
  const present = identityList.filter(({ title }) => title === 'Acme');
  const responses = await Promise.all(present.map(({ id }) => owner.delete(`${IDENTITIES}/${id}`)));
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
  const former = identityList.find(({ title }) => title === 'former.example');
  expect((await owner.delete(`${IDENTITIES}/${former?.id}`)).status).toBe(200);
  const [last, ...others] = (await owner.get(IDENTITIES)).body.data;
  expect(others).toEqual([]);
  expect((await owner.delete(`${IDENTITIES}/${last.id}`)).body.code).toBe('last_sign_in');
});

test('a callback with a missing cookie, a wrong state or a repeated use does not open a session', async () => {
  configureOidc({ account: undefined });
  await verifiedOwner('hedy@acme.example');
  userClaims = { sub: 'hedy', email: 'hedy@acme.example', ...PROFILE };
  const callbackPathFor = async (client: TestClient) =>
    throughProvider(String((await client.get('/auth/api/oidc/start')).headers.location));
  const firstClient = server.client();
  const callback = await callbackPathFor(firstClient);
  const outsider = server.client();
  expect((await outsider.get(callback)).headers.location).toBe('/auth?refused=oidc_expired');
  await callbackPathFor(outsider);
  expect((await outsider.get(callback)).headers.location).toBe('/auth?refused=oidc_failed');
  const cookies = new Map(firstClient.cookies);
  expect((await firstClient.get(callback)).headers.location).toBe('/');
  const replay = server.client();
  for (const [name, value] of cookies) replay.cookies.set(name, value);
  expect((await replay.get(callback)).headers.location).toBe('/auth?refused=oidc_failed');
});

test('the browser opens only paths of the product after sign-in, never another site', async () => {
  configureOidc({ account: undefined });
  await verifiedOwner('joan@acme.example');
  userClaims = { sub: 'joan', email: 'joan@acme.example', ...PROFILE };
  for (const next of [
    ...['//evil.example', 'https://evil.example', '/\\evil.example'],
    ...['/\t/evil.example', '/.//evil.example', '/\n//evil.example'],
  ])
    expect((await signIn(server.client(), encodeURIComponent(next))).headers.location).toBe('/');
});

test('if passwords are off, only the emergency user can sign in with a password, and other users cannot remove their last identity', async () => {
  const owner = await verifiedOwner('boss@acme.example');
  const emergency = await server.owner('emergency@acme.example');
  configureOidc({ account: undefined });
  userClaims = { sub: 'boss', email: 'boss@acme.example', ...PROFILE };
  await signIn(server.client());
  const { oidc } = server.config.signIn;
  configureSignIn({ oidc, passwordsOnlyFor: 'emergency@acme.example' });
  const byPassword = (email: string) =>
    server.client().post('/auth/api/sign-in', { email, password: 'correct horse battery' });
  expect((await byPassword('boss@acme.example')).body.code).toBe('wrong_credentials');
  expect((await byPassword('emergency@acme.example')).status).toBe(200);
  const methods = (await server.client().get('/auth/api/methods')).body.data;
  expect(methods).toEqual({ oidc: 'Acme', has_passwords: false });
  const [identity] = (await owner.get('/client-api/api/identities')).body.data;
  const response = await owner.delete(`/client-api/api/identities/${identity.id}`);
  expect(response).toMatchObject({ status: 409, body: { code: 'last_sign_in' } });
  expect((await signIn(server.client())).headers.location).toBe('/campaigns');
  expect((await session(emergency)).user.email).toBe('emergency@acme.example');
  await sql`delete from identities`.execute(server.db);
});
