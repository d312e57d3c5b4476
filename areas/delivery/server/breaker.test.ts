// The circuit breaker: too many bounces or complaints stop a campaign, its owner is told, and goes on.
import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { inTransaction } from '#platform/server/database.ts';
import { addPeople, isFinished, startMessage, untilDelivery } from '#testing/mailing.ts';
import { startTestSender } from '#testing/sender.ts';
import { type TestServer, testServer } from '#testing/server.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/smtp-server.ts';
import { breakerPoller, judge } from './breaker.ts';
import { type Delivery, readDelivery, resume } from './index.ts';

let server: TestServer;
let relay: TestSmtpServer;

beforeAll(async () => {
  server = await testServer();
});

beforeEach(async () => {
  relay = await startSmtpServer();
  return () => relay.close();
});

const isPaused = (one: { state: string }) => one.state === 'paused';
const poll = () => breakerPoller.run(server.db, new AbortController().signal);

async function prepared(people: number) {
  const owner = await server.owner();
  // Letters of before are no part of this.
  await sql`delete from single_sends`.execute(server.db);
  await addPeople(server.db, owner.accountId, people);
  const messageId = await startMessage(server.db, owner.accountId);
  await server.runJobs();
  return { accountId: owner.accountId, messageId };
}

/** As bounces and complaints that came in later are counted. */
async function count(accountId: number, messageId: number, more: Record<string, number>) {
  await sql`insert into engagement_counts (account_id, message_id, hard_bounces, complaints)
    values (${accountId}, ${messageId}, ${more.bounces ?? 0}, ${more.complaints ?? 0})
    on conflict (account_id, message_id) do update
      set hard_bounces = engagement_counts.hard_bounces + excluded.hard_bounces,
        complaints = engagement_counts.complaints + excluded.complaints`.execute(server.db);
}

const lettersOf = async (accountId: number) => {
  const { rows } = await sql<{ subject: string }>`
    select m.frozen #>> '{source,subject}' as subject from single_sends s
    join messages m on m.account_id = s.account_id and m.id = s.message_id
    where s.account_id = ${accountId}`.execute(server.db);
  return rows.map((row) => row.subject);
};

describe('too many bounces', () => {
  test('stop the campaign while it is sent; the owner is told, and lets it go on', async () => {
    const { accountId, messageId } = await prepared(1_200);
    relay.script.rcpt = ({ earlier }) =>
      earlier % 10 === 3 ? '550 5.1.1 No such user' : undefined;
    startTestSender(server.db, relay.url, { rate: 200 });
    const paused = await untilDelivery(server.db, accountId, messageId, isPaused);
    expect(paused).toMatchObject({ reason: 'bounces_high', details: { limit: 0.05 } });
    const { count: bounces, of } = paused.details as { count: number; of: number };
    expect(of).toBeGreaterThanOrEqual(200);
    expect(of).toBeLessThan(600);
    expect(bounces / of).toBeGreaterThan(0.05);
    expect(await lettersOf(accountId)).toEqual([
      '“{{ mail_subject }}” has stopped: too many mails bounce',
    ]);
    // Nobody else is refused: going on, the old bounces stop it no more.
    relay.script.rcpt = undefined;
    await inTransaction(server.db, (tx) => resume(tx, accountId, messageId));
    await poll();
    await untilDelivery(server.db, accountId, messageId, isFinished);
    expect(await lettersOf(accountId)).toHaveLength(1);
  });

  test('that come back later stop it too', async () => {
    const { accountId, messageId } = await prepared(500);
    startTestSender(server.db, relay.url, { rate: 150 });
    await relay.got(210);
    await count(accountId, messageId, { bounces: 60 });
    await poll();
    const [delivery] = await readDelivery(server.db, accountId, [messageId]);
    expect(delivery).toMatchObject({ state: 'paused', reason: 'bounces_high' });
    const had = relay.accepted.length;
    const isHeld = (one: Delivery) => one.counts.handing_over === 0;
    await untilDelivery(server.db, accountId, messageId, isHeld);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(relay.accepted.length - had).toBeLessThan(60);
  });
});

