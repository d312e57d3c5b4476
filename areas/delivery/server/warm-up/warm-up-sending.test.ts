// Warm-ups with failures: deferrals, dropped connections and an unreachable relay.
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { addPeople, startMessage, waitForDelivery } from '#testing/worlds/sending-helpers.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/servers/smtp-server.ts';
import type { ActiveMessage } from '../sender/active-message.ts';
import { ActiveMessages } from '../sender/active-messages.ts';
import { LeaseKeeper } from '../sender/lease-keeper.ts';
import { type MessageDelivery, readDelivery } from '../ledger/index.ts';
import { WarmUps } from './warm-ups.ts';
import { putWarmUp } from './warm-ups.sql.ts';

const server: TestServer = await testServer();
let relay: TestSmtpServer;

beforeEach(async () => {
  relay = await startSmtpServer();
  return async () => {
    await sql`update messages set state = 'cancelled'`.execute(server.db);
    await relay.close();
  };
});

afterEach(() => clock.reset());

async function startCampaign(recipientCount: number, caps: number[]) {
  const { accountId } = await server.owner();
  await sql`delete from single_sends where account_id = ${accountId}`.execute(server.db);
  await addPeople(server.db, accountId, recipientCount);
  const plan = { accountId, domain: 'tea.example', caps, at: clock.now() };
  await inTransaction(server.db, (tx) => putWarmUp(tx, plan));
  const messageId = await startMessage(server.db, accountId);
  await server.runJobs();
  return { accountId, messageId };
}

const isWarmingUp = (delivery: MessageDelivery) =>
  delivery.state === 'waiting' && delivery.reason === 'warm_up';

test("a deferred recipient is retried on the same day, although the day's cap is used up", async () => {
  const { accountId, messageId } = await startCampaign(20, [5, 100]);
  relay.script.rcpt = ({ previousCount }) =>
    previousCount === 0 ? '451 4.7.1 Greylisted' : undefined;
  startTestSender(server.db, relay.url);
  const isAttempted = (delivery: MessageDelivery) =>
    isWarmingUp(delivery) && delivery.counts.accepted === 4 && delivery.counts.deferred === 1;
  await waitForDelivery(server.db, accountId, messageId, isAttempted);
  clock.advance(120_000);
  const areAccepted = (delivery: MessageDelivery) => delivery.counts.accepted === 5;
  const delivery = await waitForDelivery(server.db, accountId, messageId, areAccepted, 8_000);
  expect(delivery).toMatchObject({ state: 'waiting', reason: 'warm_up', held: 15 });
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(relay.accepted).toHaveLength(5);
});

test("a copy whose connection drops before acceptance is not counted, so the day's cap is used in full", async () => {
  // The relay fails and recovers while handoffs wait for it.
  const maxCuts = 3;
  let cuts = 0;
  relay.script.mail = ({ previousCount }) => {
    if (cuts < maxCuts && previousCount % 4 === 3) {
      cuts++;
      setTimeout(() => void relay.stop().then(() => setTimeout(() => void relay.listen(), 1_500)));
      return { hangUp: 'instead' };
    }
    return undefined;
  };
  const { accountId, messageId } = await startCampaign(150, [50, 100]);
  startTestSender(server.db, relay.url, { connections: 2 });
  await expect.poll(() => cuts, { timeout: 15_000 }).toBe(maxCuts);
  // Copies whose connection drops after the final dot are unknown; all others are retried.
  const countSent = ({ counts }: MessageDelivery) => counts.accepted + counts.unknown;
  const isUsed = (delivery: MessageDelivery) =>
    isWarmingUp(delivery) && countSent(delivery) + delivery.counts.deferred === 50;
  await waitForDelivery(server.db, accountId, messageId, isUsed, 15_000);
  clock.advance(15_000);
  const areSent = (delivery: MessageDelivery) =>
    isWarmingUp(delivery) && countSent(delivery) === 50;
  const delivery = await waitForDelivery(server.db, accountId, messageId, areSent, 10_000);
  expect(delivery.counts).toMatchObject({ pending: 100, deferred: 0 });
  // Each cut interrupts at most two connections with two copies in flight each.
  expect(delivery.counts.unknown).toBeLessThanOrEqual(4 * maxCuts);
});

test("a message that waited for the relay waits for the next day if the day's cap is used up", async () => {
  const { accountId, messageId } = await startCampaign(20, [5, 100]);
  await sql`update warm_ups set day = 1, used = 5, day_began_at = ${clock.now()}
    where account_id = ${accountId}`.execute(server.db);
  await sql`update messages set state = 'sending'
    where account_id = ${accountId} and id = ${messageId}`.execute(server.db);
  const ref = { accountId, messageId };
  const leaseKeeper = new LeaseKeeper(server.db, 'one');
  const result = {
    scope: 'connection',
    step: 'connect',
    code: 0,
    enhancedCode: '',
    reply: 'lost',
  } as const;
  await leaseKeeper.setWaiting([ref], {
    kind: 'waiting',
    retryInMs: 1_000,
    result: { outcome: 'deferred', ...result },
  });
  const delivery = async () => (await readDelivery(server.db, accountId, [messageId]))[0];
  expect(await delivery()).toMatchObject({ state: 'waiting', reason: 'relay_unreachable' });
  const message = await new ActiveMessages(server.db, 1, () => false).get(accountId, messageId);
  // The sender takes its next step before the poll that reports the relay as recovered.
  expect(await new WarmUps(server.db).take(message as ActiveMessage, 20)).toBe(0);
  await leaseKeeper.resumeSending([]);
  expect(await delivery()).toMatchObject({ state: 'waiting', reason: 'warm_up', held: 20 });
});

test('a warm-up day does not begin while other limits delay all emails', async () => {
  const { accountId, messageId } = await startCampaign(1, [5, 100]);
  const message = await new ActiveMessages(server.db, 1, () => false).get(accountId, messageId);
  await inTransaction(server.db, (tx) =>
    new WarmUps(server.db).reserveFor(tx, message as ActiveMessage, 0),
  );
  const { rows } = await sql<{ day: number }>`select day from warm_ups
    where account_id = ${accountId}`.execute(server.db);
  expect(rows).toEqual([{ day: 0 }]);
});
