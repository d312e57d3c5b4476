// Results are written despite obstacles: a locked message row, late replies, and concurrent changes
// of the message. Results of other messages never wait.
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { inTransaction, type Tx } from '#platform/server/database/database.ts';
import { checkInvariant } from '#testing/oracles/invariants.ts';
import { lockWaiters } from '#testing/setup/lock-waiters.ts';
import {
  addPeople,
  isFinished,
  startMessage,
  waitForDelivery,
} from '#testing/worlds/sending-helpers.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { testServer } from '#testing/setup/server.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/servers/smtp-server.ts';
import { LeaseKeeper } from '../sender/lease-keeper.ts';
import { finishIfComplete } from './audience.ts';
import { cancelMessage, retryMessage } from './control.ts';
import { addCounts, lockMessage } from './messages.sql.ts';
import { readDelivery } from './read-delivery.ts';

const server = await testServer();
let relay: TestSmtpServer;

beforeEach(async () => {
  relay = await startSmtpServer();
  return () => relay.close();
});

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function prepareMessage(recipientCount: number, domain: string) {
  const { accountId } = await server.owner();
  // The verification email to the owner is not part of this test.
  await sql`delete from single_sends where account_id = ${accountId}`.execute(server.db);
  await addPeople(server.db, accountId, recipientCount, [domain]);
  const messageId = await startMessage(server.db, accountId);
  await server.runJobs();
  return { accountId, messageId };
}

async function expectInvariant(accountId: number, messageId: number, states: object) {
  const log = relay.accepted.map((receivedMessage) => receivedMessage.messageId);
  const invariant = await checkInvariant(server.db, accountId, messageId, log);
  expect(invariant).toEqual({ states, problems: [] });
}

/**
 * Runs `beginTransaction` in a transaction, which stays open until `release` is called and then
 * runs `end`.
 */
function holdTransaction(
  beginTransaction: (tx: Tx) => Promise<unknown>,
  end: (tx: Tx) => Promise<unknown>,
) {
  let release = () => {};
  const releasedSignal = new Promise<void>((resolve) => {
    release = resolve;
  });
  let signalStarted = () => {};
  const startedSignal = new Promise<void>((resolve) => {
    signalStarted = resolve;
  });
  // inTransaction is not used here, because it retries after a deadlock.
  const transaction = server.db.transaction().execute(async (tx) => {
    await beginTransaction(tx);
    signalStarted();
    await releasedSignal;
    await end(tx);
  });
  return { started: startedSignal, release, done: transaction };
}

const waitingForLocks = async () => (await lockWaiters(server.db)).length;

test('a locked message does not delay other results, and no transaction deadlocks', async () => {
  const blockedMessage = await prepareMessage(1, 'held.example');
  const { accountId, messageId } = blockedMessage;
  await sql`update messages set first_handed_over_at = ${clock.now()}
    where account_id = ${accountId} and id = ${messageId}`.execute(server.db);
  relay.script.rcpt = ({ line }) => (line.includes('@held.') ? '451 4.2.1 Later' : undefined);
  const holder = holdTransaction(
    (tx) => lockMessage(tx, accountId, messageId),
    (tx) => addCounts(tx, accountId, messageId, { skipped: 0 }),
  );
  await holder.started;
  startTestSender(server.db, relay.url);
  await expect.poll(waitingForLocks, { timeout: 10_000 }).toBeGreaterThan(0);
  const otherMessage = await prepareMessage(40, 'other.example');
  try {
    await waitForDelivery(
      server.db,
      otherMessage.accountId,
      otherMessage.messageId,
      isFinished,
      10_000,
    );
  } finally {
    holder.release();
  }
  await holder.done;
  await waitForDelivery(
    server.db,
    accountId,
    messageId,
    (delivery) => delivery.counts.deferred === 1,
  );
  await expectInvariant(accountId, messageId, { deferred: 1 });
  await expectInvariant(otherMessage.accountId, otherMessage.messageId, { accepted: 40 });
});

test('canceling does not wait for an audience slice, and the slice being written is discarded', async () => {
  const { accountId } = await server.owner();
  await addPeople(server.db, accountId, 30);
  const messageId = await startMessage(server.db, accountId);
  const holder = holdTransaction(
    (tx) => sql`lock table recipients in share mode`.execute(tx),
    async () => {},
  );
  await holder.started;
  const jobs = server.runJobs();
  await expect.poll(waitingForLocks, { timeout: 10_000 }).toBeGreaterThan(0);
  const state = async () => {
    const [delivery] = await readDelivery(server.db, accountId, [messageId]);
    return delivery?.state;
  };
  const cancellation = inTransaction(server.db, (tx) => cancelMessage(tx, accountId, messageId));
  try {
    await expect.poll(state, { timeout: 5_000 }).toBe('cancelled');
  } finally {
    holder.release();
    await Promise.all([holder.done, cancellation, jobs]);
  }
  const { rows } = await sql`select 1 from recipients where account_id = ${accountId}
    union all select 1 from lanes where account_id = ${accountId}`.execute(server.db);
  expect(rows).toEqual([]);
  await expectInvariant(accountId, messageId, {});
});

