// Browser notifications, sent to a push service that decrypts them: who gets them, when a
// subscription ends, and which subscriptions are refused.
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { allowPrivateAddresses } from '#platform/server/outgoing/outgoing-address.ts';
import { configureSecrets } from '#platform/server/secrets.ts';
import { type PushService, startPushService } from '#testing/servers/push-service.ts';
import {
  TEST_SECRET,
  type TestClient,
  type TestServer,
  testServer,
} from '#testing/setup/server.ts';
import { deleteOldSessions } from './housekeeping.ts';
import { invitationSent, notifyBrowsers } from './index.ts';
import { isPushKey, deriveVapidKeys } from './vapid.ts';

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
  service.responseStatuses.length = 0;
});

const notice = { title: 'Sent', body: 'All of it.', path: '/campaigns/x', tag: 'x' };
const notify = (accountId: number) =>
  inTransaction(server.db, (tx) => notifyBrowsers(tx, accountId, () => notice));
const countBrowsers = async (client: TestClient) =>
  (await client.get(API)).body.data.browsers.length;

async function subscribe(client: TestClient) {
  const browser = service.browser();
  expect((await client.post(API, browser.subscription)).status).toBe(200);
  return browser;
}

test("a browser that subscribes twice is stored once and gets its user's notifications until it unsubscribes", async () => {
  const owner = await server.owner();
  const browser = await subscribe(owner);
  await owner.post(API, browser.subscription);
  expect(await countBrowsers(owner)).toBe(1);
  await server.runJobs();
  const [first, again] = await browser.readNotices();
  expect(first).toMatchObject({ title: 'Notifications are on', lang: 'en', dir: 'ltr' });
  expect(again).toEqual(first);
  await notify(owner.accountId);
  await server.runJobs();
  expect((await browser.readNotices()).at(-1)).toEqual({ ...notice, lang: 'en', dir: 'ltr' });
  const [last] = service.requests.slice(-1);
  expect(last?.headers.topic).toMatch(/^[\w-]{32}$/);
  expect((await owner.post(`${API}/off`, { endpoint: browser.subscription.endpoint })).status).toBe(
    200,
  );
  const countBefore = service.requests.length;
  await notify(owner.accountId);
  await server.runJobs();
  expect([await countBrowsers(owner), service.requests.length]).toEqual([0, countBefore]);
});

test('a browser gets no notifications from other accounts, and another user cannot unsubscribe it', async () => {
  const owner = await server.owner();
  const otherOwner = await server.owner();
  const browser = await subscribe(owner);
  const { endpoint } = browser.subscription;
  expect((await otherOwner.post(`${API}/off`, { endpoint })).status).toBe(200);
  expect(await countBrowsers(owner)).toBe(1);
  await server.runJobs();
  await notify(otherOwner.accountId);
  await server.runJobs();
  expect(await browser.readNotices()).toHaveLength(1);
  // Another user signs in and subscribes in the same browser, which is then only theirs.
  await otherOwner.post(API, browser.subscription);
  expect([await countBrowsers(owner), await countBrowsers(otherOwner)]).toEqual([0, 1]);
  expect((await server.client().get(API)).status).toBe(401);
});

test('sign-out, a password change and session expiry end a push subscription', async () => {
  const owner = await server.owner('leaves@push.example');
  await subscribe(owner);
  await owner.post('/auth/api/sign-out');
  const visitor = server.client();
  const signIn = () =>
    visitor.post('/auth/api/sign-in', { email: 'leaves@push.example', password });
  await signIn();
  expect(await countBrowsers(visitor)).toBe(0);

  // The password is changed in another session, so only the browser of that session remains
  // subscribed.
  await subscribe(visitor);
  const elsewhere = server.client();
  await elsewhere.post('/auth/api/sign-in', { email: 'leaves@push.example', password });
  await subscribe(elsewhere);
  const { id } = (await elsewhere.get('/client-api/api/users')).body.data.user;
  const change = { current: password, password: 'another horse battery' };
  const response = await elsewhere.post(`/client-api/api/users/${id}/password`, change);
  expect(response.status).toBe(200);
  expect(await countBrowsers(elsewhere)).toBe(1);

  await server.runJobs();
  clock.advance(31 * DAY_MS);
  const countBefore = service.requests.length;
  await notify(owner.accountId);
  await server.runJobs();
  expect(service.requests.length).toBe(countBefore);
  expect(await countSubscriptions(owner.userId)).toBe(0);
});

const countSubscriptions = async (userId: number) =>
  (
    await server.db
      .selectFrom('push_subscriptions')
      .select('user_id')
      .where('user_id', '=', userId)
      .execute()
  ).length;

test('subscriptions of an expired session are deleted without a notification', async () => {
  const owner = await server.owner();
  await subscribe(owner);
  await server.runJobs();
  clock.advance(31 * DAY_MS);
  await deleteOldSessions(server.db, new AbortController().signal);
  expect(await countSubscriptions(owner.userId)).toBe(0);
});

