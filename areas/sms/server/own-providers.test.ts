// An account's own SMS providers: their secrets are encrypted, the account sends SMS only through
// them, and their events affect only that account's SMS and numbers.
import { createHmac } from 'node:crypto';
import Fastify from 'fastify';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { sendOne } from '#areas/delivery/server/ledger/index.ts';
import { runSmsSenders } from '#areas/delivery/server/sender/index.ts';
import { ownReaders, ownSmsKinds } from '#main/sms-kinds.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { allowPrivateAddresses } from '#platform/server/outgoing/outgoing-address.ts';
import { startSmsSender, fakeSmsProvider } from '#testing/servers/fake-sms-provider.ts';
import { testServer } from '#testing/setup/server.ts';
import { startSmppServer } from '#testing/servers/smpp-server.ts';
import { addSmsSender } from '#testing/worlds/sms-sender.ts';
import type { FrozenSmsText } from './channel.ts';
import { smsHooks } from './hooks-plugin.ts';
import { createOwnSmsSenders } from './own-relays.ts';

const PROVIDERS = '/client-api/api/sms/providers';
const server = await testServer();
const { publicUrl } = server.config;

const settings = {
  ...{ title: 'Ours', host: '', port: null, tls: true, username: 'AC1', profile: '' },
  ...{ alphabet: 'gsm7', connections: 4, priority: 1, weight: 1, enabled: true },
  ...{ per_second: null, per_minute: null, per_hour: null, per_day: null, number_limits: [] },
};
const twilio = { ...settings, kind: 'twilio', secret: 'token-of-mine', hook_key: '' };

/** Creates a transactional SMS to one recipient, for a sender process to send. */
async function sendSms(accountId: number, to: string): Promise<unknown> {
  const senderNumber = `+1512556${1000 + accountId}`;
  await addSmsSender(server.db, accountId, senderNumber);
  const text: FrozenSmsText = {
    ...{ from: senderNumber, isName: false, publicUrl, title: 'Hello' },
    words: {
      ...{ prefix: null, text: 'Hello', ending: null, plainQuotes: true },
      ...{ locale: 'en', campaign: null },
    },
  };
  return inTransaction(server.db, (tx) =>
    sendOne(tx, {
      ...{ accountId, kind: 'sms_transactional', sourceId: null, text, values: {} },
      ...{ recipient: to, idempotencyKey: `to ${to}` },
    }),
  );
}

/**
 * Starts a server for the webhooks of providers. Returns a function that calls a webhook, signed
 * with a given key.
 */
async function startHooks(shared: Parameters<typeof smsHooks>[0]['sharedReaders'] = []) {
  const app = Fastify();
  app.decorate('db', server.db);
  await app.register(smsHooks({ publicUrl, sharedReaders: shared, ownReaders }));
  onTestFinished(() => app.close());
  return async (
    url: string,
    body: Record<string, unknown>,
    key: string,
    type = 'application/x-www-form-urlencoded',
  ) => {
    const pairs = Object.keys(body)
      .sort()
      .map((name) => name + body[name]);
    const signature = createHmac('sha1', key)
      .update(url + pairs.join(''))
      .digest('base64');
    const { statusCode } = await app.inject({
      ...{ method: 'POST', url: url.slice(publicUrl.length) },
      headers: { 'content-type': type, 'x-twilio-signature': signature },
      payload: type.endsWith('json')
        ? JSON.stringify(body)
        : new URLSearchParams(body as Record<string, string>).toString(),
    });
    return statusCode;
  };
}

