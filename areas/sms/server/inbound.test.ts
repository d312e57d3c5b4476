// Incoming SMS and the opt-out page. SMS from unknown numbers also have effects, events count once,
// and GET requests change nothing.
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { sendOne } from '#areas/delivery/server/ledger/index.ts';
import { findSuppressedOn } from '#areas/subscribers/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { ACCEPTED, startSmsSender, fakeSmsProvider } from '#testing/servers/fake-sms-provider.ts';
import { type TestOwner, type TestServer, testServer } from '#testing/setup/server.ts';
import { addSmsSender } from '#testing/worlds/sms-sender.ts';
import { ingestInbound } from './inbound.ts';
import { makeShortCode } from './short-code.ts';
import { ingestSmsEvent } from './delivery-events.ts';

const ACCOUNT_NUMBER = '+15125550177';
const TOLL_FREE = '+18335550101';
const SUBSCRIBER_NUMBER = '+15125550101';

let server: TestServer;
let owner: TestOwner;
let subscriberId: number;
let events = 0;

beforeAll(async () => {
  server = await testServer();
});

beforeEach(async () => {
  await sql`delete from phones`.execute(server.db);
  owner = await server.owner();
  const phones = [
    { kind: 'long_code', value: ACCOUNT_NUMBER, use_case: 'Offers' },
    { kind: 'toll_free', value: TOLL_FREE, use_case: 'Offers' },
  ];
  for (const phone of phones) await owner.post('/client-api/api/phone', phone);
  subscriberId = await addPerson(owner.accountId);
});

