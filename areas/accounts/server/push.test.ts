// Notices in browsers, against a push service that reads them: who is told, who is not any more, what is refused.
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database.ts';
import { allowPrivateAddresses } from '#platform/server/outgoing-address.ts';
import { configureSecrets } from '#platform/server/secrets.ts';
import { type PushService, startPushService } from '#testing/push-service.ts';
import { TEST_SECRET, type TestClient, type TestServer, testServer } from '#testing/server.ts';
import { forgetOldSessions } from './housekeeping.ts';
import { invitationSent, tellBrowsers } from './index.ts';
import { isPushKey, vapidKeys } from './vapid.ts';

const API = '/client-api/api/push_subscriptions';
const DAY_MS = 86_400_000;
const password = 'correct horse battery';
let server: TestServer;
let service: PushService;

beforeAll(async () => {
  server = await testServer();
  const owner = await server.owner('key@push.example');
  service = await startPushService(async () => (await owner.get(API)).body.data.key);
  return () => service.close();
});
afterEach(() => {
  clock.reset();
  service.answers.length = 0;
});

const notice = { title: 'Sent', body: 'All of it.', path: '/campaigns/x', tag: 'x' };
const tell = (accountId: number) =>
  inTransaction(server.db, (tx) => tellBrowsers(tx, accountId, () => notice));
const known = async (client: TestClient) => (await client.get(API)).body.data.browsers.length;

async function subscribed(client: TestClient) {
  const browser = service.browser();
  expect((await client.post(API, browser.subscription)).status).toBe(200);
  return browser;
}

test('a browser that subscribes hears so, and what its user is told; once although asked twice', async () => {
  const owner = await server.owner();
  const browser = await subscribed(owner);
  await owner.post(API, browser.subscription);
  expect(await known(owner)).toBe(1);
  await server.runJobs();
  const [first, again] = await browser.shown();
  expect(first).toMatchObject({ title: 'Notifications are on', lang: 'en', dir: 'ltr' });
  expect(again).toEqual(first);
  await tell(owner.accountId);
  await server.runJobs();
  expect((await browser.shown()).at(-1)).toEqual({ ...notice, lang: 'en', dir: 'ltr' });
  const [last] = service.handed.slice(-1);
  expect(last?.headers.topic).toMatch(/^[\w-]{32}$/);
  expect((await owner.post(`${API}/off`, { endpoint: browser.subscription.endpoint })).status).toBe(
    200,
  );
  const before = service.handed.length;
  await tell(owner.accountId);
  await server.runJobs();
  expect([await known(owner), service.handed.length]).toEqual([0, before]);
});

test('nobody of another account is told, and none can take a browser away from its user', async () => {
  const owner = await server.owner();
  const other = await server.owner();
  const browser = await subscribed(owner);
  const { endpoint } = browser.subscription;
  expect((await other.post(`${API}/off`, { endpoint })).status).toBe(200);
  expect(await known(owner)).toBe(1);
  await server.runJobs();
  await tell(other.accountId);
  await server.runJobs();
  expect(await browser.shown()).toHaveLength(1);
  // Somebody else signs in there and wants it: then it is theirs alone.
  await other.post(API, browser.subscription);
  expect([await known(owner), await known(other)]).toEqual([0, 1]);
  expect((await server.client().get(API)).status).toBe(401);
});

test('signing out, a new password and the end of a session by its time end it', async () => {
  const owner = await server.owner('leaves@push.example');
  await subscribed(owner);
  await owner.post('/auth/api/sign-out');
  const visitor = server.client();
  const signIn = () =>
    visitor.post('/auth/api/sign-in', { email: 'leaves@push.example', password });
  await signIn();
  expect(await known(visitor)).toBe(0);

  // Elsewhere the password is changed: only where that was done is still told.
  await subscribed(visitor);
  const elsewhere = server.client();
  await elsewhere.post('/auth/api/sign-in', { email: 'leaves@push.example', password });
  await subscribed(elsewhere);
  const { id } = (await elsewhere.get('/client-api/api/users')).body.data.user;
  const change = { current: password, password: 'another horse battery' };
  const changed = await elsewhere.post(`/client-api/api/users/${id}/password`, change);
  expect(changed.status).toBe(200);
  expect(await known(elsewhere)).toBe(1);

  await server.runJobs();
  clock.advance(31 * DAY_MS);
  const before = service.handed.length;
  await tell(owner.accountId);
  await server.runJobs();
  expect(service.handed.length).toBe(before);
  expect(await rows(owner.userId)).toBe(0);
});

const rows = async (userId: number) =>
  (
    await server.db
      .selectFrom('push_subscriptions')
      .select('user_id')
      .where('user_id', '=', userId)
      .execute()
  ).length;

test('what is kept for a session that ended by its time goes without anybody being told', async () => {
  const owner = await server.owner();
  await subscribed(owner);
  await server.runJobs();
  clock.advance(31 * DAY_MS);
  await forgetOldSessions(server.db, new AbortController().signal);
  expect(await rows(owner.userId)).toBe(0);
});

