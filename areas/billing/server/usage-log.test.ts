// The usage log lists each campaign once with the number of emails actually sent.
import { expect, test } from 'vitest';
import { decodeId } from '#platform/ids.ts';
import {
  addPeople,
  isFinished,
  startMessage,
  untilDelivery,
} from '#testing/worlds/sending-helpers.ts';
import { insertCampaign } from '#testing/worlds/reported-campaign.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { testServer } from '#testing/setup/server.ts';
import { startSmtpServer } from '#testing/servers/smtp-server.ts';

test('a finished campaign is listed by name with the number of accepted emails', async () => {
  const server = await testServer({ BILLING: 'test' });
  const owner = await server.owner();
  await addPeople(server.db, owner.accountId, 12);
  const relay = await startSmtpServer({
    script: {
      rcpt: ({ line }) => (line.includes('<person3@') ? '550 5.1.1 No such user' : undefined),
    },
  });
  const messageId = await startMessage(server.db, owner.accountId);
  const campaign = await insertCampaign(server, owner.accountId, messageId);
  expect(decodeId('campaign', campaign), 'the id that the message names').toBe(1);
  await server.runJobs();
  const sender = startTestSender(server.db, relay.url);
  await untilDelivery(server.db, owner.accountId, messageId, isFinished);
  await sender.close();
  await relay.close();
  const log = '/client-api/api/billing/email-usage';
  await expect
    .poll(async () => (await owner.get(log)).body.data)
    .toMatchObject([{ kind: 'campaign', label: 'Spring', emails: -11 }]);
});
