// Warm-ups where not all goes well: what is deferred, what the relay drops.
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database.ts';
import { addPeople, startMessage, untilDelivery } from '#testing/mailing.ts';
import { startTestSender } from '#testing/sender.ts';
import { type TestServer, testServer } from '#testing/server.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/smtp-server.ts';
import type { Delivery } from './index.ts';
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

const isHeld = (one: Delivery) => one.state === 'waiting' && one.reason === 'warm_up';

test('who is deferred is tried again when due, on the same day', async () => {
  const { accountId, messageId } = await campaign(20, [5, 100]);
  relay.script.rcpt = ({ earlier }) => (earlier === 0 ? '451 4.7.1 Greylisted' : undefined);
  startTestSender(server.db, relay.url);
  const isTried = (one: Delivery) =>
    isHeld(one) && one.counts.accepted === 4 && one.counts.deferred === 1;
  await untilDelivery(server.db, accountId, messageId, isTried);
  clock.advance(120_000);
  const isThere = (one: Delivery) => one.counts.accepted === 5;
  const delivery = await untilDelivery(server.db, accountId, messageId, isThere, 8_000);
  expect(delivery).toMatchObject({ state: 'waiting', reason: 'warm_up', held: 15 });
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(relay.accepted).toHaveLength(5);
});