describe('too many complaints', () => {
  test('stop it after a thousand', async () => {
    const { accountId, messageId } = await prepared(2_000);
    // Slow enough for a busy machine to look before the thousandth, and before the last.
    startTestSender(server.db, relay.url, { rate: 250 });
    await relay.got(100);
    await count(accountId, messageId, { complaints: 6 });
    await poll();
    const [early] = await readDelivery(server.db, accountId, [messageId]);
    expect(early?.state).toBe('sending');
    await untilDelivery(server.db, accountId, messageId, (one) => one.counts.accepted >= 1_000);
    await poll();
    const [delivery] = await readDelivery(server.db, accountId, [messageId]);
    expect(delivery).toMatchObject({ state: 'paused', reason: 'complaints_high' });
    expect(delivery?.details).toMatchObject({ count: 6, limit: 0.003 });
    expect(await lettersOf(accountId)).toHaveLength(1);
  });
});

test('most are refused for what they are: it stops, and the owner reads the answer', async () => {
  const { accountId, messageId } = await prepared(1_000);
  relay.script.dot = ({ from }) =>
    from.includes('@localhost') ? undefined : '554 5.7.1 A link in it is on a block list';
  startTestSender(server.db, relay.url, { rate: 200 });
  const halted = await untilDelivery(server.db, accountId, messageId, isPaused);
  expect(halted).toMatchObject({ reason: 'mails_refused' });
  expect(halted.counts.failed).toBeGreaterThanOrEqual(200);
  expect(halted.counts.failed).toBeLessThan(1_000);
  expect(await lettersOf(accountId)).toEqual([
    '“{{ mail_subject }}” has stopped: most of its mails are refused',
  ]);
  await expect.poll(() => relay.accepted.length).toBe(1);
  expect(relay.accepted[0]?.source).toContain('A link in it is on a block list');
});

test('a relay that refuses the sender: the owner gets a letter with its words', async () => {
  const { accountId, messageId } = await prepared(20);
  relay.script.mail = ({ line }) =>
    line.includes('@localhost') ? undefined : '550 5.7.1 Not from here';
  startTestSender(server.db, relay.url);
  await untilDelivery(server.db, accountId, messageId, isPaused);
  await expect.poll(() => relay.accepted.length).toBe(1);
  expect(relay.accepted[0]?.source).toContain('Not from here');
});

test('a refusal of what began before the owner let it go on comes too late to stop it', async () => {
  const { accountId, messageId } = await prepared(4);
  let refused = 0;
  relay.script.mail = ({ line }) => {
    if (line.includes('@localhost') || refused === 2) return undefined;
    return { reply: '550 5.7.1 Not from here', after: refused++ * 1_000 };
  };
  startTestSender(server.db, relay.url);
  await untilDelivery(server.db, accountId, messageId, isPaused);
  await inTransaction(server.db, (tx) => resume(tx, accountId, messageId));
  await untilDelivery(server.db, accountId, messageId, isFinished);
  expect(refused).toBe(2);
  expect(await lettersOf(accountId)).toHaveLength(1);
});

test.each([
  [{ accepted: 180, handed: 199, hard_bounces: 19, complaints: 0 }, undefined],
  [{ accepted: 190, handed: 200, hard_bounces: 10, complaints: 0 }, undefined],
  [{ accepted: 100, handed: 200, hard_bounces: 0, complaints: 0 }, undefined],
  [{ accepted: 0, handed: 199, hard_bounces: 0, complaints: 0 }, undefined],
  [{ accepted: 99, handed: 200, hard_bounces: 0, complaints: 0 }, 'mails_refused'],
  [{ accepted: 190, handed: 201, hard_bounces: 11, complaints: 0 }, 'bounces_high'],
  [{ accepted: 999, handed: 999, hard_bounces: 0, complaints: 50 }, undefined],
  [{ accepted: 1_000, handed: 1_000, hard_bounces: 0, complaints: 3 }, undefined],
  [{ accepted: 1_000, handed: 1_000, hard_bounces: 0, complaints: 4 }, 'complaints_high'],
] as const)('%o: %s', (totals, reason) => {
  expect(judge(totals)?.[0]).toBe(reason);
});
