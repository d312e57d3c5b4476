// The official client connects an assistant: discovery, registration, consent and tokens.
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import {
  Client,
  type OAuthClientInformationFull,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type OAuthTokens,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { usedFromNewCountry } from '#areas/accounts/server/index.ts';
import { housekeepingPoller } from '../housekeeping.ts';
import { runDuringChange } from '#testing/setup/lock-waiters.ts';
import { type TestClient, type TestServer, testServer } from '#testing/setup/server.ts';
import { startPost } from '#testing/setup/slow-post.ts';
import { campaignShop, createReadyCampaign } from '#testing/worlds/campaign-shop.ts';
import { StateAdapter, stateKey } from './adapter.ts';
import { listGrantNames } from './grants.sql.ts';
import { extendState, findState } from './state.sql.ts';

const DAY_MS = 86_400_000;
let server: TestServer;
let origin: string;
const API = '/client-api/api';

beforeAll(async () => {
  const port = await findFreePort();
  origin = `http://127.0.0.1:${port}`;
  server = await testServer({ PUBLIC_URL: origin });
  await server.app.listen({ port, host: '127.0.0.1' });
});

function findFreePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

type Memory = OAuthClientProvider & { target: URL | undefined; saved: OAuthTokens | undefined };

/** Creates a program on the user's computer, in the form that the official client expects. */
function createProgram(name = 'Test program'): Memory {
  let client: OAuthClientInformationFull | undefined;
  let verifier = '';
  let discoveryState: OAuthDiscoveryState | undefined;
  const memory: Memory = {
    target: undefined,
    saved: undefined,
    redirectUrl: 'http://127.0.0.1:45454/callback',
    clientMetadata: {
      client_name: name,
      redirect_uris: ['http://127.0.0.1:45454/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    clientInformation: () => client,
    saveClientInformation: (information) => {
      client = information as OAuthClientInformationFull;
    },
    tokens: () => memory.saved,
    saveTokens: (tokens) => {
      memory.saved = tokens;
    },
    redirectToAuthorization: (url) => {
      memory.target = url;
    },
    saveCodeVerifier: (value) => {
      verifier = value;
    },
    codeVerifier: () => verifier,
    discoveryState: () => discoveryState,
    saveDiscoveryState: (state) => {
      discoveryState = state;
    },
  };
  return memory;
}

/** Opens the consent screen in the owner's browser and returns the ID of the request. */
async function openRequest(owner: TestClient, url: URL | string): Promise<string> {
  const { pathname, search } = new URL(url);
  const response = await owner.get(`${pathname}${search}`);
  expect(response.status, response.text).toBe(303);
  const consentUrl = new URL(String(response.headers.location), origin);
  expect(consentUrl.pathname).toBe('/connect');
  return consentUrl.searchParams.get('request') ?? '';
}

/** Decides the request and returns the URL that the client is redirected to. */
async function decide(owner: TestClient, request: string, scopes: string[] | null): Promise<URL> {
  const decision = await owner.post(`${API}/assistants/requests/${request}`, { scopes });
  expect(decision.status, decision.text).toBe(200);
  const { pathname } = new URL(decision.body.data.url);
  const redirect = await owner.get(pathname);
  return new URL(String(redirect.headers.location), origin);
}

type Revision = 'auto' | 'legacy';

/** Connects a program as an assistant and grants it the scopes. */
async function connectAssistant(
  owner: TestClient,
  scopes = ['read', 'drafts'],
  memory = createProgram(),
  mode: Revision = 'auto',
) {
  const createClient = () =>
    new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const transport = () =>
    new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), { authProvider: memory });
  const first = transport();
  await expect(createClient().connect(first)).rejects.toThrow('Unauthorized');
  const request = await openRequest(owner, memory.target ?? '');
  const callback = await decide(owner, request, scopes);
  expect(callback.origin).toBe('http://127.0.0.1:45454');
  expect(callback.searchParams.get('iss')).toBe(origin);
  await first.finishAuth(callback.searchParams);
  const client = createClient();
  await client.connect(transport());
  return { client, memory, request };
}

const RPC = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

/** Returns the status of a call with an access token. */
async function readStatus(token: string | undefined): Promise<number> {
  const accept = 'application/json, text/event-stream';
  const headers = { authorization: `Bearer ${token}`, accept };
  return (await server.client().post('/mcp', RPC, headers)).status;
}

const readClientId = async (memory: Memory) =>
  String((await memory.clientInformation())?.client_id);

async function refreshWith(memory: Memory, token = memory.saved?.refresh_token ?? '') {
  const client_id = await readClientId(memory);
  return post('/token', { grant_type: 'refresh_token', refresh_token: token, client_id });
}

const post = (path: string, body: Record<string, string>) =>
  fetch(`${origin}${path}`, { method: 'POST', body: new URLSearchParams(body) });

test.each<[string, Revision]>([
  ['2026-07-28', 'auto'],
  ['2025-11-25', 'legacy'],
])(
  "the official client connects in revision %s with a user's consent, and the user can end the connection",
  async (revision, mode) => {
    const owner = await server.owner();
    const { client, memory } = await connectAssistant(owner, undefined, undefined, mode);
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toContain('draft_campaign');
    expect(names).not.toContain('find_people');
    const result = await client.callTool({ name: 'draft_sms', arguments: { title: 'Tea' } });
    expect(result.isError).not.toBe(true);
    const [act] = (await owner.get(`${API}/audit?action=sms`)).body.data;
    expect(act).toMatchObject({
      ...{ actor: 'agent', assistant: 'Test program', action: 'sms.createSmsCampaign' },
    });
    const { data, url } = (await owner.get(`${API}/assistants`)).body;
    expect(url).toBe(`${origin}/mcp`);
    expect(data).toEqual([
      expect.objectContaining({
        client_name: 'Test program',
        redirect_host: '127.0.0.1:45454',
        scopes: ['read', 'drafts'],
        is_yours: true,
      }),
    ]);
    // The access token is valid only at /mcp.
    const authorization = `Bearer ${memory.saved?.access_token}`;
    const anonymousClient = server.client();
    for (const path of [`${API}/campaigns`, '/v2/campaigns'])
      expect((await anonymousClient.get(path, { authorization })).status, path).toBe(401);
    const otherOwner = await server.owner();
    expect((await otherOwner.delete(`${API}/assistants/${data[0].id}`)).status).toBe(404);
    expect((await owner.delete(`${API}/assistants/${data[0].id}`)).status).toBe(200);
    expect(await readStatus(memory.saved?.access_token)).toBe(401);
    expect((await refreshWith(memory)).status).toBe(400);
  },
);

test('a new account has no assistants', async () => {
  const owner = await server.owner();
  const { status, body } = await owner.get(`${API}/assistants`);
  expect([status, body]).toEqual([200, { data: [], url: `${origin}/mcp` }]);
});

test('a request for approval names its assistant even after the assistant was disconnected', async () => {
  const { owner, groupId } = await campaignShop(server, 1);
  const campaign_id = await createReadyCampaign(owner, groupId);
  const { client } = await connectAssistant(owner);
  const input = { campaign_id, note: 'The spring news' };
  const proposal = await client.callTool({ name: 'propose_send', arguments: input });
  expect(proposal.isError, JSON.stringify(proposal)).not.toBe(true);
  const requests = async () => (await owner.get(`${API}/approvals`)).body.data;
  const expectedApproval = { program: 'Test program', note: 'The spring news' };
  expect(await requests()).toEqual([expect.objectContaining(expectedApproval)]);
  const [{ id }] = (await owner.get(`${API}/assistants`)).body.data;
  expect((await owner.delete(`${API}/assistants/${id}`)).status).toBe(200);
  expect(await requests()).toEqual([expect.objectContaining(expectedApproval)]);
});

test('an assistant used from another country is announced once', async () => {
  const owner = await server.owner();
  const { memory } = await connectAssistant(owner);
  const countries: string[] = [];
  const unsubscribe = usedFromNewCountry.on(async (_, { accountId, kind, title, country }) => {
    if (accountId === owner.accountId) countries.push(`${kind} ${title} ${country}`);
  });
  const callFrom = (remoteAddress: string) =>
    server.client().send({
      ...{ method: 'POST', url: '/mcp', payload: RPC, remoteAddress },
      headers: {
        authorization: `Bearer ${memory.saved?.access_token}`,
        accept: 'application/json, text/event-stream',
      },
    });
  for (const ip of ['8.8.8.8', '193.0.6.139', '193.0.6.140', '8.8.4.4'])
    expect((await callFrom(ip)).status).toBe(200);
  expect(countries).toEqual(['assistant Test program NL']);
  unsubscribe();
});

test('a call that lacks a scope is refused, and the response lists the missing scope with the granted ones', async () => {
  const owner = await server.owner();
  const { memory } = await connectAssistant(owner, ['read']);
  const response = await server
    .client()
    .post(
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'find_people' } },
      { authorization: `Bearer ${memory.saved?.access_token}` },
    );
  expect(response.status).toBe(403);
  expect(response.headers['www-authenticate']).toMatch(
    /error="insufficient_scope", scope="read people", resource_metadata=/,
  );
});

