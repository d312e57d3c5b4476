// Forecasts of campaigns over HTTP: they are computed for drafts, stored at the start, and compared
// with the results of emails that a real SMTP server accepted.
import { sql } from 'kysely';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { readTotals } from '#areas/deliverability/server/forecast/cells.sql.ts';
import { freezeForecast } from '#areas/deliverability/server/forecast/freeze.ts';
import { sealDueCampaigns } from '#areas/deliverability/server/index.ts';
import { compactionPoller } from '#areas/delivery/server/ledger/compaction.ts';
import { computeBucket } from '#areas/experiments/server/index.ts';
import { MAILBOXES } from '#areas/subscribers/shared.ts';
import { encodeId } from '#platform/ids.ts';
import { RIGHT_PRESETS } from '#platform/rights.ts';
import { clock } from '#platform/server/clock.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/servers/smtp-server.ts';
import { type TestOwner, type TestServer, testServer } from '#testing/setup/server.ts';
import {
  CAMPAIGNS,
  campaignShop,
  createReadyCampaign,
  waitForCampaign,
} from '#testing/worlds/campaign-shop.ts';
import { createColleague } from '#testing/worlds/colleagues.ts';
import { startTestSender } from '#testing/worlds/sender.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
let server: TestServer;
let relay: TestSmtpServer;

beforeAll(async () => {
  server = await testServer();
  relay = await startSmtpServer();
  return () => relay.close();
});
afterEach(() => clock.reset());

type CampaignShop = Awaited<ReturnType<typeof campaignShop>>;

const daysAgo = (days: number) => new Date(clock.now().getTime() - days * DAY_MS);

/**
 * Creates a shop whose subscribers were added two years ago. `openedDays` lists the days since the
 * last open of the first subscribers; the others opened nothing.
 */
async function shopOf(
  subscriberCount: number,
  openedDays: readonly number[] = [],
): Promise<CampaignShop> {
  const shop = await campaignShop(server, subscriberCount);
  const { accountId } = shop.owner;
  await sql`update subscribers set created_at = ${daysAgo(730)}
    where account_id = ${accountId}`.execute(server.db);
  for (const [index, days] of openedDays.entries()) {
    const id = shop.ids[index];
    const at = daysAgo(days);
    await sql`insert into activity (account_id, subscriber_id, first_open_at, last_open_at)
      values (${accountId}, ${id}, ${at}, ${at})`.execute(server.db);
    await sql`insert into outcomes (account_id, subscriber_id, message_id, first_open_at, opens)
      values (${accountId}, ${id}, 1, ${at}, 1)`.execute(server.db);
  }
  return shop;
}

const forecast = (owner: TestOwner, id: string) => owner.post(`${CAMPAIGNS}/${id}/forecast`, {});

const cellsOf = async (accountId: number) =>
  (
    await sql<{ mailbox: number; band: number; people: number; opens: number; bounces: number }>`
      select mailbox, band, people, opens, clicks, unsubscribes, complaints, bounces, orders
      from send_cells where account_id = ${accountId} order by mailbox, band`.execute(server.db)
  ).rows;

async function send(owner: TestOwner, id: string): Promise<number> {
  const response = await owner.post(`${CAMPAIGNS}/${id}/schedule`, { schedule_time: null });
  expect(response.status).toBe(200);
  await server.runJobs();
  const sender = startTestSender(server.db, relay.url);
  await waitForCampaign(owner, id, ({ delivery }) => delivery?.state === 'finished');
  await sender.close();
  const { rows } = await sql<{ id: number }>`select max(id) as id from messages
    where account_id = ${owner.accountId} and kind = 'campaign'`.execute(server.db);
  return rows[0]?.id ?? 0;
}

/** Records an open, a click, a bounce and a complaint of one subscriber each. */
async function react(accountId: number, messageId: number, ids: readonly number[]) {
  const at = clock.now();
  const [opener, clicker, bounced, complaining] = ids;
  await sql`insert into outcomes (account_id, subscriber_id, message_id, first_open_at,
      first_human_open_at, first_human_click_at, returned_at, hard_bounced_at, complained_at)
    values (${accountId}, ${opener}, ${messageId}, ${at}, ${at}, null, null, null, null),
      (${accountId}, ${clicker}, ${messageId}, ${at}, ${at}, ${at}, null, null, null),
      (${accountId}, ${bounced}, ${messageId}, null, null, null, ${at}, ${at}, null),
      (${accountId}, ${complaining}, ${messageId}, ${at}, null, null, null, null, ${at})`.execute(
    server.db,
  );
}

