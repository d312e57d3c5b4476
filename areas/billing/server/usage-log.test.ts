// The usage log lists each campaign once with the number of accepted emails. The usage of the month
// includes the first email of an account.
import { beforeAll, expect, test } from 'vitest';
import { decodeId } from '#platform/ids.ts';
import {
  addPeople,
  isFinished,
  startMessage,
  waitForDelivery,
} from '#testing/worlds/sending-helpers.ts';
import { insertCampaign } from '#testing/worlds/reported-campaign.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { startSmtpServer } from '#testing/servers/smtp-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await testServer({ BILLING: 'test' });
});

test('a finished campaign is listed by name with the number of accepted emails', async () => {
  const owner = await server.owner();
  await addPeople(server.db, owner.accountId, 12);
  const relay = await startSmtpServer({
    script: {
      rcpt: ({ line }) => (line.includes('<person3@') ? '550 5.1.1 No such user' : undefined),
    },
  });
  const messageId = await startMessage(server.db, owner.accountId);
  const campaign = await insertCampaign(server, owner.accountId, messageId);
  expect(decodeId('campaign', campaign), 'the campaign id in the message').toBe(1);
  await server.runJobs();
  const sender = startTestSender(server.db, relay.url);
  await waitForDelivery(server.db, owner.accountId, messageId, isFinished);
  await sender.close();
  await relay.close();
  const log = '/client-api/api/billing/email-usage';
  await expect
    .poll(async () => (await owner.get(log)).body.data)
    .toMatchObject([{ kind: 'campaign', label: 'Spring', emails: -11 }]);
});

test('the usage of the month includes the first email of an account', async () => {
  const owner = await server.owner();
  const { accountId } = owner;
  const readBilling = async () => (await owner.get('/client-api/api/billing')).body.data;
  expect((await readBilling()).usage.emails.used).toBe(0);
  await addPeople(server.db, accountId, 1);
  const relay = await startSmtpServer();
  const messageId = await startMessage(server.db, accountId);
  await server.runJobs();
  const sender = startTestSender(server.db, relay.url);
  await waitForDelivery(server.db, accountId, messageId, isFinished);
  await expect.poll(async () => (await readBilling()).usage.emails.used).toBe(1);
  const response = await owner.get('/client-api/api/accounts/dashboard_usage');
  expect(response.body.data).toMatchObject({ sent: 1 });
  await sender.close();
  await relay.close();
});