test('who is taken out of the account is told nothing of it; in another account of theirs they are', async () => {
  const tokens: string[] = [];
  invitationSent.on(async (_, { token }) => void tokens.push(token));
  const host = await server.owner('host@push.example');
  const guest = await server.owner('guest@push.example');
  await host.post('/client-api/api/invitations', { email: 'guest@push.example' });
  await guest.post('/auth/api/accept-invitation', { token: tokens[0], password });
  const browser = await subscribed(guest);
  // The same browser goes on in the own account, and is told of both.
  const accounts = (await guest.get('/client-api/api/users/accounts')).body.data;
  const own = accounts.find((one: { is_current: boolean }) => !one.is_current);
  await guest.post('/client-api/api/users/accounts', { account: own.id });
  await tell(host.accountId);
  await server.runJobs();
  expect((await browser.shown()).at(-1)?.title).toBe('Sent');
  const { data } = (await host.get('/client-api/api/account_users?search=guest')).body;
  // Told before, handed over after it: nothing arrives.
  await tell(host.accountId);
  await host.delete(`/client-api/api/account_users/${data[0].id}`);
  const before = service.handed.length;
  await server.runJobs();
  expect(service.handed.length).toBe(before);
  await tell(guest.accountId);
  await server.runJobs();
  expect(service.handed.length).toBe(before + 1);
});

test('gone is gone; a service that is down or full is asked again, and no notice is lost', async () => {
  for (const status of [404, 410, 403]) {
    const owner = await server.owner();
    await subscribed(owner);
    service.answers.push(status);
    await server.runJobs();
    expect([status, await known(owner)]).toEqual([status, 0]);
  }
  const owner = await server.owner();
  const browser = await subscribed(owner);
  service.answers.push(503);
  await server.runJobs();
  expect(await known(owner)).toBe(1);
  await makeDue();
  service.answers.push(429);
  await server.runJobs();
  await makeDue();
  await server.runJobs();
  expect(await browser.shown()).toHaveLength(3);
  // Too large, or whatever else it would refuse again.
  await tell(owner.accountId);
  service.answers.push(400);
  await server.runJobs();
  expect(await known(owner)).toBe(1);
  await makeDue();
  const before = service.handed.length;
  await server.runJobs();
  expect(service.handed.length).toBe(before);
});

/** Jobs that failed wait for some seconds: they come at once. */
const makeDue = async () => {
  await sql`update graphile_worker._private_jobs set run_at = now() where run_at > now()`.execute(
    server.db,
  );
};

test('addresses of private networks, other schemes and keys that are none are refused', async () => {
  const owner = await server.owner();
  const good = service.browser().subscription;
  const refused = async (given: object, code: string) => {
    const answer = await owner.post(API, given);
    expect([answer.status, answer.body.code]).toEqual([422, code]);
  };
  for (const endpoint of [
    'http://push.example/x',
    'ftp://push.example',
    '',
    `https://${'x'.repeat(1100)}`,
  ])
    await refused({ ...good, endpoint }, 'invalid');
  for (const endpoint of ['https://push.example:25/x', 'https://u:p@push.example/x'])
    await refused({ ...good, endpoint }, 'bad_push_subscription');
  const off = Buffer.from(good.keys.p256dh, 'base64url');
  off[64] = (off[64] ?? 0) ^ 1;
  for (const p256dh of [
    '',
    'nonsense',
    off.toString('base64url'),
    randomBytes(65).toString('base64url'),
  ])
    await refused({ ...good, keys: { ...good.keys, p256dh } }, 'bad_push_subscription');
  await refused({ ...good, keys: { ...good.keys, auth: 'AAAA' } }, 'bad_push_subscription');
  allowPrivateAddresses(false);
  try {
    for (const host of ['127.0.0.1:9443', '10.0.0.8', '[::1]:9443', '169.254.169.254'])
      await refused({ ...good, endpoint: `https://${host}/x` }, 'bad_push_subscription');
    // A name is looked at when it is called, each time.
    const endpoint = `https://localhost:${new URL(service.origin).port}/push/name`;
    expect((await owner.post(API, { ...good, endpoint })).status).toBe(200);
    const before = service.handed.length;
    await server.runJobs();
    expect([service.handed.length, await known(owner)]).toEqual([before, 0]);
  } finally {
    allowPrivateAddresses(true);
  }
});

test('an address that the browser changed takes the place of the one before, without a greeting', async () => {
  const owner = await server.owner();
  const old = await subscribed(owner);
  await server.runJobs();
  const fresh = service.browser();
  const { endpoint: replaces } = old.subscription;
  await owner.post(API, { ...fresh.subscription, replaces });
  await tell(owner.accountId);
  await server.runJobs();
  expect(await known(owner)).toBe(1);
  expect((await fresh.shown()).map(({ title }) => title)).toEqual(['Sent']);
  expect(await old.shown()).toHaveLength(1);
});

test('of one user twenty browsers are told, the newest', async () => {
  const owner = await server.owner();
  for (let at = 0; at < 21; at += 1) {
    clock.advance(1000);
    await subscribed(owner);
  }
  expect(await known(owner)).toBe(20);
  await server.db.deleteFrom('push_subscriptions').where('user_id', '=', owner.userId).execute();
});

test('the key comes out of the SECRET: the same again, another with another', () => {
  const one = vapidKeys();
  expect(vapidKeys()).toEqual(one);
  expect(isPushKey(one.publicKey)).toBe(true);
  configureSecrets('another secret of the tests, thirty-two characters');
  expect(vapidKeys().publicKey).not.toBe(one.publicKey);
  configureSecrets(TEST_SECRET);
  expect(vapidKeys()).toEqual(one);
});