test('parallel refreshes with one token succeed within a minute, and later reuse of the token ends the connection', async () => {
  const owner = await server.owner();
  const { memory } = await connectAssistant(owner);
  const refresh = (token: string) => refreshWith(memory, token);
  const oldToken = memory.saved?.refresh_token ?? '';
  const responses = await Promise.all([refresh(oldToken), refresh(oldToken), refresh(oldToken)]);
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
  const newest = (await responses[0]?.json()) as { refresh_token: string; access_token: string };
  expect(await readStatus(newest.access_token)).toBe(200);
  await server.db
    .updateTable('oauth_state')
    .set({ consumed_at: new Date(Date.now() - 120_000) })
    .where('kind', '=', 'RefreshToken')
    .where('consumed_at', 'is not', null)
    .execute();
  expect((await refresh(oldToken)).status).toBe(400);
  expect((await refresh(newest.refresh_token)).status).toBe(400);
  // Access tokens of the connection also end before their 15 minutes are up.
  expect(await readStatus(newest.access_token)).toBe(401);
  expect((await owner.get(`${API}/assistants`)).body.data).toEqual([]);
});

test('revoking a refresh token ends the connection immediately', async () => {
  const owner = await server.owner();
  const { memory } = await connectAssistant(owner);
  const client_id = await readClientId(memory);
  const otherAssistant = await connectAssistant(owner);
  const token = memory.saved?.refresh_token ?? '';
  const foreignResponse = await post('/revoke', {
    token,
    client_id: await readClientId(otherAssistant.memory),
  });
  expect([foreignResponse.status, await readStatus(memory.saved?.access_token)]).toEqual([
    200, 200,
  ]);
  expect((await post('/revoke', { token, client_id })).status).toBe(200);
  expect(await readStatus(memory.saved?.access_token)).toBe(401);
  expect((await refreshWith(memory)).status).toBe(400);
  expect(await readStatus(otherAssistant.memory.saved?.access_token)).toBe(200);
  expect((await owner.get(`${API}/assistants`)).body.data).toHaveLength(1);
});

