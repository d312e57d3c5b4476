// The account that enters the code sent to a number becomes the number's owner.
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { startSmsSender, fakeSmsProvider } from '#testing/servers/fake-sms-provider.ts';
import { type TestOwner, type TestServer, testServer } from '#testing/setup/server.ts';
import { TERMS_VERSION } from '../shared.ts';
import { ingestInbound } from './inbound.ts';
import { maySendAs } from './phone-owners.ts';

const PHONES = '/client-api/api/phone';
const SENDER = '+15125550299';

let server: TestServer;
let boss: TestOwner;
let numbers = 300;

beforeAll(async () => {
  server = await testServer({ SMS_URL: 'twilio://AC1:token@127.0.0.1:9' });
  boss = await server.owner();
});

const nextNumber = () => `+15125550${++numbers}`;
const compliance = async (owner: TestOwner, id: string) =>
  (await owner.get(`${PHONES}/${id}/compliance`)).body.data;
const requestCode = (owner: TestOwner, id: string) => owner.post(`${PHONES}/${id}/code`, {});
const enterCode = (owner: TestOwner, id: string, code: string) =>
  owner.post(`${PHONES}/${id}/code/verify`, { code });

async function addPhone(owner: TestOwner, value: string, phoneKind = 'long_code'): Promise<string> {
  const { body } = await owner.post(PHONES, { kind: phoneKind, value, use_case: 'Offers' });
  const { id } = body.data;
  await owner.post(`${PHONES}/${id}/compliance/terms`, { version: TERMS_VERSION, name: 'Ada' });
  return id;
}

/** Sends pending SMS; returns the code that arrived at the number. */
async function codeAt(value: string): Promise<string> {
  const provider = fakeSmsProvider();
  const sender = startSmsSender(server.db, provider.open);
  await expect
    .poll(() => provider.accepted.some((smsHandoff) => smsHandoff.to === value))
    .toBe(true);
  await sender.close();
  const sms = provider.accepted.findLast((smsHandoff) => smsHandoff.to === value);
  expect(sms?.from).toBe(SENDER);
  return /\d{6}/.exec(sms?.text ?? '')?.[0] ?? '';
}

const getWrongCode = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

async function runAfter<T>(ms: number, action: () => Promise<T>): Promise<T> {
  clock.advance(ms);
  try {
    return await action();
  } finally {
    clock.advance(-ms);
  }
}

test('no code is offered while the installation has no code sender', async () => {
  const shop = await server.owner();
  const id = await addPhone(shop, nextNumber());
  expect((await compliance(shop, id)).owner).toEqual({
    ...{ by_code: false, code_expires_at: null, has_operator: false },
  });
  expect(await requestCode(shop, id)).toMatchObject({
    status: 409,
    body: { code: 'code_not_possible' },
  });
  // The sender of the first account needs no proof and sends the codes of these tests.
  await addPhone(boss, SENDER);
  expect((await compliance(shop, id)).owner.by_code).toBe(true);
});

test('the right code makes its account the owner of a contested number', async () => {
  const [shop, rival] = [await server.owner(), await server.owner()];
  const value = nextNumber();
  const [id, theirs] = [await addPhone(shop, value), await addPhone(rival, value)];
  expect((await requestCode(shop, id)).status).toBe(200);
  expect((await compliance(shop, id)).owner.code_expires_at).not.toBeNull();
  const code = await codeAt(value);
  // The code belongs to the requesting account: another account can use neither the id nor the
  // code.
  for (const [path, body] of [['code', {}] as const, ['code/verify', { code }] as const]) {
    expect((await rival.post(`${PHONES}/${id}/${path}`, body)).status).toBe(404);
  }
  expect((await enterCode(rival, theirs, code)).body.code).toBe('code_expired');
  const [firstCode, second] = await Promise.all([
    enterCode(shop, id, code),
    enterCode(shop, id, ` ${code} `),
  ]);
  expect([firstCode.status, second.status].toSorted()).toEqual([200, 409]);
  expect((await shop.get(`${PHONES}/${id}`)).body.data).toMatchObject({
    ...{ status: 'active', missing: [], is_shared: false },
  });
  expect(await maySendAs(server.db, shop.accountId, value)).toBe(true);
  expect(await maySendAs(server.db, rival.accountId, value)).toBe(false);
  // A code can neither claim nor affect a number that has an owner.
  expect((await compliance(rival, theirs)).owner.by_code).toBe(false);
  expect(await requestCode(rival, theirs)).toMatchObject({
    status: 409,
    body: { code: 'sender_taken' },
  });
  expect(await enterCode(rival, theirs, code)).toMatchObject({ body: { code: 'sender_taken' } });
  expect(await requestCode(shop, id)).toMatchObject({
    status: 409,
    body: { code: 'phone_proven' },
  });
});

