// The life of an SMS campaign: number, text, recipients, checks, sending, clicks, opt-outs,
// resubscription.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { settleSms } from '#areas/delivery/server/ledger/index.ts';
import { settleTracking } from '#areas/tracking/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { fakeSmsProvider, startSmsSender } from '#testing/servers/fake-sms-provider.ts';
import { testServer } from '#testing/setup/server.ts';
import { ingestInbound } from './inbound.ts';

const BROWSER = {
  'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Safari/604.1',
};
const LIST_PATH = '/client-api/api/sms/campaign';
const server = await testServer();

test('a campaign reaches subscribers with consent at an allowed hour and obeys STOP and START', async () => {
  // The next noon in Texas is later than any timestamp of the database's own clock.
  const noon = new Date();
  noon.setUTCHours(noon.getUTCHours() < 18 ? 18 : 42, 0, 0, 0);
  clock.freeze(noon);
  const owner = await server.owner();
  const { accountId } = owner;
  await sql`
    insert into subscribers (account_id, phone, phone_key, firstname, sms_status, tsms_status,
      created_at, modified_at)
    select ${accountId}::bigint, p, p, 'Ann', s::subscription_status, s::subscription_status,
      ${clock.now()}, ${clock.now()}
    from (values ('+15125550101', 'active'), ('+15125550102', 'active'),
      ('+15125550103', 'non-subscribed')) v(p, s)`.execute(server.db);
  const phone = (
    await owner.post('/client-api/api/phone', {
      kind: 'long_code',
      value: '+15125550177',
      use_case: 'Offers',
    })
  ).body.data;
  const response = await owner.post(LIST_PATH, {
    title: 'Spring',
    text: 'Hi {{firstname}}, look: https://bloom.example/tulips?for={{firstname}}',
    phone_id: phone.id,
  });
  const path = `${LIST_PATH}/${response.body.data.id}`;
  await owner.post(`${path}/tags/set`, { tags_arr: [], send_to_all: true });
  expect((await owner.get(`${path}/subscribers`)).body.data).toEqual({
    count: 2,
    total: 3,
    excluded: [{ reason: 'non_subscribed', count: 1 }],
  });
  const earlyResponse = await owner.post(`${path}/schedule`, { schedule_time: null });
  expect(earlyResponse).toMatchObject({ status: 422, body: { code: 'content_invalid' } });
  await owner.post(`/client-api/api/phone/${phone.id}/compliance/terms`, {
    version: '2026-11-01',
    name: 'Ada',
  });
  const sendResponse = await owner.post(`${path}/schedule`, { schedule_time: null });
  expect(sendResponse.status).toBe(200);
  await server.runJobs();
  const provider = fakeSmsProvider();
  startSmsSender(server.db, provider.open);
  await expect.poll(() => provider.accepted.length, { timeout: 20_000 }).toBe(2);
  const [first] = provider.accepted;
  expect(first?.text).toMatch(
    /Hi Ann, look: https?:\/\/[^ ]+\/s\/[\w-]{20}\nReply STOP to opt out$/,
  );
  expect(first).toMatchObject({ from: '+15125550177', parts: 1, encoding: 'gsm7' });
  const [code] = /\/s\/[\w-]+/.exec(first?.text ?? '') ?? [''];
  // Wait until the handoffs are recorded before the clock advances: a click in the seconds after a
  // handoff is treated as automated.
  await expect.poll(async () => (await owner.get(path)).body.data.figures?.sent).toBe(2);
  const readFigures = async () => (await owner.get(path)).body.data.figures;
  expect(await readFigures()).toMatchObject({ accepted: 2, delivered: null, failed: 0 });
  const receipt = { isDelivered: true, at: clock.now(), remoteId: 'x' };
  await inTransaction(server.db, (tx) => settleSms(tx, first?.reference ?? '', receipt));
  expect(await readFigures()).toMatchObject({ sent: 2, accepted: 2, delivered: 1, failed: 0 });
  clock.advance(60_000);
  const click = await server.client().get(code, BROWSER);
  expect(click).toMatchObject({
    status: 302,
    headers: { location: 'https://bloom.example/tulips?for=Ann' },
  });
  await settleTracking(server.db);
  const countMatches = async (type: string, operator: string, operand = '') => {
    const conditions = [{ type, operator, operand }];
    const { body } = await owner.post('/client-api/api/filters/preview', { conditions });
    return body.data.subscribers;
  };
  // A click in an SMS does not count as a click in an email.
  expect(await countMatches('sms-click', 'all')).toBe(1);
  expect(await countMatches('sms-click', 'weeks', '1')).toBe(1);
  expect(await countMatches('sms-click', 'specific', response.body.data.id)).toBe(1);
  expect(await countMatches('not-sms-click', 'specific', response.body.data.id)).toBe(1);
  expect(await countMatches('not-sms-click', 'all')).toBe(2);
  expect(await countMatches('click', 'all')).toBe(0);
  expect(await countMatches('not-click', 'all')).toBe(3);
  expect((await server.client().get(`${code}x`)).status).toBe(404);

  const inbound = (text: string, eventId: string) =>
    ingestInbound(server.db, {
      from: first?.to ?? '',
      to: '+15125550177',
      text,
      eventId,
      at: clock.now(),
    });
  expect(await inbound('Stop.', 'one')).toContain('unsubscribed');
  expect(await inbound('Stop.', 'one')).toBeUndefined();
  expect((await owner.get(`${path}/subscribers`)).body.data).toMatchObject({ count: 1 });
  await expect.poll(async () => (await owner.get(path)).body.data.figures?.unsubscribes).toBe(1);
  expect((await owner.get(`${path}/report/replies`)).body.data).toMatchObject([{ said: 'Stop.' }]);
  expect((await owner.get(`${path}/report/unsubscribes`)).body.data).toHaveLength(1);
  expect(await inbound('START', 'two')).toContain('subscribed again');
  expect((await owner.get(`${path}/subscribers`)).body.data).toMatchObject({ count: 2 });
  expect((await owner.get(`${path}/report/links`)).status).toBe(200);
  expect((await owner.get(`${path}/report/failed`)).body.data).toEqual([]);
  clock.reset();
}, 60_000);

