// Assistants that do not register, because their client ID is the URL of their metadata document.
import { createHash } from 'node:crypto';
import { beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { callPublic } from '#platform/server/outgoing/outgoing-call.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';

vi.mock('#platform/server/outgoing/outgoing-call.ts', async (original) => ({
  ...(await original<object>()),
  callPublic: vi.fn<typeof callPublic>(),
}));

const API = '/client-api/api';
const VERIFIER = 'v'.repeat(43);
const REDIRECT = 'https://assistant.example/callback';
let server: TestServer;
let origin: string;

beforeAll(async () => {
  server = await testServer();
  origin = new URL(server.app.publicUrl).origin;
});
beforeEach(() => {
  vi.mocked(callPublic).mockReset();
});

const documentOf = (client_id: string) => ({
  ...{ client_id, client_name: 'Tea assistant', redirect_uris: [REDIRECT] },
  ...{ grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] },
  token_endpoint_auth_method: 'none',
});

const respondWith = (status: number, body: object) =>
  vi.mocked(callPublic).mockResolvedValue({
    ...{ status, headers: { 'content-type': 'application/json' } },
    body: Buffer.from(JSON.stringify(body)),
  });

const authorizePath = (client_id: string) =>
  `/authorize?${new URLSearchParams({
    ...{ client_id, redirect_uri: REDIRECT, response_type: 'code', scope: 'read' },
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    code_challenge_method: 'S256',
  })}`;

test('an assistant with a metadata document is connected without registration', async () => {
  const client_id = 'https://assistant.example/client.json';
  respondWith(200, documentOf(client_id));
  const owner = await server.owner();
  const response = await owner.get(authorizePath(client_id));
  const consentUrl = new URL(String(response.headers.location), origin);
  expect(consentUrl.pathname).toBe('/connect');
  expect(vi.mocked(callPublic).mock.calls[0]?.[0]).toBe(client_id);
  const path = `${API}/assistants/requests/${consentUrl.searchParams.get('request')}`;
  expect((await owner.get(path)).body.data).toMatchObject({
    ...{ client_name: 'Tea assistant', redirect_host: 'assistant.example', is_loopback: false },
  });
  const decision = await owner.post(path, { scopes: ['read'] });
  const redirect = await owner.get(new URL(decision.body.data.url).pathname);
  const code = new URL(String(redirect.headers.location)).searchParams.get('code') ?? '';
  await server.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.app.server.address() as { port: number };
  const token = await fetch(`http://127.0.0.1:${port}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      ...{ grant_type: 'authorization_code', code, client_id, redirect_uri: REDIRECT },
      code_verifier: VERIFIER,
    }),
  });
  expect(token.status, await token.clone().text()).toBe(200);
  expect(await token.json()).toMatchObject({ token_type: 'Bearer', scope: 'read' });
});

test.each<[string, number, object]>([
  ['the document of another client', 200, documentOf('https://other.example/client.json')],
  ['a redirect', 301, {}],
  ['an error', 404, {}],
  ['a list', 200, ['x']],
])('%s at the URL of the client ID does not connect an assistant', async (name, status, body) => {
  respondWith(status, body);
  const owner = await server.owner();
  const client_id = `https://assistant.example/${encodeURIComponent(name)}.json`;
  const response = await owner.get(authorizePath(client_id));
  expect(String(response.headers.location)).toMatch(/\/connect\?error=/);
});

test('a metadata document that is unreadable or too large does not connect an assistant', async () => {
  vi.mocked(callPublic).mockRejectedValue(new Error('The answer is too large'));
  const owner = await server.owner();
  const response = await owner.get(authorizePath('https://assistant.example/large.json'));
  expect(String(response.headers.location)).toMatch(/\/connect\?error=/);
  expect(vi.mocked(callPublic).mock.calls[0]?.[1]).toMatchObject({ maxBytes: 8192 });
});
