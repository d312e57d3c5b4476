// Many accounts' messages at once: more than a sender keeps compiled, more than one look reads.
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { checkInvariant } from '#testing/invariant.ts';
import { addPeople, isFinished, startMessage, untilDelivery } from '#testing/mailing.ts';
import { startTestSender } from '#testing/sender.ts';
import { type TestServer, testServer } from '#testing/server.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/smtp-server.ts';

const server: TestServer = await testServer();
let relay: TestSmtpServer;

beforeEach(async () => {
  relay = await startSmtpServer();
  return () => relay.close();
});

async function campaigns(accounts: number, people: number) {
  const started = [];
  for (let n = 0; n < accounts; n++) {
    const { accountId } = await server.owner();
    await addPeople(server.db, accountId, people);
    started.push({ accountId, messageId: await startMessage(server.db, accountId) });
  }
  await server.runJobs();
  await sql`delete from single_sends`.execute(server.db);
  return started;
}

test('more messages take turns than are kept compiled: each is gone on with', async () => {
  const started = await campaigns(3, 300);
  startTestSender(server.db, relay.url, { connections: 2 }, { keptMessages: 2 });
  for (const { accountId, messageId } of started) {
    await untilDelivery(server.db, accountId, messageId, isFinished);
    const ids = relay.accepted.map((one) => one.messageId);
    const checked = await checkInvariant(server.db, accountId, messageId, ids);
    expect(checked).toEqual({ states: { accepted: 300 }, problems: [] });
  }
});
