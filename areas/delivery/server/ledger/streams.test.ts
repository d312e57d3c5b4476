// Streams send each recipient one copy, with many recipients per call, while messages grow, pause,
// end and restart.
import { sql } from 'kysely';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { sampleSource } from '#areas/content/server/sample-source.ts';
import { suppress } from '#areas/subscribers/server/index.ts';
import { MAILBOXES } from '#areas/subscribers/shared.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
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
import { compactionPoller } from './compaction.ts';
import {
  cancelStreams,
  listContactsSince,
  type MessageDelivery,
  type NewMessage,
  type StreamRecipients,
  pauseStreams,
  readDelivery,
  resumeStreams,
  sendMany,
  sendOne,
  readCopyStates,
  countUnanswered,
} from './index.ts';

const server: TestServer = await testServer();
let relay: TestSmtpServer;
let accountId: number;

beforeEach(async () => {
  relay = await startSmtpServer();
  ({ accountId } = await server.owner());
  await sql`delete from single_sends`.execute(server.db);
  return async () => {
    await sql`update messages set state = 'cancelled'`.execute(server.db);
    await relay.close();
    clock.reset();
  };
});

const STEP = 7;
const NOVEMBER = { pass: 1, month: '2026-11' };

function step(subject = 'Welcome {{ firstname }}'): NewMessage {
  const { message_id: _, ...source } = sampleSource({ account_id: accountId, subject });
  return { accountId, kind: 'workflow', sourceId: STEP, source };
}

const enqueue = (recipients: StreamRecipients, stream = NOVEMBER, message = step()) =>
  inTransaction(server.db, (tx) => sendMany(tx, message, recipients, stream));
const sources = () => ({ accountId, kind: 'workflow' as const, sourceIds: [STEP] });
const deliveryOf = async (id: number) =>
  (await readDelivery(server.db, accountId, [id]))[0] as MessageDelivery;
const countPending = () => countUnanswered(server.db, accountId, 1_000);
const receivedAddresses = () =>
  relay.accepted.map((receivedMessage) => receivedMessage.to[0]).toSorted();

