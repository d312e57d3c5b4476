// Warm-ups with failures: deferrals and dropped connections.
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { addPeople, startMessage, untilDelivery } from '#testing/worlds/sending-helpers.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/servers/smtp-server.ts';
import type { ActiveMessage } from '../sender/active-message.ts';
import { ActiveMessages } from '../sender/active-messages.ts';
import { LeaseKeeper } from '../sender/lease-keeper.ts';
import { type Delivery, readDelivery } from '../ledger/index.ts';
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

async function campaign(people: number, caps: number[]) {
  const { accountId } = await server.owner();
  await sql`delete from single_sends where account_id = ${accountId}`.execute(server.db);
  await addPeople(server.db, accountId, people);
  const plan = { accountId, domain: 'tea.example', caps, at: clock.now() };
  await inTransaction(server.db, (tx) => putWarmUp(tx, plan));
  const messageId = await startMessage(server.db, accountId);
  await server.runJobs();
  return { accountId, messageId };
}

const isWarmingUp = (delivery: Delivery) =>
  delivery.state === 'waiting' && delivery.reason === 'warm_up';

test('a deferred recipient is retried when due, on the same day', async () => {
  const { accountId, messageId } = await campaign(20, [5, 100]);
  relay.script.rcpt = ({ earlier }) => (earlier === 0 ? '451 4.7.1 Greylisted' : undefined);
  startTestSender(server.db, relay.url);
  const isTried = (delivery: Delivery) =>
    isWarmingUp(delivery) && delivery.counts.accepted === 4 && delivery.counts.deferred === 1;
  await untilDelivery(server.db, accountId, messageId, isTried);
  clock.advance(120_000);
  const isThere = (delivery: Delivery) => delivery.counts.accepted === 5;
  const delivery = await untilDelivery(server.db, accountId, messageId, isThere, 8_000);
  expect(delivery).toMatchObject({ state: 'waiting', reason: 'warm_up', held: 15 });
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(relay.accepted).toHaveLength(5);
});

test('a connection dropped before acceptance does not count, so the whole cap of the day is used', async () => {
  // The relay fails and recovers while handoffs wait for it.
  const cutTo = 3;
  let cuts = 0;
  relay.script.mail = ({ earlier }) => {
    if (cuts < cutTo && earlier % 4 === 3) {
      cuts++;
      setTimeout(() => void relay.stop().then(() => setTimeout(() => void relay.listen(), 1_500)));
      return { hangUp: 'instead' };
    }
    return undefined;
  };
  const { accountId, messageId } = await campaign(150, [50, 100]);
  startTestSender(server.db, relay.url, { connections: 2 });
  await expect.poll(() => cuts, { timeout: 15_000 }).toBe(cutTo);
  // Copies whose connection drops after the final dot are unknown; all others are retried.
  const left = ({ counts }: Delivery) => counts.accepted + counts.unknown;
  const isUsed = (delivery: Delivery) =>
    isWarmingUp(delivery) && left(delivery) + delivery.counts.deferred === 50;
  await untilDelivery(server.db, accountId, messageId, isUsed, 15_000);
  clock.advance(15_000);
  const isThere = (delivery: Delivery) => isWarmingUp(delivery) && left(delivery) === 50;
  const delivery = await untilDelivery(server.db, accountId, messageId, isThere, 10_000);
  expect(delivery.counts).toMatchObject({ pending: 100, deferred: 0 });
  // Two connections, with two copies in flight each, are cut this number of times.
  expect(delivery.counts.unknown).toBeLessThanOrEqual(4 * cutTo);
});

test('a copy that waited for the relay and finds the day used up waits for the next day', async () => {
  const { accountId, messageId } = await campaign(20, [5, 100]);
  await sql`update warm_ups set day = 1, used = 5, day_began_at = ${clock.now()}
    where account_id = ${accountId}`.execute(server.db);
  await sql`update messages set state = 'sending'
    where account_id = ${accountId} and id = ${messageId}`.execute(server.db);
  const ref = { accountId, messageId };
  const leaseKeeper = new LeaseKeeper(server.db, 'one');
  const answer = {
    about: 'connection',
    at: 'connect',
    code: 0,
    enhanced: '',
    reply: 'lost',
  } as const;
  await leaseKeeper.setWaiting([ref], {
    is: 'waiting',
    retryInMs: 1_000,
    answer: { outcome: 'deferred', ...answer },
  });
  const delivery = async () => (await readDelivery(server.db, accountId, [messageId]))[0];
  expect(await delivery()).toMatchObject({ state: 'waiting', reason: 'relay_unreachable' });
  const message = await new ActiveMessages(server.db, 1, () => false).get(accountId, messageId);
  // The next step of sending precedes the poll that reports the relay's state.
  expect(await new WarmUps(server.db).take(message as ActiveMessage, 20)).toBe(0);
  await leaseKeeper.resumeSending([]);
  expect(await delivery()).toMatchObject({ state: 'waiting', reason: 'warm_up', held: 20 });
});
