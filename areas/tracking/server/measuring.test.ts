// Tracking switches and an account's own link hosts.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { compileMessage, renderWhole } from '#areas/content/server/index.ts';
import { allowPrivateAddresses } from '#platform/server/outgoing/outgoing-address.ts';
import { clock } from '#platform/server/clock.ts';
import { startMessage } from '#testing/worlds/sending-helpers.ts';
import { type TestOwner, type TestServer, testServer } from '#testing/setup/server.ts';
import { checkHosts, toHostFault } from './hosts.ts';

const API = '/client-api/api/tracking';
let server: TestServer;
let owner: TestOwner;
let otherSite: Server;
let publicUrl: string;

beforeAll(async () => {
  server = await testServer();
  await server.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.app.server.address() as AddressInfo;
  publicUrl = `http://mail.example:${port}`;
  // This site is not the product and answers every request.
  otherSite = createServer((_, response) => response.end('yes')).listen(0, '127.0.0.1');
  allowPrivateAddresses(true);
});
afterAll(() => {
  otherSite.close();
  allowPrivateAddresses(false);
});
beforeEach(async () => {
  owner = await server.owner();
});

async function renderedEmail(messageId: number): Promise<string> {
  const { rows } = await sql<{ frozen: { source: never } }>`select frozen from messages
    where account_id = ${owner.accountId} and id = ${messageId}`.execute(server.db);
  const source = { ...(rows[0] as { frozen: { source: object } }).frozen.source };
  const compiledMessage = compileMessage({ ...source, message_id: messageId } as never);
  const recipient = { email: 'a@x.example', token: 'T'.repeat(40), message_token: 'M'.repeat(40) };
  const email = renderWhole(compiledMessage, { ...recipient, values: {} }, clock.now()).toString();
  return email.replaceAll('=\r\n', '').replaceAll('=3D', '=');
}
const HTML =
  '<p>Hi <a href="https://shop.example/tea">tea</a> <a href="{{preferences_url}}">choose</a></p>';