test('the forecast of a draft without past campaigns is the same each time and does not exceed the number of recipients', async () => {
  const { owner, groupId } = await shopOf(40);
  const id = await createReadyCampaign(owner, groupId);
  const response = await forecast(owner, id);
  expect(response.status).toBe(200);
  const { data, counting } = response.body;
  expect(counting).toBe(false);
  expect(data).toMatchObject({ people: 40, campaigns: 0, revenue: [] });
  expect(data.metrics.complaints).toBeNull();
  expect(data.mailboxes.map((mailbox: { people: number }) => mailbox.people)).toEqual([14, 13, 13]);
  expect(data.metrics.delivered.high).toBeLessThanOrEqual(40);
  expect((await forecast(owner, id)).body.data).toEqual(data);
  clock.advance(2 * 60_000);
  const secondForecast = (await forecast(owner, id)).body.data;
  expect(secondForecast.as_of).not.toBe(data.as_of);
  expect(secondForecast.metrics).toEqual(data.metrics);
});

test('a user with read-only access can compute the forecast of a draft, which is not audited', async () => {
  const { owner, groupId } = await shopOf(2);
  const id = await createReadyCampaign(owner, groupId);
  const reader = await createColleague(server, owner, RIGHT_PRESETS.read_only);
  const listAuditedActions = async () =>
    (await sql`select action from audit where account_id = ${owner.accountId}`.execute(server.db))
      .rows;
  const actionsBefore = await listAuditedActions();
  const response = await reader.post(`${CAMPAIGNS}/${id}/forecast`, {});
  expect(response).toMatchObject({ status: 200, body: { data: { people: 2 } } });
  expect((await forecast(owner, id)).status).toBe(200);
  expect(await listAuditedActions()).toEqual(actionsBefore);
});

test("the forecast's end accounts for limits of the autopilot, and is unknown while only engaged subscribers get emails", async () => {
  const { owner, groupId } = await shopOf(40, [10]);
  const id = await createReadyCampaign(owner, groupId);
  const { accountId } = owner;
  const limit = (perHour: number | null, isEngagedOnly: boolean) =>
    sql`insert into provider_caps
        (account_id, domain, mailbox, per_hour, is_engaged_only, modified_at)
      select account_id, split_part(from_email, '@', 2), ${MAILBOXES.gmail}::int, ${perHour}::int,
        ${isEngagedOnly}, ${clock.now()}
      from campaigns where account_id = ${accountId}
      on conflict (account_id, domain, mailbox) do update
        set per_hour = excluded.per_hour, is_engaged_only = excluded.is_engaged_only`.execute(
      server.db,
    );
  const readDone = async () => (await forecast(owner, id)).body.data.done;
  await limit(1, false);
  const { low, mid, high, last, limit: decisive, retries } = await readDone();
  expect({ decisive, retries }).toEqual({ decisive: 'autopilot', retries: 'usual' });
  const hoursUntil = (at: string) => (new Date(at).getTime() - clock.now().getTime()) / HOUR_MS;
  expect(hoursUntil(low)).toBeGreaterThan(11.5);
  expect(hoursUntil(mid)).toBeGreaterThan(12);
  expect(hoursUntil(mid)).toBeLessThan(15);
  expect([low, mid, high, last]).toEqual([low, mid, high, last].toSorted());
  const { mailboxes } = (await forecast(owner, id)).body.data;
  const endAt = (mailbox: string) =>
    mailboxes.find((entry: { mailbox: string }) => entry.mailbox === mailbox).done;
  expect(endAt('gmail')).toMatchObject({ low, limit: 'autopilot' });
  expect(hoursUntil(endAt('microsoft').low)).toBeLessThan(0.2);
  await limit(null, true);
  // Forecasts are cached for a minute.
  clock.advance(2 * 60_000);
  const unknown = { low: null, mid: null, high: null, last: null };
  expect(await readDone()).toEqual({ ...unknown, limit: 'engaged', retries: 'usual' });
});

