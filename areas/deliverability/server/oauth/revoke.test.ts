// Access at an OAuth service is revoked. A local server simulates the service.
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { sql } from 'kysely';
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { removeAccount } from '#main/demo/removal.sql.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { allowPrivateAddresses } from '#platform/server/outgoing/outgoing-address.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { findTablesContaining } from '#testing/setup/tables-containing.ts';
import {
  connectKey,
  disconnect,
  finishConsent,
  type PostmasterDependencies,
  startConsent,
} from '../signals/connection.ts';
import { GOOGLE } from '../signals/postmaster.ts';
import { revokeAccessJob } from './revoke.ts';

const KEY = JSON.stringify({
  type: 'service_account',
  client_email: 'reader@project.iam.gserviceaccount.com',
  private_key: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
    ...{ type: 'pkcs8', format: 'pem' },
  }),
});
let server: TestServer;

beforeAll(async () => {
  server = await testServer();
});
beforeEach(() => {
  allowPrivateAddresses(true);
  clock.freeze(new Date('2026-06-10T12:00:00Z'));
  return () => {
    allowPrivateAddresses(false);
    clock.reset();
  };
});

/** Simulates Google's token endpoint and records revoked tokens. */
async function startGoogle() {
  const revokedTokens: (string | null)[] = [];
  const serviceResponse = { status: 200 };
  const http = createServer((request, response) => {
    void text(request).then((body) => {
      const isRevoking = request.url === '/revoke';
      if (isRevoking) revokedTokens.push(new URLSearchParams(body).get('token'));
      response.writeHead(isRevoking ? serviceResponse.status : 200, {
        'content-type': 'application/json',
      });
      const tokens = { access_token: 'access', refresh_token: 'refresh', expires_in: 3600 };
      response.end(JSON.stringify(isRevoking ? { error: 'invalid_token' } : tokens));
    });
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void http.close());
  const base = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const tools: PostmasterDependencies = {
    urls: {
      ...{ consent: 'https://accounts.example/auth', token: `${base}/token`, api: base },
      revoke: `${base}/revoke`,
    },
    client: { id: 'client', secret: 'client-secret' },
    redirect: 'https://app.example/settings/deliverability/signals',
    hosts: { trackingHost: 'app.example', bounceHost: undefined, receivesReports: false },
  };
  return { revoked: revokedTokens, answers: serviceResponse, tools };
}

async function connectByConsent(accountId: number, tools: PostmasterDependencies): Promise<void> {
  const caller = { accountId, userId: 1 };
  const url = new URL(startConsent(caller, tools));
  const state = url.searchParams.get('state') ?? '';
  await finishConsent(server.db, caller, { code: 'code', state }, tools);
}

test('removing a connection made by consent revokes its access at Google, and removing a key revokes nothing', async () => {
  const { revoked: revokedTokens, tools } = await startGoogle();
  const { accountId } = await server.owner();
  const connect = () => connectByConsent(accountId, tools);
  const remove = () => inTransaction(server.db, (tx) => disconnect(tx, accountId, tools));
  await connect();
  const rolledBack = inTransaction(server.db, async (tx) => {
    await disconnect(tx, accountId, tools);
    throw new Error('rolled back');
  });
  await expect(rolledBack).rejects.toThrow('rolled back');
  await server.runJobs();
  expect(revokedTokens).toEqual([]);
  await remove();
  expect(await findTablesContaining(server.db, 'refresh"')).toEqual([]);
  await server.runJobs();
  expect(revokedTokens).toEqual(['refresh']);
  // A key replaces the consent, so the access of the consent is revoked.
  await connect();
  await connectKey(server.db, accountId, KEY, tools);
  await server.runJobs();
  expect(revokedTokens).toEqual(['refresh', 'refresh']);
  await remove();
  await remove();
  await server.runJobs();
  expect(revokedTokens).toEqual(['refresh', 'refresh']);
});

test('deleting an account revokes its access at Google', async () => {
  const { revoked: revokedTokens, tools } = await startGoogle();
  const { accountId } = await server.owner();
  await connectByConsent(accountId, tools);
  const { revoke } = GOOGLE;
  GOOGLE.revoke = tools.urls.revoke;
  await inTransaction(server.db, (tx) => removeAccount(tx, accountId));
  GOOGLE.revoke = revoke;
  await server.runJobs();
  expect(revokedTokens).toEqual(['refresh']);
});

test('revoking is retried for three days if Google fails, until the user withdraws the access or connects again', async () => {
  const { answers: serviceResponse, revoked: revokedTokens, tools } = await startGoogle();
  const { accountId } = await server.owner();
  const connectAndDisconnect = async () => {
    await connectByConsent(accountId, tools);
    await inTransaction(server.db, (tx) => disconnect(tx, accountId, tools));
  };
  const waitingJobs = async () => {
    const { rows } = await sql<{ payload: unknown }>`
      select payload from graphile_worker._private_jobs j
      join graphile_worker._private_tasks t on t.id = j.task_id
      where t.identifier = 'deliverability.revoke_access'`.execute(server.db);
    return rows.map(({ payload }) => revokeAccessJob.payload.parse(payload));
  };
  const runAgain = async (job: Awaited<ReturnType<typeof waitingJobs>>[number] | undefined) => {
    if (job)
      await revokeAccessJob.run(job, { db: server.db, signal: new AbortController().signal });
  };
  serviceResponse.status = 503;
  await connectAndDisconnect();
  await server.runJobs();
  const [job] = await waitingJobs();
  expect(revokedTokens).toEqual(['refresh']);
  await expect(runAgain(job)).rejects.toThrow('unavailable');
  clock.advance(4 * 86_400_000);
  await runAgain(job);
  clock.advance(-4 * 86_400_000);
  serviceResponse.status = 200;
  await runAgain(job);
  expect(revokedTokens).toHaveLength(4);
  // Google responds that the user has already withdrawn the access.
  serviceResponse.status = 400;
  await runAgain(job);
  expect(revokedTokens).toHaveLength(5);
  // With a new connection, the old token is not revoked because Google would also end the new
  // access.
  clock.advance(60_000);
  await connectByConsent(accountId, tools);
  await runAgain(job);
  expect(revokedTokens).toHaveLength(5);
});
