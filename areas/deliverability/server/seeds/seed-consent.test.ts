// Seed mailboxes are added by OAuth consent. Local servers simulate the token endpoint and the
// mailbox, which accepts only XOAUTH2.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { allowPrivateAddresses } from '#platform/server/outgoing/outgoing-address.ts';
import { testImap } from '#testing/servers/imap-server.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import type { Signals } from '../../signals-contract.ts';
import { finishSeedConsent, startSeedConsent } from './seed-consent.ts';
import { configureSeeds, listPlacements, listSeeds, searchForCopies } from './seeds.ts';

const API = '/client-api/api/deliverability';
const EMAIL = 'seed@outlook.com';
let server: TestServer;

beforeAll(async () => {
  server = await testServer();
});
beforeEach(() => {
  allowPrivateAddresses(true);
  return () => {
    allowPrivateAddresses(false);
    configureSeeds({});
    clock.reset();
  };
});

/**
 * Simulates Microsoft's token endpoint and a mailbox. Each token response contains a new refresh
 * token. With `canRevoke`, the endpoint also receives revocations.
 */
async function startMicrosoft(canRevoke = false) {
  const imap = await testImap({ user: EMAIL, password: 'never' });
  const service = { status: 200, count: 0 };
  const forms: URLSearchParams[] = [];
  const http = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += String(chunk);
    });
    request.on('end', () => {
      forms.push(new URLSearchParams(body));
      service.count += 1;
      imap.accessToken = `access ${service.count}`;
      const tokens = {
        access_token: imap.accessToken,
        refresh_token: `refresh ${service.count}`,
      };
      response.writeHead(service.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(service.status === 200 ? tokens : { error: 'invalid_grant' }));
    });
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    http.close();
    await imap.close();
  });
  const token = `http://127.0.0.1:${(http.address() as AddressInfo).port}/token`;
  imap.accessToken = 'access 0';
  configureSeeds({
    ca: imap.ca,
    redirect: 'https://app.example/settings/deliverability/signals',
    services: {
      microsoft: {
        urls: {
          ...{ consent: 'https://login.example/authorize', token },
          ...(canRevoke && { revoke: token }),
        },
        client: { id: 'client', secret: 'client-secret' },
        scope: 'imap offline_access',
        ...{ host: imap.host, port: imap.port },
      },
    },
  });
  return { imap, answers: service, forms };
}

test('a mailbox added through OAuth consent is searched with a refreshed access token', async () => {
  const { imap, answers: service, forms } = await startMicrosoft();
  const owner = await server.owner();
  const { accountId } = owner;
  const signals = async (): Promise<Signals> => (await owner.get(`${API}/signals`)).body.data;
  expect((await signals()).seed_services).toEqual(['microsoft']);
  const body = { service: 'microsoft', email: EMAIL };
  const response = await owner.post(`${API}/seeds/consent`, body);
  const url = new URL(response.body.data.url);
  const state = url.searchParams.get('state') ?? '';
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    ...{ client_id: 'client', login_hint: EMAIL, scope: 'imap offline_access' },
    ...{ redirect_uri: 'https://app.example/settings/deliverability/signals' },
    state: expect.stringMatching(/^seed\./),
  });
  const finish = () => owner.post(`${API}/seeds/consent/finish`, { code: 'code', state });
  const addResponse = await finish();
  expect(addResponse.body.data).toMatchObject({ email: EMAIL, service: 'microsoft', fault: null });
  expect(forms[0]?.get('code_verifier')).toHaveLength(43);
  expect(JSON.stringify([addResponse.body, await signals()])).not.toMatch(/refresh \d|access \d/);
  expect((await finish()).body.code).toBe('seed_exists');
  expect((await owner.post(`${API}/seeds/consent`, body)).body.code).toBe('seed_exists');

  const seed = await server.db
    .selectFrom('seed_mailboxes')
    .select('id')
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  const now = clock.now();
  const insertCopy = (messageId: number) =>
    server.db
      .insertInto('seed_copies')
      .values({
        ...{ account_id: accountId, message_id: messageId, seed_id: seed.id },
        ...{ mark: `mark ${messageId}`, sent_at: now, look_at: now },
      })
      .execute();
  const search = () => searchForCopies(server.db, accountId, AbortSignal.timeout(60_000));
  const headers = 'Message-ID: <a@b.example>\r\nX-Sendloom-Copy: mark 1';
  imap.folders.get('INBOX')?.emails.push({ headers });
  await insertCopy(1);
  await search();
  expect((await listPlacements(server.db, accountId))[0]?.copies).toMatchObject([
    { place: 'inbox' },
  ]);
  // Each search uses the refresh token of the previous response.
  await insertCopy(2);
  await search();
  expect(forms.map((form) => form.get('refresh_token'))).toEqual([null, 'refresh 1', 'refresh 2']);
  // After a refused refresh token, the seed mailbox has the error `refused`.
  service.status = 400;
  await insertCopy(3);
  await search();
  expect((await listSeeds(server.db, accountId))[0]?.fault).toBe('refused');
});

