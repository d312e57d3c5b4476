// Every account call refuses callers without its right, by session and by token.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { allRoutes } from '#main/wiring.ts';
import type { Call } from '#platform/contract.ts';
import { type Right, rightOf, RIGHTS } from '#platform/rights.ts';
import { isPublicApi } from '#platform/server/http/v2.ts';
import { type TestClient, testServer } from './setup/server.ts';

const server = await testServer();
const calls = allRoutes(server.config).map(({ call }) => call);
const callsOf = (right: Right) => calls.filter((call) => rightOf(call) === right);
const TOKENS = '/client-api/api/tokens';

/** The caller is refused before ids and bodies are read, so any values are sufficient. */
const request = (client: TestClient, { method, path }: Call, token?: string) =>
  client.send({
    method,
    url: path.replace(/\{\w+\}/g, 'x'),
    ...(token && { headers: { authorization: `Bearer ${token}` } }),
  });

async function colleagueOf(owner: TestClient & { accountId: number }) {
  const colleague = await server.owner();
  const { accountId } = owner;
  await sql`insert into memberships (user_id, account_id, created_at)
    values (${colleague.userId}, ${accountId}, now())`.execute(server.db);
  // Finds the account in the list, and switches to it, which starts a session there.
  const own = (await colleague.get('/client-api/api/users/accounts')).body.data;
  const other = own.find((session: { is_current: boolean }) => !session.is_current);
  await colleague.post('/client-api/api/users/accounts', { account: other.id });
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
  const made = await client.post(TOKENS, { title: 'Till', validity_days: null, scopes });
  expect(made.status).toBe(200);
  return made.body.data.token;
};

test('every account call refuses a session or token without its right, and calls about the caller need none', async () => {
  const owner = await server.owner();
  const { colleague, deny: denyColleague } = await colleagueOf(owner);
  for (const right of RIGHTS) {
    const limited = await newToken(
      owner,
      RIGHTS.filter((session) => session !== right),
    );
    await denyColleague([]);
    const shrunk = await newToken(colleague, null);
    await denyColleague([right]);
    const refused = { status: 403, body: { code: 'missing_right', right } };
    for (const [index, call] of callsOf(right).entries()) {
      const name = `${call.method} ${call.path}`;
      const door = call.isPersonal
        ? { status: 403, body: { code: 'session_needed' } }
        : // A program's call would be a request for approval, here about an unknown object or nothing.
          call.approvable
          ? { status: call.path.includes('{') ? 404 : 422 }
          : refused;
      const own = call.approvable
        ? { status: 403, body: { code: 'approval_needed', right } }
        : refused;
      const doors = [
        async () => expect(await request(colleague, call, shrunk), name).toMatchObject(door),
        async () => expect(await request(server.client(), call, limited), name).toMatchObject(door),
        async () => expect(await request(colleague, call), name).toMatchObject(own),
      ].slice(0, isPublicApi(call.path) ? 2 : 3);
      // Sessions and tokens share one check, so each call is tried with one of them, the first ones
      // with both.
      const tried = index < 6 ? doors : [doors[index % doors.length]];
      for (const attempt of tried) await attempt?.();
    }
  }
  expect(RIGHTS.filter((right) => callsOf(right).length === 0)).toEqual([]);
  await denyColleague(RIGHTS);
  expect((await colleague.get('/client-api/api/users')).body.data.rights).toEqual([]);
});

test('calls without a right concern only the caller or check it themselves', () => {
  const free = calls.filter((call) => call.caller === 'account' && call.needs === 'none');
  const places = new Set(free.map(({ path }) => path.split('/').slice(1, 4).join('/')));
  expect([...places].sort()).toEqual([
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