test('a forecast without limits and without past sends has no end', async () => {
  const { owner, groupId } = await shopOf(4);
  const id = await createReadyCampaign(owner, groupId);
  const { done, mailboxes } = (await forecast(owner, id)).body.data;
  expect(done).toBeNull();
  expect(mailboxes[0].done).toBeNull();
});

test('the delays of deferred emails are sealed, and the end is compared with its forecast', async () => {
  const { owner, groupId } = await shopOf(40);
  const { accountId } = owner;
  const quarter = new Date(Math.floor(clock.now().getTime() / 900_000) * 900_000 - 900_000);
  await sql`insert into sent_times (account_id, quarter, shard, sent)
    values (${accountId}, ${quarter}, 0, 90)`.execute(server.db);
  const id = await createReadyCampaign(owner, groupId);
  const messageId = await send(owner, id);
  const storedForecast = (await owner.get(`${CAMPAIGNS}/${id}/forecast`)).body.data;
  expect(storedForecast.forecast.done).toMatchObject({ limit: 'speed', retries: 'usual' });
  // Two emails to Gmail were deferred and accepted ten minutes and five hours later.
  await sql`update results set attempt = 2 where account_id = ${accountId}
    and message_id = ${messageId} and lane = ${MAILBOXES.gmail} and ordinal <= 2`.execute(
    server.db,
  );
  await sql`
    insert into results (account_id, message_id, lane, ordinal, attempt, state, at, code)
    select account_id, message_id, lane, ordinal, 1, 'deferred',
      at - case when ordinal = 1 then interval '10 minutes' else interval '5 hours' end, '4.7.1'
    from results where account_id = ${accountId} and message_id = ${messageId} and attempt = 2`.execute(
    server.db,
  );
  clock.advance(73 * HOUR_MS);
  await owner.post('/auth/api/refresh');
  await sealDueCampaigns(server.db, accountId);
  const { rows } = await sql<{ waits: unknown }>`select waits from sealed_campaigns
    where account_id = ${accountId}`.execute(server.db);
  expect(rows[0]?.waits).toEqual({ [MAILBOXES.gmail]: [0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0] });
  const { data } = (await owner.get(`${CAMPAIGNS}/${id}/forecast`)).body;
  // The actual end is rounded up to the minute.
  const minutes = (Date.parse(data.truth.done) - Date.parse(data.forecast.as_of)) / 60_000;
  expect(minutes).toBeGreaterThan(0);
  expect(minutes).toBeLessThan(3);
  expect(data.compared).toBe(5);
  const next = await createReadyCampaign(owner, groupId);
  const { mailboxes } = (await forecast(owner, next)).body.data;
  for (const { done } of mailboxes) expect(done.retries).toBe('past');
});

test('a draft without recipients has no forecast, and the forecast of a sent campaign cannot be computed', async () => {
  const { owner, groupId } = await shopOf(2);
  const id = await createReadyCampaign(owner, groupId);
  await owner.post(`${CAMPAIGNS}/${id}/tags/set`, { tags_arr: [] });
  expect((await forecast(owner, id)).body).toEqual({ data: null, counting: false });
  expect((await owner.get(`${CAMPAIGNS}/${id}/forecast`)).body.data).toBeNull();
  await owner.post(`${CAMPAIGNS}/${id}/tags/set`, { tags_arr: [groupId] });
  await owner.post(`${CAMPAIGNS}/${id}/schedule`, { schedule_time: null });
  expect((await forecast(owner, id)).body.code).toBe('campaign_not_draft');
  const exclusion = { months: 6 };
  const response = await owner.post(`${CAMPAIGNS}/${id}/forecast/exclusion`, exclusion);
  expect(response.body.code).toBe('campaign_not_draft');
});