test('the secret of a provider is encrypted, and a provider with invalid settings is refused', async () => {
  const owner = await server.owner();
  const response = await owner.post(PROVIDERS, twilio);
  expect(response.status).toBe(200);
  expect(JSON.stringify(response.body)).not.toContain('token-of-mine');
  const { rows } = await sql<{ sealed_secret: Buffer }>`select sealed_secret from sms_providers
    where account_id = ${owner.accountId}`.execute(server.db);
  expect(rows[0]?.sealed_secret.includes('token-of-mine')).toBe(false);
  const path = `${PROVIDERS}/${response.body.data.id}`;
  for (const [body, field] of [
    [{ ...twilio, secret: '' }, 'secret'],
    [{ ...twilio, secret: 'with a blank' }, 'secret'],
    [{ ...twilio, username: '' }, 'username'],
    [{ ...twilio, host: 'elsewhere.example' }, 'host'],
    [{ ...twilio, kind: 'vonage' }, 'hook_key'],
    [{ ...twilio, kind: 'sinch', hook_key: 'k', host: 'sms.evil.example' }, 'host'],
    [{ ...twilio, kind: 'smpp', host: 'a b' }, 'host'],
    [{ ...twilio, title: '' }, 'title'],
    [{ ...twilio, title: '\u0000' }, 'title'],
    [{ ...twilio, title: 'x'.repeat(10_000) }, 'title'],
    [
      {
        ...twilio,
        number_limits: [
          { number: '+1', per_minute: 1 },
          { number: '+1', per_minute: 2 },
        ],
      },
      'number_limits',
    ],
  ] as const) {
    const refusal = await owner.post(PROVIDERS, body);
    expect(refusal.status, JSON.stringify(body).slice(0, 200)).toBe(422);
    expect(Object.keys(refusal.body.errors), field).toContain(field);
  }
  const smpp = { ...twilio, kind: 'smpp', host: '127.0.0.1' };
  expect((await owner.post(PROVIDERS, smpp)).body.code).toBe('text_provider_private');
  const otherOwner = await server.owner();
  expect((await otherOwner.get(path)).status).toBe(404);
  expect((await otherOwner.patch(path, { title: 'Mine' })).status).toBe(404);
  expect((await otherOwner.delete(path)).status).toBe(404);
  expect((await owner.patch(path, { title: 'Twilio, main' })).body.data.title).toBe('Twilio, main');
  expect((await owner.get('/client-api/api/sms/settings')).body.data.provider).toBe('own');
  expect((await otherOwner.get('/client-api/api/sms/settings')).body.data.provider).toBe('phone');
  expect((await owner.delete(path)).status).toBe(200);
  expect((await owner.get(PROVIDERS)).body.data).toEqual([]);
});

test("an account with an SMPP center uses only that center, and other accounts use the installation's providers", async () => {
  allowPrivateAddresses(true);
  onTestFinished(() => allowPrivateAddresses(false));
  const center = await startSmppServer();
  onTestFinished(() => center.close());
  const [owner, otherOwner] = [await server.owner(), await server.owner()];
  const smpp = {
    ...{ ...settings, kind: 'smpp', username: 'me', secret: 'secret', hook_key: '' },
    ...{ host: '127.0.0.1', port: center.port, tls: false },
  };
  const response = await owner.post(PROVIDERS, smpp);
  expect(response.body.data).toMatchObject({ health: { state: 'unknown' }, inbound_url: null });
  const updateResponse = await owner.patch(`${PROVIDERS}/${response.body.data.id}`, {
    host: 'localhost',
  });
  expect(updateResponse.body.errors).toHaveProperty('secret');
  const installation = fakeSmsProvider();
  const senders = runSmsSenders(
    server.db,
    installation.open,
    createOwnSmsSenders(server.db, ownSmsKinds),
  );
  onTestFinished(() => senders.close());
  await sendSms(owner.accountId, '+37061234501');
  await sendSms(otherOwner.accountId, '+37061234502');
  await expect
    .poll(() => center.submitted.map(({ to }) => to), { timeout: 30_000 })
    .toEqual(['37061234501']);
  await expect
    .poll(() => installation.accepted.map(({ to }) => to), { timeout: 30_000 })
    .toEqual(['+37061234502']);
  await expect
    .poll(async () => (await owner.get(PROVIDERS)).body.data[0].health.state, { timeout: 30_000 })
    .toBe('ready');
  // A sign-in that the center refuses is reported with the reason.
  const path = `${PROVIDERS}/${response.body.data.id}`;
  const wrongSecret = await owner.patch(path, { secret: 'wrong' });
  expect(wrongSecret.status).toBe(200);
  await expect
    .poll(async () => (await owner.get(PROVIDERS)).body.data[0].health, { timeout: 30_000 })
    .toMatchObject({ state: 'refused', reply: '0x0e Invalid password' });
});