test('a removed member gets no more notifications of the account but still gets those of their other account', async () => {
  const tokens: string[] = [];
  invitationSent.on(async (_, { token }) => void tokens.push(token));
  const host = await server.owner('host@push.example');
  const guest = await server.owner('guest@push.example');
  await host.post('/client-api/api/invitations', { email: 'guest@push.example' });
  await guest.post('/auth/api/accept-invitation', { token: tokens[0], password });
  const browser = await subscribe(guest);
  // The browser switches to the user's own account and gets the notifications of both accounts.
  const accounts = (await guest.get('/client-api/api/users/accounts')).body.data;
  const ownAccount = accounts.find((account: { is_current: boolean }) => !account.is_current);
  await guest.post('/client-api/api/users/accounts', { account: ownAccount.id });
  await notify(host.accountId);
  await server.runJobs();
  expect((await browser.readNotices()).at(-1)?.title).toBe('Sent');
  const { data } = (await host.get('/client-api/api/account_users?search=guest')).body;
  // A notification that is queued before the removal is not delivered after it.
  await notify(host.accountId);
  await host.delete(`/client-api/api/account_users/${data[0].id}`);
  const countBefore = service.requests.length;
  await server.runJobs();
  expect(service.requests.length).toBe(countBefore);
  await notify(guest.accountId);
  await server.runJobs();
  expect(service.requests.length).toBe(countBefore + 1);
});

test('an ended subscription is deleted, and notifications are retried while the push service is unavailable', async () => {
  for (const status of [404, 410, 403]) {
    const owner = await server.owner();
    await subscribe(owner);
    service.responseStatuses.push(status);
    await server.runJobs();
    expect([status, await countBrowsers(owner)]).toEqual([status, 0]);
  }
  const owner = await server.owner();
  const browser = await subscribe(owner);
  service.responseStatuses.push(503);
  await server.runJobs();
  expect(await countBrowsers(owner)).toBe(1);
  await makeDue();
  service.responseStatuses.push(429);
  await server.runJobs();
  await makeDue();
  await server.runJobs();
  expect(await browser.readNotices()).toHaveLength(3);
  // If the push service refuses a notification permanently, only that notification is lost.
  await notify(owner.accountId);
  service.responseStatuses.push(400);
  await server.runJobs();
  expect(await countBrowsers(owner)).toBe(1);
  await makeDue();
  const countBefore = service.requests.length;
  await server.runJobs();
  expect(service.requests.length).toBe(countBefore);
});

/** Failed jobs are delayed by some seconds; this makes them due immediately. */
const makeDue = async () => {
  await sql`update graphile_worker._private_jobs set run_at = now() where run_at > now()`.execute(
    server.db,
  );
};

test('endpoints other than public https URLs, and invalid keys, are refused', async () => {
  const owner = await server.owner();
  const subscription = service.browser().subscription;
  const expectRejection = async (body: object, code: string) => {
    const response = await owner.post(API, body);
    expect([response.status, response.body.code]).toEqual([422, code]);
  };
  for (const endpoint of [
    'http://push.example/x',
    'ftp://push.example',
    '',
    `https://${'x'.repeat(1100)}`,
  ])
    await expectRejection({ ...subscription, endpoint }, 'invalid');
  for (const endpoint of ['https://push.example:25/x', 'https://u:p@push.example/x'])
    await expectRejection({ ...subscription, endpoint }, 'bad_push_subscription');
  const offCurve = Buffer.from(subscription.keys.p256dh, 'base64url');
  offCurve[64] = (offCurve[64] ?? 0) ^ 1;
  for (const p256dh of [
    '',
    'nonsense',
    offCurve.toString('base64url'),
    randomBytes(65).toString('base64url'),
  ])
    await expectRejection(
      { ...subscription, keys: { ...subscription.keys, p256dh } },
      'bad_push_subscription',
    );
  await expectRejection(
    { ...subscription, keys: { ...subscription.keys, auth: 'AAAA' } },
    'bad_push_subscription',
  );
  allowPrivateAddresses(false);
  try {
    for (const host of ['127.0.0.1:9443', '10.0.0.8', '[::1]:9443', '169.254.169.254'])
      await expectRejection(
        { ...subscription, endpoint: `https://${host}/x` },
        'bad_push_subscription',
      );
    // A hostname is resolved and checked on each request.
    const endpoint = `https://localhost:${new URL(service.origin).port}/push/name`;
    expect((await owner.post(API, { ...subscription, endpoint })).status).toBe(200);
    const countBefore = service.requests.length;
    await server.runJobs();
    expect([service.requests.length, await countBrowsers(owner)]).toEqual([countBefore, 0]);
  } finally {
    allowPrivateAddresses(true);
  }
});

test('the changed endpoint of a browser replaces the previous one without a welcome notification', async () => {
  const owner = await server.owner();
  const oldBrowser = await subscribe(owner);
  await server.runJobs();
  const newBrowser = service.browser();
  const { endpoint: replaces } = oldBrowser.subscription;
  await owner.post(API, { ...newBrowser.subscription, replaces });
  await notify(owner.accountId);
  await server.runJobs();
  expect(await countBrowsers(owner)).toBe(1);
  expect((await newBrowser.readNotices()).map(({ title }) => title)).toEqual(['Sent']);
  expect(await oldBrowser.readNotices()).toHaveLength(1);
});

test('a user has at most twenty subscribed browsers', async () => {
  const owner = await server.owner();
  for (let index = 0; index < 21; index += 1) {
    clock.advance(1000);
    await subscribe(owner);
  }
  expect(await countBrowsers(owner)).toBe(20);
  await server.db.deleteFrom('push_subscriptions').where('user_id', '=', owner.userId).execute();
});

test('the VAPID key is derived from SECRET alone', () => {
  const keys = deriveVapidKeys();
  expect(deriveVapidKeys()).toEqual(keys);
  expect(isPushKey(keys.publicKey)).toBe(true);
  configureSecrets('another secret of the tests, thirty-two characters');
  expect(deriveVapidKeys().publicKey).not.toBe(keys.publicKey);
  configureSecrets(TEST_SECRET);
  expect(deriveVapidKeys()).toEqual(keys);
});
