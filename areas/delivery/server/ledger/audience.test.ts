// Writing the recipients of a message: their order while a sending domain warms up, the stored ID
// of the request that started the message, and jobs that are abandoned or lost.
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { JobInterrupted } from '#platform/server/jobs/jobs.ts';
import {
  CAMPAIGNS,
  campaignShop,
  readCampaign,
  createReadyCampaign,
} from '#testing/worlds/campaign-shop.ts';
import { markJobAsAbandoned } from '#testing/setup/killed-jobs.ts';
import {
  addPeople,
  isFinished,
  startMessage,
  waitForDelivery,
} from '#testing/worlds/sending-helpers.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { testServer } from '#testing/setup/server.ts';
import { startSmtpServer } from '#testing/servers/smtp-server.ts';
import { FIRST_SLICE_RECIPIENTS } from '../../shared.ts';
import { writeAudienceJob } from './audience.ts';
import { audienceJobsPoller } from './audience-jobs.ts';
import { TIER } from './lanes.ts';

const server = await testServer();

test('during a warm-up, engaged and recent subscribers come before inactive and imported ones', async () => {
  const { accountId } = await server.owner();
  const ids = await addPeople(server.db, accountId, 4);
  const [silent, reader, fresh, imported] = ids as [number, number, number, number];
  const now = clock.now();
  const longAgo = new Date(now.getTime() - 200 * 86_400_000);
  await sql`insert into warm_ups (account_id, domain, caps, created_at, modified_at)
    values (${accountId}, 'tea.example', '{50, 100}', ${now}, ${now})`.execute(server.db);
  await sql`update subscribers set created_at = ${longAgo} where account_id = ${accountId}
    and id = any(${[silent, reader]}::bigint[])`.execute(server.db);
  await sql`update subscribers set source = 'import' where account_id = ${accountId}
    and id = ${imported}`.execute(server.db);
  await sql`insert into activity (account_id, subscriber_id, last_human_open_at)
    values (${accountId}, ${reader}, ${now})`.execute(server.db);
  const messageId = await startMessage(server.db, accountId);
  await server.runJobs();
  const { rows } = await sql<{ subscriber_id: number; lane: number }>`
    select subscriber_id, lane from recipients where account_id = ${accountId}
      and message_id = ${messageId}`.execute(server.db);
  const tierOf = (id: number) =>
    Math.floor((rows.find((row) => row.subscriber_id === id)?.lane ?? Number.NaN) / TIER);
  expect([reader, fresh, silent, imported].map(tierOf)).toEqual([0, 0, 1, 1]);
});

/** Starts sending a campaign to `recipientCount` subscribers. */
async function startCampaign(recipientCount: number) {
  const { owner, groupId } = await campaignShop(server, recipientCount);
  const id = await createReadyCampaign(owner, groupId);
  const response = await owner.post(`${CAMPAIGNS}/${id}/schedule`, { schedule_time: null });
  expect(response.status, response.text).toBe(200);
  const { rows } = await sql<{ id: number }>`select id from messages
    where account_id = ${owner.accountId} and kind = 'campaign'`.execute(server.db);
  return { owner, id, messageId: rows[0]?.id as number };
}

test('a message and its job store the ID of the request that started them', async () => {
  const { owner, messageId } = await startCampaign(1);
  const { rows } = await sql<{ request_id: string; flags: Record<string, true> }>`
    select m.request_id, j.flags from messages m, graphile_worker.jobs j
    where m.account_id = ${owner.accountId} and m.id = ${messageId}
      and j.task_identifier = ${writeAudienceJob.name}`.execute(server.db);
  expect(rows[0]?.request_id).toMatch(/^[0-9a-f-]{36}$/);
  expect(rows.map(({ flags }) => flags)).toContainEqual({
    [`request:${rows[0]?.request_id}`]: true,
  });
});

/** Writes one slice, like a job whose worker is killed after it. */
async function writeFirstSlice(accountId: number, messageId: number) {
  const stop = new AbortController();
  const progress = () => Promise.resolve(stop.abort());
  const tools = { db: server.db, signal: stop.signal, progress };
  await expect(writeAudienceJob.run({ accountId, messageId }, tools)).rejects.toThrow(
    JobInterrupted,
  );
}

const recipientsOf = async (accountId: number, messageId: number) =>
  (
    await sql<{ subscriber_id: number }>`select subscriber_id from recipients
      where account_id = ${accountId} and message_id = ${messageId}`.execute(server.db)
  ).rows.map((row) => row.subscriber_id);

const exhaustRetries = async (accountId: number) => {
  await markJobAsAbandoned(server.db, writeAudienceJob.name, accountId);
  await server.runJobs();
};