test('a message that is retried while it finishes is finished only after the retry', async () => {
  const { accountId, messageId } = await prepareMessage(3, 'again.example');
  relay.script.rcpt = ({ line }) => (line.includes('@again.') ? '554 5.7.1 Refused' : undefined);
  const sender = startTestSender(server.db, relay.url);
  await waitForDelivery(server.db, accountId, messageId, isFinished);
  await sender.close();
  await sql`update messages set state = 'sending', finished_at = null
    where account_id = ${accountId} and id = ${messageId}`.execute(server.db);
  const retrying = holdTransaction(
    (tx) => lockMessage(tx, accountId, messageId),
    async (tx) => expect(await retryMessage(tx, accountId, messageId, 'failed')).toBe(3),
  );
  await retrying.started;
  const finishing = inTransaction(server.db, (tx) => finishIfComplete(tx, accountId, messageId));
  try {
    await expect.poll(waitingForLocks, { timeout: 10_000 }).toBeGreaterThan(0);
  } finally {
    retrying.release();
  }
  await retrying.done;
  expect(await finishing).toBe(false);
  const [delivery] = await readDelivery(server.db, accountId, [messageId]);
  expect(delivery).toMatchObject({ state: 'sending', counts: { deferred: 3 } });
  relay.script.rcpt = undefined;
  startTestSender(server.db, relay.url);
  await waitForDelivery(server.db, accountId, messageId, isFinished);
  await expectInvariant(accountId, messageId, { accepted: 3 });
});

/**
 * Settles a copy as unknown while it is at the final dot, as if its sender were dead; `answer`
 * releases the relay's reply. The same happens if a sender loses the database for longer than the
 * lifetime of its leases.
 */
async function settleTooEarly(reply: string, attempts = 1) {
  const { accountId, messageId } = await prepareMessage(1, 'late.example');
  if (attempts > 1) relay.script.rcpt = ['450 4.2.1 Later'];
  let sendReply = () => {};
  const replySent = new Promise<void>((resolve) => {
    sendReply = resolve;
  });
  relay.script.dot = [{ reply, waitFor: replySent }];
  startTestSender(server.db, relay.url);
  if (attempts > 1) {
    await waitForDelivery(
      server.db,
      accountId,
      messageId,
      (delivery) => delivery.counts.deferred === 1,
    );
    clock.advance(3_600_000);
  }
  await expect.poll(() => relay.countCommands('dot'), { timeout: 10_000 }).toBe(1);
  clock.advance(31_000);
  await new LeaseKeeper(server.db, 'another', 1_000).settleExpired(clock.now());
  await waitForDelivery(server.db, accountId, messageId, isFinished);
  await expectInvariant(accountId, messageId, { unknown: 1 });
  return { accountId, messageId, answer: sendReply };
}

const retryUnknown = (tx: Tx, accountId: number, messageId: number) =>
  retryMessage(tx, accountId, messageId, 'unknown');

describe('a reply after its attempt was settled as unknown', () => {
  test.each([1, 2])(
    "a late reply to attempt %i, before the owner's retry has begun, stops the second copy",
    async (attempts) => {
      const { accountId, messageId, answer } = await settleTooEarly('250 2.0.0 Taken', attempts);
      await inTransaction(server.db, async (tx) => {
        expect(await retryUnknown(tx, accountId, messageId)).toBe(1);
        await sql`update deferrals set next_attempt_at = ${new Date(clock.now().getTime() + 60_000)}
          where account_id = ${accountId}`.execute(tx);
      });
      answer();
      const { counts } = await waitForDelivery(server.db, accountId, messageId, isFinished);
      expect(counts).toMatchObject({ accepted: 1, unknown: 0, deferred: 0 });
      await expectInvariant(accountId, messageId, { accepted: 1 });
      clock.advance(120_000);
      await sleep(1_500);
      expect(
        relay.accepted.filter(
          (receivedMessage) => receivedMessage.to[0] === 'person1@late.example',
        ),
      ).toHaveLength(1);
    },
  );

  test("a late reply that arrives during a retry is recorded alongside the retry's result, and the copy counts once", async () => {
    const { accountId, messageId, answer } = await settleTooEarly('250 2.0.0 Taken');
    await inTransaction(server.db, (tx) => retryUnknown(tx, accountId, messageId));
    await waitForDelivery(
      server.db,
      accountId,
      messageId,
      (delivery) => delivery.counts.handing_over === 1,
    );
    const states = async () => {
      const { rows } = await sql<{ state: string }>`select state from results
        where account_id = ${accountId} order by attempt`.execute(server.db);
      return rows.map((row) => row.state);
    };
    expect(await states()).toEqual(['unknown']);
    answer();
    await expect.poll(states, { timeout: 8_000 }).toEqual(['accepted', 'accepted']);
    await expectInvariant(accountId, messageId, { accepted: 1 });
  });

  test('a late deferral keeps the message open until the copy is sent', async () => {
    const { accountId, messageId, answer } = await settleTooEarly('451 4.3.0 Later');
    answer();
    await waitForDelivery(
      server.db,
      accountId,
      messageId,
      (delivery) => delivery.counts.deferred === 1,
    );
    clock.advance(120_000);
    await waitForDelivery(server.db, accountId, messageId, isFinished);
    await expectInvariant(accountId, messageId, { accepted: 1 });
  });
});