test('an experiment is forecast without its control group', async () => {
  const { owner, groupId, ids } = await shopOf(400);
  const id = await createReadyCampaign(owner, groupId);
  const response = await owner.put(`${CAMPAIGNS}/${id}/experiment`, {
    ...{ metric: 'opens', duration_hours: 4, test_share: 80, holdout_share: 10 },
    variants: [{}, { subject: 'Second' }],
  });
  expect(response.status).toBe(200);
  const { rows } = await sql<{ salt: string }>`select salt from campaign_experiments
    where account_id = ${owner.accountId}`.execute(server.db);
  const reachedCount = ids.filter((id) => computeBucket(rows[0]?.salt ?? '', id) < 9_000).length;
  const { people, done } = (await forecast(owner, id)).body.data;
  expect(people).toBe(reachedCount);
  expect(done).toMatchObject({ low: null, limit: 'experiment' });
  await owner.post(`${CAMPAIGNS}/${id}/schedule`, { schedule_time: null });
  await server.runJobs();
  const storedForecast = (await owner.get(`${CAMPAIGNS}/${id}/forecast`)).body.data;
  expect(storedForecast.forecast.people).toBe(reachedCount);
  expect(storedForecast.forecast.done).toEqual(done);
});

test('an experiment whose variants and control group include everyone does not limit the end in the forecast', async () => {
  const { owner, groupId } = await shopOf(400);
  const id = await createReadyCampaign(owner, groupId);
  const response = await owner.put(`${CAMPAIGNS}/${id}/experiment`, {
    ...{ metric: 'opens', duration_hours: 4, test_share: 90, holdout_share: 10 },
    variants: [{}, { subject: 'Second' }],
  });
  expect(response.status).toBe(200);
  const { done } = (await forecast(owner, id)).body.data;
  expect(done?.limit).not.toBe('experiment');
  await owner.post(`${CAMPAIGNS}/${id}/schedule`, { schedule_time: null });
  await server.runJobs();
  const storedForecast = (await owner.get(`${CAMPAIGNS}/${id}/forecast`)).body.data;
  expect(storedForecast.forecast.done).toEqual(done);
});

test('the forecast of a sent campaign is stored, compared after 72 hours, and used by the next forecast', async () => {
  // The last opens of two subscribers are in band 0, and one is in each of the bands 1 to 4.
  const { owner, groupId, ids } = await shopOf(12, [1, 20, 60, 120, 300, 500]);
  const { accountId } = owner;
  const id = await createReadyCampaign(owner, groupId);
  const messageId = await send(owner, id);
  const storedForecast = (await owner.get(`${CAMPAIGNS}/${id}/forecast`)).body.data;
  expect(storedForecast).toMatchObject({ truth: null, compared: 0, forecast: { people: 12 } });
  await react(accountId, messageId, ids);
  await sealDueCampaigns(server.db, accountId);
  expect(await cellsOf(accountId)).toEqual([]);

  clock.advance(73 * HOUR_MS);
  await owner.post('/auth/api/refresh');
  // Two concurrent workers seal it once.
  await Promise.all([
    sealDueCampaigns(server.db, accountId),
    sealDueCampaigns(server.db, accountId),
  ]);
  const cells = await cellsOf(accountId);
  const bands = cells.reduce((totals, { band, people }) => {
    totals[band] = (totals[band] ?? 0) + people;
    return totals;
  }, [] as number[]);
  expect(bands).toEqual([2, 1, 1, 1, 1, 6]);
  const { data } = (await owner.get(`${CAMPAIGNS}/${id}/forecast`)).body;
  expect(data.forecast).toEqual(storedForecast.forecast);
  // Complaints are unknown: no provider had reported any before.
  expect(data.truth).toEqual({
    ...{ people: 12, delivered: 11, opens: 2, clicks: 1, unsubscribes: 0, bounces: 1 },
    ...{ complaints: null, revenue: [], done: expect.any(String) },
  });
  // The end was unknown, so it is not compared.
  expect(data.compared).toBe(4);
  expect(data.inside).toBeLessThanOrEqual(4);

  const next = await createReadyCampaign(owner, groupId);
  const predictedForecast = (await forecast(owner, next)).body.data;
  expect(predictedForecast).toMatchObject({ campaigns: 1 });
  // The fourth subscriber, who has a Gmail address, complained.
  expect(predictedForecast.metrics.complaints).not.toBeNull();
  expect(predictedForecast.silent).toEqual(expect.arrayContaining(['microsoft', 'other']));

  // A compacted ledger yields the same counts per provider and band.
  await sql`delete from sealed_campaigns where account_id = ${accountId}`.execute(server.db);
  clock.advance(100 * DAY_MS);
  await compactionPoller(90).run(server.db, new AbortController().signal);
  await sealDueCampaigns(server.db, accountId);
  expect(await cellsOf(accountId)).toEqual(cells);
  const { rows } = await sql<{ waits: unknown }>`select waits from sealed_campaigns
    where account_id = ${accountId}`.execute(server.db);
  expect(rows[0]?.waits).toBeNull();
});

