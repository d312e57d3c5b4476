// An experiment with two texts: some recipients get one of them as a test, and the owner chooses
// the text for the remaining recipients.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { checkDue } from '#areas/broadcasts/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { fakeSmsProvider, startSmsSender } from '#testing/servers/fake-sms-provider.ts';
import { testServer } from '#testing/setup/server.ts';
import { smsAdapter } from './adapter.ts';

const LIST_PATH = '/client-api/api/sms/campaign';
const SUBSCRIBERS = 300;
const OWNER = smsAdapter({ publicUrl: 'http://tea.example', hasProvider: true });
const server = await testServer();

/**
 * Moves the clock past the experiment's test hours, refreshes the owner's session and runs the due
 * checks.
 */
async function checkAfterTest(owner: Awaited<ReturnType<typeof server.owner>>): Promise<void> {
  clock.freeze(new Date(clock.now().getTime() + 4 * 3_600_000));
  await owner.post('/auth/api/refresh');
  await checkDue(server.db, OWNER);
}

/**
 * Reads the emails to the owner about the decision, and whether their button opens an SMS campaign.
 */
async function decisionEmails(accountId: number) {
  const { rows } = await sql<{ isOfSms: boolean }>`
    select m.frozen #>> '{source,html}' like '%/sms/{{ token }}%' as "isOfSms"
    from single_sends s join messages m on m.account_id = s.account_id and m.id = s.message_id
    where s.account_id = ${accountId}
      and m.frozen #>> '{source,subject}' like 'Choose the winner%'`.execute(server.db);
  return rows;
}

async function webhookBodies(accountId: number): Promise<unknown[]> {
  const { rows } = await sql<{ body: string }>`
    select body from webhook_deliveries where account_id = ${accountId}`.execute(server.db);
  return rows.map(({ body }) => JSON.parse(body));
}

test('the texts of an experiment are tested on some recipients, and the remaining recipients get the text that the owner chooses', async () => {
  const noon = new Date();
  noon.setUTCHours(noon.getUTCHours() < 18 ? 18 : 42, 0, 0, 0);
  clock.freeze(noon);
  const owner = await server.owner();
  await sql`
    insert into subscribers (account_id, phone, phone_key, sms_status, tsms_status, created_at,
      modified_at)
    select ${owner.accountId}::bigint, p, p, 'active', 'active', ${clock.now()}, ${clock.now()}
    from (select '+1512555' || (1000 + n) as p from generate_series(1, ${SUBSCRIBERS}::int) n) v`.execute(
    server.db,
  );
  const number = { kind: 'long_code', value: '+15125550177', use_case: 'Offers' };
  const phone = (await owner.post('/client-api/api/phone', number)).body.data;
  await owner.post(`/client-api/api/phone/${phone.id}/compliance/terms`, {
    version: '2026-11-01',
    name: 'Ada',
  });
  const draft = { title: 'Spring', text: 'First text', phone_id: phone.id };
  const path = `${LIST_PATH}/${(await owner.post(LIST_PATH, draft)).body.data.id}`;
  await owner.post(`${path}/tags/set`, { tags_arr: [], send_to_all: true });
  const experiment = { metric: 'clicks', duration_hours: 4, test_share: 80, decision: 'manual' };
  const opens = await owner.put(`${path}/experiment`, {
    ...{ ...experiment, metric: 'opens', variants: [{}, { text: 'Second text' }] },
  });
  expect(opens.status).toBe(422);
  const response = await owner.put(`${path}/experiment`, {
    ...{ ...experiment, variants: [{}, { text: 'Second text' }] },
  });
  expect(response.status).toBe(200);
  const endpoint = {
    url: 'https://hooks.tea.example/decided',
    topic: 'experiments/decided',
  };
  expect((await owner.post('/client-api/api/webhooks', endpoint)).status).toBe(200);
  expect((await owner.post(`${path}/schedule`, { schedule_time: null })).status).toBe(200);
  await server.runJobs();
  const provider = fakeSmsProvider();
  startSmsSender(server.db, provider.open);
  const readCampaign = async () => (await owner.get(path)).body.data;
  await expect
    .poll(async () => (await readCampaign()).delivery.remaining, { timeout: 20_000 })
    .toBe(0);
  clock.freeze(new Date(clock.now().getTime() + 2 * 60_000));
  await checkDue(server.db, OWNER);
  const testing = (await owner.get(`${path}/experiment`)).body.data;
  const [a, b] = testing.variants.map(
    (variant: { figures: { accepted: number } }) => variant.figures,
  );
  expect(testing).toMatchObject({ state: 'testing', rest: { share: 20 } });
  expect(a.accepted + b.accepted).toBeGreaterThan(200);
  await checkAfterTest(owner);
  expect((await owner.get(`${path}/experiment`)).body.data.state).toBe('waiting');
  expect(await decisionEmails(owner.accountId)).toEqual([{ isOfSms: true }]);
  const decideResponse = await owner.post(`${path}/experiment/decide`, { variant: 2 });
  expect(decideResponse.body.data).toMatchObject({ state: 'decided', decided: { chosen: 2 } });
  expect(await webhookBodies(owner.accountId)).toEqual([
    {
      topic: 'experiments/decided',
      at: expect.any(String),
      sms_campaign: { id: expect.any(String), title: 'Spring', text: 'Second text' },
      experiment: { id: decideResponse.body.data.id, outcome: 'manual', winner: 2, chosen: 2 },
    },
  ]);
  await server.runJobs();
  await expect
    .poll(async () => (await readCampaign()).delivery.state, { timeout: 20_000 })
    .toBe('finished');
  const campaign = await readCampaign();
  expect(campaign).toMatchObject({
    delivery: { accepted: SUBSCRIBERS },
    figures: { sent: SUBSCRIBERS },
  });
  expect((await owner.get(`${path}/report/failed`)).body.data).toEqual([]);
  clock.reset();
});