async function addPerson(accountId: number): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into subscribers (account_id, phone, phone_key, firstname, sms_status, tsms_status,
      created_at, modified_at)
    values (${accountId}, ${SUBSCRIBER_NUMBER}, ${SUBSCRIBER_NUMBER}, 'Ann', 'active', 'active', now(), now())
    returning id`.execute(server.db);
  return rows[0]?.id as number;
}

const receive = (text: string, change: Partial<Parameters<typeof ingestInbound>[1]> = {}) =>
  ingestInbound(server.db, {
    ...{
      from: SUBSCRIBER_NUMBER,
      to: ACCOUNT_NUMBER,
      text,
      eventId: `event ${++events}`,
      at: clock.now(),
    },
    ...change,
  });

async function statusOf(id = subscriberId) {
  const { rows } = await sql<{ sms: string; tsms: string }>`
    select sms_status as sms, tsms_status as tsms from subscribers where id = ${id}`.execute(
    server.db,
  );
  return rows[0];
}

test('STOP unsubscribes from both kinds of SMS and START resubscribes, with one confirmation each', async () => {
  expect(await receive('Stop, please!')).toMatch(/unsubscribed/);
  expect(await statusOf()).toEqual({ sms: 'unsubscribed', tsms: 'unsubscribed' });
  expect(await receive('start')).toMatch(/subscribed again/);
  expect(await statusOf()).toEqual({ sms: 'active', tsms: 'active' });
  expect(await receive('START')).toBeUndefined();
  // On a toll-free number the network replies to STOP itself.
  expect(await receive('STOP', { to: TOLL_FREE })).toBeUndefined();
  expect(await statusOf()).toEqual({ sms: 'unsubscribed', tsms: 'unsubscribed' });
});

test('HELP gets a reply, other SMS are stored without one, and each event counts once', async () => {
  expect(await receive('Help?')).toMatch(/STOP/);
  const sameEvent = { eventId: 'the same' };
  expect(await receive('What does it cost?', sameEvent)).toBeUndefined();
  await receive('STOP', sameEvent);
  expect(await statusOf()).toEqual({ sms: 'active', tsms: 'active' });
  for (const unusualText of ['', '\u0000', '\ud800', 'x'.repeat(10_000)]) {
    expect(await receive(unusualText), JSON.stringify(unusualText.slice(0, 9))).toBeUndefined();
  }
  const id = encodeId('subscriber', subscriberId);
  const history = await owner.get(`/client-api/api/subscribers/${id}/events?actions=replied`);
  expect(history.body.data).toHaveLength(6);
  expect(history.body.data.at(-1)).toMatchObject({
    action: 'replied',
    channel: 'sms',
    detail: 'Help?',
  });
});

test('STOP from an unknown number blocks later SMS, and START from an unknown number is not consent', async () => {
  const unknownNumber = '+15125550142';
  expect(await receive('START', { from: unknownNumber })).toBeUndefined();
  expect(await receive('STOP', { from: unknownNumber })).toMatch(/unsubscribed/);
  const { rows } = await sql<{ channel: string }>`
    select channel from suppressions where account_id = ${owner.accountId} order by channel`.execute(
    server.db,
  );
  expect(rows.map(({ channel }) => channel)).toEqual(['sms', 'tsms']);
});

test('STOP to a number without an owner applies to each account that added it, and STOP to an unknown number has no effect', async () => {
  const otherOwner = await server.owner();
  await sql`insert into phones (account_id, kind, value, value_key, use_case, status, created_at,
    modified_at) values (${otherOwner.accountId}, 'long_code', ${ACCOUNT_NUMBER}, ${ACCOUNT_NUMBER}, 'x', 'draft', now(), now())`.execute(
    server.db,
  );
  await sql`delete from phone_owners where value_key = ${ACCOUNT_NUMBER}`.execute(server.db);
  const otherSubscriber = await addPerson(otherOwner.accountId);
  expect(await receive('STOP')).toBeUndefined();
  expect(await statusOf()).toMatchObject({ sms: 'unsubscribed' });
  expect(await statusOf(otherSubscriber)).toMatchObject({ sms: 'unsubscribed' });
  expect(await receive('STOP', { to: '+15125550999' })).toBeUndefined();
});

test('STOP is recognized with NULs, lone surrogates and many spaces, and confirmed only if it has an effect', async () => {
  for (const text of ['STOP\u0000', 'STOP \ud83d', `stop${' '.repeat(1_595)}\u{1f337}`]) {
    await sql`update subscribers set sms_status = 'active', tsms_status = 'active'`.execute(
      server.db,
    );
    await sql`delete from suppressions`.execute(server.db);
    expect(await receive(text), JSON.stringify(text.slice(0, 9))).toMatch(/unsubscribed/);
    expect(await statusOf()).toEqual({ sms: 'unsubscribed', tsms: 'unsubscribed' });
    expect(await receive(text)).toBeUndefined();
  }
  const unknownSender = { from: '+15125550143' };
  expect(await receive('STOP', unknownSender)).toMatch(/unsubscribed/);
  expect(await receive('STOP', unknownSender)).toBeUndefined();
});

const UNKNOWN_NUMBER = '+15125550166';

/** Sends one transactional SMS to a number without a subscriber through a provider. */
async function sendToStranger(provider: ReturnType<typeof fakeSmsProvider>): Promise<void> {
  const { accountId } = owner;
  const source = { prefix: null, text: 'Hello', ending: null, plainQuotes: true };
  const text = {
    ...{ from: ACCOUNT_NUMBER, isName: false, publicUrl: server.config.publicUrl, title: 'Hello' },
    words: { ...source, locale: 'en', campaign: null },
  };
  await addSmsSender(server.db, accountId, ACCOUNT_NUMBER);
  await inTransaction(server.db, (tx) =>
    sendOne(tx, {
      ...{ accountId, kind: 'sms_transactional', sourceId: null, text, values: {} },
      ...{ recipient: UNKNOWN_NUMBER, idempotencyKey: 'stranger' },
    }),
  );
  startSmsSender(server.db, provider.open);
}

const suppressedNumbers = async () => {
  const numbers = [UNKNOWN_NUMBER, SUBSCRIBER_NUMBER];
  const suppressed = await findSuppressedOn(server.db, owner.accountId, ['sms', 'tsms'], numbers);
  return (['sms', 'tsms'] as const).map((channel) => [...(suppressed.get(channel) ?? [])]);
};

const STRANGER_ONLY = [[[UNKNOWN_NUMBER, 'unsubscribed']], [[UNKNOWN_NUMBER, 'unsubscribed']]];

test('a late opt-out of a number without a subscriber suppresses the number', async () => {
  const provider = fakeSmsProvider();
  await sendToStranger(provider);
  await expect.poll(() => provider.accepted.length).toBe(1);
  const [sms] = provider.accepted;
  await ingestSmsEvent(server.db, 'twilio', {
    ...{ reference: sms?.reference ?? '', remoteId: 'remote 1', error: '21610' },
    ...{ at: clock.now(), hasOptedOut: true },
    kind: 'undelivered',
  });
  expect(await suppressedNumbers()).toEqual(STRANGER_ONLY);
});

test('a refusal due to an opt-out suppresses a number without a subscriber', async () => {
  const provider = fakeSmsProvider();
  provider.script.respond = () => ({
    ...{ ...ACCEPTED, outcome: 'failed', code: 21_610 },
    sms: { hasOptedOut: true },
  });
  await sendToStranger(provider);
  await expect.poll(suppressedNumbers).toEqual(STRANGER_ONLY);
});

test('START after STOP does not subscribe to marketing if the subscriber was not subscribed before', async () => {
  await sql`update subscribers set sms_status = 'non-subscribed', tsms_status = 'active'
    where id = ${subscriberId}`.execute(server.db);
  expect(await receive('START')).toBeUndefined();
  expect(await statusOf()).toEqual({ sms: 'non-subscribed', tsms: 'active' });
  await receive('STOP');
  expect(await receive('START')).toMatch(/messages again/);
  expect(await statusOf()).toEqual({ sms: 'unsubscribed', tsms: 'active' });
});

test("a national number is parsed for the country of the account's number", async () => {
  const british = '+447911128555';
  const handset = '+447911129001';
  await owner.post('/client-api/api/phone', {
    ...{ kind: 'long_code', value: british, use_case: 'Offers' },
  });
  for (const [from, to] of [
    ['7911129001', british],
    ['07911129001', british],
    ['447911129001', '447911128555'],
    [handset, '07911128555'],
    ['07911129001', '7911128555'],
  ] as const) {
    await sql`delete from subscribers where account_id = ${owner.accountId}`.execute(server.db);
    await sql`delete from suppressions`.execute(server.db);
    const { rows } = await sql<{ id: number }>`
      insert into subscribers (account_id, phone, phone_key, sms_status, tsms_status, created_at,
        modified_at)
      values (${owner.accountId}, ${handset}, ${handset}, 'active', 'active', now(), now())
      returning id`.execute(server.db);
    expect(await receive('STOP', { from, to }), `${from} to ${to}`).toMatch(/unsubscribed/);
    expect(await statusOf(rows[0]?.id)).toEqual({ sms: 'unsubscribed', tsms: 'unsubscribed' });
  }
});

test('the opt-out page unsubscribes only after its button is clicked', async () => {
  const code = makeShortCode({
    ...{ account: owner.accountId, message: 1, position: 0, subscriber: subscriberId, single: 0 },
  });
  const client = server.client();
  const page = await client.get(`/s/${code}`);
  expect(page.status).toBe(200);
  expect(page.headers['content-type']).toContain('text/html');
  expect(await statusOf()).toEqual({ sms: 'active', tsms: 'active' });
  const [done, again] = await Promise.all([1, 2].map(() => client.post(`/s/${code}`, {})));
  expect([done?.status, again?.status]).toEqual([200, 200]);
  expect(await statusOf()).toEqual({ sms: 'unsubscribed', tsms: 'active' });
  const forgedCode = `${code.slice(0, -1)}${code.endsWith('A') ? 'B' : 'A'}`;
  for (const invalidInput of [forgedCode, 'x', `${code}x`, '%00', 'a'.repeat(2_000)]) {
    expect((await client.get(`/s/${invalidInput}`)).status, invalidInput).toBeGreaterThanOrEqual(
      400,
    );
    expect((await client.post(`/s/${invalidInput}`, {})).status, invalidInput).toBeLessThan(500);
  }
});

test('an opt-out link of any length works with the punctuation that follows it in the SMS', async () => {
  await server.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.app.server.address() as AddressInfo;
  for (const message of [1, 2 ** 20]) {
    const code = makeShortCode({
      ...{ account: owner.accountId, message, position: 0, subscriber: subscriberId, single: 0 },
    });
    for (const end of ['', '.', '),', '%E2%80%9D']) {
      const path = `/s/${code}${end}`;
      expect((await fetch(`http://127.0.0.1:${port}${path}`)).status, path).toBe(200);
    }
  }
});