test('use extends a connection and its client registration, and both end after 90 days without use', async () => {
  const owner = await server.owner();
  const { memory } = await connectAssistant(owner);
  const { db } = server;
  const { accountId } = owner;
  const { oauth_grant: grant } = await db
    .selectFrom('agent_grants')
    .select('oauth_grant')
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  const keys = {
    Grant: stateKey('Grant', grant ?? ''),
    Client: stateKey('Client', await readClientId(memory)),
  };
  const now = Date.now();
  const setExpiry = async (kind: keyof typeof keys, days: number) =>
    extendState(db, keys[kind], new Date(now + days * DAY_MS));
  await setExpiry('Grant', 1);
  await setExpiry('Client', 1);
  expect((await refreshWith(memory)).status).toBe(200);
  const beforeExpiry = new Date(now + 89 * DAY_MS);
  for (const key of Object.values(keys))
    expect(await findState(db, key, beforeExpiry)).toBeDefined();
  // The server reads the new expiry, not the expiry of the consent.
  const grants = new StateAdapter(db, 'Grant', () => new Error('used'));
  await setExpiry('Grant', 400);
  const grantRow = await grants.find(grant ?? '');
  expect(grantRow?.exp).toBe(Math.floor((now + 400 * DAY_MS) / 1000));

  await setExpiry('Client', -1);
  await db
    .updateTable('agent_grants')
    .set({ created_at: new Date(now - 200 * DAY_MS), last_used_at: new Date(now - 91 * DAY_MS) })
    .where('account_id', '=', accountId)
    .execute();
  await housekeepingPoller.run(db, new AbortController().signal);
  expect((await owner.get(`${API}/assistants`)).body.data).toEqual([]);
  expect(await findState(db, keys.Client, new Date(0))).toBeUndefined();
});

