// Pauses of subscribers apply to the audience and at the handoff, but not to receipts.
import { beforeAll, expect, test } from 'vitest';
import { sampleSource } from '#areas/content/server/sample-source.ts';
import { pauseSubscriber } from '#areas/subscribers/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { listRecipients } from '#testing/oracles/invariants.ts';
import {
  addPeople,
  ALL_SUBSCRIBERS,
  startMessage,
  waitForDelivery,
} from '#testing/worlds/sending-helpers.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { startSmtpServer } from '#testing/servers/smtp-server.ts';
import { countAudience, sendOne } from '../ledger/messages.ts';

let server: TestServer;
let accountId: number;
let subscriberIds: number[];

beforeAll(async () => {
  server = await testServer();
  accountId = (await server.owner()).accountId;
  subscriberIds = await addPeople(server.db, accountId, 6);
});

const pause = (id: number, days: number) =>
  inTransaction(server.db, (tx) =>
    pauseSubscriber(tx, accountId, id, new Date(clock.now().getTime() + days * 86_400_000)),
  );

test('a paused subscriber is excluded from a campaign, one who pauses later is skipped, and a receipt is sent', async () => {
  const [pausedBefore, pausedMeanwhile, pauseOver] = subscriberIds as [number, number, number];
  await pause(pausedBefore, 30);
  await pause(pauseOver, -1);
  expect(await countAudience(server.db, accountId, ALL_SUBSCRIBERS)).toMatchObject({
    count: 5,
    excluded: { paused: 1 },
  });
  const messageId = await startMessage(server.db, accountId);
  await server.runJobs();
  await pause(pausedMeanwhile, 30);
  const relay = await startSmtpServer();
  const single = (kind: 'marketing' | 'transactional') => {
    const { message_id: _, ...source } = sampleSource({ account_id: accountId, kind });
    const idempotencyKey = `${kind} to one`;
    const recipient = 'person1@gmail.com';
    return inTransaction(server.db, (tx) =>
      sendOne(tx, {
        accountId,
        kind: kind === 'marketing' ? 'workflow' : 'transactional',
        sourceId: 1,
        source,
        recipient,
        subscriberId: pausedBefore,
        values: {},
        idempotencyKey,
      }),
    );
  };
  const news = await single('marketing');
  const receipt = await single('transactional');
  startTestSender(server.db, relay.url);
  const isDone = (delivery: { counts: Record<string, number>; audience: number }) =>
    (delivery.counts.accepted ?? 0) + (delivery.counts.skipped ?? 0) === delivery.audience &&
    delivery.audience > 0;
  const delivery = await waitForDelivery(server.db, accountId, messageId, isDone);
  expect(delivery.counts).toMatchObject({ accepted: 4, skipped: 1 });
  const skippedRecipients = (await listRecipients(server.db, accountId, messageId)).filter(
    (recipientFact) => recipientFact.state === 'skipped',
  );
  expect(skippedRecipients).toMatchObject([{ subscriber_id: pausedMeanwhile, reason: 'paused' }]);
  const newsDone = await waitForDelivery(server.db, accountId, news.messageId, isDone);
  expect(newsDone.counts.skipped).toBe(1);
  const receiptDone = await waitForDelivery(server.db, accountId, receipt.messageId, isDone);
  expect(receiptDone.counts.accepted).toBe(1);
  await relay.close();
});
