// Experiments from the start to the rest, over HTTP, with the moved clock and a real SMTP server.
import { sql } from 'kysely';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { lookAtDue } from '#areas/broadcasts/server/index.ts';
import { breakerPoller } from '#areas/delivery/server/ledger/breaker.ts';
import { placeOf } from '#areas/experiments/server/index.ts';
import { unsubscribe } from '#areas/subscribers/server/index.ts';
import { decodeId, encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/servers/smtp-server.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import {
  CAMPAIGNS,
  campaignShop,
  readyCampaign,
  untilCampaign,
} from '#testing/worlds/campaign-shop.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { campaignOwner } from './owner.ts';
import { startDueResends } from './resend.ts';

const HOUR_MS = 3_600_000;
const OPTIONS = { publicUrl: 'http://tea.example', needsVerifiedSender: false };
const OWNER = campaignOwner(OPTIONS);

let server: TestServer;
let relay: TestSmtpServer;

beforeAll(async () => {
  server = await testServer();
  relay = await startSmtpServer();
  return () => relay.close();
});

afterEach(() => clock.reset());

type Owner = Awaited<ReturnType<typeof campaignShop>>['owner'];

async function started(people: number, change: object = {}) {
  const shop = await campaignShop(server, people);
  const { owner, groupId } = shop;
  const id = await readyCampaign(owner, groupId);
  const set = await owner.put(`${CAMPAIGNS}/${id}/experiment`, {
    ...{ metric: 'opens', duration_hours: 4, test_share: 50, holdout_share: 10 },
    variants: [{}, { subject: 'Second' }],
    ...change,
  });
  expect(set.status).toBe(200);
  const answer = await owner.post(`${CAMPAIGNS}/${id}/schedule`, { schedule_time: null });
  expect(answer.status).toBe(200);
  await server.runJobs();
  return { ...shop, id };
}

const experiment = async (owner: Owner, id: string) =>
  (await owner.get(`${CAMPAIGNS}/${id}/experiment`)).body.data;

/** Waits until all copies of the variants had their first attempt. */
async function sent(owner: Owner, id: string) {
  startTestSender(server.db, relay.url);
  await untilCampaign(owner, id, ({ delivery }) => delivery?.remaining === 0);
}

/** Subscribers of each message of the account, and of its holdout. */
async function placed(accountId: number) {
  const { rows } = await sql<{ message_id: number; people: number[] }>`
    select message_id, array_agg(subscriber_id order by subscriber_id)::float8[] as people
    from recipients where account_id = ${accountId} group by message_id order by message_id`.execute(
    server.db,
  );
  return rows;
}

/** The first recipients of a variant open, a minute after their first attempt. */
async function open(accountId: number, messageId: number, count: number) {
  await sql`
    insert into outcomes (account_id, subscriber_id, message_id, first_open_at,
      first_human_open_at, opens, human_opens)
    select r.account_id, r.subscriber_id, r.message_id, a.at + interval '1 minute',
      a.at + interval '1 minute', 1, 1
    from recipients r join results a on a.account_id = r.account_id
      and a.message_id = r.message_id and a.lane = r.lane and a.ordinal = r.ordinal
    where r.account_id = ${accountId} and r.message_id = ${messageId}
    order by r.subscriber_id limit ${count}`.execute(server.db);
}

/** Advances the clock; the session of the browser is refreshed, as it would be. */
async function later(owner: Owner, milliseconds: number) {
  clock.advance(milliseconds);
  await owner.post('/auth/api/refresh');
}

const look = () => lookAtDue(server.db, OWNER);

describe('an experiment of two subjects', () => {
  test('chosen subscribers are in one variant, the rest or the holdout, each once', async () => {
    const { owner, id, ids } = await started(600);
    await sent(owner, id);
    clock.advance(2 * 60_000);
    await look();
    const testing = await experiment(owner, id);
    expect(testing).toMatchObject({ state: 'testing', rest: { people: null } });
    expect(testing.decides_at).not.toBeNull();
    const [a, b] = await placed(owner.accountId);
    expect(
      testing.variants.map((one: { figures: { accepted: number } }) => one.figures.accepted),
    ).toEqual([a?.people.length, b?.people.length]);
    const campaign = (await owner.get(`${CAMPAIGNS}/${id}`)).body.data;
    expect(campaign).toMatchObject({ status: 'SENT', delivery: { state: 'sending' } });
    expect(campaign.experiment).toMatchObject({ state: 'testing', has_rest_due: true });
    await later(owner, 4 * HOUR_MS);
    await look();
    await server.runJobs();
    await untilCampaign(owner, id, ({ delivery }) => delivery?.state === 'finished');
    const decided = await experiment(owner, id);
    expect(decided).toMatchObject({
      state: 'decided',
      decided: { winner: null, chosen: 1, outcome: 'no_winner', by: null },
    });
    const messages = await placed(owner.accountId);
    const heldOut = decided.holdout.people;
    const people = messages.flatMap((one) => one.people);
    expect(messages).toHaveLength(3);
    expect(people.length + heldOut).toBe(600);
    expect(new Set(people).size).toBe(people.length);
    const { rows } = await sql<{ salt: string }>`select salt from campaign_experiments
      where account_id = ${owner.accountId}`.execute(server.db);
    const salt = rows[0]?.salt ?? '';
    expect(heldOut).toBe(ids.filter((one) => placeOf(salt, one) >= 9_000).length);
    expect(decided.rest.people).toBe(messages[2]?.people.length);
  });

  test('the leader wins early, and the rest receives it', async () => {
    const { owner, id } = await started(900, { test_share: 80, holdout_share: 0 });
    await sent(owner, id);
    clock.advance(2 * 60_000);
    const [a, b] = await placed(owner.accountId);
    await open(owner.accountId, a?.message_id as number, 20);
    await open(owner.accountId, b?.message_id as number, 200);
    await look();
    const before = relay.accepted.length;
    await server.runJobs();
    const done = await untilCampaign(owner, id, ({ delivery }) => delivery?.state === 'finished');
    expect(done.delivery?.accepted).toBe(900);
    expect(await experiment(owner, id)).toMatchObject({
      state: 'decided',
      decided: { winner: 2, chosen: 2, outcome: 'early', verdict: { leader: 2, runner_up: 1 } },
    });
    const rest = relay.accepted.slice(before);
    expect(rest.length).toBeGreaterThan(100);
    expect(rest.every(({ source }) => source.includes('Subject: Second'))).toBe(true);
  });

  test('the owner, the poller and a cancel together decide once', async () => {
    const { owner, id } = await started(500, { test_share: 50, holdout_share: 0 });
    await sent(owner, id);
    await later(owner, 5 * HOUR_MS);
    const path = `${CAMPAIGNS}/${id}`;
    const answers = await Promise.all([
      owner.post(`${path}/experiment/decide`, { variant: 2 }),
      look(),
      look(),
      owner.post(`${path}/experiment/decide`, { variant: 1 }),
      owner.post(`${path}/cancel`, {}),
    ]);
    expect(answers).toHaveLength(5);
    const { rows } = await sql<{ count: number }>`select count(*) as count from messages
      where account_id = ${owner.accountId} and kind = 'campaign'`.execute(server.db);
    expect(rows[0]?.count).toBeLessThanOrEqual(3);
    const { state } = await experiment(owner, id);
    expect(['decided', 'cancelled']).toContain(state);
  });

  test('a campaign cancelled before the first handoff is a draft with its experiment', async () => {
    const { owner, id } = await started(300, { test_share: 90, holdout_share: 10 });
    const canceled = await owner.post(`${CAMPAIGNS}/${id}/cancel`, {});
    expect(canceled.body.data).toMatchObject({ status: 'DRAFT', delivery: null });
    expect(await experiment(owner, id)).toMatchObject({
      state: 'draft',
      variants: [{ figures: null }, { figures: null }],
    });
    const again = await owner.post(`${CAMPAIGNS}/${id}/schedule`, { schedule_time: null });
    expect(again.status).toBe(200);
  });

  test('a pause stops all variants and the decision, and a resume continues', async () => {
    const { owner, id } = await started(400, { test_share: 60, holdout_share: 0 });
    const paused = await owner.post(`${CAMPAIGNS}/${id}/pause`, {});
    expect(paused.body.data.delivery.state).toBe('paused');
    const { rows } = await sql<{ state: string }>`select state from messages
      where account_id = ${owner.accountId} and kind = 'campaign'`.execute(server.db);
    expect(rows.map((row) => row.state)).toEqual(['paused', 'paused']);
    await owner.post(`${CAMPAIGNS}/${id}/resume`, {});
    await sent(owner, id);
    clock.advance(2 * 60_000);
    await look();
    expect((await owner.post(`${CAMPAIGNS}/${id}/pause`, {})).status).toBe(200);
    await later(owner, 4 * HOUR_MS);
    await look();
    expect(await experiment(owner, id)).toMatchObject({ state: 'testing' });
    expect((await owner.post(`${CAMPAIGNS}/${id}/resume`, {})).status).toBe(200);
    clock.advance(2 * 60_000);
    await look();
    expect(await experiment(owner, id)).toMatchObject({ state: 'decided' });
  });

  test('an end missed by more than an hour waits for the owner', async () => {
    const { owner, id } = await started(400, { test_share: 60, holdout_share: 0 });
    await sent(owner, id);
    clock.advance(2 * 60_000);
    await look();
    await later(owner, 25 * HOUR_MS);
    await look();
    expect(await experiment(owner, id)).toMatchObject({ state: 'waiting', reason: 'late' });
    const wrong = await owner.post(`${CAMPAIGNS}/${id}/experiment/decide`, { variant: 3 });
    expect(wrong.status).toBe(422);
    const decided = await owner.post(`${CAMPAIGNS}/${id}/experiment/decide`, { variant: 2 });
    expect(decided.body.data).toMatchObject({
      state: 'decided',
      decided: { winner: 2, outcome: 'manual', by: expect.any(String) },
    });
    const other = await owner.post(`${CAMPAIGNS}/${id}/experiment/decide`, { variant: 1 });
    expect(other.body.code).toBe('experiment_decided');
  });
});

describe('a campaign with an experiment is one campaign', () => {
  test('who left the group before the rest gets none, and every reader adds up', async () => {
    const { owner, id, ids, groupId } = await started(500, { test_share: 60 });
    const { accountId } = owner;
    await sent(owner, id);
    const salt = await saltOf(accountId);
    const ofRest = ids.filter((one) => placeOf(salt, one) >= 6_000 && placeOf(salt, one) < 9_000);
    const heldOut = ids.find((one) => placeOf(salt, one) >= 9_000) as number;
    const [leaving, unsubscribed, waiting] = ofRest as [number, number, number];
    expect(await why(owner, id, waiting)).toMatchObject({
      answer: 'waits',
      steps: [{}, { kind: 'queued', reason: 'waits_for_winner' }],
    });
    expect(await why(owner, id, heldOut)).toMatchObject({
      answer: 'left_out',
      steps: [{}, { kind: 'held_out' }],
    });
    await sql`delete from group_members where account_id = ${accountId}
      and subscriber_id = ${leaving}`.execute(server.db);
    await inTransaction(server.db, (tx) =>
      unsubscribe(tx, accountId, { subscriberIds: [unsubscribed] }, BY_OWNER),
    );
    const before = (await owner.get(`${CAMPAIGNS}/${id}`)).body.data;
    await owner.post(`${CAMPAIGNS}/${id}/experiment/decide`, { variant: 2 });
    await server.runJobs();
    const done = await untilCampaign(owner, id, ({ delivery }) => delivery?.state === 'finished');
    const counts = await experiment(owner, id);
    expect(counts.rest.people).toBe(ofRest.length - 2);
    expect(done.delivery?.accepted).toBe((before.delivery?.accepted ?? 0) + ofRest.length - 2);
    expect(await why(owner, id, waiting)).toMatchObject({ answer: 'got' });
    const messages = await placed(accountId);
    await open(accountId, messages[1]?.message_id as number, 7);
    await open(accountId, messages[2]?.message_id as number, 5);
    const report = `${CAMPAIGNS}/${id}/report`;
    const overview = (await owner.get(`${report}/overview`)).body.data;
    expect(overview.figures.sent.count).toBe(done.delivery?.accepted);
    const all = (await owner.get(`${report}/actions?action=opens`)).body;
    expect(all.data).toHaveLength(Math.min(12, all.meta.perPage));
    const second = (await owner.get(`${report}/actions?action=opens&variant=2`)).body;
    expect(second.data).toHaveLength(7);
    expect((await owner.get(`${report}/actions?variant=3`)).status).toBe(404);
    const csv = await owner.get(`${report}/actions/export?action=opens`);
    expect(csv.status).toBe(200);
    expect((await owner.get(`${report}/overview?variant=2`)).body.data.recipients).toBe(
      messages[1]?.people.length,
    );
    expect((await owner.get(`${report}/heatmap`)).status).toBe(200);
    expect((await owner.get(`${report}/clicks`)).body.data).toHaveLength(1);
    const { groups } = { groups: (await owner.get(`${report}/groups`)).body.data };
    expect(groups[0].group.id).toBe(groupId);
  });

  test('bounces of all variants together stop all of them, with one notice', async () => {
    const { owner, id } = await started(1_200, { test_share: 90, holdout_share: 0 });
    const { accountId } = owner;
    const { rows } = await sql<{ id: number }>`select id from messages
      where account_id = ${accountId} and kind = 'campaign' order by id`.execute(server.db);
    // 150 of each are below the limit of 200; together they are above.
    for (const message of rows) {
      await sql`update delivery_counts set accepted = 150
        where account_id = ${accountId} and message_id = ${message.id}`.execute(server.db);
      await sql`insert into engagement_counts (account_id, message_id, hard_bounces)
        values (${accountId}, ${message.id}, 12)`.execute(server.db);
    }
    await breakerPoller.run(server.db, new AbortController().signal);
    const campaign = (await owner.get(`${CAMPAIGNS}/${id}`)).body.data;
    expect(campaign.delivery).toMatchObject({
      state: 'paused',
      reason: 'bounces_high',
      halted: { count: 24, of: 300 },
    });
    const messages = await sql<{ state: string }>`select state from messages
      where account_id = ${accountId} and kind = 'campaign'`.execute(server.db);
    expect(messages.rows.map((row) => row.state)).toEqual(['paused', 'paused']);
    const notices = await sql<{ count: number }>`select count(*) as count from single_sends s
      join messages m on m.account_id = s.account_id and m.id = s.message_id
      where s.account_id = ${accountId}
        and m.frozen #>> '{source,subject}' like '%too many emails bounce'`.execute(server.db);
    expect(notices.rows[0]?.count).toBe(1);
    await owner.post(`${CAMPAIGNS}/${id}/cancel`, {});
  });

  test('a resend follows the rest, with the winner, to non-openers of all messages', async () => {
    const { owner, id } = await started(400, {
      ...{ test_share: 60, holdout_share: 10 },
      variants: [{}, { preheader: 'Second preview' }],
    });
    await owner.put(`${CAMPAIGNS}/${id}/resend`, { subject: 'Again', hours: 12 });
    await sent(owner, id);
    await later(owner, 13 * HOUR_MS);
    expect(await startDueResends(server.db, OPTIONS)).toBe(0);
    await owner.post(`${CAMPAIGNS}/${id}/experiment/decide`, { variant: 2 });
    await server.runJobs();
    const done = await untilCampaign(owner, id, ({ delivery }) => delivery?.state === 'finished');
    const [first] = await placed(owner.accountId);
    await open(owner.accountId, first?.message_id as number, 10);
    await later(owner, 12.5 * HOUR_MS);
    expect(await startDueResends(server.db, OPTIONS)).toBe(1);
    await server.runJobs();
    const { resend } = (await owner.get(`${CAMPAIGNS}/${id}`)).body.data;
    const again = (await owner.get(`${CAMPAIGNS}/${resend.campaign}`)).body.data;
    expect(again).toMatchObject({
      subject: 'Again',
      preheader: 'Second preview',
      experiment: null,
    });
    expect(again.delivery.audience).toBe((done.delivery?.accepted ?? 0) - 10);
    await owner.post(`${CAMPAIGNS}/${resend.campaign}/cancel`, {});
  });
});

const BY_OWNER = { channel: 'email', reason: 'owner' } as const;

const why = async (owner: Owner, id: string, subscriberId: number) =>
  (await owner.get(`${CAMPAIGNS}/${id}/why?subscriber=${encodeId('subscriber', subscriberId)}`))
    .body.data;

async function saltOf(accountId: number): Promise<string> {
  const { rows } = await sql<{ salt: string }>`select salt from campaign_experiments
    where account_id = ${accountId}`.execute(server.db);
  return rows[0]?.salt ?? '';
}

test('sending refuses variants that are alike or too small', async () => {
  const { owner, groupId } = await campaignShop(server, 300);
  const id = await readyCampaign(owner, groupId);
  const path = `${CAMPAIGNS}/${id}`;
  const set = (change: object) =>
    owner.put(`${path}/experiment`, {
      ...{ metric: 'opens', duration_hours: 4, test_share: 100, variants: [{}, {}], ...change },
    });
  const send = async () =>
    (await owner.post(`${path}/schedule`, { schedule_time: null })).body.code;
  await set({});
  expect(await send()).toBe('variants_alike');
  await set({ variants: [{}, { has_own_content: true }] });
  expect(await send()).toBe('variants_alike');
  await set({ variants: [{}, { subject: 'B' }], test_share: 50 });
  expect(await send()).toBe('experiment_small');
  expect(decodeId('campaign', id)).toBeGreaterThan(0);
});