test('no names are returned for an empty list of assistants', async () => {
  const { accountId } = await server.owner();
  expect(await listGrantNames(server.db, accountId, [])).toEqual([]);
});

test('a request is open only to the browser that started it, and an unregistered redirect URL, client or resource is refused', async () => {
  const owner = await server.owner();
  const response = await server.client().post('/register', {
    client_name: 'Editor\u202e',
    redirect_uris: ['https://editor.example/callback'],
  });
  expect(response.status).toBe(201);
  const client_id = response.body.client_id;
  const authorizeUrl = (overrides: Record<string, string>) => {
    const challenge = { code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' };
    const query = { client_id, response_type: 'code', state: 's', ...challenge, ...overrides };
    return `${origin}/authorize?${new URLSearchParams(query)}`;
  };
  const redirect_uri = 'https://editor.example/callback';
  const request = await openRequest(owner, authorizeUrl({ redirect_uri }));
  const path = `${API}/assistants/requests/${request}`;
  expect((await owner.get(path)).body.data).toMatchObject({
    client_name: 'Editor',
    redirect_host: 'editor.example',
    is_loopback: false,
    scopes: ['read', 'people', 'drafts'],
  });
  const otherUser = await server.owner();
  expect((await otherUser.get(path)).status).toBe(410);
  expect((await otherUser.post(path, { scopes: ['read'] })).status).toBe(410);
  expect((await owner.post(path, { scopes: [] })).status).toBe(422);
  const decision = await decide(owner, request, null);
  expect(decision.searchParams.get('error')).toBe('access_denied');
  const invalidChanges: Record<string, Record<string, string>> = {
    'a foreign address': { redirect_uri: 'https://evil.example/callback' },
    'an unknown client': { redirect_uri, client_id: 'unknown' },
    'a private document': { redirect_uri, client_id: 'https://127.0.0.1/client.json' },
  };
  for (const [name, wrong] of Object.entries(invalidChanges)) {
    const { pathname, search } = new URL(authorizeUrl(wrong));
    const authorizeResponse = await owner.get(`${pathname}${search}`);
    expect(String(authorizeResponse.headers.location), name).toMatch(/\/connect\?error=/);
  }
  const plainUrl = new URL(authorizeUrl({ redirect_uri, code_challenge_method: 'plain' }));
  const plainResponse = await owner.get(`${plainUrl.pathname}${plainUrl.search}`);
  expect(String(plainResponse.headers.location)).toContain('error=invalid_request');
  const resource = new URL(authorizeUrl({ redirect_uri, resource: 'https://other.example/' }));
  const target = await owner.get(`${resource.pathname}${resource.search}`);
  expect(String(target.headers.location)).toContain('error=invalid_target');
});

test.each(['one after the other', 'at once'])(
  'at most one of two uses of an authorization code succeeds: %s',
  async (order) => {
    const owner = await server.owner();
    const memory = createProgram();
    const { client } = await connectAssistant(owner, ['read'], memory);
    await client.close();
    const client_id = await readClientId(memory);
    const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
    const query = new URLSearchParams({
      ...{ client_id, response_type: 'code', redirect_uri: String(memory.redirectUrl) },
      ...{ code_challenge: challenge, code_challenge_method: 'S256', scope: 'read' },
    });
    const request = await openRequest(owner, `${origin}/authorize?${query}`);
    const code = (await decide(owner, request, ['read'])).searchParams.get('code') ?? '';
    const exchange = (code_verifier: string) =>
      post('/token', {
        ...{ grant_type: 'authorization_code', code, client_id, code_verifier },
        redirect_uri: String(memory.redirectUrl),
      });
    const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
    expect((await exchange('x'.repeat(43))).status).toBe(400);
    const responses =
      order === 'at once'
        ? await Promise.all([exchange(verifier), exchange(verifier)])
        : [await exchange(verifier), await exchange(verifier)];
    const successes = responses.filter(({ status }) => status === 200);
    expect(successes.length).toBeLessThanOrEqual(1);
    expect(responses.filter(({ status }) => status === 400)).toHaveLength(2 - successes.length);
    // The second use of a code ends the connection that the first one created.
    for (const response of successes) {
      const { access_token: token } = (await response.json()) as { access_token: string };
      expect(await readStatus(token)).toBe(401);
    }
    expect((await owner.get(`${API}/assistants`)).body.data).toHaveLength(1);
  },
);

test('no website can embed the consent page, its continuation or its error pages in a frame', async () => {
  const owner = await server.owner();
  const memory = createProgram();
  const { request } = await connectAssistant(owner, ['read'], memory);
  const { pathname, search } = new URL(memory.target ?? '');
  for (const url of [
    `${pathname}${search}`,
    `${pathname}/${request}`,
    `${pathname}?client_id=unknown&response_type=code`,
  ]) {
    const { headers } = await owner.get(url);
    expect(headers.location, url).toContain('/connect?');
    expect(headers['x-frame-options'], url).toBe('DENY');
    expect(headers['content-security-policy'], url).toContain("frame-ancestors 'none'");
  }
});

test('metadata names this installation, and unknown documents get a 404 instead of a page', async () => {
  const anonymousBrowser = server.client();
  const resource = await anonymousBrowser.get('/.well-known/oauth-protected-resource/mcp');
  expect(resource.body).toMatchObject({
    resource: `${origin}/mcp`,
    authorization_servers: [origin],
  });
  const metadata = await anonymousBrowser.get('/.well-known/oauth-authorization-server', {
    host: 'evil.example',
    accept: 'text/html',
  });
  expect(metadata.body).toMatchObject({
    issuer: origin,
    token_endpoint: `${origin}/token`,
    code_challenge_methods_supported: ['S256'],
    client_id_metadata_document_supported: true,
  });
  const unknown = await anonymousBrowser.get('/.well-known/openid-configuration', {
    accept: 'text/html',
  });
  expect(unknown.status).toBe(404);
  expect(unknown.body.code).toBe('not_found');
});

test('a consent does not connect an assistant if the session ends concurrently', async () => {
  const owner = await server.owner();
  const memory = createProgram();
  const transport = new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), {
    authProvider: memory,
  });
  const client = new Client({ name: 'test', version: '1' });
  await expect(client.connect(transport)).rejects.toThrow('Unauthorized');
  const request = await openRequest(owner, memory.target ?? '');
  const grants = () =>
    server.db.selectFrom('oauth_state').select('kind').where('kind', '=', 'Grant').execute();
  const grantsBefore = await grants();
  const decision = await runDuringChange(
    server.db,
    (tx) =>
      // A password reset takes the same lock and makes the same change.
      sql`with locked as materialized (
          select pg_advisory_xact_lock(hashtextextended(${`user ${owner.userId}`}, 0)))
        update sessions set revoked_at = now() from locked
        where sessions.account_id = ${owner.accountId}
          and sessions.user_id = ${owner.userId}`.execute(tx),
    () => owner.post(`${API}/assistants/requests/${request}`, { scopes: ['read'] }),
  );
  expect(decision.status).toBe(401);
  const live = await server.db
    .selectFrom('agent_grants')
    .select('id')
    .where('user_id', '=', owner.userId)
    .execute();
  expect([live, await grants()]).toEqual([[], grantsBefore]);
});

