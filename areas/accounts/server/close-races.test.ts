// Races between a request and the end of access: a concurrent request waits for the transaction
// that ends the access and is then refused. Uploads and bodies that finish only after that are also
// refused.
import { createECDH, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { Secret, TOTP } from 'otpauth';
import { beforeAll, expect, test } from 'vitest';
import { inTransaction, type Tx } from '#platform/server/database/database.ts';
import { newAuthenticator } from '#testing/setup/authenticator.ts';
import { runDuringChange, waitForLockWait } from '#testing/setup/lock-waiters.ts';
import {
  type TestResponse,
  type TestClient,
  type TestOwner,
  type TestServer,
  testServer,
} from '#testing/setup/server.ts';
import { startUpload } from '#testing/setup/socket-upload.ts';
import { startPost } from '#testing/setup/slow-post.ts';
import { invitationSent } from './events.ts';
import { changePassword, removeUser } from './members.ts';
import { listAccountsOfUser, findUser, lockUser } from './accounts.sql.ts';
import { revokeSession, revokeSessionsOfUser, useRefreshToken } from './sessions.sql.ts';
import { reclaimUser } from './sign-in.ts';
import { clock } from '#platform/server/clock.ts';
import { hashSecret } from '#platform/server/secrets.ts';

const API = '/client-api/api';
const PASSWORD = 'correct horse battery';
let server: TestServer;
let token = '';

beforeAll(async () => {
  server = await testServer();
  await server.app.listen({ port: 0, host: '127.0.0.1' });
  invitationSent.on(async (_, invitation) => {
    token = invitation.token;
  });
});

const requestDuringEnd = (
  end: (tx: Tx) => Promise<unknown>,
  request: () => Promise<TestResponse>,
) => runDuringChange(server.db, end, request);

/** Counts the user's sessions, tokens and other means of access that have not ended. */
async function countAccess(userId: number): Promise<number> {
  let count = 0;
  const { rows } = await sql<{ count: number }>`
    select (select count(*) from smtp_users where user_id = ${userId})
      + (select count(*) from invitations where invited_by = ${userId})
      + (select count(*) from push_subscriptions where user_id = ${userId})
      + (select count(*) from two_factors where user_id = ${userId} and confirmed_at is not null)
      as count`.execute(server.db);
  count += Number(rows[0]?.count);
  for (const table of ['sessions', 'api_tokens'] as const) {
    const live = server.db.selectFrom(table).select('id').where('user_id', '=', userId);
    count += (await live.where('revoked_at', 'is', null).execute()).length;
  }
  return count;
}

/** Creates an owner, and a user who joins the owner's account. */
async function colleague(name: string) {
  const owner = await server.owner(`owner-${name}@inn.example`);
  const email = `${name}@inn.example`;
  await owner.post(`${API}/invitations`, { email });
  const client = server.client();
  await client.post('/auth/api/accept-invitation', { token, password: PASSWORD });
  const user = await server.db
    .selectFrom('users')
    .select('id')
    .where('email', '=', email)
    .executeTakeFirstOrThrow();
  return { owner, email, client, userId: user.id };
}

const signIn = (client: TestClient, email: string) =>
  client.post('/auth/api/sign-in', { email, password: PASSWORD });

/**
 * Switches the client to the user's other account. The returned function switches back to the
 * owner's account.
 */
async function switchAway(client: TestClient, name: string): Promise<() => Promise<TestResponse>> {
  const otherOwner = await server.owner(`other-${name}@inn.example`);
  await otherOwner.post(`${API}/invitations`, { email: `${name}@inn.example` });
  await client.post('/auth/api/accept-invitation', { token, password: PASSWORD });
  const accounts: { id: string; owner: string }[] = (await client.get(`${API}/users/accounts`)).body
    .data;
  const firstAccount = accounts.find((account) => account.owner === `owner-${name}@inn.example`);
  return () => client.post(`${API}/users/accounts`, { account: firstAccount?.id });
}

test('the old password does not sign in while the password is being changed', async () => {
  const owner = await server.owner('cook@inn.example');
  const caller = { ...owner, via: 'token', sessionId: 0, language: 'eng' } as const;
  const input = { current: PASSWORD, password: 'soup of the day 7' };
  const response = await requestDuringEnd(
    (tx) => changePassword(tx, caller, owner.userId, input),
    () => signIn(server.client(), 'cook@inn.example'),
  );
  expect(response).toMatchObject({ status: 422, body: { code: 'wrong_credentials' } });
  expect(await countAccess(owner.userId)).toBe(0);
});

test('the old password cannot authorize changes while the password is being changed', async () => {
  const owner = await server.owner('baker@inn.example');
  const caller = { ...owner, via: 'token', sessionId: 0, language: 'eng' } as const;
  const { id } = (await owner.get(`${API}/users`)).body.data.user;
  const response = await requestDuringEnd(
    (tx) =>
      changePassword(tx, caller, owner.userId, {
        current: PASSWORD,
        password: 'soup of the day 7',
      }),
    () =>
      owner.post(`${API}/users/${id}/password`, {
        current: PASSWORD,
        password: 'bread of today 8',
      }),
  );
  expect(response).toMatchObject({ status: 422, body: { code: 'wrong_password' } });
});

test('a member who is being removed cannot get a new token', async () => {
  const { owner, client, userId } = await colleague('waiter');
  const response = await requestDuringEnd(
    (tx) => removeUser(tx, owner, userId),
    () => client.post(`${API}/tokens`, { title: 'Till', validity_days: null }),
  );
  expect(response.status).toBe(401);
  expect(await countAccess(userId)).toBe(0);
});

test('a member who is being removed cannot sign in', async () => {
  const { owner, email, userId } = await colleague('porter');
  const response = await requestDuringEnd(
    (tx) => removeUser(tx, owner, userId),
    () => signIn(server.client(), email),
  );
  expect(response).toMatchObject({ status: 422, body: { code: 'wrong_credentials' } });
  expect(await countAccess(userId)).toBe(0);
});

test('a member who is being removed cannot switch back from another account', async () => {
  const { owner, client, userId } = await colleague('guest');
  const switchBack = await switchAway(client, 'guest');
  const response = await requestDuringEnd((tx) => removeUser(tx, owner, userId), switchBack);
  expect(response.status).toBe(404);
  const sessions = await server.db
    .selectFrom('sessions')
    .select('id')
    .where('user_id', '=', userId)
    .where('account_id', '=', owner.accountId)
    .where('revoked_at', 'is', null)
    .execute();
  expect(sessions).toEqual([]);
});

test('a user who switches accounts while their password is being changed is signed out', async () => {
  const { owner, client, userId } = await colleague('doorman');
  const switchBack = await switchAway(client, 'doorman');
  const caller = { ...owner, userId, via: 'token', sessionId: 0, language: 'eng' } as const;
  const input = { current: PASSWORD, password: 'soup of the day 7' };
  const response = await requestDuringEnd(
    (tx) => changePassword(tx, caller, userId, input),
    switchBack,
  );
  expect(response.status).toBe(401);
  expect(await countAccess(userId)).toBe(0);
});

/** Resets the password in the same way as the emailed link. */
async function reset(tx: Tx, userId: number): Promise<void> {
  const user = await findUser(tx, userId);
  if (user) await reclaimUser(tx, user, 'soup of the day 7', clock.now());
}

test('a session cannot add a token or a passkey while the password is being reset', async () => {
  const owner = await server.owner('butler@inn.example');
  const response = await requestDuringEnd(
    (tx) => reset(tx, owner.userId),
    () => owner.post(`${API}/tokens`, { title: 'Till', validity_days: null }),
  );
  expect(response.status).toBe(401);
  expect(await countAccess(owner.userId)).toBe(0);
  const otherOwner = await server.owner('valet@inn.example');
  const options = (await otherOwner.post(`${API}/passkeys/options`, { password: PASSWORD })).body
    .data;
  const passkey = newAuthenticator().create(options);
  const addResponse = await requestDuringEnd(
    (tx) => reset(tx, otherOwner.userId),
    () => otherOwner.post(`${API}/passkeys`, { name: 'Phone', passkey }),
  );
  expect(addResponse.status).toBe(401);
  const { rows } = await sql`select 1 from passkeys where user_id = ${otherOwner.userId}`.execute(
    server.db,
  );
  expect(rows).toEqual([]);
});

test.each(['refreshed', 'used'])(
  'a session that ends while it is %s remains ended',
  async (method) => {
    const owner = await server.owner(`page-${method}@inn.example`);
    const { id } = await server.db
      .selectFrom('sessions')
      .select('id')
      .where('user_id', '=', owner.userId)
      .executeTakeFirstOrThrow();
    // The time must differ from the last recorded use by more than the recording interval.
    clock.advance(120_000);
    const response = await requestDuringEnd(
      (tx) => revokeSession(tx, owner.accountId, id, 'signed_out', clock.now()),
      () => (method === 'used' ? owner.get(`${API}/users`) : owner.post('/auth/api/refresh')),
    );
    clock.reset();
    expect(response.status).toBe(401);
    const { expires_at: expiresAt, seen_at: seenAt } = await server.db
      .selectFrom('sessions')
      .select(['expires_at', 'seen_at'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(seenAt.getTime()).toBeLessThan(clock.now().getTime() + 60_000);
    expect(expiresAt > seenAt).toBe(true);
  },
);

/** Each function prepares a request that would give a live session further access. */
const ADDITIONS: Record<string, (owner: TestOwner) => Promise<() => Promise<TestResponse>>> = {
  'SMTP user': async (owner) => () => owner.post(`${API}/smtp_users`, { title: 'Till' }),
  invitation: async (owner) => () =>
    owner.post(`${API}/invitations`, { email: 'friend@elsewhere.example' }),
  'plugin token': async (owner) => () =>
    owner.post(`${API}/store-plugins`, { platform: 'wordpress' }),
  'authenticator app': async (owner) => {
    // A reset keeps the second factors of a verified user only.
    await server.db
      .updateTable('users')
      .set({ email_verified_at: clock.now() })
      .where('id', '=', owner.userId)
      .execute();
    const { secret } = (await owner.post(`${API}/two_factor`, { password: PASSWORD })).body.data;
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
    return () => owner.post(`${API}/two_factor/confirm`, { code });
  },
  'browser with notifications': async (owner) => () =>
    owner.post(`${API}/push_subscriptions`, subscription()),
  'session to replace that of the deleted sample account': async (owner) => {
    const { id } = (await owner.post(`${API}/sample_account`, {})).body.data;
    await owner.post(`${API}/users/accounts`, { account: id });
    return () => owner.delete(`${API}/sample_account`);
  },
};

function subscription() {
  const keys = createECDH('prime256v1');
  const p256dh = keys.generateKeys().toString('base64url');
  const auth = randomBytes(16).toString('base64url');
  return { endpoint: 'https://push.example/inn', keys: { p256dh, auth } };
}

test.each(Object.keys(ADDITIONS))(
  'a request during a password reset adds no %s',
  async (action) => {
    const owner = await server.owner();
    const request = await ADDITIONS[action]?.(owner);
    if (!request) throw new Error(action);
    const response = await requestDuringEnd((tx) => reset(tx, owner.userId), request);
    expect(response.status).toBe(401);
    expect(await countAccess(owner.userId)).toBe(0);
  },
);

test('a member who is being removed cannot create an SMTP user', async () => {
  const { owner, client, userId } = await colleague('sommelier');
  const response = await requestDuringEnd(
    (tx) => removeUser(tx, owner, userId),
    () => client.post(`${API}/smtp_users`, { title: 'Till' }),
  );
  expect(response.status).toBe(401);
  expect(await countAccess(userId)).toBe(0);
});

test("a request during a password reset cannot change the user's address", async () => {
  const owner = await server.owner('squatted@inn.example');
  const { id } = (await owner.get(`${API}/users`)).body.data.user;
  const response = await requestDuringEnd(
    (tx) => reset(tx, owner.userId),
    () => owner.patch(`${API}/users/${id}`, { email: 'stranger@elsewhere.example' }),
  );
  expect(response.status).toBe(401);
  expect(await findUser(server.db, owner.userId)).toMatchObject({ email: 'squatted@inn.example' });
});

test.each(['rotated', 'widened'])(
  'a token is not %s while the password is being changed',
  async (method) => {
    const owner = await server.owner();
    const input = { title: 'Till', validity_days: null, scopes: ['read'] };
    const { id } = (await owner.post(`${API}/tokens`, input)).body.data;
    const caller = { ...owner, via: 'token', sessionId: 0, language: 'eng' } as const;
    const change = { current: PASSWORD, password: 'soup of the day 7' };
    const response = await requestDuringEnd(
      (tx) => changePassword(tx, caller, owner.userId, change),
      () =>
        method === 'rotated'
          ? owner.post(`${API}/tokens/${id}/rotate`)
          : owner.patch(`${API}/tokens/${id}`, { scopes: null }),
    );
    expect(response.status, response.text).toBe(401);
  },
);

test("switching to another account does not open a session if a password reset has just revoked that account's sessions", async () => {
  const { client, userId } = await colleague('courier');
  const switchBack = await switchAway(client, 'courier');
  let pending: Promise<TestResponse> | undefined;
  await inTransaction(server.db, async (tx) => {
    await lockUser(tx, userId);
    for (const accountId of await listAccountsOfUser(tx, userId)) {
      await revokeSessionsOfUser(tx, accountId, userId, 'password_changed', clock.now());
      pending ??= switchBack();
      await Promise.race([pending, waitForLockWait(server.db)]);
    }
  });
  expect((await pending)?.status).toBe(401);
  expect(await countAccess(userId)).toBe(0);
});

test('a sign-out locks the refresh token before the session, as a refresh does', async () => {
  const owner = await server.owner();
  const [, secret = ''] = (owner.cookies.get('refresh_token') ?? '').split('.');
  let pending: Promise<TestResponse> | undefined;
  const free = await inTransaction(server.db, async (tx) => {
    await useRefreshToken(tx, owner.accountId, hashSecret(secret), clock.now());
    pending = owner.post('/auth/api/sign-out');
    await waitForLockWait(server.db);
    const { rows } = await sql`select id from sessions
      where account_id = ${owner.accountId} and user_id = ${owner.userId}
      for update skip locked`.execute(tx);
    return rows;
  });
  expect(free).toHaveLength(1);
  expect((await pending)?.status).toBe(200);
});

test.each([
  ['/subscribers/import_file', 'list.csv'],
  ['/suppressions/import?channel=email', 'list.csv'],
  ['/deliverability/files', 'report.xml'],
  ['/images', 'picture.png'],
])('an upload to %s that ends only after a password reset is refused', async (path, name) => {
  const owner = await server.owner();
  const bytes = Buffer.from('email\nada@inn.example\n');
  const upload = await startUpload(server, owner, { url: API + path, name, size: bytes.length });
  await upload.send(bytes);
  await delay(1_100);
  await inTransaction(server.db, (tx) => reset(tx, owner.userId));
  await upload.end();
  await expect.poll(upload.readResponse).toMatch(/^HTTP\/1\.1 401/);
  upload.close();
});

test('a request is refused if a password reset happens before its body has arrived', async () => {
  const owner = await server.owner();
  const body = { url: 'https://inn.example/hook', topic: 'subscribers/new' };
  const post = await startPost(server, owner, `${API}/webhooks`, body);
  await delay(1_100);
  await inTransaction(server.db, (tx) => reset(tx, owner.userId));
  expect(await post.end()).toMatch(/^HTTP\/1\.1 401/);
});