test('a campaign pauses when the job that writes its recipients is abandoned, and writes the rest once it is resumed', async () => {
  const relay = await startSmtpServer();
  onTestFinished(() => relay.close());
  const { owner, id, messageId } = await startCampaign(FIRST_SLICE_RECIPIENTS + 20);
  const { accountId } = owner;
  // Ten recipients in the first slice, twenty in the second one.
  await sql`update subscribers set email_status = 'unsubscribed'
    where account_id = ${accountId} and id in (select id from subscribers
      where account_id = ${accountId} order by id limit ${FIRST_SLICE_RECIPIENTS - 10})`.execute(
    server.db,
  );
  await writeFirstSlice(accountId, messageId);
  const firstRecipients = await recipientsOf(accountId, messageId);
  expect(firstRecipients).toHaveLength(10);
  await exhaustRetries(accountId);
  const { delivery } = await readCampaign(owner, id);
  expect(delivery).toMatchObject({ state: 'paused', reason: 'audience_failed' });
  const { body } = await owner.get('/client-api/api/accounts/dashboard_stopped');
  expect(body.data).toMatchObject([{ id, reason: 'audience_failed' }]);
  const { rows } = await sql<{ subject: string }>`
    select frozen->'source'->>'subject' as subject from messages
    where account_id = ${accountId} and kind = 'letter'`.execute(server.db);
  const emails = rows.filter(({ subject }) => subject.includes('its recipients couldn’t be'));
  expect(emails).toHaveLength(1);
  expect((await owner.post(`${CAMPAIGNS}/${id}/resume`)).status).toBe(200);
  // A second resume does not add another job.
  expect((await owner.post(`${CAMPAIGNS}/${id}/resume`)).status).toBe(200);
  await server.runJobs();
  startTestSender(server.db, relay.url);
  const finalDelivery = await waitForDelivery(server.db, accountId, messageId, isFinished);
  expect(finalDelivery).toMatchObject({ audience: 30, counts: { accepted: 30 } });
  const allRecipients = await recipientsOf(accountId, messageId);
  expect([allRecipients.length, new Set(allRecipients).size]).toEqual([30, 30]);
  expect(firstRecipients.every((id) => allRecipients.includes(id))).toBe(true);
  // The number in an address identifies the campaign: other accounts have only the first few of
  // these addresses.
  const isOfCampaign = (address: string) =>
    Number(/^person(\d+)@/.exec(address)?.[1]) > FIRST_SLICE_RECIPIENTS - 10;
  const recipients = relay.accepted
    .flatMap((receivedMessage) => receivedMessage.to)
    .filter(isOfCampaign);
  expect([recipients.length, new Set(recipients).size]).toEqual([30, 30]);
});

test('a job abandoned while the owner paused the campaign runs again once the campaign is resumed', async () => {
  const { owner, id, messageId } = await startCampaign(5);
  const { accountId } = owner;
  expect((await owner.post(`${CAMPAIGNS}/${id}/pause`)).status).toBe(200);
  await exhaustRetries(accountId);
  const { delivery } = await readCampaign(owner, id);
  expect(delivery).toMatchObject({ state: 'paused', reason: 'owner' });
  expect((await owner.post(`${CAMPAIGNS}/${id}/resume`)).status).toBe(200);
  await server.runJobs();
  expect(await recipientsOf(accountId, messageId)).toHaveLength(5);
});

test('writing recipients continues after its job has used up its attempts or is lost', async () => {
  const { owner, messageId } = await startCampaign(3);
  const { accountId } = owner;
  const ofAccount = sql`task_id = (select id from graphile_worker._private_tasks
    where identifier = ${writeAudienceJob.name}) and payload->>'accountId' = ${String(accountId)}`;
  const jobs = async () =>
    (
      await sql<{ attempts: number }>`select attempts from graphile_worker._private_jobs
        where ${ofAccount}`.execute(server.db)
    ).rows;
  const poll = () => audienceJobsPoller.run(server.db, new AbortController().signal);
  await sql`update graphile_worker._private_jobs set attempts = max_attempts
    where ${ofAccount}`.execute(server.db);
  await poll();
  expect(await jobs(), 'a message that has just changed').toEqual([{ attempts: 8 }]);
  clock.advance(61_000);
  await poll();
  expect(await jobs()).toEqual([{ attempts: 0 }]);
  await sql`delete from graphile_worker._private_jobs where ${ofAccount}`.execute(server.db);
  await poll();
  await poll();
  expect(await jobs()).toHaveLength(1);
  await server.runJobs();
  expect(await recipientsOf(accountId, messageId)).toHaveLength(3);
  await poll();
  expect(await jobs()).toEqual([]);
});