test('a code expires after five wrong attempts or ten minutes', async () => {
  const shop = await server.owner();
  const value = nextNumber();
  const id = await addPhone(shop, value);
  await requestCode(shop, id);
  const firstCode = await codeAt(value);
  for (let i = 0; i < 4; i++) {
    const response = await enterCode(shop, id, getWrongCode(firstCode));
    expect(response).toMatchObject({ status: 422, body: { code: 'wrong_code' } });
  }
  expect(await enterCode(shop, id, getWrongCode(firstCode))).toMatchObject({
    body: { code: 'code_expired' },
  });
  expect((await enterCode(shop, id, firstCode)).body.code).toBe('code_expired');
  expect((await compliance(shop, id)).owner.code_expires_at).toBeNull();
  await requestCode(shop, id);
  const second = await codeAt(value);
  expect((await enterCode(shop, id, 'nonsense')).body.code).toBe('wrong_code');
  const expiredResponse = await runAfter(600_000, () => enterCode(shop, id, second));
  expect(expiredResponse).toMatchObject({ status: 422, body: { code: 'code_expired' } });
  expect((await enterCode(shop, id, second)).status).toBe(200);
});

test('a number receives at most three codes an hour, and an account sends at most five', async () => {
  const [shop, rival] = [await server.owner(), await server.owner()];
  const value = nextNumber();
  const [id, theirs] = [await addPhone(shop, value), await addPhone(rival, value)];
  for (const [owner, phone] of [[shop, id] as const, [rival, theirs] as const]) {
    expect((await requestCode(owner, phone)).status).toBe(200);
  }
  const responses = await Promise.all([requestCode(shop, id), requestCode(rival, theirs)]);
  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 429]);
  const lateResponse = await requestCode(shop, id);
  expect(lateResponse).toMatchObject({ status: 429, body: { code: 'too_many_requests' } });
  expect(Number(lateResponse.headers['retry-after'])).toBeGreaterThan(3_500);
  const busy = await server.owner();
  for (let i = 0; i < 5; i++) {
    expect((await requestCode(busy, await addPhone(busy, nextNumber()))).status).toBe(200);
  }
  expect((await requestCode(busy, await addPhone(busy, nextNumber()))).status).toBe(429);
  const anHourAgo = new Date(clock.now().getTime() - 3_600_000);
  await sql`
    update phone_code_sends set last_sent_at = ${anHourAgo},
      sent_at = array_fill(${anHourAgo}::timestamptz, array[cardinality(sent_at)])`.execute(
    server.db,
  );
  expect((await requestCode(shop, id)).status).toBe(200);
});

test('an account cannot find out its code without the phone', async () => {
  const shop = await server.owner();
  const value = nextNumber();
  const id = await addPhone(shop, value);
  await requestCode(shop, id);
  const { rows: singles } = await sql<{ variables: unknown }>`
    select variables from single_sends
    where account_id = ${shop.accountId} and recipient = ${value}`.execute(server.db);
  expect(singles).toEqual([{ variables: {} }]);
  const code = await codeAt(value);
  const { rows: stored } = await sql<{ found: boolean }>`
    select encode(code_hash, 'escape') like ${`%${code}%`} as found from phone_codes
    where account_id = ${shop.accountId}`.execute(server.db);
  expect(stored).toEqual([{ found: false }]);
  // An incoming SMS to a number without an owner is not stored as a reply to any account.
  const sms = { from: SENDER, to: value, text: `Your code is ${code}`, eventId: `code ${value}` };
  await ingestInbound(server.db, { ...sms, at: clock.now() });
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from sms_inbound where event_id = ${sms.eventId}`.execute(
    server.db,
  );
  expect(rows).toEqual([{ count: 0 }]);
});

test('an alphanumeric sender or a short code cannot be verified by a code', async () => {
  const shop = await server.owner();
  for (const [kind, value] of [
    ['alphanumeric', 'Bloom'] as const,
    ['short_code', '54321'] as const,
  ]) {
    const id = await addPhone(shop, value, kind);
    expect((await requestCode(shop, id)).body.code).toBe('code_not_possible');
  }
  expect((await requestCode(shop, encodeId('phone', 999_999))).status).toBe(404);
});
