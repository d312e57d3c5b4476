// Recurring campaigns: occurrences are created 26 hours ahead, skipped, edited, missed, postponed,
// and sent once to each subscriber.
import { sql } from 'kysely';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { addToGroups } from '#areas/groups/server/index.ts';
import { createOccurrences, startDue } from '#areas/broadcasts/server/index.ts';
import { type LeadId, toMessageId } from '#areas/delivery/lead-id.ts';
import { decodeId, encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { SMS_CAMPAIGNS_PATH } from '#areas/sms/campaign-contract.ts';
import { CAMPAIGNS, campaignShop, createReadyCampaign } from '#testing/worlds/campaign-shop.ts';
import { addPeople, isFinished, waitForDelivery } from '#testing/worlds/sending-helpers.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/servers/smtp-server.ts';
import { campaignAdapter } from './adapter.ts';

const OPTIONS = { publicUrl: 'http://localhost:3000', needsVerifiedSender: false };
const ADAPTER = campaignAdapter(OPTIONS);
/** Recurs on every day of the week, so the next occurrence is at most a day ahead. */
const DAILY = { every: 'week', interval: 1, weekdays: [1, 2, 3, 4, 5, 6, 7], time: '10:00' };
let server: TestServer;
let relay: TestSmtpServer;

beforeAll(async () => {
  server = await testServer();
  relay = await startSmtpServer({});
  return () => relay.close();
});

beforeEach(() => {
  // Occurrences are created 26 hours ahead: at noon, exactly one daily occurrence is that near.
  const noon = clock.now().setUTCHours(12, 0, 0, 0);
  const wait = noon - clock.now().getTime();
  clock.advance(wait < 0 ? wait + 86_400_000 : wait);
});

afterEach(async () => {
  clock.reset();
  // Due campaigns of one test must not start in the next one.
  await sql`delete from campaign_series`.execute(server.db);
  await sql`update campaigns set status = 'DRAFT' where message_id is null`.execute(server.db);
});

/** Creates a recurring campaign, by default a daily one. */
async function startSeries(rule: object = DAILY, overrides: object = {}, subscriberCount = 2) {
  const shop = await campaignShop(server, subscriberCount);
  const id = await createReadyCampaign(shop.owner, shop.groupId);
  const response = await shop.owner.put(`${CAMPAIGNS}/${id}/series`, { rule, ...overrides });
  expect([response.status, response.body.code]).toEqual([200, undefined]);
  return { ...shop, id, set: response.body.data };
}

type SeriesShop = Awaited<ReturnType<typeof startSeries>>;

/** Moves the clock to an instant and renews the session. */
async function travel({ owner }: Pick<SeriesShop, 'owner'>, target: string | Date, minutes = 0) {
  const time = new Date(target).getTime() + minutes * 60_000;
  clock.advance(time - clock.now().getTime());
  await owner.post('/auth/api/refresh');
}

async function dates({ owner, id }: SeriesShop) {
  const response = await owner.get(`${CAMPAIGNS}/${id}/series/dates`);
  expect(response.status).toBe(200);
  return response.body.data as {
    on: string;
    at: string;
    state: string;
    campaign: string | null;
  }[];
}

const createdDates = async (shop: SeriesShop) =>
  (await dates(shop)).filter(({ campaign }) => campaign !== null);
const readCampaign = async ({ owner }: Pick<SeriesShop, 'owner'>, id: string) =>
  (await owner.get(`${CAMPAIGNS}/${id}`)).body.data;

async function send({ owner }: SeriesShop, id: string) {
  expect(await startDue(server.db, ADAPTER)).toBe(1);
  await server.runJobs();
  const row = await server.db
    .selectFrom('campaigns')
    .select('message_id')
    .where('account_id', '=', owner.accountId)
    .where('id', '=', decodeId('campaign', id) as number)
    .executeTakeFirstOrThrow();
  const sender = startTestSender(server.db, relay.url);
  const finishedDelivery = await waitForDelivery(
    server.db,
    owner.accountId,
    toMessageId(row.message_id as LeadId),
    isFinished,
  );
  await sender.close();
  return finishedDelivery;
}

test('an occurrence is created once, 26 hours ahead, with the settings of its recurring campaign and its own title', async () => {
  const shop = await startSeries({ ...DAILY, weekdays: [1] });
  const { owner, id, set } = shop;
  expect(set).toMatchObject({ status: 'DRAFT', series: { zone: 'Europe/Oslo', ends_on: null } });
  const next = set.series.next_at as string;
  await owner.put(`${CAMPAIGNS}/${id}/resend`, { subject: 'Again', hours: 24 });
  await travel(shop, next, -26 * 60 - 1);
  expect(await createOccurrences(server.db, ADAPTER)).toBe(0);
  await travel(shop, next, -26 * 60 + 1);
  await Promise.all([1, 2, 3].map(() => createOccurrences(server.db, ADAPTER)));
  const [one, ...others] = await createdDates(shop);
  expect([one?.state, one?.at, others]).toEqual(['scheduled', next, []]);
  const copy = await readCampaign(shop, one?.campaign as string);
  expect(copy).toMatchObject({
    status: 'SCHEDULED',
    series_of: id,
    occurs_on: one?.on,
    scheduled_at: next,
    subject: set.subject,
    resend: { subject: 'Again', hours: 24, state: 'waiting' },
  });
  expect(copy.title).toMatch(/^Spring – \S/);
  expect(copy.tags).toEqual(set.tags);
  const campaignAfter = await readCampaign(shop, id);
  expect(Date.parse(campaignAfter.series.next_at) - Date.parse(next)).toBeGreaterThan(
    6 * 86_400_000,
  );
});

test('a recurring campaign cannot be sent until its rule is removed', async () => {
  const shop = await startSeries();
  const url = `${CAMPAIGNS}/${shop.id}`;
  for (const schedule_time of [null, '2090-01-01 10:00:00']) {
    const response = await shop.owner.post(`${url}/schedule`, { schedule_time });
    expect([response.status, response.body.code]).toEqual([409, 'campaign_repeats']);
  }
  const deleteResponse = await shop.owner.delete(`/client-api/api/tags/${shop.groupId}`);
  expect(deleteResponse.status).toBe(409);
  expect((await shop.owner.delete(`${url}/series`)).body.data.series).toBeNull();
  expect((await shop.owner.delete(`${url}/series`)).status).toBe(200);
  const sendResponse = await shop.owner.post(`${url}/schedule`, { schedule_time: null });
  expect(sendResponse.status).toBe(200);
});

test('a skipped day has no campaign and can get one after it is no longer skipped', async () => {
  const shop = await startSeries();
  const { owner, id } = shop;
  const url = `${CAMPAIGNS}/${id}/series`;
  const [first, second] = await dates(shop);
  expect((await owner.post(`${url}/skip`, { on: second?.on })).status).toBe(200);
  await createOccurrences(server.db, ADAPTER);
  // The campaign of the first day exists already, and is removed.
  expect((await owner.post(`${url}/skip`, { on: first?.on })).status).toBe(200);
  expect((await dates(shop)).slice(0, 2).map(({ state }) => state)).toEqual(['skipped', 'skipped']);
  await travel(shop, second?.at as string, -180);
  await createOccurrences(server.db, ADAPTER);
  expect(await createdDates(shop)).toEqual([]);
  expect(await startDue(server.db, ADAPTER)).toBe(0);
  const response = await owner.post(`${url}/unskip`, { on: second?.on });
  expect(response.status).toBe(200);
  const prepareResponse = await owner.post(`${url}/prepare`, { on: second?.on });
  expect(prepareResponse.body.data).toMatchObject({
    status: 'SCHEDULED',
    scheduled_at: second?.at,
  });
  const secondPrepare = await owner.post(`${url}/prepare`, { on: second?.on });
  expect(secondPrepare.body.data.id).toBe(prepareResponse.body.data.id);
});

test('an occurrence created early can have another time, and the poller does not create a second one', async () => {
  const shop = await startSeries({ ...DAILY, weekdays: [3] });
  const [one] = await dates(shop);
  const moveResponse = await shop.owner.post(`${CAMPAIGNS}/${shop.id}/series/prepare`, {
    on: one?.on,
    schedule_time: `${one?.on} 18:20:00`,
  });
  expect(moveResponse.body.data).toMatchObject({
    schedule_time: `${one?.on} 18:30:00`,
    occurs_on: one?.on,
  });
  await travel(shop, one?.at as string, -60);
  await createOccurrences(server.db, ADAPTER);
  expect(await createdDates(shop)).toHaveLength(1);
  const url = `${CAMPAIGNS}/${moveResponse.body.data.id}/reschedule`;
  const past = await shop.owner.post(url, { schedule_time: '2020-01-01 10:00:00' });
  expect(past.status).toBe(422);
  const draft = await shop.owner.post(`${CAMPAIGNS}/${shop.id}/reschedule`, {
    schedule_time: '2090-01-01 10:00:00',
  });
  expect([draft.status, draft.body.code]).toEqual([409, 'campaign_not_scheduled']);
});

test('an occurrence whose campaign was made a draft cannot be moved to another time', async () => {
  const shop = await startSeries({ ...DAILY, weekdays: [3] });
  const [one] = await dates(shop);
  const url = `${CAMPAIGNS}/${shop.id}/series/prepare`;
  const created = await shop.owner.post(url, { on: one?.on });
  const canceled = await shop.owner.post(`${CAMPAIGNS}/${created.body.data.id}/cancel`);
  expect(canceled.body.data.status).toBe('DRAFT');
  const moved = await shop.owner.post(url, { on: one?.on, schedule_time: `${one?.on} 18:20:00` });
  expect([moved.status, moved.body.code]).toEqual([409, 'campaign_not_scheduled']);
});

test('a changed rule replaces an unedited campaign and keeps an edited one', async () => {
  const shop = await startSeries();
  const { owner, id } = shop;
  await createOccurrences(server.db, ADAPTER);
  const [before] = await createdDates(shop);
  const rule = { ...DAILY, time: '11:00' };
  await owner.put(`${CAMPAIGNS}/${id}/series`, { rule });
  expect(await createdDates(shop)).toEqual([]);
  await createOccurrences(server.db, ADAPTER);
  const [after] = await createdDates(shop);
  expect(after?.campaign).not.toBe(before?.campaign);
  expect(after?.at.slice(11, 13)).not.toBe(before?.at.slice(11, 13));
  const url = `${CAMPAIGNS}/${after?.campaign}`;
  await owner.post(`${url}/cancel`);
  const { revision } = await readCampaign(shop, after?.campaign as string);
  await owner.patch(url, { revision, subject: 'My own' });
  await owner.post(`${url}/schedule`, { schedule_time: `${after?.on} 23:00:00` });
  await owner.put(`${CAMPAIGNS}/${id}/series`, { rule: DAILY });
  await createOccurrences(server.db, ADAPTER);
  const keptDate = (await createdDates(shop)).find(({ campaign }) => campaign === after?.campaign);
  expect(keptDate?.state).toBe('scheduled');
});

test('after days of downtime only the newest missed occurrence is created, and it waits for the owner', async () => {
  const shop = await startSeries();
  await createOccurrences(server.db, ADAPTER);
  const [first] = await createdDates(shop);
  await travel(shop, first?.at as string, 73 * 60);
  await createOccurrences(server.db, ADAPTER);
  expect(await startDue(server.db, ADAPTER)).toBe(0);
  const states = (await createdDates(shop)).map(({ state }) => state);
  // The first campaign was never sent, the two days after it got none, the newest one is late, and
  // the next one is in the future.
  expect(states).toEqual(['draft', 'late', 'scheduled']);
  expect((await readCampaign(shop, first?.campaign as string)).scheduled_at).toBeNull();
});

test('an occurrence whose predecessor is still sending is postponed', async () => {
  const shop = await startSeries();
  await createOccurrences(server.db, ADAPTER);
  const [first] = await createdDates(shop);
  await travel(shop, first?.at as string, 1);
  expect(await startDue(server.db, ADAPTER)).toBe(1);
  await createOccurrences(server.db, ADAPTER);
  const second = (await createdDates(shop))[1];
  await travel(shop, second?.at as string, 1);
  await startDue(server.db, ADAPTER);
  const waiting = await readCampaign(shop, second?.campaign as string);
  expect(waiting).toMatchObject({ status: 'SCHEDULED', delivery: null, is_late: false });
  expect(Date.parse(waiting.scheduled_at)).toBeGreaterThan(clock.now().getTime() + 10 * 60_000);
  expect((await shop.owner.post(`${CAMPAIGNS}/${first?.campaign}/cancel`)).status).toBe(200);
  await travel(shop, waiting.scheduled_at, 1);
  expect(await startDue(server.db, ADAPTER)).toBe(1);
});

test('an occurrence of a series for new recipients skips subscribers who got an earlier one', async () => {
  const shop = await startSeries(DAILY, { is_only_new: true }, 3);
  const { owner } = shop;
  await createOccurrences(server.db, ADAPTER);
  const [first] = await createdDates(shop);
  await travel(shop, first?.at as string, 1);
  expect(await send(shop, first?.campaign as string)).toMatchObject({ audience: 3 });
  await createOccurrences(server.db, ADAPTER);
  const newcomers = await addPeople(server.db, owner.accountId, 2, ['new.example']);
  await inTransaction(server.db, (tx) =>
    addToGroups(tx, owner.accountId, {
      groupIds: [decodeId('group', shop.groupId) as number],
      subscriberIds: newcomers,
      origin: 'bulk' as const,
    }),
  );
  const second = (await createdDates(shop))[1];
  const count = await owner.get(`${CAMPAIGNS}/${second?.campaign}/subscribers`);
  expect(count.body.data).toMatchObject({
    count: 2,
    excluded: [{ reason: 'received_before', count: 3 }],
  });
  await travel(shop, second?.at as string, 1);
  expect(await send(shop, second?.campaign as string)).toMatchObject({
    audience: 2,
    excluded: { received_before: 3 },
  });
  const subscriberId = encodeId('subscriber', shop.ids[0] as number);
  const response = await owner.get(
    `${CAMPAIGNS}/${second?.campaign}/why?subscriber=${subscriberId}`,
  );
  expect(response.body.data.steps.map(({ kind }: { kind: string }) => kind)).toContain(
    'received_before',
  );
});

test('a deleted recurring campaign creates no occurrences until it is restored', async () => {
  const shop = await startSeries();
  const url = `${CAMPAIGNS}/${shop.id}`;
  expect((await shop.owner.delete(url)).status).toBe(200);
  await travel(shop, shop.set.series.next_at, 50 * 60);
  expect(await createOccurrences(server.db, ADAPTER)).toBe(0);
  const response = await shop.owner.post(`${url}/restore`);
  expect(Date.parse(response.body.data.series.next_at)).toBeGreaterThan(clock.now().getTime());
  await createOccurrences(server.db, ADAPTER);
  expect((await createdDates(shop)).map(({ state }) => state)).toEqual(['scheduled']);
});

test('an invalid rule, and a rule for a campaign of another account or for a copy, are refused', async () => {
  const shop = await startSeries();
  const { owner, id } = shop;
  const url = `${CAMPAIGNS}/${id}/series`;
  const invalidRules = [
    { ...DAILY, weekdays: [] },
    { ...DAILY, weekdays: [8] },
    { ...DAILY, interval: 0 },
    { ...DAILY, time: '10:07' },
    { every: 'month', interval: 1, on: { kind: 'day', day: 32 }, time: '10:00' },
    { every: 'day', interval: 1, time: '10:00' },
  ];
  for (const rule of invalidRules) expect((await owner.put(url, { rule })).status).toBe(422);
  const pastResponse = await owner.put(url, { rule: DAILY, ends_on: '2020-01-01' });
  expect([pastResponse.status, Object.keys(pastResponse.body.errors)]).toEqual([422, ['ends_on']]);
  const outsider = await server.owner();
  for (const response of [
    await outsider.put(url, { rule: DAILY }),
    await outsider.delete(url),
    await outsider.get(`${url}/dates`),
    await outsider.post(`${url}/skip`, { on: '2090-01-02' }),
  ]) {
    expect(response.status).toBe(404);
  }
  expect((await owner.post(`${url}/skip`, { on: '2020-01-02' })).status).toBe(422);
  await createOccurrences(server.db, ADAPTER);
  const [copy] = await createdDates(shop);
  await owner.post(`${CAMPAIGNS}/${copy?.campaign}/cancel`);
  const nestedResponse = await owner.put(`${CAMPAIGNS}/${copy?.campaign}/series`, { rule: DAILY });
  expect([nestedResponse.status, nestedResponse.body.code]).toEqual([409, 'cannot_repeat']);
  const emptyResponse = await owner.post(CAMPAIGNS, { title: 'Empty' });
  const unready = await owner.put(`${CAMPAIGNS}/${emptyResponse.body.data.id}/series`, {
    rule: DAILY,
  });
  expect(unready.status).toBe(422);
  expect((await owner.get(`${SMS_CAMPAIGNS_PATH}/${id}/series/dates`)).status).toBe(404);
});
