// Responses to replies are sent from the number that got the reply, never to people who opted out,
// and after a day only in the allowed hours. Another test covers test sends of an unsaved SMS.
import { sql } from 'kysely';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { startSmsSender, fakeSmsProvider } from '#testing/servers/fake-sms-provider.ts';
import { type TestOwner, type TestServer, testServer } from '#testing/setup/server.ts';
import { ingestInbound } from './inbound.ts';

const LIST_PATH = '/client-api/api/sms/campaign';
const ACCOUNT_NUMBER = '+15125550177';
const SUBSCRIBER_NUMBER = '+15125550101';
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let server: TestServer;
let owner: TestOwner;
let campaign: string;
let phone: string;
let provider: ReturnType<typeof fakeSmsProvider>;
let events = 0;

beforeAll(async () => {
  server = await testServer();
});

/** Stops the clock at noon in Texas tomorrow. At a fixed date, sessions would have expired. */
function freezeAtNoon(): Date {
  const noon = new Date(Date.now() + DAY);
  noon.setUTCHours(18, 0, 0, 0);
  clock.freeze(noon);
  return noon;
}

beforeEach(async () => {
  freezeAtNoon();
  await sql`delete from phones`.execute(server.db);
  await sql`delete from phone_owners`.execute(server.db);
  owner = await server.owner();
  await sql`insert into subscribers (account_id, phone, phone_key, firstname, sms_status, tsms_status,
      created_at, modified_at)
    values (${owner.accountId}, ${SUBSCRIBER_NUMBER}, ${SUBSCRIBER_NUMBER}, 'Ann', 'active', 'non-subscribed', now(), now())`.execute(
    server.db,
  );
  const sender = { kind: 'long_code', value: ACCOUNT_NUMBER, use_case: 'Offers' };
  phone = (await owner.post('/client-api/api/phone', sender)).body.data.id;
  await owner.post(`/client-api/api/phone/${phone}/compliance/terms`, {
    ...{ version: '2026-11-01', name: 'Ada' },
  });
  const draft = { title: 'Tulips', text: 'Tulips are in', phone_id: phone };
  campaign = (await owner.post(LIST_PATH, draft)).body.data.id;
  await owner.post(`${LIST_PATH}/${campaign}/tags/set`, { tags_arr: [], send_to_all: true });
  const { revision } = (await owner.get(`${LIST_PATH}/${campaign}`)).body.data;
  await owner.post(`${LIST_PATH}/${campaign}/schedule`, { schedule_time: null, revision });
  await server.runJobs();
  provider = fakeSmsProvider();
  startSmsSender(server.db, provider.open);
  await vi.waitUntil(() => provider.accepted.length === 1, { timeout: 20_000 });
});
afterEach(() => clock.reset());

const receive = (text: string) =>
  ingestInbound(server.db, {
    ...{
      from: SUBSCRIBER_NUMBER,
      to: ACCOUNT_NUMBER,
      text,
      eventId: `answers ${++events}`,
      at: clock.now(),
    },
  });

const repliesOf = async () =>
  (await owner.get(`${LIST_PATH}/${campaign}/report/replies`)).body.data as {
    id: string;
    said: string;
    may_answer: boolean;
    answers: { text: string }[];
  }[];

const ageReplies = (ms: number) =>
  sql`
  with older as materialized (
    select id, received_at - make_interval(secs => ${ms / 1000}) as at from sms_inbound
    where account_id = ${owner.accountId}
  )
  update sms_inbound s set received_at = older.at from older
  where s.account_id = ${owner.accountId} and s.id = older.id`.execute(server.db);

const sendAnswer = (reply: string, text: string, client = owner) =>
  client.post(`${LIST_PATH}/${campaign}/report/replies/${reply}/answer`, { text });