test.each([
  ['eng', /^You are unsubscribed\./, 'Reply STOP to opt out'],
  ['nor', /^Du er meldt av/, 'Svar STOP for å melde deg av'],
  ['swe', /^Du har avprenumererat/, 'Svara STOP för att avsluta'],
  ['lit', /^Jūs atsisakėte/, 'Norite atsisakyti? Atsakykite STOP'],
  ['fas', /^عضویت شما لغو شد/, 'برای لغو، STOP را بفرستید'],
  ['lav', /^Jūs esat atteicies/, 'Lai atteiktos, atbildiet STOP'],
])(
  'replies to keywords and default opt-out texts are in the account’s language: %s',
  async (...row) => {
    const [language, stopped, optOut] = row;
    await sql`update accounts set language = ${language} where id = ${owner.accountId}`.execute(
      server.db,
    );
    expect(await receive('STOP')).toMatch(stopped);
    expect(await receive('START')).toContain(optOut);
    const settings = '/client-api/api/sms/settings';
    const settingsData = (await owner.get(settings)).body.data;
    expect(settingsData.opt_out_text).toBe(optOut);
    expect(settingsData.link_text).toMatch(/: \{\{unsubscribe_link\}\}$/);
    // A default text that is saved unchanged follows the account's language; a changed one does
    // not.
    const { prefix, opt_out_text, link_text, plain_quotes } = settingsData;
    const savedSettings = { prefix, opt_out_text, link_text, plain_quotes };
    expect((await owner.put(settings, savedSettings)).status).toBe(200);
    await sql`update accounts set language = 'eng' where id = ${owner.accountId}`.execute(
      server.db,
    );
    expect((await owner.get(settings)).body.data.opt_out_text).toBe('Reply STOP to opt out');
    await owner.put(settings, { ...savedSettings, opt_out_text: 'Text STOP to quit' });
    await sql`update accounts set language = ${language} where id = ${owner.accountId}`.execute(
      server.db,
    );
    expect((await owner.get(settings)).body.data.opt_out_text).toBe('Text STOP to quit');
  },
);