describe('tracking switches', () => {
  test('tracking switches apply only to messages started afterwards, and unsubscribe links work without tracking', async () => {
    const start = () => startMessage(server.db, owner.accountId, { html: HTML });
    const messageId = await start();
    const response = await owner.put(API, { opens: false, clicks: false });
    expect(response.body.data).toMatchObject({ opens: false, clicks: false });
    const quiet = await renderedEmail(await start());
    expect(quiet).toContain('href="https://shop.example/tea"');
    expect(quiet).not.toContain('/t/');
    expect(quiet).toMatch(/\/u\/T{40}"/);
    expect(quiet).toMatch(/\/u\/T{40}\/preferences"/);
    expect(quiet).toContain('List-Unsubscribe-Post');
    const trackedEmail = await renderedEmail(messageId);
    expect(trackedEmail).toMatch(/\/t\/c\/T{40}\/0/);
    expect(trackedEmail).toMatch(/\/t\/o\/T{40}/);
    await owner.put(API, { opens: true, clicks: false });
    const opens = await renderedEmail(await start());
    expect(opens).toContain('href="https://shop.example/tea"');
    expect(opens).toMatch(/\/t\/o\/T{40}/);
  });

  test('a tracking switch accepts only booleans', async () => {
    expect((await owner.put(API, { opens: 'yes', clicks: true })).status).toBe(422);
    expect((await owner.get(API)).body.data).toEqual({ opens: true, clicks: true, hosts: [] });
  });
});

describe('link hosts', () => {
  const addDomain = (domain: string, host: string, isVerified = true) => {
    const records = [{ purpose: 'tracking', state: 'ok', name: host }];
    const at = isVerified ? clock.now() : null;
    return sql`insert into domains (account_id, domain, email, dns_status, dns_verified_at,
        email_verified_at, created_at, modified_at)
      values (${owner.accountId}, ${domain}, ${`a@${domain}`}, ${JSON.stringify({ records })},
        ${at}, ${clock.now()}, ${clock.now()}, ${clock.now()})`.execute(server.db);
  };
  const hosts = async () => (await owner.get(API)).body.data.hosts;

  test('a link host is used once it points to this server, and only for email from its domain', async () => {
    await addDomain('shop.example', '127.0.0.1');
    await addDomain('other.example', 'nowhere.invalid');
    await addDomain('unproven.example', '127.0.0.1', false);
    expect(await hosts()).toEqual([]);
    await checkHosts(server.db, owner.accountId, publicUrl);
    const anyTime = expect.any(String);
    expect(await hosts()).toEqual([
      {
        domain: 'other.example',
        host: 'nowhere.invalid',
        is_used: false,
        fault: 'unresolved',
        checked: anyTime,
      },
      { domain: 'shop.example', host: '127.0.0.1', is_used: true, fault: null, checked: anyTime },
    ]);
    const emailFrom = async (email: string) =>
      renderedEmail(
        await startMessage(server.db, owner.accountId, {
          html: HTML,
          from: { name: 'Shop', email },
          public_url: publicUrl,
        }),
      );
    const { port } = new URL(publicUrl);
    const ownEmail = await emailFrom('news@shop.example');
    expect(ownEmail).toContain(`http://127.0.0.1:${port}/t/c/`);
    expect(ownEmail).not.toContain('mail.example:');
    expect(await emailFrom('news@other.example')).toContain(`${publicUrl}/t/c/`);
  });

  test('a link host where another site answers is not used', async () => {
    await addDomain('shop.example', '127.0.0.1');
    const { port } = otherSite.address() as AddressInfo;
    await checkHosts(server.db, owner.accountId, `http://mail.example:${port}`);
    expect(await hosts()).toMatchObject([{ is_used: false, fault: 'elsewhere' }]);
  });

  test('a link host without a server or a valid certificate reports which of them is missing', async () => {
    await addDomain('shop.example', '127.0.0.1');
    const closedServer = createServer().listen(0, '127.0.0.1');
    await once(closedServer, 'listening');
    const { port } = closedServer.address() as AddressInfo;
    await new Promise((resolve) => closedServer.close(resolve));
    await checkHosts(server.db, owner.accountId, `http://mail.example:${port}`);
    expect(await hosts()).toMatchObject([{ is_used: false, fault: 'unreachable' }]);
    // A server without TLS is also treated as having no valid certificate.
    const { port: plain } = otherSite.address() as AddressInfo;
    await checkHosts(server.db, owner.accountId, `https://mail.example:${plain}`);
    expect(await hosts()).toMatchObject([{ is_used: false, fault: 'certificate' }]);
    const errorWithCode = (code: string) => Object.assign(new Error(code), { code });
    expect(toHostFault(errorWithCode('ERR_TLS_CERT_ALTNAME_INVALID'))).toBe('certificate');
    expect(toHostFault(errorWithCode('CERT_HAS_EXPIRED'))).toBe('certificate');
    expect(toHostFault(errorWithCode('ECONNRESET'))).toBe('unreachable');
    expect(toHostFault(errorWithCode('EAI_AGAIN'))).toBe('unresolved');
  });

  test('link hosts are checked immediately on request', async () => {
    await addDomain('shop.example', '127.0.0.1');
    await checkHosts(server.db, owner.accountId, publicUrl);
    expect(await hosts()).toMatchObject([{ is_used: true }]);
    // This check uses the configured public address, where the server does not answer.
    const { status, body } = await owner.post(`${API}/hosts/check`);
    expect(status).toBe(200);
    expect(body.data.hosts).toMatchObject([{ host: '127.0.0.1', is_used: false }]);
    expect(body.data.hosts[0].fault).not.toBeNull();
    const visitor = server.client();
    expect((await visitor.post(`${API}/hosts/check`)).status).toBe(401);
  });

  test('link hosts serve only tracking pages', async () => {
    const { port } = new URL(publicUrl);
    const statusOf = (path: string, host = 'links.shop.example') =>
      new Promise<number>((resolve, reject) => {
        void import('node:http').then(({ request }) =>
          request({ port, host: '127.0.0.1', path, headers: { host } }, (response) => {
            response.resume();
            resolve(response.statusCode ?? 0);
          })
            .on('error', reject)
            .end(),
        );
      });
    expect(await statusOf(`/t/o/${'A'.repeat(40)}.gif`)).toBe(200);
    expect(await statusOf(`/u/${'A'.repeat(40)}`)).toBe(404);
    expect(await statusOf('/client-api/api/users')).toBe(404);
    expect(await statusOf('/health')).toBe(404);
    expect(await statusOf('/health', 'localhost')).toBe(200);
    expect(await statusOf('/client-api/api/users', 'localhost')).toBe(401);
  });
});
