// The messages of an experiment are treated as one campaign for recipients, reports, the circuit
// breaker and resends. Also: experiments decided by revenue or buyers, and experiments with several
// send times.
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { breakerPoller } from '#areas/delivery/server/ledger/breaker.ts';
import { computeBucket } from '#areas/experiments/server/index.ts';
import { unsubscribe } from '#areas/subscribers/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import type { TestOwner } from '#testing/setup/server.ts';
import {
  CAMPAIGNS,
  campaignShop,
  createReadyCampaign,
  waitForCampaign,
} from '#testing/worlds/campaign-shop.ts';
import {
  HOUR_MS,
  OPTIONS,
  server,
  relay,
  startExperiment,
  readExperiment,
  sendVariants,
  listRecipientsByMessage,
  recordOpens,
  advanceClock,
  runDueChecks,
} from '#testing/worlds/experiments.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { startDueResends } from './resend.ts';

describe('a campaign with an experiment is one campaign', () => {
  test('subscribers who left the group before the rest started get no email, and all reports agree', async () => {
    const { owner, id, ids, groupId } = await startExperiment(500, { test_share: 60 });
    const { accountId } = owner;
    await sendVariants(owner, id);
    const salt = await saltOf(accountId);
    const ofRest = ids.filter(
      (id) => computeBucket(salt, id) >= 6_000 && computeBucket(salt, id) < 9_000,
    );
    const heldOut = ids.find((id) => computeBucket(salt, id) >= 9_000) as number;
    const [leaving, unsubscribed, waiting] = ofRest as [number, number, number];
    expect(await readReason(owner, id, waiting)).toMatchObject({
      answer: 'waits',
      steps: [{}, { kind: 'queued', reason: 'waits_for_winner' }],
    });
    expect(await readReason(owner, id, heldOut)).toMatchObject({
      answer: 'left_out',
      steps: [{}, { kind: 'held_out' }],
    });
    await sql`delete from group_members where account_id = ${accountId}
      and subscriber_id = ${leaving}`.execute(server.db);
    await inTransaction(server.db, (tx) =>
      unsubscribe(tx, accountId, { subscriberIds: [unsubscribed] }, BY_OWNER),
    );
    // All variants are sent, but the message to the remaining recipients will read the group again.
    await advanceClock(owner, 2 * 24 * HOUR_MS);
    const deletion = await owner.delete(`/client-api/api/tags/${groupId}`);
    expect(deletion.status).toBe(409);
    const campaignBefore = (await owner.get(`${CAMPAIGNS}/${id}`)).body.data;
    await owner.post(`${CAMPAIGNS}/${id}/experiment/decide`, { variant: 2 });
    await server.runJobs();
    const finished = await waitForCampaign(
      owner,
      id,
      ({ delivery }) => delivery?.state === 'finished',
    );
    const counts = await readExperiment(owner, id);
    expect(counts.rest.people).toBe(ofRest.length - 2);
    expect(finished.delivery?.accepted).toBe(
      (campaignBefore.delivery?.accepted ?? 0) + ofRest.length - 2,
    );
    expect(await readReason(owner, id, waiting)).toMatchObject({ answer: 'got' });
    const messages = await listRecipientsByMessage(accountId);
    await recordOpens(accountId, messages[1]?.message_id as number, 7);
    await recordOpens(accountId, messages[2]?.message_id as number, 5);
    const report = `${CAMPAIGNS}/${id}/report`;
    const overview = (await owner.get(`${report}/overview`)).body.data;
    expect(overview.figures.sent.count).toBe(finished.delivery?.accepted);
    const allActions = (await owner.get(`${report}/actions?action=opens`)).body;
    expect(allActions.data).toHaveLength(Math.min(12, allActions.meta.perPage));
    const second = (await owner.get(`${report}/actions?action=opens&variant=2`)).body;
    expect(second.data).toHaveLength(7);
    expect((await owner.get(`${report}/actions?variant=3`)).status).toBe(404);
    const csv = await owner.get(`${report}/actions/export?action=opens`);
    expect(csv.status).toBe(200);
    expect((await owner.get(`${report}/overview?variant=2`)).body.data.recipients).toBe(
      messages[1]?.subscriberIds.length,
    );
    expect((await owner.get(`${report}/heatmap`)).status).toBe(200);
    expect((await owner.get(`${report}/clicks`)).body.data).toHaveLength(1);
    const groups = (await owner.get(`${report}/groups`)).body.data;
    expect(groups[0].group.id).toBe(groupId);
    expect(groups[0].sent).toBe(finished.delivery?.accepted);
    await expectVariantFigures(owner, report, messages);
  });

  /** Expects that each section of the report has separate statistics for each variant. */
  async function expectVariantFigures(
    owner: TestOwner,
    report: string,
    messages: Awaited<ReturnType<typeof listRecipientsByMessage>>,
  ) {
    const ids = messages.map((message) => message.message_id);
    await sql`insert into engagement_by (account_id, message_id, aspect, value, human_opens, opens)
      select ${owner.accountId}::bigint, id, aspect, value, number, number
      from unnest(${ids}::bigint[]) with ordinality m (id, number)
      cross join (values ('device', 'mobile'), ('country', 'NO')) v (aspect, value)`.execute(
      server.db,
    );
    const readReport = async (section: string) =>
      (await owner.get(`${report}/${section}`)).body.data;
    for (const [variant, message] of messages.slice(0, 2).entries()) {
      const query = `?variant=${variant + 1}`;
      const recipientCount = message.subscriberIds.length;
      expect((await readReport(`groups${query}`))[0]).toMatchObject({ sent: recipientCount });
      const domains: { sent: number }[] = await readReport(`domains${query}`);
      expect(domains.reduce((total, { sent }) => total + sent, 0)).toBe(recipientCount);
      expect(await readReport(`devices${query}`)).toMatchObject([
        { value: 'mobile', opens: variant + 1 },
      ]);
      expect(await readReport(`countries${query}`)).toMatchObject([
        { value: 'NO', opens: variant + 1 },
      ]);
      const [link] = await readReport(`clicks${query}`);
      expect(await readReport(`links/${link.id}${query}`)).toMatchObject({ url: link.url });
      expect(await readReport(`links/${link.id}/clicks${query}`)).toEqual([]);
    }
    expect(await readReport('devices')).toMatchObject([{ opens: 6 }]);
    expect((await owner.get(`${report}/groups?variant=3`)).status).toBe(404);
    // The rest received the second variant.
    expect((await readReport('overview')).campaign.subject).toBe('Second');
    expect((await readReport('overview?variant=1')).campaign.subject).toContain('Hello');
  }

  test('bounces of all variants are counted together and stop all variants, with one notice', async () => {
    const { owner, id } = await startExperiment(1_200, { test_share: 90, holdout_share: 0 });
    const { accountId } = owner;
    const { rows } = await sql<{ id: number }>`select id from messages
      where account_id = ${accountId} and kind = 'campaign' order by id`.execute(server.db);
    // The 150 emails of one variant are fewer than the check requires; all variants together
    // suffice.
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

  test("a resend starts after the rest, with the winner's values, to recipients who opened no message of the campaign", async () => {
    const { owner, id } = await startExperiment(400, {
      ...{ test_share: 60, holdout_share: 10 },
      variants: [{}, { preheader: 'Second preview' }],
    });
    await owner.put(`${CAMPAIGNS}/${id}/resend`, { subject: 'Again', hours: 12 });
    await sendVariants(owner, id);
    await advanceClock(owner, 13 * HOUR_MS);
    expect(await startDueResends(server.db, OPTIONS)).toBe(0);
    await owner.post(`${CAMPAIGNS}/${id}/experiment/decide`, { variant: 2 });
    await server.runJobs();
    const finished = await waitForCampaign(
      owner,
      id,
      ({ delivery }) => delivery?.state === 'finished',
    );
    const [first] = await listRecipientsByMessage(owner.accountId);
    await recordOpens(owner.accountId, first?.message_id as number, 10);
    await advanceClock(owner, 12.5 * HOUR_MS);
    expect(await startDueResends(server.db, OPTIONS)).toBe(1);
    await server.runJobs();
    const { resend } = (await owner.get(`${CAMPAIGNS}/${id}`)).body.data;
    const resendCampaign = (await owner.get(`${CAMPAIGNS}/${resend.campaign}`)).body.data;
    expect(resendCampaign).toMatchObject({
      subject: 'Again',
      preheader: 'Second preview',
      experiment: null,
    });
    expect(resendCampaign.delivery.audience).toBe((finished.delivery?.accepted ?? 0) - 10);
    await owner.post(`${CAMPAIGNS}/${resend.campaign}/cancel`, {});
  });
});

const BY_OWNER = { channel: 'email', reason: 'owner' } as const;

const readReason = async (owner: TestOwner, id: string, subscriberId: number) =>
  (await owner.get(`${CAMPAIGNS}/${id}/why?subscriber=${encodeId('subscriber', subscriberId)}`))
    .body.data;

async function saltOf(accountId: number): Promise<string> {
  const { rows } = await sql<{ salt: string }>`select salt from campaign_experiments
    where account_id = ${accountId}`.execute(server.db);
  return rows[0]?.salt ?? '';
}

/** Adds a store with orders of these people, attributed to the message if there is one. */
async function addOrders(
  accountId: number,
  messageId: number | null,
  recipients: number[],
  total: number,
) {
  const at = clock.now();
  const { rows } = await sql<{ id: number }>`
    insert into stores (account_id, type, title, domain, currency, created_at, modified_at)
    values (${accountId}, 'custom', 'Tea', ${`${recipients[0]}.example`}, 'EUR', ${at}, ${at})
    returning id`.execute(server.db);
  const orders = await sql<{ id: number }>`
    insert into orders (account_id, store_id, subscriber_id, remote_id, total, currency, placed_at,
      created_at, modified_at)
    select ${accountId}::bigint, ${rows[0]?.id}::bigint, p, p::text, ${total} + p % 7, 'EUR',
      ${at}::timestamptz, ${at}, ${at}
    from unnest(${recipients}::bigint[]) p returning id`.execute(server.db);
  if (messageId === null) return;
  await sql`
    insert into attributions (account_id, order_id, entry, at, amount, currency, message_id, touch,
      touch_at)
    select ${accountId}::bigint, o.id, 'order', o.placed_at, o.total, 'EUR', ${messageId}::bigint,
      'email_click', o.placed_at
    from orders o where o.account_id = ${accountId}
      and o.id = any(${orders.rows.map((row) => row.id)}::bigint[])`.execute(server.db);
}

describe('an experiment decided by buyers or revenue', () => {
  /** Starts an experiment where 40 recipients of the first variant have bought something. */
  async function startWithStore(metric: 'buyers' | 'revenue') {
    const shop = await campaignShop(server, 900);
    const { owner, groupId } = shop;
    // The store is connected before the experiment; without a store there are no orders to compare.
    await addOrders(owner.accountId, null, [shop.ids[899] as number], 10);
    const id = await createReadyCampaign(owner, groupId);
    const response = await owner.put(`${CAMPAIGNS}/${id}/experiment`, {
      ...{ metric, duration_hours: 4, test_share: 60, holdout_share: 20, holdout_days: 2 },
      variants: [{}, { subject: 'Second' }],
    });
    expect(response.status).toBe(200);
    await owner.post(`${CAMPAIGNS}/${id}/schedule`, { schedule_time: null });
    await server.runJobs();
    await sendVariants(owner, id);
    await advanceClock(owner, HOUR_MS);
    const [a, b] = await listRecipientsByMessage(owner.accountId);
    await addOrders(
      owner.accountId,
      a?.message_id as number,
      a?.subscriberIds.slice(0, 40) ?? [],
      10,
    );
    return { ...shop, id, a, b };
  }

  test('revenue decides only at the end of the test, and the control group shows the effect of the campaign', async () => {
    const { owner, id, b } = await startWithStore('revenue');
    await addOrders(
      owner.accountId,
      b?.message_id as number,
      b?.subscriberIds.slice(0, 80) ?? [],
      60,
    );
    await runDueChecks();
    expect(await readExperiment(owner, id)).toMatchObject({
      state: 'testing',
      revenue_currency: 'EUR',
      variants: [{ figures: { buyers: 40, rate: null } }, { figures: { buyers: 80 } }],
    });
    await advanceClock(owner, 3.2 * HOUR_MS);
    await runDueChecks();
    const decidedExperiment = await readExperiment(owner, id);
    expect(decidedExperiment).toMatchObject({
      state: 'decided',
      decided: { winner: 2, outcome: 'final', verdict: { leader: 2, runner_up: 1 } },
      final: { leader: 2 },
    });
    const { effect, people: recipientCount } = decidedExperiment.holdout;
    expect(effect).toMatchObject({ is_final: false, held_out: recipientCount, chosen_buyers: 120 });
    expect(effect.buyers.low).toBeGreaterThan(0);
    expect(effect.revenue.difference).toBeGreaterThan(0);
    await advanceClock(owner, 48 * HOUR_MS);
    const { holdout_days, holdout } = await readExperiment(owner, id);
    const startedAt = (await owner.get(`${CAMPAIGNS}/${id}`)).body.data.delivery.started_at;
    expect({ holdout_days, ...holdout.effect }).toMatchObject({
      ...{ holdout_days: 2, is_final: true, chosen_buyers: 120 },
      until: new Date(Date.parse(startedAt) + 48 * HOUR_MS).toISOString(),
    });
    // A refund without an amount is a full refund.
    await sql`update orders set refunded_at = ${clock.now()}
      where account_id = ${owner.accountId}`.execute(server.db);
    const effectAfterRefund = (await readExperiment(owner, id)).holdout.effect;
    expect(effectAfterRefund).toMatchObject({ chosen_buyers: 120, revenue: { difference: 0 } });
    await owner.post(`${CAMPAIGNS}/${id}/cancel`, {});
  });

  test('a variant with clearly more buyers wins early', async () => {
    const { owner, id, b } = await startWithStore('buyers');
    await addOrders(
      owner.accountId,
      b?.message_id as number,
      b?.subscriberIds.slice(0, 130) ?? [],
      10,
    );
    clock.advance(60_000);
    await runDueChecks();
    expect(await readExperiment(owner, id)).toMatchObject({
      decided: { winner: 2, outcome: 'early', verdict: { leader: 2 } },
    });
    await owner.post(`${CAMPAIGNS}/${id}/cancel`, {});
  });
});

test('variants by send time start one after another, and the remaining recipients get the email at the winner’s hour', async () => {
  const { owner, id } = await startExperiment(500, {
    ...{ test_share: 60, holdout_share: 0, variants: [{}, { delay_minutes: 120 }] },
  });
  const startedAt = clock.now();
  startTestSender(server.db, relay.url);
  const sendingCampaign = await waitForCampaign(
    owner,
    id,
    ({ delivery }) => (delivery?.accepted ?? 0) > 100,
  );
  const [a, b] = await listRecipientsByMessage(owner.accountId);
  await runDueChecks();
  expect(sendingCampaign.delivery?.remaining).toBeGreaterThan(0);
  expect(await readExperiment(owner, id)).toMatchObject({ decides_at: null });
  await advanceClock(owner, 2 * HOUR_MS + 60_000);
  await waitForCampaign(owner, id, ({ delivery }) => delivery?.remaining === 0);
  await recordOpens(owner.accountId, a?.message_id as number, 10);
  await recordOpens(owner.accountId, b?.message_id as number, 100);
  await advanceClock(owner, 2 * 60_000);
  await runDueChecks();
  expect(await readExperiment(owner, id)).toMatchObject({ state: 'testing' });
  await advanceClock(owner, 4 * HOUR_MS);
  await runDueChecks();
  await server.runJobs();
  expect(await readExperiment(owner, id)).toMatchObject({
    decided: { winner: 2, outcome: 'final' },
  });
  const { rows } = await sql<{ opens_at: Date }>`select l.opens_at from lanes l
    join campaign_experiments e on e.account_id = l.account_id and e.rest_message_id = l.message_id
    where l.account_id = ${owner.accountId}`.execute(server.db);
  const dueAt = startedAt.getTime() + 26 * HOUR_MS;
  expect(rows.length).toBeGreaterThan(0);
  for (const { opens_at: opens } of rows) {
    expect(Math.abs(opens.getTime() - dueAt)).toBeLessThan(60_000);
  }
});
