// End-to-end experiments over HTTP, from the start to the message for the remaining recipients. The
// tests move the clock forward and use a real SMTP server.
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { checkDue } from '#areas/broadcasts/server/index.ts';
import { computeBucket } from '#areas/experiments/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { AppError } from '#platform/server/errors.ts';
import {
  CAMPAIGNS,
  campaignShop,
  createReadyCampaign,
  waitForCampaign,
} from '#testing/worlds/campaign-shop.ts';
import {
  HOUR_MS,
  EMAIL_BROADCASTS,
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

describe('an experiment with two subjects', () => {
  test('each selected subscriber is in exactly one variant, the remaining recipients or the control group', async () => {
    const { owner, id, ids } = await startExperiment(600);
    await sendVariants(owner, id);
    clock.advance(2 * 60_000);
    await runDueChecks();
    const testing = await readExperiment(owner, id);
    expect(testing).toMatchObject({ state: 'testing', rest: { people: null } });
    expect(testing.decides_at).not.toBeNull();
    const [a, b] = await listRecipientsByMessage(owner.accountId);
    expect(
      testing.variants.map(
        (variant: { figures: { accepted: number } }) => variant.figures.accepted,
      ),
    ).toEqual([a?.subscriberIds.length, b?.subscriberIds.length]);
    const campaign = (await owner.get(`${CAMPAIGNS}/${id}`)).body.data;
    expect(campaign).toMatchObject({ status: 'SENT', delivery: { state: 'sending' } });
    expect(campaign.experiment).toMatchObject({ state: 'testing', has_rest_due: true });
    await advanceClock(owner, 4 * HOUR_MS);
    await runDueChecks();
    await server.runJobs();
    await waitForCampaign(owner, id, ({ delivery }) => delivery?.state === 'finished');
    const decidedExperiment = await readExperiment(owner, id);
    expect(decidedExperiment).toMatchObject({
      state: 'decided',
      decided: { winner: null, chosen: 1, outcome: 'no_winner', by: null },
    });
    const messages = await listRecipientsByMessage(owner.accountId);
    const heldOut = decidedExperiment.holdout.people;
    const recipients = messages.flatMap((message) => message.subscriberIds);
    expect(messages).toHaveLength(3);
    expect(recipients.length + heldOut).toBe(600);
    expect(new Set(recipients).size).toBe(recipients.length);
    const { rows } = await sql<{ salt: string }>`select salt from campaign_experiments
      where account_id = ${owner.accountId}`.execute(server.db);
    const salt = rows[0]?.salt ?? '';
    expect(heldOut).toBe(ids.filter((id) => computeBucket(salt, id) >= 9_000).length);
    expect(decidedExperiment.rest.people).toBe(messages[2]?.subscriberIds.length);
  });

  test('a variant with a clear lead wins early, and the remaining recipients get it', async () => {
    const { owner, id } = await startExperiment(900, { test_share: 80, holdout_share: 0 });
    await sendVariants(owner, id);
    clock.advance(2 * 60_000);
    const [a, b] = await listRecipientsByMessage(owner.accountId);
    await recordOpens(owner.accountId, a?.message_id as number, 20);
    await recordOpens(owner.accountId, b?.message_id as number, 200);
    await runDueChecks();
    const acceptedBefore = relay.accepted.length;
    await server.runJobs();
    const finishedCampaign = await waitForCampaign(
      owner,
      id,
      ({ delivery }) => delivery?.state === 'finished',
    );
    expect(finishedCampaign.delivery?.accepted).toBe(900);
    expect(await readExperiment(owner, id)).toMatchObject({
      state: 'decided',
      decided: { winner: 2, chosen: 2, outcome: 'early', verdict: { leader: 2, runner_up: 1 } },
    });
    const remainingEmails = relay.accepted.slice(acceptedBefore);
    expect(remainingEmails.length).toBeGreaterThan(100);
    expect(remainingEmails.every(({ source }) => source.includes('Subject: Second'))).toBe(true);
  });

  test('concurrent decisions by the owner and the poller and a cancellation produce one outcome', async () => {
    const { owner, id } = await startExperiment(500, { test_share: 50, holdout_share: 0 });
    await sendVariants(owner, id);
    await advanceClock(owner, 5 * HOUR_MS);
    const path = `${CAMPAIGNS}/${id}`;
    const responses = await Promise.all([
      owner.post(`${path}/experiment/decide`, { variant: 2 }),
      runDueChecks(),
      runDueChecks(),
      owner.post(`${path}/experiment/decide`, { variant: 1 }),
      owner.post(`${path}/cancel`, {}),
    ]);
    expect(responses).toHaveLength(5);
    const { rows } = await sql<{ count: number }>`select count(*) as count from messages
      where account_id = ${owner.accountId} and kind = 'campaign'`.execute(server.db);
    expect(rows[0]?.count).toBeLessThanOrEqual(3);
    const { state } = await readExperiment(owner, id);
    expect(['decided', 'cancelled']).toContain(state);
  });

  test('a campaign canceled before the first handoff is a draft again and keeps its experiment', async () => {
    const { owner, id } = await startExperiment(300, { test_share: 90, holdout_share: 10 });
    const cancelResponse = await owner.post(`${CAMPAIGNS}/${id}/cancel`, {});
    expect(cancelResponse.body.data).toMatchObject({ status: 'DRAFT', delivery: null });
    expect(await readExperiment(owner, id)).toMatchObject({
      state: 'draft',
      variants: [{ figures: null }, { figures: null }],
    });
    const scheduleResponse = await owner.post(`${CAMPAIGNS}/${id}/schedule`, {
      schedule_time: null,
    });
    expect(scheduleResponse.status).toBe(200);
  });

  test('pausing stops all variants and the decision, and resuming continues them', async () => {
    const { owner, id } = await startExperiment(400, { test_share: 60, holdout_share: 0 });
    const pauseResponse = await owner.post(`${CAMPAIGNS}/${id}/pause`, {});
    expect(pauseResponse.body.data.delivery.state).toBe('paused');
    const { rows } = await sql<{ state: string }>`select state from messages
      where account_id = ${owner.accountId} and kind = 'campaign'`.execute(server.db);
    expect(rows.map((row) => row.state)).toEqual(['paused', 'paused']);
    await owner.post(`${CAMPAIGNS}/${id}/resume`, {});
    await sendVariants(owner, id);
    clock.advance(2 * 60_000);
    await runDueChecks();
    expect((await owner.post(`${CAMPAIGNS}/${id}/pause`, {})).status).toBe(200);
    await advanceClock(owner, 4 * HOUR_MS);
    await runDueChecks();
    expect(await readExperiment(owner, id)).toMatchObject({ state: 'testing' });
    expect((await owner.post(`${CAMPAIGNS}/${id}/resume`, {})).status).toBe(200);
    clock.advance(2 * 60_000);
    await runDueChecks();
    expect(await readExperiment(owner, id)).toMatchObject({ state: 'decided' });
  });

  test('an experiment whose end was missed by more than an hour waits for the owner’s decision', async () => {
    const { owner, id } = await startExperiment(400, { test_share: 60, holdout_share: 0 });
    await sendVariants(owner, id);
    clock.advance(2 * 60_000);
    await runDueChecks();
    await advanceClock(owner, 25 * HOUR_MS);
    await runDueChecks();
    expect(await readExperiment(owner, id)).toMatchObject({ state: 'waiting', reason: 'late' });
    const wrongVariant = await owner.post(`${CAMPAIGNS}/${id}/experiment/decide`, { variant: 3 });
    expect(wrongVariant.status).toBe(422);
    const decideResponse = await owner.post(`${CAMPAIGNS}/${id}/experiment/decide`, { variant: 2 });
    expect(decideResponse.body.data).toMatchObject({
      state: 'decided',
      decided: { winner: 2, outcome: 'manual', by: expect.any(String) },
    });
    const otherVariant = await owner.post(`${CAMPAIGNS}/${id}/experiment/decide`, { variant: 1 });
    expect(otherVariant.body.code).toBe('experiment_decided');
  });
});

test('an experiment whose remaining message cannot start keeps its decision, shows the reason and can be continued by the owner', async () => {
  const { owner, id } = await startExperiment(400, { test_share: 60, holdout_share: 0 });
  await sendVariants(owner, id);
  await advanceClock(owner, 2 * 60_000);
  await runDueChecks();
  await advanceClock(owner, 4 * HOUR_MS);
  const failing = (error: Error) =>
    checkDue(server.db, { ...EMAIL_BROADCASTS, buildMessage: () => Promise.reject(error) });
  await failing(new Error('Unexpected'));
  expect(await readExperiment(owner, id)).toMatchObject({ state: 'testing', decided: null });
  clock.advance(2 * 60_000);
  await failing(new AppError('sender_not_verified'));
  expect(await readExperiment(owner, id)).toMatchObject({
    state: 'failed',
    reason: 'sender_not_verified',
    decided: { winner: null, chosen: 1, outcome: 'no_winner' },
  });
  const { rows } = await sql<{ count: number }>`select count(*) as count from single_sends s
    join messages m on m.account_id = s.account_id and m.id = s.message_id
    where s.account_id = ${owner.accountId}
      and m.frozen #>> '{source,subject}' like 'Choose the winner%'`.execute(server.db);
  expect(rows[0]?.count).toBe(1);
  const decideResponse = await owner.post(`${CAMPAIGNS}/${id}/experiment/decide`, { variant: 1 });
  expect(decideResponse.body.data).toMatchObject({
    state: 'decided',
    reason: null,
    decided: { winner: null, outcome: 'no_winner', by: null },
  });
  const campaign = (await owner.get(`${CAMPAIGNS}/${id}`)).body.data;
  expect(campaign.delivery.state).toBe('preparing');
  await owner.post(`${CAMPAIGNS}/${id}/cancel`, {});
  expect((await owner.post(`${CAMPAIGNS}/${id}/experiment/decide`, { variant: 2 })).body.code).toBe(
    'experiment_decided',
  );
});

test('sending refuses identical variants and variants with too few recipients', async () => {
  const { owner, groupId } = await campaignShop(server, 300);
  const id = await createReadyCampaign(owner, groupId);
  const path = `${CAMPAIGNS}/${id}`;
  const putExperiment = (change: object) =>
    owner.put(`${path}/experiment`, {
      ...{ metric: 'opens', duration_hours: 4, test_share: 100, variants: [{}, {}], ...change },
    });
  const send = async () =>
    (await owner.post(`${path}/schedule`, { schedule_time: null })).body.code;
  await putExperiment({});
  expect(await send()).toBe('variants_alike');
  await putExperiment({ variants: [{}, { has_own_content: true }] });
  expect(await send()).toBe('variants_alike');
  await putExperiment({ variants: [{}, { subject: 'B' }], test_share: 50 });
  expect(await send()).toBe('experiment_small');
});
