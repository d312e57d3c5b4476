// The calendar over HTTP: campaigns, resends, occurrences, workflow runs and decisions of
// experiments, on their days in the account's zone.
import { sql } from 'kysely';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { decodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { CAMPAIGNS, campaignShop, createReadyCampaign } from '#testing/worlds/campaign-shop.ts';
import { type TestOwner, type TestServer, testServer } from '#testing/setup/server.ts';
import type { CalendarEntry } from '../contract.ts';

const CALENDAR = '/client-api/api/calendar';
let server: TestServer;

beforeAll(async () => {
  server = await testServer();
});

afterEach(() => clock.reset());

async function entries(owner: TestOwner, from: string, to: string): Promise<CalendarEntry[]> {
  const response = await owner.get(`${CALENDAR}?from=${from}&to=${to}`);
  expect(response.status).toBe(200);
  expect(response.body.data.zone).toBe('Europe/Oslo');
  return response.body.data.entries;
}

test('a scheduled campaign is on its day in the account’s time zone and moves when it is rescheduled', async () => {
  const { owner, groupId } = await campaignShop(server, 1);
  const id = await createReadyCampaign(owner, groupId);
  await owner.post(`${CAMPAIGNS}/${id}/schedule`, { schedule_time: '2090-03-10 00:15:00' });
  // A quarter past midnight in Oslo is on the day before in UTC.
  expect(await entries(owner, '2090-03-09', '2090-03-09')).toEqual([]);
  expect(await entries(owner, '2090-03-10', '2090-03-10')).toEqual([
    {
      kind: 'campaign',
      id,
      title: 'Spring',
      at: '2090-03-09T23:15:00.000Z',
      state: 'planned',
      people: null,
      on: null,
      series_of: null,
      movable: { from: null, to: null },
      resend: null,
    },
  ]);
  const response = await owner.post(`${CAMPAIGNS}/${id}/reschedule`, {
    schedule_time: '2090-03-12 09:00:00',
  });
  expect(response.body.data.schedule_time).toBe('2090-03-12 09:00:00');
  expect(await entries(owner, '2090-03-10', '2090-03-11')).toEqual([]);
  const otherOwner = (await campaignShop(server, 0)).owner;
  expect(await entries(otherOwner, '2090-03-01', '2090-03-31')).toEqual([]);
  const otherResponse = await otherOwner.post(`${CAMPAIGNS}/${id}/reschedule`, {
    schedule_time: '2090-03-13 09:00:00',
  });
  expect(otherResponse.status).toBe(404);
});

test('a sent campaign is shown with its resend and with the range of times to which the resend can be moved', async () => {
  const { owner, groupId } = await campaignShop(server, 2);
  const id = await createReadyCampaign(owner, groupId);
  await owner.put(`${CAMPAIGNS}/${id}/resend`, { subject: 'Again', hours: 24 });
  await owner.post(`${CAMPAIGNS}/${id}/schedule`, { schedule_time: null });
  const now = clock.now();
  const campaignId = decodeId('campaign', id) as number;
  await sql`update campaigns set status = 'SENT', sent_at = ${now}
    where account_id = ${owner.accountId} and id = ${campaignId}`.execute(server.db);
  await sql`update campaign_resends set due_at = ${new Date(now.getTime() + 86_400_000)}
    where account_id = ${owner.accountId}`.execute(server.db);
  const calendarEntries = await entries(owner, dayAfter(now, -1), dayAfter(now, 3));
  expect(calendarEntries.map(({ kind, state }) => [kind, state])).toEqual([
    ['campaign', 'sending'],
    ['resend', 'planned'],
  ]);
  expect(calendarEntries[0]?.movable).toBeNull();
  const hoursFromNow = (hours: number) => new Date(now.getTime() + hours * 3_600_000).toISOString();
  expect(calendarEntries[1]).toMatchObject({
    id,
    resend: { subject: 'Again', sent_at: now.toISOString() },
    movable: { from: hoursFromNow(12), to: hoursFromNow(168) },
  });
});

test('a recurring campaign has an entry for each occurrence that is not skipped and has no campaign', async () => {
  const { owner, groupId } = await campaignShop(server, 1);
  const id = await createReadyCampaign(owner, groupId);
  const url = `${CAMPAIGNS}/${id}/series`;
  const rule = { every: 'week', interval: 1, weekdays: [2, 4], time: '10:00' };
  await owner.put(url, { rule, starts_on: '2090-03-01' });
  const days = async () =>
    (await entries(owner, '2090-03-01', '2090-03-12')).map(({ kind, on }) => [kind, on]);
  expect(await days()).toEqual([
    ['occurrence', '2090-03-02'],
    ['occurrence', '2090-03-07'],
    ['occurrence', '2090-03-09'],
  ]);
  await owner.post(`${url}/skip`, { on: '2090-03-02' });
  await owner.post(`${url}/prepare`, { on: '2090-03-07', schedule_time: '2090-03-08 12:00:00' });
  expect(await days()).toEqual([
    ['campaign', '2090-03-07'],
    ['occurrence', '2090-03-09'],
  ]);
  const seriesResponse = await owner.get('/client-api/api/series');
  expect(seriesResponse.body.data).toMatchObject([{ channel: 'email', id, title: 'Spring', rule }]);
  await owner.delete(`${CAMPAIGNS}/${id}`);
  expect((await owner.get('/client-api/api/series')).body.data).toEqual([]);
  expect(await entries(owner, '2090-03-09', '2090-03-12')).toEqual([]);
});

test('due runs of active workflows are counted by day, for the next 14 days', async () => {
  const { owner, ids } = await campaignShop(server, 3);
  const now = clock.now();
  const { rows } = await sql<{ id: number }>`
    insert into workflows (account_id, title, status, created_at, modified_at)
    values (${owner.accountId}, 'Welcome', 'ACTIVE', ${now}, ${now}) returning id`.execute(
    server.db,
  );
  const workflow = rows[0]?.id as number;
  const days = [2, 2, 20];
  for (const [index, subscriberId] of ids.entries()) {
    const wake = new Date(now.getTime() + (days[index] as number) * 86_400_000);
    await sql`insert into workflow_runs
      (account_id, workflow_id, subscriber_id, step_id, wake_at, entered_at)
      values (${owner.accountId}, ${workflow}, ${subscriberId}, 1, ${wake}, ${now})`.execute(
      server.db,
    );
  }
  const calendarEntries = await entries(owner, dayAfter(now, 0), dayAfter(now, 30));
  expect(calendarEntries).toMatchObject([
    { kind: 'workflow', title: 'Welcome', people: 2, movable: null },
  ]);
});

test('the calendar shows when an experiment is decided', async () => {
  const { owner, groupId } = await campaignShop(server, 1);
  const id = await createReadyCampaign(owner, groupId);
  await owner.post(`${CAMPAIGNS}/${id}/schedule`, { schedule_time: '2090-03-10 12:00:00' });
  await sql`insert into campaign_experiments
      (account_id, campaign_id, metric, duration_hours, test_share, salt)
    values (${owner.accountId}, ${decodeId('campaign', id)}, 'opens', 24, 20, 'salt')`.execute(
    server.db,
  );
  const calendarEntries = await entries(owner, '2090-03-11', '2090-03-11');
  expect(calendarEntries).toMatchObject([{ kind: 'decision', id, at: '2090-03-11T11:00:00.000Z' }]);
});

test('a reversed, too long or malformed range is refused', async () => {
  const { owner } = await campaignShop(server, 0);
  for (const query of [
    'from=2090-03-02&to=2090-03-01',
    'from=2090-01-01&to=2090-12-31',
    'from=x&to=y',
  ]) {
    expect((await owner.get(`${CALENDAR}?${query}`)).status).toBe(422);
  }
  expect((await server.client().get(`${CALENDAR}?from=2090-03-01&to=2090-03-02`)).status).toBe(401);
});

function dayAfter(at: Date, days: number): string {
  return new Date(at.getTime() + days * 86_400_000).toISOString().slice(0, 10);
}
