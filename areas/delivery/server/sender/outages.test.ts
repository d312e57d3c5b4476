// Relay outages: the states of messages and withdrawn handoffs.
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { inTransaction } from '#platform/server/database/database.ts';
import { fakeRelay, CONNECTION_LOST } from '#testing/servers/fake-relay.ts';
import { isFinished, waitForDelivery } from '#testing/worlds/sending-helpers.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { prepareCampaign, relay, server } from '#testing/worlds/sending-setup.ts';
import { startSmtpServer } from '#testing/servers/smtp-server.ts';
import { type MessageDelivery, pauseMessage, resumeMessage } from '../ledger/index.ts';
import { runSender } from './index.ts';
import { messageChanged } from '../events.ts';

test('a message that is paused and resumed during an outage waits for the relay again', async () => {
  const { accountId, messageId } = await prepareCampaign(1_000);
  await relay.stop();
  startTestSender(server.db, relay.url);
  const isWaiting = (delivery: MessageDelivery) =>
    delivery.state === 'waiting' && delivery.reason === 'relay_unreachable';
  await waitForDelivery(server.db, accountId, messageId, isWaiting);
  await inTransaction(server.db, (tx) => pauseMessage(tx, accountId, messageId));
  await inTransaction(server.db, (tx) => resumeMessage(tx, accountId, messageId));
  await waitForDelivery(server.db, accountId, messageId, isWaiting, 5_000);
  await relay.listen();
  const delivery = await waitForDelivery(server.db, accountId, messageId, isFinished);
  expect(delivery.counts.accepted).toBe(1_000);
});

test('a failed withdrawal of the handoffs of one message does not block other messages', async () => {
  const broken = await prepareCampaign(1_000);
  startTestSender(server.db, relay.url, { rate: 100 });
  await relay.waitForMessages(20);
  await sql`create function refuse_back() returns trigger language plpgsql as
    $$ begin raise exception 'refused'; end $$`.execute(server.db);
  await sql
    .raw(
      `create trigger refused before update on leases for each row
       when (new.account_id = ${broken.accountId} and new.started_to < old.started_to)
       execute function refuse_back()`,
    )
    .execute(server.db);
  onTestFinished(async () => {
    await sql`drop trigger refused on leases`.execute(server.db);
  });
  await inTransaction(server.db, (tx) => pauseMessage(tx, broken.accountId, broken.messageId));
  const fine = await prepareCampaign(20);
  const delivery = await waitForDelivery(
    server.db,
    fine.accountId,
    fine.messageId,
    isFinished,
    8_000,
  );
  expect(delivery.counts.accepted).toBe(20);
});

test('a refusal that was not processed before the relay recovered does not pause a message later', async () => {
  const { accountId, messageId } = await prepareCampaign(100);
  const openFake = fakeRelay();
  const sender = runSender(server.db, openFake.open);
  onTestFinished(() => sender.close());
  await expect.poll(() => openFake.source().countReady()).toBeGreaterThan(0);
  const refusal = { retryInMs: 60_000, result: CONNECTION_LOST };
  openFake.become({ kind: 'refused', ...refusal });
  openFake.become({ kind: 'ready' });
  openFake.become({ kind: 'waiting', ...refusal });
  const isReported = ({ state }: MessageDelivery) => state !== 'sending';
  const delivery = await waitForDelivery(server.db, accountId, messageId, isReported);
  expect(delivery).toMatchObject({ state: 'waiting', reason: 'relay_unreachable' });
});

test('two senders do not notify each other endlessly if only one reaches its relay', async () => {
  const { accountId, messageId } = await prepareCampaign(1_000);
  const closedServer = await startSmtpServer();
  await closedServer.close();
  const reportedStates: string[] = [];
  const stopListening = messageChanged.on(async (_, change) => {
    if (change.messageId === messageId) reportedStates.push(change.state);
  });
  onTestFinished(stopListening);
  startTestSender(server.db, closedServer.url);
  startTestSender(server.db, relay.url, { rate: 200 });
  await waitForDelivery(server.db, accountId, messageId, isFinished);
  expect(reportedStates.length).toBeLessThan(8);
});