test('an answer reaches the subscriber from the number that got the reply, and the thread continues', async () => {
  await receive('Which colors?');
  const [reply] = await repliesOf();
  expect(reply).toMatchObject({ said: 'Which colors?', may_answer: true, answers: [] });
  const text = 'Red {{firstname}} – and yellow';
  expect((await sendAnswer(reply?.id ?? '', text)).body.data).toEqual({ parts: 1 });
  await expect
    .poll(() => provider.accepted.map(({ to, from, text: body }) => [to, from, body]), {
      timeout: 20_000,
    })
    .toContainEqual([SUBSCRIBER_NUMBER, ACCOUNT_NUMBER, 'Red {{firstname}} - and yellow']);
  await receive('Thanks!');
  const [second, first] = await repliesOf();
  expect(second).toMatchObject({ said: 'Thanks!', answers: [] });
  expect(first?.answers).toMatchObject([{ text }]);
}, 60_000);

test('the reply of an erased subscriber has no text or number and cannot be answered', async () => {
  await receive('Call me at home');
  const { rows } = await sql<{ id: number }>`
    select id from subscribers where account_id = ${owner.accountId}`.execute(server.db);
  const path = `/client-api/api/subscribers/${encodeId('subscriber', rows[0]?.id ?? 0)}/erase`;
  expect((await owner.post(path)).status).toBe(200);
  const [reply] = await repliesOf();
  expect(reply).toMatchObject({ said: '', may_answer: false });
  expect((await sendAnswer(reply?.id ?? '', 'Hello')).status).toBe(404);
  const inbound = await sql`
    select sender, text from sms_inbound where account_id = ${owner.accountId}`.execute(server.db);
  expect(inbound.rows).toEqual([{ sender: '', text: '' }]);
}, 60_000);

test("an opted-out subscriber, another account's reply and an old reply at night cannot be answered", async () => {
  await receive('Which colors?');
  const [reply] = await repliesOf();
  const id = reply?.id ?? '';
  const otherOwner = await server.owner();
  expect((await sendAnswer(id, 'Red', otherOwner)).status).toBe(404);
  expect((await sendAnswer('x', 'Red')).status).toBe(404);
  expect((await sendAnswer(id, '  ')).status).toBe(422);
  expect((await sendAnswer(id, 'x'.repeat(1_999))).status).toBe(422);
  // It is two o'clock at night in Texas. A reply of the last day may be answered even then.
  clock.freeze(new Date(clock.now().getTime() - 10 * HOUR));
  await ageReplies(11 * HOUR);
  expect((await sendAnswer(id, 'Red')).status).toBe(200);
  await ageReplies(24 * HOUR);
  const lateResponse = await sendAnswer(id, 'Red');
  expect([lateResponse.status, lateResponse.body.code]).toEqual([422, 'quiet_hours_now']);
  await receive('STOP');
  const response = await sendAnswer(id, 'Please come back');
  expect([response.status, response.body.code]).toEqual([422, 'recipient_opted_out']);
  expect((await repliesOf()).map(({ may_answer: may }) => may)).toEqual([false, false]);
}, 60_000);

test("a test of an unsaved SMS reaches its number and is refused for invalid input or another account's sender", async () => {
  const body = { text: 'Hi {{firstname}}', phone_id: phone, append_opt_out: 'FALSE' };
  const path = '/client-api/api/sms/test';
  const number = '+44 7700 900123';
  expect((await owner.post(path, { ...body, phones: [number] })).body.data).toEqual({ sent: 1 });
  await expect
    .poll(() => provider.accepted.find(({ to }) => to === '+447700900123')?.text, {
      timeout: 20_000,
    })
    .toContain('Hi Ann');
  const response = await owner.post(path, { ...body, phones: ['call me'] });
  expect(response.body.errors).toHaveProperty('phones');
  const broken = await owner.post(path, { ...body, text: '{{#if}}', phones: [number] });
  expect(broken.status).toBe(422);
  const otherOwner = await server.owner();
  expect((await otherOwner.post(path, { ...body, phones: [number] })).status).toBe(422);
}, 60_000);
