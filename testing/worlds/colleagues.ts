// Other callers of an account: users and API tokens with fewer rights than its owner.
import type { Right } from '#platform/rights.ts';
import type { TestClient, TestServer } from '../setup/server.ts';

const API = '/client-api/api';

/** Creates another user of the account without these rights. */
export async function createColleague(
  server: TestServer,
  { accountId }: { accountId: number },
  deniedRights: readonly Right[] = [],
): Promise<TestClient & { userId: number }> {
  const user = await server.owner();
  await server.db
    .insertInto('memberships')
    .values({
      ...{ user_id: user.userId, account_id: accountId, created_at: new Date() },
      denied: [...deniedRights],
    })
    .execute();
  const accounts = (await user.get(`${API}/users/accounts`)).body.data;
  const otherAccount = accounts.find((account: { is_current: boolean }) => !account.is_current);
  await user.post(`${API}/users/accounts`, { account: otherAccount.id });
  return user;
}

/** Creates a client with an API token of the owner, with these rights; `null`: with all rights. */
export async function createProgram(
  server: TestServer,
  owner: TestClient,
  scopes: readonly Right[] | null,
): Promise<Pick<TestClient, 'get' | 'post' | 'put' | 'patch' | 'delete' | 'send'>> {
  const input = { title: 'Assistant', validity_days: null, scopes };
  const { token } = (await owner.post(`${API}/tokens`, input)).body.data;
  const headers = { authorization: `Bearer ${token}` };
  const client = server.client();
  return {
    get: (url) => client.get(url, headers),
    post: (url, body = {}) => client.post(url, body, headers),
    put: (url, body = {}) => client.put(url, body, headers),
    patch: (url, body = {}) => client.patch(url, body, headers),
    delete: (url, body = {}) => client.delete(url, body, headers),
    send: (options) => client.send({ ...options, headers }),
  };
}