test('a webhook is accepted only for the SMS and numbers of the account whose key signed it', async () => {
  const call = await startHooks();
  const [owner, otherOwner] = [await server.owner(), await server.owner()];
  await owner.post(PROVIDERS, twilio);
  await otherOwner.post(PROVIDERS, { ...twilio, secret: 'token-of-others' });
  allowPrivateAddresses(true);
  onTestFinished(() => allowPrivateAddresses(false));
  const infobip = { ...twilio, kind: 'infobip', username: '', host: 'localhost' };
  const inboundUrl = (await owner.post(PROVIDERS, infobip)).body.data.inbound_url as string;
  // Disabled providers still report about SMS that they accepted recently.
  const provider = fakeSmsProvider();
  startSmsSender(server.db, provider.open);
  await sql`update sms_providers set is_on = false`.execute(server.db);
  await sendSms(owner.accountId, '+37061234503');
  await sendSms(otherOwner.accountId, '+37061234504');
  await expect.poll(() => provider.accepted.length, { timeout: 30_000 }).toBe(2);
  const deliveredCount = async (accountId: number) =>
    (
      await sql<{ at: Date | null }>`select delivered_at as at from sms_results
        where account_id = ${accountId}`.execute(server.db)
    ).rows.filter(({ at }) => at !== null).length;
  const urlOf = (accountId: number) =>
    provider.accepted.find((smsHandoff) => smsHandoff.accountId === accountId)?.callbackUrl ?? '';
  const deliveredReport = { MessageSid: 'SM1', MessageStatus: 'delivered' };
  expect(await call(urlOf(owner.accountId), deliveredReport, 'forged')).toBe(401);
  expect(await call(urlOf(owner.accountId), deliveredReport, 'token-of-others')).toBe(401);
  expect(
    await call(`${publicUrl}/hooks/sms/receipts/nonsense`, deliveredReport, 'token-of-mine'),
  ).toBe(401);
  expect(await deliveredCount(owner.accountId)).toBe(0);
  for (let time = 0; time < 3; time++) {
    expect(await call(urlOf(owner.accountId), deliveredReport, 'token-of-mine')).toBe(200);
  }
  expect([
    await deliveredCount(owner.accountId),
    await deliveredCount(otherOwner.accountId),
  ]).toEqual([1, 0]);
  // The webhooks of Infobip name the copy in their body. Copies of other accounts are ignored.
  const reference = urlOf(otherOwner.accountId).split('/').at(-1) ?? '';
  const result = { messageId: 'M1', status: { groupName: 'DELIVERED' }, callbackData: reference };
  const url = urlOf(owner.accountId) + new URL(inboundUrl).search;
  expect(await call(url, { results: [result] }, '', 'application/json')).toBe(200);
  expect(await deliveredCount(otherOwner.accountId)).toBe(0);
});

test('an incoming SMS is recorded once, and only for the account whose provider reports it', async () => {
  const call = await startHooks();
  const [owner, otherOwner] = [await server.owner(), await server.owner()];
  const numbers = { owner: '+15125550187', otherOwner: '+15125550188' };
  for (const [client, value, secret] of [
    [owner, numbers.owner, 'token-of-mine'],
    [otherOwner, numbers.otherOwner, 'token-of-others'],
  ] as const) {
    await client.post('/client-api/api/phone', { kind: 'long_code', value, use_case: 'Offers' });
    await client.post(PROVIDERS, { ...twilio, secret });
  }
  const addressOf = async (client: typeof owner) =>
    (await client.get(PROVIDERS)).body.data[0].inbound_url as string;
  const stop = (To: string) => ({ MessageSid: 'SM9', From: '+37061234599', To, Body: 'STOP' });
  const receivedCount = async ({ accountId }: typeof owner) =>
    Number(
      (
        await sql<{ n: number }>`select count(*) as n from sms_inbound
          where account_id = ${accountId}`.execute(server.db)
      ).rows[0]?.n,
    );
  const address = await addressOf(owner);
  expect(await call(address, stop(numbers.owner), 'forged')).toBe(401);
  expect(await call(await addressOf(otherOwner), stop(numbers.otherOwner), 'token-of-mine')).toBe(
    401,
  );
  expect(await call(`${address.slice(0, -1)}_`, stop(numbers.owner), 'token-of-mine')).toBe(401);
  expect(await call(`${publicUrl}/hooks/sms/inbound`, stop(numbers.owner), 'token-of-mine')).toBe(
    401,
  );
  for (let time = 0; time < 3; time++) {
    expect(await call(address, stop(numbers.owner), 'token-of-mine')).toBe(200);
  }
  expect(await call(address, stop(numbers.otherOwner), 'token-of-mine')).toBe(200);
  expect([await receivedCount(owner), await receivedCount(otherOwner)]).toEqual([1, 0]);
});

test('a webhook of the installation is valid for any account, whatever the order and number of its events', async () => {
  const key = 'token-of-the-installation';
  const call = await startHooks([{ reader: ownReaders.twilio as never, key }]);
  const { accountId } = await server.owner();
  const provider = fakeSmsProvider();
  startSmsSender(server.db, provider.open);
  await sendSms(accountId, '+37061234505');
  await expect.poll(() => provider.accepted.length, { timeout: 30_000 }).toBe(1);
  const url = provider.accepted[0]?.callbackUrl ?? '';
  const statusReport = (MessageStatus: string) => ({ MessageSid: 'SM5', MessageStatus });
  const html = { '<html><body>502 Bad Gateway</body></html>': '' };
  expect(await call(url, html, 'of nobody')).toBe(401);
  expect(await call(url, statusReport('delivered'), 'of nobody')).toBe(401);
  for (const status of ['delivered', 'sent', 'undelivered', 'delivered', 'queued']) {
    expect(await call(url, statusReport(status), key)).toBe(200);
  }
  const { rows } = await sql<{ delivered: number; failed: number; all: number }>`
    select count(delivered_at) as delivered, count(*) as all,
      count(*) filter (where undelivered_at is not null and delivered_at is null) as failed
    from sms_results where account_id = ${accountId}`.execute(server.db);
  expect(rows).toEqual([{ delivered: 1, failed: 0, all: 1 }]);
});