describe('sendMany', () => {
  test("a recipient gets a stream's copy once per pass, no matter how often it is added; the stream grows and ends", async () => {
    const ids = await addPeople(server.db, accountId, 60);
    const firstBatch = await enqueue(ids.slice(0, 30));
    const repeated = await Promise.all([enqueue(ids.slice(0, 40)), enqueue(ids.slice(20, 50))]);
    expect(repeated.map((stream) => stream.messageId)).toEqual([
      firstBatch.messageId,
      firstBatch.messageId,
    ]);
    expect(await countPending()).toBe(50);
    startTestSender(server.db, relay.url);
    const delivery = await waitForDelivery(server.db, accountId, firstBatch.messageId, isFinished);
    expect(delivery).toMatchObject({
      audience: 50,
      counts: { accepted: 50 },
      isAudienceDone: true,
    });
    await enqueue(ids);
    const longer = (delivery: MessageDelivery) => isFinished(delivery) && delivery.audience === 60;
    await waitForDelivery(server.db, accountId, firstBatch.messageId, longer);
    expect(relay.accepted).toHaveLength(60);
    expect(new Set(receivedAddresses()).size).toBe(60);
    const log = relay.accepted.map(
      (receivedMessage) => /^Message-ID: <([^>]+)>/im.exec(receivedMessage.source)?.[1] as string,
    );
    const invariant = await checkInvariant(server.db, accountId, firstBatch.messageId, log);
    expect(invariant.problems).toEqual([]);
    expect(await countPending()).toBe(0);
  });

  test('a stream that grows after its compaction is compacted again, and packed after a month', async () => {
    const ids = await addPeople(server.db, accountId, 20);
    const sendRound = async (recipients: StreamRecipients) => {
      const { messageId } = await enqueue(recipients);
      const sender = startTestSender(server.db, relay.url);
      await waitForDelivery(server.db, accountId, messageId, isFinished);
      await sender.close();
      return messageId;
    };
    const compactAfter = async (days: number) => {
      clock.advance(days * 86_400_000);
      await compactionPoller(7).run(server.db, new AbortController().signal);
    };
    const ledgerOf = async (messageId: number) => {
      const { rows } = await sql`select m.packed_to is not null as packed,
          (select count(*) from recipients r where r.account_id = m.account_id
            and r.message_id = m.id) as rows,
          (select count(*) from results n where n.account_id = m.account_id
            and n.message_id = m.id) as results
        from messages m where m.account_id = ${accountId} and m.id = ${messageId}`.execute(
        server.db,
      );
      return rows[0];
    };
    const messageId = await sendRound(ids.slice(0, 10));
    await compactAfter(8);
    expect(await ledgerOf(messageId)).toEqual({ packed: false, rows: 10, results: 0 });
    expect(await sendRound(ids)).toBe(messageId);
    expect(relay.accepted).toHaveLength(20);
    await compactAfter(8);
    expect(await ledgerOf(messageId)).toEqual({ packed: false, rows: 20, results: 0 });
    await compactAfter(40);
    expect(await ledgerOf(messageId)).toEqual({ packed: true, rows: 0, results: 0 });
    const states = await readCopyStates(server.db, accountId, messageId, ids, clock.now());
    expect(states.map(({ state }) => state)).toEqual(ids.map(() => 'accepted'));
    expect(await deliveryOf(messageId)).toMatchObject({ audience: 20, counts: { accepted: 20 } });
  });

  test('another pass, month or content starts another stream', async () => {
    const ids = await addPeople(server.db, accountId, 3);
    const streams = [
      await enqueue(ids),
      await enqueue(ids, { ...NOVEMBER, pass: 2 }),
      await enqueue(ids, { ...NOVEMBER, month: '2026-12' }),
      await enqueue(ids, NOVEMBER, step('Edited')),
    ];
    expect(new Set(streams.map((stream) => stream.messageId)).size).toBe(4);
    startTestSender(server.db, relay.url);
    await relay.waitForMessages(12);
  });

  test('an excluded subscriber is reported immediately, with the reason', async () => {
    const ids = await addPeople(server.db, accountId, 5);
    const [unsubscribed, deleted, suppressed, active] = ids as [number, number, number, number];
    await sql`update subscribers set email_status = 'unsubscribed' where id = ${unsubscribed}`.execute(
      server.db,
    );
    await sql`update subscribers set deleted_at = now() where id = ${deleted}`.execute(server.db);
    const email = 'person3@home.example';
    await inTransaction(server.db, (tx) =>
      suppress(tx, accountId, [email], { channel: 'email', reason: 'bounced' }),
    );
    const { skipped } = await enqueue([unsubscribed, deleted, suppressed, active, 999_999_999]);
    expect(new Map(skipped.map((skip) => [skip.subscriberId, skip.reason]))).toEqual(
      new Map([
        [unsubscribed, 'unsubscribed'],
        [deleted, 'deleted'],
        [suppressed, 'suppressed'],
        [999_999_999, 'deleted'],
      ]),
    );
    const singles = ids.map((subscriberId) => ({ subscriberId, values: {}, key: 'cart 1' }));
    const { skipped: skippedSingles } = await enqueue(singles);
    expect(skippedSingles.map((skip) => skip.reason).toSorted()).toEqual([
      'deleted',
      'suppressed',
      'unsubscribed',
    ]);
  });

  test('subscribers of another account are skipped as deleted', async () => {
    const otherOwner = await server.owner();
    const strangers = await addPeople(server.db, otherOwner.accountId, 2);
    const { skipped } = await enqueue(strangers);
    expect(skipped.map((skip) => skip.reason)).toEqual(['deleted', 'deleted']);
  });

  test("values in the call override the subscriber's values, and each key is sent once", async () => {
    const [id] = (await addPeople(server.db, accountId, 1)) as [number];
    const cartRecipient = { subscriberId: id, values: { firstname: 'Cart' }, key: 'cart 1' };
    await enqueue([cartRecipient]);
    await enqueue([cartRecipient, { ...cartRecipient, key: 'cart 2' }]);
    startTestSender(server.db, relay.url);
    await relay.waitForMessages(2);
    expect(
      relay.accepted.map((email) => /^Subject: (.*)$/m.exec(email.source)?.[1]?.trim()),
    ).toEqual(['Welcome Cart', 'Welcome Cart']);
  });

  test('a call that is rolled back has no effect', async () => {
    const ids = await addPeople(server.db, accountId, 4);
    const failing = inTransaction(server.db, async (tx) => {
      await sendMany(tx, step(), ids, NOVEMBER);
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    expect(await countPending()).toBe(0);
  });
});

describe('a paused or canceled source', () => {
  test('sends no stream copies or single copies while paused, and sends all of them once it is resumed', async () => {
    const ids = await addPeople(server.db, accountId, 20);
    const { messageId } = await enqueue(ids.slice(0, 10));
    const singlesTo = (list: number[]) =>
      list.map((subscriberId) => ({ subscriberId, values: {}, key: 'o' }));
    await enqueue(singlesTo(ids.slice(10, 15)));
    await inTransaction(server.db, (tx) => pauseStreams(tx, sources()));
    startTestSender(server.db, relay.url);
    await enqueue(ids.slice(15));
    await enqueue(singlesTo(ids.slice(15)));
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(relay.accepted).toHaveLength(0);
    await inTransaction(server.db, (tx) => resumeStreams(tx, sources()));
    await relay.waitForMessages(25);
    await waitForDelivery(server.db, accountId, messageId, isFinished);
  });

  test('skips its waiting recipients when it is canceled and admits no new ones', async () => {
    const ids = await addPeople(server.db, accountId, 6);
    const { messageId } = await enqueue(ids.slice(0, 4));
    const single = await enqueue([{ subscriberId: ids[4] as number, values: {}, key: 'o' }]);
    await inTransaction(server.db, (tx) => cancelStreams(tx, sources()));
    const lateBatch = await enqueue(ids.slice(5));
    expect(lateBatch).toEqual({
      messageId,
      skipped: [{ subscriberId: ids[5], reason: 'cancelled' }],
    });
    expect(await deliveryOf(messageId)).toMatchObject({ counts: { pending: 0, skipped: 4 } });
    expect(await deliveryOf(single.messageId)).toMatchObject({
      counts: { pending: 0, skipped: 1 },
    });
    const states = await readCopyStates(server.db, accountId, messageId, ids, clock.now());
    expect(states.map(({ state, reason }) => [state, reason])).toEqual(
      Array.from({ length: 4 }, () => ['skipped', 'cancelled']),
    );
    expect(await countPending()).toBe(0);
  });
});

test('canceling deducts a deferred copy from the lane that counts it', async () => {
  const [id] = (await addPeople(server.db, accountId, 1, ['firm.no'])) as [number];
  await sql`update subscribers set mailbox = ${MAILBOXES.microsoft365}
    where account_id = ${accountId}`.execute(server.db);
  const { messageId } = await enqueue([{ subscriberId: id, values: {}, key: 'o' }]);
  await relay.close();
  relay = await startSmtpServer({ script: { rcpt: '451 4.7.1 Later' } });
  const sender = startTestSender(server.db, relay.url);
  await waitForDelivery(server.db, accountId, messageId, ({ counts }) => counts.deferred === 1);
  await sender.close();
  await inTransaction(server.db, (tx) => cancelStreams(tx, sources()));
  const { rows } = await sql`select lane, sum(deferred)::int as deferred from lane_counts
    where account_id = ${accountId} and message_id = ${messageId} group by 1`.execute(server.db);
  expect(rows).toEqual([{ lane: MAILBOXES.microsoft365, deferred: 0 }]);
});

test('readCopyStates and listContactsSince cover streams, single copies and campaigns', async () => {
  const ids = await addPeople(server.db, accountId, 3);
  const [first, second, third] = ids as [number, number, number];
  const sinceTime = new Date(clock.now().getTime() - 1_000);
  const { messageId } = await enqueue([first, second]);
  const states = async (id: number) => {
    const rows = await readCopyStates(server.db, accountId, id, ids, clock.now());
    return rows.map(({ subscriberId, state }) => [subscriberId, state]);
  };
  expect(await states(messageId)).toEqual([
    [first, 'pending'],
    [second, 'pending'],
  ]);
  startTestSender(server.db, relay.url);
  await waitForDelivery(server.db, accountId, messageId, isFinished);
  expect((await states(messageId)).map(([, state]) => state)).toEqual(['accepted', 'accepted']);
  const single = await enqueue([{ subscriberId: third, values: {}, key: 'order' }]);
  await relay.waitForMessages(3);
  await expect.poll(() => states(single.messageId)).toEqual([[third, 'accepted']]);
  const campaign = await startMessage(server.db, accountId);
  await server.runJobs();
  await waitForDelivery(server.db, accountId, campaign, isFinished);
  const contacts = await listContactsSince(server.db, accountId, ids, sinceTime);
  expect(contacts.map((contact) => contact.subscriberId).toSorted((a, b) => a - b)).toEqual(
    [first, first, second, second, third, third].toSorted((a, b) => a - b),
  );
  const laterTime = new Date(clock.now().getTime() + 1_000);
  expect(await listContactsSince(server.db, accountId, ids, laterTime)).toEqual([]);
});

test('transactional emails and confirmations are sent before waiting marketing emails', async () => {
  const ids = await addPeople(server.db, accountId, 100);
  await enqueue(ids.map((subscriberId) => ({ subscriberId, values: {}, key: 'o' })));
  const { message_id: _, ...source } = sampleSource({
    account_id: accountId,
    kind: 'transactional',
  });
  const single = (kind: 'confirmation' | 'transactional') =>
    inTransaction(server.db, (tx) => {
      const recipient = `${kind}@home.example`;
      const singleSend = { accountId, sourceId: 1, source, values: {}, idempotencyKey: kind };
      return sendOne(tx, { ...singleSend, kind, recipient });
    });
  await single('confirmation');
  await single('transactional');
  startTestSender(server.db, relay.url, { rate: 40 });
  await relay.waitForMessages(20);
  const order = relay.accepted.map((receivedMessage) => receivedMessage.to[0]);
  expect(order.indexOf('transactional@home.example')).toBeLessThan(4);
  expect(order.indexOf('confirmation@home.example')).toBeLessThan(6);
});

test('single copies beyond the warm-up limit of the day are sent the next day', async () => {
  const at = clock.now();
  await sql`insert into warm_ups (account_id, domain, caps, created_at, modified_at)
    values (${accountId}, 'tea.example', '{5,50}', ${at}, ${at})`.execute(server.db);
  const ids = await addPeople(server.db, accountId, 12);
  await enqueue(ids.map((subscriberId) => ({ subscriberId, values: {}, key: 'o' })));
  const sender = startTestSender(server.db, relay.url);
  onTestFinished(() => sender.close());
  await relay.waitForMessages(5);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(relay.accepted).toHaveLength(5);
  clock.advance(86_400_000 + 60_000);
  await relay.waitForMessages(12);
});
