// What people answer, and the page behind the opt-out link: strangers too, each once, and asking changes nothing.
import { sql } from 'kysely';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { type TestServer, testServer } from '#testing/server.ts';
import { takeInbound } from './inbound.ts';
import { makeShortCode } from './short-code.ts';

const OURS = '+15125550177';
const TOLL_FREE = '+18335550101';
const PERSON = '+15125550101';

let server: TestServer;
let owner: Awaited<ReturnType<TestServer['owner']>>;
let person: number;
let events = 0;

beforeAll(async () => {
  server = await testServer();
});

beforeEach(async () => {
  await sql`delete from phones`.execute(server.db);
  owner = await server.owner();
  const phones = [
    { kind: 'long_code', value: OURS, use_case: 'Offers' },
    { kind: 'toll_free', value: TOLL_FREE, use_case: 'Offers' },
  ];
  for (const phone of phones) await owner.post('/client-api/api/phone', phone);
  person = await addPerson(owner.accountId);
});

async function addPerson(accountId: number): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into subscribers (account_id, phone, phone_key, firstname, sms_status, tsms_status,
      created_at, modified_at)
    values (${accountId}, ${PERSON}, ${PERSON}, 'Ann', 'active', 'active', now(), now())
    returning id`.execute(server.db);
  return rows[0]?.id as number;
}

const say = (text: string, change: Partial<Parameters<typeof takeInbound>[1]> = {}) =>
  takeInbound(server.db, {
    ...{ from: PERSON, to: OURS, text, eventId: `event ${++events}`, at: clock.now() },
    ...change,
  });

async function statusOf(id = person) {
  const { rows } = await sql<{ sms: string; tsms: string }>`
    select sms_status as sms, tsms_status as tsms from subscribers where id = ${id}`.execute(
    server.db,
  );
  return rows[0];
}

test('STOP closes both kinds of texts and START opens them again; no network hears it twice', async () => {
  expect(await say('Stop, please!')).toMatch(/unsubscribed/);
  expect(await statusOf()).toEqual({ sms: 'unsubscribed', tsms: 'unsubscribed' });
  expect(await say('start')).toMatch(/subscribed again/);
  expect(await statusOf()).toEqual({ sms: 'active', tsms: 'active' });
  expect(await say('START')).toBeUndefined();
  // On a toll-free number the network answers STOP itself.
  expect(await say('STOP', { to: TOLL_FREE })).toBeUndefined();
  expect(await statusOf()).toEqual({ sms: 'unsubscribed', tsms: 'unsubscribed' });
});

test('HELP answers; other words are kept and answered by nobody; each event counts once', async () => {
  expect(await say('Help?')).toMatch(/STOP/);
  const twice = { eventId: 'the same' };
  expect(await say('What does it cost?', twice)).toBeUndefined();
  await say('STOP', twice);
  expect(await statusOf()).toEqual({ sms: 'active', tsms: 'active' });
  for (const wild of ['', '\u0000', '\ud800', 'x'.repeat(10_000)]) {
    expect(await say(wild), JSON.stringify(wild.slice(0, 9))).toBeUndefined();
  }
  const id = encodeId('subscriber', person);
  const history = await owner.get(`/client-api/api/subscribers/${id}/events?actions=replied`);
  expect(history.body.data).toHaveLength(6);
  expect(history.body.data.at(-1)).toMatchObject({
    action: 'replied',
    channel: 'sms',
    detail: 'Help?',
  });
});

test('a stranger who says STOP gets nothing later; START from one is nobody’s consent', async () => {
  const stranger = '+15125550142';
  expect(await say('START', { from: stranger })).toBeUndefined();
  expect(await say('STOP', { from: stranger })).toMatch(/unsubscribed/);
  const { rows } = await sql<{ channel: string }>`
    select channel from suppressions where account_id = ${owner.accountId} order by channel`.execute(
    server.db,
  );
  expect(rows.map(({ channel }) => channel)).toEqual(['sms', 'tsms']);
});

test('on a number of two accounts STOP leaves both; a number of nobody changes nothing', async () => {
  const other = await server.owner();
  await other.post('/client-api/api/phone', { kind: 'long_code', value: OURS, use_case: 'x' });
  const theirs = await addPerson(other.accountId);
  await say('STOP');
  expect(await statusOf()).toMatchObject({ sms: 'unsubscribed' });
  expect(await statusOf(theirs)).toMatchObject({ sms: 'unsubscribed' });
  expect(await say('STOP', { to: '+15125550999' })).toBeUndefined();
});

test('the opt-out page asks, and leaves only by its button', async () => {
  const code = makeShortCode({
    ...{ account: owner.accountId, message: 1, position: 0, subscriber: person, single: 0 },
  });
  const client = server.client();
  const page = await client.get(`/s/${code}`);
  expect(page.status).toBe(200);
  expect(page.headers['content-type']).toContain('text/html');
  expect(await statusOf()).toEqual({ sms: 'active', tsms: 'active' });
  const [done, again] = await Promise.all([1, 2].map(() => client.post(`/s/${code}`, {})));
  expect([done?.status, again?.status]).toEqual([200, 200]);
  expect(await statusOf()).toEqual({ sms: 'unsubscribed', tsms: 'active' });
  const forged = `${code.slice(0, -1)}${code.endsWith('A') ? 'B' : 'A'}`;
  for (const wrong of [forged, 'x', `${code}x`, '%00', 'a'.repeat(2_000)]) {
    expect((await client.get(`/s/${wrong}`)).status, wrong).toBeGreaterThanOrEqual(400);
    expect((await client.post(`/s/${wrong}`, {})).status, wrong).toBeLessThan(500);
  }
});
