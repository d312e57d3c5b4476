// Timing of campaigns: recipients' local times, windows, spreads and their previews, and
// experiments that cannot be combined with local times.
import { sql } from 'kysely';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { cancel, startDue } from '#areas/broadcasts/server/index.ts';
import { decodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import {
  CAMPAIGNS,
  campaignShop,
  readCampaign,
  createReadyCampaign,
} from '#testing/worlds/campaign-shop.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { readCampaign as readRow } from './campaigns.ts';
import { campaignAdapter } from './adapter.ts';

const OPTIONS = { publicUrl: 'http://localhost:3000', needsVerifiedSender: false };
const TIMING = { when: 'time', past: 'next_day', window: null, spread_hours: null };
const OWN_TIME = { ...TIMING, when: 'own_time' };
const WEEKDAYS = { from: 9, to: 17, days: [1, 2, 3, 4, 5], zone: 'account' };
let server: TestServer;

beforeAll(async () => {
  server = await testServer();
});

afterEach(() => clock.reset());

const goTo = (at: string) => clock.advance(new Date(at).getTime() - clock.now().getTime());

async function draft(subscriberCount = 4) {
  const { owner, groupId, ids } = await campaignShop(server, subscriberCount);
  const id = await createReadyCampaign(owner, groupId);
  const putTiming = (timing: object, revision?: number) =>
    owner.put(`${CAMPAIGNS}/${id}/timing`, { timing, ...(revision && { revision }) });
  const preview = async (timing: object, time: string | null) =>
    (await owner.post(`${CAMPAIGNS}/${id}/timing/preview`, { timing, schedule_time: time })).body
      .data;
  const schedule = (time: string | null) =>
    owner.post(`${CAMPAIGNS}/${id}/schedule`, { schedule_time: time });
  return { owner, id, groupId, ids, put: putTiming, preview, schedule };
}

const setTimeZone = (accountId: number, id: number | undefined, timezone: string) =>
  sql`update subscribers set timezone = ${timezone}
    where account_id = ${accountId} and id = ${id}`.execute(server.db);

const openingsOf = async (accountId: number) =>
  (
    await sql<{ opens_at: Date | null; count: number }>`
      select l.opens_at, sum(l.written)::int as count from lanes l
      join messages m on m.account_id = l.account_id and m.id = l.message_id
      where l.account_id = ${accountId} and m.kind = 'campaign'
      group by l.opens_at order by l.opens_at`.execute(server.db)
  ).rows.map(({ opens_at: at, count }) => [at?.toISOString() ?? null, count]);

test('a campaign sent at recipients’ local times starts when the world’s first zone reaches its time, and the preview names the first and the last instant of its recipients', async () => {
  goTo('2028-03-01T07:00:00.000Z');
  const { owner, id, ids, put: putTiming, preview, schedule } = await draft();
  await setTimeZone(owner.accountId, ids[0], 'Asia/Tokyo');
  await setTimeZone(owner.accountId, ids[1], 'America/Los_Angeles');
  expect((await putTiming(OWN_TIME)).body.data).toMatchObject({ timing: OWN_TIME });
  expect(await preview(OWN_TIME, '2028-03-03 10:00:00')).toMatchObject({
    first_at: '2028-03-03T01:00:00.000Z',
    last_at: '2028-03-03T18:00:00.000Z',
    past: 0,
    has_best_hours: false,
  });
  expect((await schedule(null)).status).toBe(422);
  const response = await schedule('2028-03-03 10:00:00');
  expect(response.body.data).toMatchObject({
    status: 'SCHEDULED',
    scheduled_at: '2028-03-02T20:00:00.000Z',
  });
  expect((await putTiming(TIMING)).body).toMatchObject({ code: 'campaign_not_draft' });
  goTo('2028-03-02T20:00:00.000Z');
  expect(await startDue(server.db, campaignAdapter(OPTIONS))).toBe(1);
  await server.runJobs();
  expect(await openingsOf(owner.accountId)).toEqual([
    ['2028-03-03T01:00:00.000Z', 1],
    ['2028-03-03T09:00:00.000Z', 2],
    ['2028-03-03T18:00:00.000Z', 1],
  ]);
  // The session has ended by now, so the campaign is read from the database.
  const row = decodeId('campaign', id) as number;
  const { delivery, status } = await readRow(server.db, owner.accountId, row);
  expect(status).toBe('SCHEDULED');
  expect(delivery?.next_wave).toEqual({ at: '2028-03-03T01:00:00.000Z', count: 1 });
  // No email was handed off yet, so canceling makes the campaign a draft again and keeps its
  // timing.
  const canceledCampaign = await inTransaction(server.db, (tx) =>
    cancel(tx, campaignAdapter(OPTIONS), owner.accountId, row),
  );
  expect(canceledCampaign).toMatchObject({ status: 'DRAFT', timing: OWN_TIME });
});

test('a campaign sent at a local time starts now, and in zones where that time has passed, it is sent on the next day', async () => {
  goTo('2028-03-01T07:00:00.000Z');
  const { owner, ids, put: putTiming, preview, schedule } = await draft(3);
  await setTimeZone(owner.accountId, ids[0], 'Asia/Tokyo');
  await putTiming(OWN_TIME);
  expect(await preview(OWN_TIME, '2028-03-01 10:00:00')).toMatchObject({
    first_at: '2028-03-01T09:00:00.000Z',
    last_at: '2028-03-02T01:00:00.000Z',
    past: 1,
  });
  expect((await schedule('2028-02-29 10:00:00')).status).toBe(422);
  expect((await schedule('2028-03-01 10:00:00')).status).toBe(200);
  await server.runJobs();
  expect(await openingsOf(owner.accountId)).toEqual([
    ['2028-03-01T09:00:00.000Z', 2],
    ['2028-03-02T01:00:00.000Z', 1],
  ]);
});

test('a campaign sent at a local time is late only once that time has passed in the last zone', async () => {
  goTo('2028-03-01T07:00:00.000Z');
  const adapter = campaignAdapter(OPTIONS);
  const firstDraft = await draft(2);
  await setTimeZone(firstDraft.owner.accountId, firstDraft.ids[0], 'Asia/Tokyo');
  await firstDraft.put(OWN_TIME);
  await firstDraft.schedule('2028-03-03 10:00:00');
  const lateOf = async ({ owner: { accountId }, id }: typeof firstDraft) =>
    (await readRow(server.db, accountId, decodeId('campaign', id) as number)).is_late;
  // This is nine hours after the time passed in the world's first zone.
  goTo('2028-03-03T05:00:00.000Z');
  expect(await lateOf(firstDraft)).toBe(false);
  expect(await startDue(server.db, adapter)).toBe(1);
  await server.runJobs();
  expect(await openingsOf(firstDraft.owner.accountId)).toEqual([
    ['2028-03-03T09:00:00.000Z', 1],
    ['2028-03-04T01:00:00.000Z', 1],
  ]);
  const missedDraft = await draft(2);
  await missedDraft.put(OWN_TIME);
  await missedDraft.schedule('2028-03-06 10:00:00');
  goTo('2028-03-06T21:59:00.000Z');
  expect(await lateOf(missedDraft)).toBe(false);
  goTo('2028-03-06T22:00:00.000Z');
  expect(await lateOf(missedDraft)).toBe(true);
  expect(await startDue(server.db, adapter)).toBe(0);
});

test('the sending window of the account applies to campaigns with the default window', async () => {
  // This is a Saturday.
  goTo('2028-03-04T12:00:00.000Z');
  const { owner, preview, schedule } = await draft(2);
  const response = await owner.put('/client-api/api/sending_window', {
    window: { ...WEEKDAYS, days: [5, 1, 2, 3, 4, 1] },
  });
  expect(response.body.data).toEqual(WEEKDAYS);
  expect((await owner.get('/client-api/api/sending_window')).body.data).toEqual(WEEKDAYS);
  expect(await preview({ ...TIMING, window: 'default' }, null)).toMatchObject({
    first_at: '2028-03-06T08:00:00.000Z',
    default_window: WEEKDAYS,
  });
  expect(await preview(TIMING, null)).toMatchObject({
    first_at: expect.stringContaining('2028-03-04T12:00'),
  });
  expect((await schedule(null)).status).toBe(200);
  await server.runJobs();
  expect(await openingsOf(owner.accountId)).toEqual([['2028-03-06T08:00:00.000Z', 2]]);
  const { owner: other } = await campaignShop(server, 0);
  expect((await other.get('/client-api/api/sending_window')).body.data).toBeNull();
  const removeResponse = await owner.put('/client-api/api/sending_window', { window: null });
  expect(removeResponse.body.data).toBeNull();
});

test('a spread is sent in slots, and a copy of the campaign keeps the timing', async () => {
  const { owner, id, put: putTiming, schedule } = await draft(60);
  const timing = { ...TIMING, spread_hours: 1 };
  await putTiming(timing);
  const copy = await owner.post(`${CAMPAIGNS}/${id}/duplicate`, {});
  expect(copy.body.data.timing).toEqual(timing);
  expect((await schedule(null)).status).toBe(200);
  await server.runJobs();
  const openings = await openingsOf(owner.accountId);
  expect(openings).toHaveLength(4);
  expect(openings.reduce((total, [, count]) => total + Number(count), 0)).toBe(60);
});

test('all lanes are open immediately if the campaign has no timing', async () => {
  const { owner, id, schedule } = await draft(2);
  expect((await schedule(null)).status).toBe(200);
  await server.runJobs();
  expect(await openingsOf(owner.accountId)).toEqual([[null, 2]]);
  expect((await owner.get(`${CAMPAIGNS}/${id}/timing/effect`)).body.data).toBeNull();
});

test('the effect of best hours compares openers with the control group', async () => {
  goTo('2028-03-01T07:00:00.000Z');
  const { owner, id, ids, schedule } = await draft(300);
  const { accountId } = owner;
  const timing = JSON.stringify({ ...TIMING, when: 'best_hour' });
  await sql`update campaigns set timing = ${timing}::jsonb
    where account_id = ${accountId}`.execute(server.db);
  await sql`insert into send_hours (account_id, subscriber_id, hour, actions, modified_at)
    select ${accountId}::bigint, id, 20, 9, ${clock.now()}
    from unnest(${ids}::bigint[]) id`.execute(server.db);
  expect((await schedule('2028-03-02 00:00:00')).status).toBe(200);
  const effect = async () => (await owner.get(`${CAMPAIGNS}/${id}/timing/effect`)).body.data;
  expect(await effect()).toBeNull();
  goTo('2028-03-01T10:00:00.000Z');
  await owner.post('/auth/api/refresh');
  expect(await startDue(server.db, campaignAdapter(OPTIONS))).toBe(1);
  await server.runJobs();
  expect(await effect()).toBeNull();
  const openings = await openingsOf(accountId);
  expect(openings.map(([at]) => at)).toEqual([
    '2028-03-02T09:00:00.000Z',
    '2028-03-02T19:00:00.000Z',
  ]);
  // All recipients who get the email at their best hour open it, but none in the control group.
  await sql`insert into results (account_id, message_id, lane, ordinal, state, at)
    select account_id, message_id, lane, ordinal, 'accepted', ${clock.now()} from recipients
    where account_id = ${accountId}`.execute(server.db);
  await sql`insert into outcomes (account_id, subscriber_id, message_id, first_human_open_at)
    select r.account_id, r.subscriber_id, r.message_id, ${clock.now()} from recipients r
    join lanes l using (account_id, message_id, lane)
    where r.account_id = ${accountId} and l.opens_at = '2028-03-02T19:00:00.000Z'`.execute(
    server.db,
  );
  const control = Number(openings[0]?.[1]);
  const foundEffect = await effect();
  expect(foundEffect).toMatchObject({
    own: { accepted: 300 - control, acted: 300 - control },
    control: { accepted: control, acted: 0 },
    difference: 1,
  });
  expect(foundEffect.low).toBeGreaterThan(0.5);
});

test('invalid timings are refused with the names of their fields and change nothing', async () => {
  const { owner, id, put: putTiming } = await draft(1);
  const { revision, timing } = await readCampaign(owner, id);
  const refusals: [object, string | undefined][] = [
    [{ ...OWN_TIME, spread_hours: 4 }, 'timing.spread_hours'],
    [{ ...TIMING, spread_hours: 0 }, 'timing.spread_hours'],
    [{ ...TIMING, spread_hours: 73 }, 'timing.spread_hours'],
    [{ ...TIMING, when: 'best_hour' }, 'timing.when'],
    [{ ...TIMING, when: 'night' }, 'timing.when'],
    [{ ...TIMING, window: { ...WEEKDAYS, from: 17 } }, 'timing.window.to'],
    [{ ...TIMING, window: { ...WEEKDAYS, days: [] } }, undefined],
    [{ ...TIMING, window: { ...WEEKDAYS, days: [8] } }, undefined],
  ];
  for (const [wrong, field] of refusals) {
    const { status, body } = await putTiming(wrong);
    expect(status, JSON.stringify(wrong)).toBe(422);
    if (field) expect(Object.keys(body.fields ?? body.errors ?? {})).toContain(field);
  }
  expect((await putTiming(OWN_TIME, revision + 1)).status).toBe(409);
  expect(await readCampaign(owner, id)).toMatchObject({ revision, timing });
  const { owner: other } = await campaignShop(server, 0);
  expect((await other.put(`${CAMPAIGNS}/${id}/timing`, { timing: TIMING })).status).toBe(404);
});

test('local-time sending cannot be combined with an experiment whose remaining recipients wait for the winner', async () => {
  const experiment = {
    ...{ metric: 'opens', duration_hours: 4, test_share: 50 },
    variants: [{}, { subject: 'Second subject' }],
  };
  const { owner, id, put: putTiming } = await draft(4);
  const response = await owner.put(`${CAMPAIGNS}/${id}/experiment`, experiment);
  expect(response.status, response.text).toBe(200);
  expect((await putTiming(OWN_TIME)).body).toMatchObject({ code: 'timing_with_experiment' });
  expect((await putTiming({ ...TIMING, spread_hours: 2 })).status).toBe(200);
  const second = await draft(4);
  expect((await second.put(OWN_TIME)).status).toBe(200);
  await second.owner.put(`${CAMPAIGNS}/${second.id}/experiment`, experiment);
  const refusal = await second.schedule('2090-03-03 10:00:00');
  expect([refusal.status, refusal.body.code]).toEqual([409, 'timing_with_experiment']);
});
