// Concurrent messages of several accounts: more than a sender caches, and more than one poll reads.
import { sql } from 'kysely';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { checkInvariant } from '#testing/oracles/invariants.ts';
import {
  addPeople,
  isFinished,
  startMessage,
  waitForDelivery,
} from '#testing/worlds/sending-helpers.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/servers/smtp-server.ts';
import type { MessageDelivery } from '../ledger/index.ts';

const server: TestServer = await testServer();
let relay: TestSmtpServer;

beforeEach(async () => {
  relay = await startSmtpServer();
  return async () => {
    await sql`update messages set state = 'cancelled'`.execute(server.db);
    await relay.close();
  };
});

async function startCampaigns(accounts: number, recipientCount: number) {
  const startedMessages = [];
  for (let n = 0; n < accounts; n++) {
    const { accountId } = await server.owner();
    await addPeople(server.db, accountId, recipientCount);
    startedMessages.push({ accountId, messageId: await startMessage(server.db, accountId) });
  }
  await server.runJobs();
  await sql`delete from single_sends`.execute(server.db);
  return startedMessages;
}

test('all messages complete even if they do not fit in the cache together', async () => {
  const startedMessages = await startCampaigns(3, 300);
  startTestSender(server.db, relay.url, { connections: 2 }, { maxCachedMessages: 2 });
  for (const { accountId, messageId } of startedMessages) {
    await waitForDelivery(server.db, accountId, messageId, isFinished);
    const ids = relay.accepted.map((receivedMessage) => receivedMessage.messageId);
    const invariant = await checkInvariant(server.db, accountId, messageId, ids);
    expect(invariant).toEqual({ states: { accepted: 300 }, problems: [] });
  }
});

test('the last message starts while others are being sent, even if one poll does not read all open messages', async () => {
  const startedMessages = await startCampaigns(4, 400);
  startTestSender(server.db, relay.url, { rate: 40 }, { pageSize: 2 });
  const lastMessage = startedMessages.at(-1) as (typeof startedMessages)[number];
  const hasStarted = (delivery: MessageDelivery) => delivery.counts.accepted > 5;
  await waitForDelivery(
    server.db,
    lastMessage.accountId,
    lastMessage.messageId,
    hasStarted,
    10_000,
  );
  for (const { accountId, messageId } of startedMessages) {
    const delivery = await waitForDelivery(server.db, accountId, messageId, hasStarted);
    expect(delivery.state).toBe('sending');
  }
});

test('messages that cannot be settled and fill the page of a poll do not block the next message', async () => {
  const startedMessages = await startCampaigns(3, 5);
  await sql`update leases set is_done = true`.execute(server.db);
  // All three messages are complete, and settling the first two fails each time.
  for (const { accountId, messageId } of startedMessages) {
    await sql`delete from lanes where account_id = ${accountId} and message_id = ${messageId}`.execute(
      server.db,
    );
  }
  const broken = startedMessages.slice(0, 2).map((message) => message.messageId);
  await sql`create function refuse_them() returns trigger language plpgsql as
    $$ begin raise exception 'refused'; end $$`.execute(server.db);
  await sql
    .raw(
      `create trigger refused before update on messages for each row
       when (new.id in (${broken.join()}) and new.state = 'finished') execute function refuse_them()`,
    )
    .execute(server.db);
  onTestFinished(async () => {
    await sql`drop trigger refused on messages`.execute(server.db);
  });
  startTestSender(server.db, relay.url, {}, { pageSize: 2 });
  const { accountId, messageId } = startedMessages[2] as (typeof startedMessages)[number];
  const delivery = await waitForDelivery(server.db, accountId, messageId, isFinished, 10_000);
  expect(delivery.counts.handing_over).toBe(0);
});
