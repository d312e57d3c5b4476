// Helpers for tests of experiments: start and send them, read their recipients, record opens, and
// run the due checks of the poller.
import { sql } from 'kysely';
import { afterEach, beforeAll, expect } from 'vitest';
import { checkDue } from '#areas/broadcasts/server/index.ts';
import { campaignAdapter } from '#areas/campaigns/server/adapter.ts';
import { clock } from '#platform/server/clock.ts';
import { startSmtpServer, type TestSmtpServer } from '../servers/smtp-server.ts';
import { type TestOwner, type TestServer, testServer } from '../setup/server.ts';
import { CAMPAIGNS, campaignShop, createReadyCampaign, waitForCampaign } from './campaign-shop.ts';
import { startTestSender } from './sender.ts';

export const HOUR_MS = 3_600_000;
export const OPTIONS = { publicUrl: 'http://tea.example', needsVerifiedSender: false };
export const EMAIL_BROADCASTS = campaignAdapter(OPTIONS);

export let server: TestServer;
export let relay: TestSmtpServer;

beforeAll(async () => {
  server = await testServer();
  relay = await startSmtpServer();
  return () => relay.close();
});

afterEach(() => clock.reset());

export async function startExperiment(subscriberCount: number, change: object = {}) {
  const shop = await campaignShop(server, subscriberCount);
  const { owner, groupId } = shop;
  const id = await createReadyCampaign(owner, groupId);
  const setResponse = await owner.put(`${CAMPAIGNS}/${id}/experiment`, {
    ...{ metric: 'opens', duration_hours: 4, test_share: 50, holdout_share: 10 },
    variants: [{}, { subject: 'Second' }],
    ...change,
  });
  expect(setResponse.status).toBe(200);
  const response = await owner.post(`${CAMPAIGNS}/${id}/schedule`, { schedule_time: null });
  expect(response.status).toBe(200);
  await server.runJobs();
  return { ...shop, id };
}

export const readExperiment = async (owner: TestOwner, id: string) =>
  (await owner.get(`${CAMPAIGNS}/${id}/experiment`)).body.data;

/**
 * Starts a sender that runs until the end of the test and waits until no copy of the variants
 * remains.
 */
export async function sendVariants(owner: TestOwner, id: string) {
  startTestSender(server.db, relay.url);
  await waitForCampaign(owner, id, ({ delivery }) => delivery?.remaining === 0);
}

/** Returns the recipients of each message of the account, without the control group. */
export async function listRecipientsByMessage(accountId: number) {
  const { rows } = await sql<{ message_id: number; subscriberIds: number[] }>`
    select message_id, array_agg(subscriber_id order by subscriber_id)::float8[] as "subscriberIds"
    from recipients where account_id = ${accountId} group by message_id order by message_id`.execute(
    server.db,
  );
  return rows;
}

/** Records opens by the first recipients of a variant, a minute after their first attempt. */
export async function recordOpens(accountId: number, messageId: number, count: number) {
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

/** Advances the clock and refreshes the session as a browser would. */
export async function advanceClock(owner: TestOwner, milliseconds: number) {
  clock.advance(milliseconds);
  await owner.post('/auth/api/refresh');
}

export const runDueChecks = () => checkDue(server.db, EMAIL_BROADCASTS);