test("an SMS campaign at recipients' local time is sent in one wave per time zone", async () => {
  const start = new Date('2030-05-06T20:30:00Z');
  clock.freeze(start);
  const owner = await server.owner();
  const { accountId } = owner;
  await sql`
    insert into subscribers (account_id, phone, phone_key, firstname, sms_status, tsms_status,
      timezone, created_at, modified_at)
    select ${accountId}::bigint, p, p, 'Ann', 'active', 'active', z, ${start}, ${start}
    from (values ('+15125550111', 'America/Chicago'), ('+15125550112', 'America/New_York')) v(p, z)`.execute(
    server.db,
  );
  const { id: phone } = (
    await owner.post('/client-api/api/phone', {
      ...{ kind: 'long_code', value: '+15125550178', use_case: 'Offers' },
    })
  ).body.data;
  await owner.post(`/client-api/api/phone/${phone}/compliance/terms`, {
    ...{ version: '2026-11-01', name: 'Ada' },
  });
  const response = await owner.post(LIST_PATH, { title: 'Tea', text: 'Tea time', phone_id: phone });
  const path = `${LIST_PATH}/${response.body.data.id}`;
  await owner.post(`${path}/tags/set`, { tags_arr: [], send_to_all: true });
  const timing = { when: 'own_time', past: 'next_day', window: null, spread_hours: null };
  expect((await owner.put(`${path}/timing`, { timing })).body.data).toMatchObject({ timing });
  const scheduleResponse = await owner.post(`${path}/schedule`, {
    schedule_time: '2030-05-07 10:00:00',
  });
  expect(scheduleResponse.status, scheduleResponse.text).toBe(200);
  // In the earliest time zone, the scheduled time was half an hour ago, so the recipients are
  // selected now.
  await server.runJobs();
  const provider = fakeSmsProvider();
  startSmsSender(server.db, provider.open);
  const listReached = () =>
    provider.accepted
      .map(({ to: number }) => number)
      .filter((number) => number.startsWith('+1512555011'));
  clock.freeze(new Date('2030-05-07T14:00:00Z'));
  await expect.poll(listReached, { timeout: 20_000 }).toEqual(['+15125550112']);
  clock.freeze(new Date('2030-05-07T15:00:00Z'));
  await expect.poll(listReached, { timeout: 20_000 }).toEqual(['+15125550112', '+15125550111']);
  clock.reset();
});