test("a user's assistants lose the rights denied to the user, and are refused once the user is removed", async () => {
  const owner = await server.owner();
  const { memory } = await connectAssistant(owner);
  const authorization = `Bearer ${memory.saved?.access_token}`;
  await server.db
    .updateTable('memberships')
    .set({ denied: ['drafts'] })
    .where('user_id', '=', owner.userId)
    .execute();
  const rpc = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'draft_sms' } };
  expect((await server.client().post('/mcp', rpc, { authorization })).status).toBe(403);
  await server.db.deleteFrom('memberships').where('user_id', '=', owner.userId).execute();
  expect((await server.client().post('/mcp', rpc, { authorization })).status).toBe(401);
});

test('a call is refused if its assistant is disconnected before the body ends', async () => {
  const owner = await server.owner();
  const { memory } = await connectAssistant(owner);
  const rpc = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const post = await startPost(server, server.client(), '/mcp', rpc, {
    authorization: `Bearer ${memory.saved?.access_token}`,
    accept: 'application/json, text/event-stream',
  });
  await delay(1_100);
  const [{ id }] = (await owner.get(`${API}/assistants`)).body.data;
  await owner.delete(`${API}/assistants/${id}`);
  expect(await post.end()).toMatch(/^HTTP\/1\.1 401/);
});
