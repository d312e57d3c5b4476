// A program that calls the public API with a token, without a browser.
import { expect } from 'vitest';
import type { TestResponse, TestClient, TestOwner, TestServer } from './server.ts';

export type PublicClient = TestOwner & { token: string };

/** Creates a token of the account, and a client that sends it. */
export async function publicClient(server: TestServer, owner: TestOwner): Promise<PublicClient> {
  const tokenResponse = await owner.post('/client-api/api/tokens', {
    title: 'Test',
    validity_days: null,
  });
  expect(tokenResponse.status).toBe(200);
  const { token } = tokenResponse.body.data;
  const anonymous = server.client();
  const headers = { authorization: `Bearer ${token}`, 'x-sendloom': '' };
  const write =
    (method: 'POST' | 'PUT' | 'PATCH' | 'DELETE') =>
    (
      path: string,
      body?: unknown,
      extraHeaders: Record<string, string> = {},
    ): Promise<TestResponse> =>
      anonymous.send({
        method,
        url: `/v2${path}`,
        headers: { ...headers, ...extraHeaders },
        ...(body === undefined ? {} : { payload: body as object }),
      });
  const client: TestClient = {
    ...anonymous,
    get: (path, extraHeaders = {}) => anonymous.get(`/v2${path}`, { ...headers, ...extraHeaders }),
    post: write('POST'),
    put: write('PUT'),
    patch: write('PATCH'),
    delete: write('DELETE'),
  };
  const { accountId, userId } = owner;
  return Object.assign(client, { accountId, userId, token });
}