test('results are counted at the mailbox providers of the forecast, even if subscribers have been assigned to other hosts since', async () => {
  const { owner, groupId, ids } = await shopOf(12);
  const { accountId } = owner;
  await sql`insert into sealed_campaigns (account_id, message_id, started_at, sealed_at)
    values (${accountId}, 1, ${daysAgo(9)}, ${daysAgo(6)})`.execute(server.db);
  // An earlier campaign shows that the provider `other` reports complaints.
  await sql`insert into send_cells (account_id, message_id, mailbox, band, people, opens, clicks,
      unsubscribes, complaints, bounces, orders)
    values (${accountId}, 1, ${MAILBOXES.other}, 5, 900, 0, 0, 0, 1, 0, 0)`.execute(server.db);
  const id = await createReadyCampaign(owner, groupId);
  const messageId = await send(owner, id);
  // The third subscriber, who complains, has an address at home.example.
  await react(
    accountId,
    messageId,
    [0, 1, 4, 2].map((index) => ids[index] ?? 0),
  );
  await sql`update subscribers set mailbox = ${MAILBOXES.microsoft365}
    where account_id = ${accountId} and mailbox = ${MAILBOXES.other}`.execute(server.db);
  clock.advance(73 * HOUR_MS);
  await owner.post('/auth/api/refresh');
  await sealDueCampaigns(server.db, accountId);
  const { data } = (await owner.get(`${CAMPAIGNS}/${id}/forecast`)).body;
  expect(data.truth).toMatchObject({ people: 12, complaints: 1 });
  const mailboxes = new Set((await cellsOf(accountId)).map(({ mailbox }) => mailbox));
  expect(mailboxes).not.toContain(MAILBOXES.microsoft365);
  // Hosts that the forecast does not list are counted among its other providers.
  await sql`update send_cells set mailbox = ${MAILBOXES.zoho}
    where account_id = ${accountId} and mailbox = ${MAILBOXES.other}`.execute(server.db);
  const complaintsAt = async (expectedId: number, ...listedIds: number[]) =>
    (
      await readTotals(server.db, accountId, messageId, {
        selected: [expectedId],
        listedHosts: listedIds,
      })
    )?.complaints ?? 0;
  expect(await complaintsAt(MAILBOXES.other, MAILBOXES.other, MAILBOXES.gmail)).toBe(1);
  expect(await complaintsAt(MAILBOXES.other, MAILBOXES.other, MAILBOXES.zoho)).toBe(0);
  expect(await complaintsAt(MAILBOXES.zoho, MAILBOXES.other, MAILBOXES.zoho)).toBe(1);
});

/** Returns a hash of each table's rows. */
async function hashTables(): Promise<Map<string, string>> {
  const { rows: tables } = await sql<{ name: string }>`
    select quote_ident(tablename) as name from pg_tables where schemaname = 'public'`.execute(
    server.db,
  );
  const hashes = new Map<string, string>();
  for (const { name } of tables) {
    const { rows } = await sql<{ hash: string | null }>`
      select md5(string_agg(t::text, ',' order by t::text)) as hash from ${sql.raw(name)} t`.execute(
      server.db,
    );
    hashes.set(name, rows[0]?.hash ?? '');
  }
  return hashes;
}

/** Tables that every request may write: sessions, rate limits and the audit log. */
const REQUEST_TABLES: ReadonlySet<string> = new Set(['audit', 'rate_buckets', 'sessions']);

