// A program that calls the public API with a token, without a browser.
import { expect } from 'vitest';
import type { TestResponse, TestClient, TestOwner, TestServer } from './server.ts';

export type PublicClient = TestOwner & { token: string };

/** Creates a token of the account, and a client that sends it. */
export async function publicClient(server: TestServer, owner: TestOwner): Promise<PublicClient> {
  const created = await owner.post('/client-api/api/tokens', {
    title: 'Test',
    validity_days: null,
  });
  expect(created.status).toBe(200);
  const { token } = created.body.data;
  const unauthenticated = server.client();
  const headers = { authorization: `Bearer ${token}`, 'x-sendloom': '' };
  const write =
    (method: 'POST' | 'PUT' | 'PATCH' | 'DELETE') =>
    (path: string, body?: unknown, more: Record<string, string> = {}): Promise<TestResponse> =>
      unauthenticated.send({
        method,
        url: `/v2${path}`,
        headers: { ...headers, ...more },
        ...(body === undefined ? {} : { payload: body as object }),
      });
  const client: TestClient = {
    ...unauthenticated,
    get: (path, more = {}) => unauthenticated.get(`/v2${path}`, { ...headers, ...more }),
    post: write('POST'),
    put: write('PUT'),
    patch: write('PATCH'),
    delete: write('DELETE'),
  };
  const { accountId, userId } = owner;
  return Object.assign(client, { accountId, userId, token });
}
