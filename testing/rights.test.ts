// Every account call refuses a caller without the right that it needs, with a session or a token.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { allRoutes } from '#main/wiring.ts';
import type { Call } from '#platform/contract.ts';
import { type Right, getRight, RIGHTS } from '#platform/rights.ts';
import { isPublicApi } from '#platform/server/http/v2.ts';
import { type TestClient, type TestOwner, testServer } from './setup/server.ts';

const server = await testServer();
const calls = allRoutes(server.config).map(({ call }) => call);
const callsOf = (right: Right) => calls.filter((call) => getRight(call) === right);
const TOKENS = '/client-api/api/tokens';

/** A caller without the right is refused before IDs and bodies are read, so any values suffice. */
const request = (client: TestClient, { method, path }: Call, token?: string) =>
  client.send({
    method,
    url: path.replace(/\{\w+\}/g, 'x'),
    ...(token && { headers: { authorization: `Bearer ${token}` } }),
  });

async function colleagueOf(owner: TestOwner) {
  const colleague = await server.owner();
  const { accountId } = owner;
  await sql`insert into memberships (user_id, account_id, created_at)
    values (${colleague.userId}, ${accountId}, now())`.execute(server.db);
  // Switching to the account starts a session in it.
  const accounts = (await colleague.get('/client-api/api/users/accounts')).body.data;
  const otherAccount = accounts.find((account: { is_current: boolean }) => !account.is_current);
  await colleague.post('/client-api/api/users/accounts', { account: otherAccount.id });
  return {
    colleague,
    deny: (rights: readonly Right[]) => deny(accountId, colleague.userId, rights),
  };
}

async function deny(accountId: number, userId: number, rights: readonly Right[]): Promise<void> {
  await server.db
    .updateTable('memberships')
    .set({ denied: [...rights] })
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .execute();
}

const newToken = async (client: TestClient, scopes: readonly Right[] | null): Promise<string> => {
  const tokenResponse = await client.post(TOKENS, { title: 'Till', validity_days: null, scopes });
  expect(tokenResponse.status).toBe(200);
  return tokenResponse.body.data.token;
};

test('every account call refuses a session or token without the right that it needs', async () => {
  const owner = await server.owner();
  const { colleague, deny: denyColleague } = await colleagueOf(owner);
  for (const right of RIGHTS) {
    const limitedToken = await newToken(
      owner,
      RIGHTS.filter((otherRight) => otherRight !== right),
    );
    await denyColleague([]);
    const narrowedToken = await newToken(colleague, null);
    await denyColleague([right]);
    const refusal = { status: 403, body: { code: 'missing_right', right } };
    for (const [index, call] of callsOf(right).entries()) {
      const name = `${call.method} ${call.path}`;
      const expectedOfToken = call.isPersonal
        ? { status: 403, body: { code: 'session_needed' } }
        : // A program would get an approval request, but the object is unknown or the body is empty.
          call.approval
          ? { status: call.path.includes('{') ? 404 : 422 }
          : refusal;
      const expectedOfSession = call.approval
        ? { status: 403, body: { code: 'approval_needed', right } }
        : refusal;
      const attempts = [
        async () =>
          expect(await request(colleague, call, narrowedToken), name).toMatchObject(
            expectedOfToken,
          ),
        async () =>
          expect(await request(server.client(), call, limitedToken), name).toMatchObject(
            expectedOfToken,
          ),
        async () => expect(await request(colleague, call), name).toMatchObject(expectedOfSession),
      ].slice(0, isPublicApi(call.path) ? 2 : 3);
      // Sessions and tokens are checked by the same code, so most calls are tried in one way
      // and the first few in every way.
      const selectedAttempts = index < 6 ? attempts : [attempts[index % attempts.length]];
      for (const attempt of selectedAttempts) await attempt?.();
    }
  }
  expect(RIGHTS.filter((right) => callsOf(right).length === 0)).toEqual([]);
  await denyColleague(RIGHTS);
  expect((await colleague.get('/client-api/api/users')).body.data.rights).toEqual([]);
});

test('calls that need no right concern only the caller or check rights themselves', () => {
  const callsWithoutRight = calls.filter(
    (call) => call.caller === 'account' && call.requiredRight === 'none',
  );
  const prefixes = new Set(
    callsWithoutRight.map(({ path }) => path.split('/').slice(1, 4).join('/')),
  );
  expect([...prefixes].sort()).toEqual([
    'client-api/api/account_users',
    'client-api/api/assistants',
    'client-api/api/identities',
    'client-api/api/operator',
    'client-api/api/passkeys',
    'client-api/api/push_subscriptions',
    'client-api/api/sample_account',
    'client-api/api/sessions',
    'client-api/api/third_parties',
    'client-api/api/two_factor',
    'client-api/api/user_notifications',
    'client-api/api/users',
    'v2/accounts/current',
    'v2/me',
    'v2/users',
  ]);
});