test.each([true, false])(
  'removing a mailbox revokes the access to it, if the service supports revocation (%s)',
  async (canRevoke) => {
    const { forms } = await startMicrosoft(canRevoke);
    const owner = await server.owner();
    const body = { service: 'microsoft', email: EMAIL };
    const { url } = (await owner.post(`${API}/seeds/consent`, body)).body.data;
    const state = new URL(url).searchParams.get('state') ?? '';
    const addResponse = await owner.post(`${API}/seeds/consent/finish`, { code: 'code', state });
    const path = `${API}/seeds/${addResponse.body.data.id}`;
    const otherOwner = await server.owner();
    expect((await otherOwner.delete(path)).status).toBe(404);
    expect((await owner.delete(path)).status).toBe(200);
    expect((await owner.delete(path)).status).toBe(404);
    const listRevoked = () => forms.flatMap((form) => form.get('token') ?? []);
    await server.runJobs();
    expect(listRevoked()).toEqual(canRevoke ? ['refresh 1'] : []);
  },
);

test('an OAuth consent is valid for 15 minutes, and only for its user and mailbox', async () => {
  const { imap, forms } = await startMicrosoft();
  const { accountId } = await server.owner();
  const caller = { accountId, userId: 1 };
  const start = async (email: string) => {
    const url = await startSeedConsent(server.db, caller, { service: 'microsoft', email });
    return new URL(url).searchParams.get('state') ?? '';
  };
  const finish = (state: string, client = caller) =>
    finishSeedConsent(server.db, client, { code: 'code', state });
  const state = await start(EMAIL);
  await expect(finish(state, { accountId, userId: 2 })).rejects.toThrow('seed_refused');
  await expect(finish(state.slice(0, -4))).rejects.toThrow('seed_refused');
  await expect(finish('seed.')).rejects.toThrow('seed_refused');
  expect(forms).toEqual([]);
  // The user signed in with a mailbox other than the given one.
  await expect(finish(await start('other@outlook.com'))).rejects.toThrow('seed_refused');
  clock.advance(16 * 60_000);
  await expect(finish(state)).rejects.toThrow('seed_refused');
  expect(await listSeeds(server.db, accountId)).toEqual([]);
  expect(imap.commands).not.toContain('LOGIN');
});

test('an installation without OAuth clients lists no services and refuses to start an OAuth consent', async () => {
  const owner = await server.owner();
  configureSeeds({});
  const response = await owner.post(`${API}/seeds/consent`, { service: 'google', email: EMAIL });
  expect([response.status, response.body.code]).toEqual([409, 'seed_without_client']);
  expect((await owner.get(`${API}/signals`)).body.data.seed_services).toEqual([]);
});