/** Runs the work and returns the tables whose rows it has changed. */
async function tablesChangedBy(work: () => Promise<unknown>): Promise<string[]> {
  const hashesBefore = await hashTables();
  await work();
  const hashesAfter = await hashTables();
  return [...hashesAfter.keys()]
    .filter((name) => hashesAfter.get(name) !== hashesBefore.get(name) && !REQUEST_TABLES.has(name))
    .toSorted();
}

test('a forecast does not change any table, and the counts of a sealed campaign do not name subscribers and remain after erasures', async () => {
  const { owner, groupId, ids } = await shopOf(6, [1, 60, 500]);
  const { accountId } = owner;
  const id = await createReadyCampaign(owner, groupId);
  await forecast(owner, id);
  clock.advance(2 * 60_000);
  const forecastAgain = async () => expect((await forecast(owner, id)).body.data.people).toBe(6);
  expect(await tablesChangedBy(forecastAgain)).toEqual([]);
  const messageId = await send(owner, id);
  await react(accountId, messageId, ids);
  await sql`delete from forecasts where account_id = ${accountId}`.execute(server.db);
  const freeze = () => freezeForecast(server.db, accountId, messageId);
  expect(await tablesChangedBy(freeze)).toEqual(['forecasts']);
  clock.advance(73 * HOUR_MS);
  const seal = () => sealDueCampaigns(server.db, accountId);
  const SEALED = ['forecasts', 'sealed_campaigns', 'send_cells'];
  expect(await tablesChangedBy(seal)).toEqual(SEALED);

  const readStored = async () => {
    const sqlTexts: string[] = [];
    for (const table of SEALED) {
      const { rows } = await sql<{ row: Record<string, unknown> }>`
        select to_jsonb(t) as row from ${sql.table(table)} t
        where account_id = ${accountId} order by t::text`.execute(server.db);
      sqlTexts.push(JSON.stringify(rows));
    }
    return sqlTexts;
  };
  const storedForecast = await readStored();
  // Names and addresses of the subscribers are "Name 1" and person1@….
  for (const text of storedForecast) expect(text).not.toMatch(/person\d|Name \d|@|subscriber/);
  const cells = await cellsOf(accountId);
  expect(cells.reduce((total, { people }) => total + people, 0)).toBe(6);
  for (const row of cells)
    for (const value of Object.values(row)) expect(value).toBeTypeOf('number');
  await owner.post('/auth/api/refresh');
  for (const subscriber of ids) {
    const path = `/client-api/api/subscribers/${encodeId('subscriber', subscriber)}/erase`;
    expect((await owner.post(path)).status).toBe(200);
  }
  await server.runJobs();
  expect(await readStored()).toEqual(storedForecast);
});

test('a suggested exclusion excludes as many subscribers as it states', async () => {
  const active = Array.from({ length: 50 }, (_, index) => 1 + (index % 25));
  const { owner, groupId } = await shopOf(57, [...active, 400]);
  const id = await createReadyCampaign(owner, groupId);
  const { suggestions } = (await forecast(owner, id)).body.data;
  expect(suggestions).toHaveLength(1);
  expect(suggestions[0]).toMatchObject({ months: 12, people: 7, complaints: null });
  const path = `${CAMPAIGNS}/${id}/forecast/exclusion`;
  const stale = await owner.post(path, { months: 12, revision: 999 });
  expect(stale.body.code).toBe('stale_revision');
  expect((await owner.post(path, { months: 12 })).status).toBe(200);
  const { data } = (await owner.get(`${CAMPAIGNS}/${id}/subscribers`)).body;
  expect(data).toMatchObject({
    count: 50,
    excluded: [{ reason: 'excluded_segment', count: 7 }],
  });
  const forecastAfter = (await forecast(owner, id)).body.data;
  expect(forecastAfter).toMatchObject({ people: 50, suggestions: [] });
  // A repeated call neither adds a second segment nor removes the first one.
  expect((await owner.post(path, { months: 12 })).status).toBe(200);
  const campaign = (await owner.get(`${CAMPAIGNS}/${id}`)).body.data;
  expect(campaign.exclude_filters).toHaveLength(1);
});
