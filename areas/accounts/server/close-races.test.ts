// Races with ending access: a concurrent request waits for the transaction and then finds that the
// access has ended.
import { beforeAll, expect, test } from 'vitest';
import { inTransaction, type Tx } from '#platform/server/database/database.ts';
import { lockWaiters } from '#testing/setup/lock-waiters.ts';
import {
  type Answer,
  type TestClient,
  type TestServer,
  testServer,
} from '#testing/setup/server.ts';
import { invitationSent } from './events.ts';
import { changePassword, removeUser } from './members.ts';

const API = '/client-api/api';
const PASSWORD = 'correct horse battery';
let server: TestServer;
let token = '';

beforeAll(async () => {
  server = await testServer();
  invitationSent.on(async (_, facts) => {
    token = facts.token;
  });
});

/** Resolves when a statement of this database waits for a lock. */
async function untilLockWait(): Promise<void> {
  for (;;) {
    if ((await lockWaiters(server.db)).length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Sends a request after `end` ran and before it is committed. */
async function duringEnd(
  end: (tx: Tx) => Promise<void>,
  request: () => Promise<Answer>,
): Promise<Answer> {
  let pending: Promise<Answer> | undefined;
  await inTransaction(server.db, async (tx) => {
    await end(tx);
    pending = request();
    await Promise.race([pending, untilLockWait()]);
  });
  return pending as Promise<Answer>;
}

async function accessOf(userId: number): Promise<number> {
  let count = 0;
  for (const table of ['sessions', 'api_tokens'] as const) {
    const live = server.db.selectFrom(table).select('id').where('user_id', '=', userId);
    count += (await live.where('revoked_at', 'is', null).execute()).length;
  }
  return count;
}

/** A user who belongs to the owner's account and to one of their own. */
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
 * Switches the client to the user's other account; returns a function that switches back to the
 * owner's.
 */
async function elsewhere(client: TestClient, name: string): Promise<() => Promise<Answer>> {
  const other = await server.owner(`other-${name}@inn.example`);
  await other.post(`${API}/invitations`, { email: `${name}@inn.example` });
  await client.post('/auth/api/accept-invitation', { token, password: PASSWORD });
  const accounts: { id: string; owner: string }[] = (await client.get(`${API}/users/accounts`)).body
    .data;
  const first = accounts.find((account) => account.owner === `owner-${name}@inn.example`);
  return () => client.post(`${API}/users/accounts`, { account: first?.id });
}

test('the old password does not sign in while a new one is being set', async () => {
  const owner = await server.owner('cook@inn.example');
  const caller = { ...owner, via: 'token', sessionId: 0, language: 'eng' } as const;
  const input = { current: PASSWORD, password: 'soup of the day 7' };
  const answer = await duringEnd(
    (tx) => changePassword(tx, caller, owner.userId, input),
    () => signIn(server.client(), 'cook@inn.example'),
  );
  expect(answer).toMatchObject({ status: 422, body: { code: 'wrong_credentials' } });
  expect(await accessOf(owner.userId)).toBe(0);
});

test('the old password changes nothing while a new one is being set', async () => {
  const owner = await server.owner('baker@inn.example');
  const caller = { ...owner, via: 'token', sessionId: 0, language: 'eng' } as const;
  const { id } = (await owner.get(`${API}/users`)).body.data.user;
  const answer = await duringEnd(
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
  expect(answer).toMatchObject({ status: 422, body: { code: 'wrong_password' } });
});

test('a member who is being removed gets no new token', async () => {
  const { owner, client, userId } = await colleague('waiter');
  const answer = await duringEnd(
    (tx) => removeUser(tx, owner, userId),
    () => client.post(`${API}/tokens`, { title: 'Till', validity_days: null }),
  );
  expect(answer.status).toBe(401);
  expect(await accessOf(userId)).toBe(0);
});

test('a member who is being removed cannot sign in', async () => {
  const { owner, email, userId } = await colleague('porter');
  const answer = await duringEnd(
    (tx) => removeUser(tx, owner, userId),
    () => signIn(server.client(), email),
  );
  expect(answer).toMatchObject({ status: 422, body: { code: 'wrong_credentials' } });
  expect(await accessOf(userId)).toBe(0);
});

test('a member who is being removed cannot switch back from another account', async () => {
  const { owner, client, userId } = await colleague('guest');
  const goBack = await elsewhere(client, 'guest');
  const answer = await duringEnd((tx) => removeUser(tx, owner, userId), goBack);
  expect(answer.status).toBe(404);
  const sessions = await server.db
    .selectFrom('sessions')
    .select('id')
    .where('user_id', '=', userId)
    .where('account_id', '=', owner.accountId)
    .where('revoked_at', 'is', null)
    .execute();
  expect(sessions).toEqual([]);
});

test('a user who switches accounts while their password is being changed stays signed out', async () => {
  const { owner, client, userId } = await colleague('doorman');
  const goBack = await elsewhere(client, 'doorman');
  const caller = { ...owner, userId, via: 'token', sessionId: 0, language: 'eng' } as const;
  const input = { current: PASSWORD, password: 'soup of the day 7' };
  const answer = await duringEnd((tx) => changePassword(tx, caller, userId, input), goBack);
  expect(answer.status).toBe(401);
  expect(await accessOf(userId)).toBe(0);
});
