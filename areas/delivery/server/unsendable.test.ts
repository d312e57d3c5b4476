// Mails that can no longer be made, after a change of the installation: everybody else's leave nonetheless.
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { sampleSource } from '#areas/content/server/sample-source.ts';
import { inTransaction } from '#platform/server/database.ts';
import { addPeople, isFinished, startMessage, untilDelivery } from '#testing/mailing.ts';
import { startTestSender } from '#testing/sender.ts';
import { testServer } from '#testing/server.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/smtp-server.ts';
import { resume, sendOne } from './index.ts';

const server = await testServer();
let relay: TestSmtpServer;

beforeEach(async () => {
  relay = await startSmtpServer();
  return () => relay.close();
});

const single = (accountId: number, recipient: string) => {
  const { message_id: _, ...source } = sampleSource({
    kind: 'transactional',
    account_id: accountId,
    subject: `For ${recipient}`,
  });
  const facts = { accountId, kind: 'transactional', sourceId: 5, recipient, values: {} } as const;
  return inTransaction(server.db, (tx) =>
    sendOne(tx, { ...facts, source, idempotencyKey: recipient }),
  );
};

/** As what an earlier release froze. */
const spoil = (accountId: number) =>
  sql`update messages set frozen = jsonb_set(frozen, '{source,subject}', '"{{ 1 | nothing }}"')
    where account_id = ${accountId}`.execute(server.db);

const gotBy = (address: string) => relay.accepted.some((one) => one.to[0] === address);

test('a single mail that no longer compiles fails, and none waits for it', async () => {
  const accounts = [];
  for (let i = 0; i < 3; i++) accounts.push((await server.owner()).accountId);
  const [before, broken, after] = accounts as [number, number, number];
  for (const accountId of accounts) await single(accountId, `buyer${accountId}@home.example`);
  await spoil(broken);
  startTestSender(server.db, relay.url);
  for (const accountId of [before, after]) {
    await expect
      .poll(() => gotBy(`buyer${accountId}@home.example`), { timeout: 15_000 })
      .toBe(true);
  }
  const { rows } = await sql<{
    state: string;
    reason: string;
  }>`select state, reason from single_sends
    where account_id = ${broken} and recipient like 'buyer%'`.execute(server.db);
  expect(rows).toEqual([{ state: 'failed', reason: 'message_gone' }]);
});

test('a campaign that no longer compiles stops, its owner is told once, and keeps no other waiting', async () => {
  const [broken, fine] = [(await server.owner()).accountId, (await server.owner()).accountId];
  for (const accountId of [broken, fine]) await addPeople(server.db, accountId, 20);
  const stopped = await startMessage(server.db, broken);
  const message = await startMessage(server.db, fine);
  await server.runJobs();
  await spoil(broken);
  // Two senders come to it, as they do in a cluster.
  startTestSender(server.db, relay.url);
  startTestSender(server.db, relay.url);
  await untilDelivery(server.db, fine, message, isFinished);
  expect(gotBy('person1@gmail.com')).toBe(true);
  const isPaused = (one: { state: string }) => one.state === 'paused';
  const delivery = await untilDelivery(server.db, broken, stopped, isPaused);
  expect(delivery).toMatchObject({ reason: 'content_unsendable', counts: { pending: 20 } });
  const isLetter = (one: { source: string }) => one.source.includes('can no longer be made');
  await expect.poll(() => relay.accepted.filter(isLetter).length, { timeout: 15_000 }).toBe(1);
  // Going on changes nothing of its content: it stops again, and says so again.
  await inTransaction(server.db, (tx) => resume(tx, broken, stopped));
  await untilDelivery(server.db, broken, stopped, isPaused);
  await expect.poll(() => relay.accepted.filter(isLetter).length, { timeout: 15_000 }).toBe(2);
});
