// While the relay is gone: what messages say, and what is taken back.
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { inTransaction } from '#platform/server/database.ts';
import { addPeople, isFinished, startMessage, untilDelivery } from '#testing/mailing.ts';
import { startTestSender } from '#testing/sender.ts';
import { type TestServer, testServer } from '#testing/server.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/smtp-server.ts';
import { type Delivery, pause, resume } from './index.ts';

const server: TestServer = await testServer();
let relay: TestSmtpServer;

beforeEach(async () => {
  relay = await startSmtpServer();
  return async () => {
    await sql`update messages set state = 'cancelled'`.execute(server.db);
    await relay.close();
  };
});

async function campaign(people: number) {
  const { accountId } = await server.owner();
  await sql`delete from single_sends where account_id = ${accountId}`.execute(server.db);
  await addPeople(server.db, accountId, people);
  const messageId = await startMessage(server.db, accountId);
  await server.runJobs();
  return { accountId, messageId };
}

test('a message that was paused and let go on meanwhile waits as before', async () => {
  const { accountId, messageId } = await campaign(1_000);
  await relay.stop();
  startTestSender(server.db, relay.url);
  const isWaiting = (one: Delivery) =>
    one.state === 'waiting' && one.reason === 'relay_unreachable';
  await untilDelivery(server.db, accountId, messageId, isWaiting);
  await inTransaction(server.db, (tx) => pause(tx, accountId, messageId));
  await inTransaction(server.db, (tx) => resume(tx, accountId, messageId));
  await untilDelivery(server.db, accountId, messageId, isWaiting, 5_000);
  await relay.listen();
  const delivery = await untilDelivery(server.db, accountId, messageId, isFinished);
  expect(delivery.counts.accepted).toBe(1_000);
});
