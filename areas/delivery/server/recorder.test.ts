// Writing answers down while something stands in the way: whoever holds one message's row, answers that
// come too late, a message that takes none. No other message's answers wait for it.
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { inTransaction, type Tx } from '#platform/server/database.ts';
import { checkInvariant } from '#testing/invariant.ts';
import { addPeople, isFinished, startMessage, untilDelivery } from '#testing/mailing.ts';
import { startTestSender } from '#testing/sender.ts';
import { testServer } from '#testing/server.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/smtp-server.ts';
import { cancel } from './control.ts';
import { addCounts, lockMessage } from './messages.sql.ts';
import { readDelivery } from './read-delivery.ts';

const server = await testServer();
let relay: TestSmtpServer;

beforeEach(async () => {
  relay = await startSmtpServer();
  return () => relay.close();
});

async function prepared(people: number, domain: string) {
  const { accountId } = await server.owner();
  // The letter that greets the owner is no part of this.
  await sql`delete from single_sends where account_id = ${accountId}`.execute(server.db);
  await addPeople(server.db, accountId, people, [domain]);
  const messageId = await startMessage(server.db, accountId);
  await server.runJobs();
  return { accountId, messageId };
}

async function expectInvariant(accountId: number, messageId: number, states: object) {
  const had = relay.accepted.map((one) => one.messageId);
  const checked = await checkInvariant(server.db, accountId, messageId, had);
  expect(checked).toEqual({ states, problems: [] });
}

/** Runs `work` in a transaction that stays open until the promise it returns is told to go on. */
function holding(take: (tx: Tx) => Promise<unknown>, end: (tx: Tx) => Promise<unknown>) {
  let release = () => {};
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  let tell = () => {};
  const isTaken = new Promise<void>((resolve) => {
    tell = resolve;
  });
  // Not inTransaction, which would try again where it was a deadlock's victim.
  const isOver = server.db.transaction().execute(async (tx) => {
    await take(tx);
    tell();
    await isReleased;
    await end(tx);
  });
  return { isTaken, release, isOver };
}

const waitingForLocks = async () => {
  const { rows } = await sql`select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(server.db);
  return rows.length;
};

test('a message that somebody holds keeps no other answers waiting, and nobody is a deadlock’s victim', async () => {
  const held = await prepared(1, 'held.example');
  const { accountId, messageId } = held;
  await sql`update messages set first_handed_over_at = ${clock.now()}
    where account_id = ${accountId} and id = ${messageId}`.execute(server.db);
  relay.script.rcpt = ({ line }) => (line.includes('@held.') ? '451 4.2.1 Later' : undefined);
  const holder = holding(
    (tx) => lockMessage(tx, accountId, messageId),
    (tx) => addCounts(tx, accountId, messageId, { deferred: 0 }),
  );
  await holder.isTaken;
  startTestSender(server.db, relay.url);
  await expect.poll(waitingForLocks, { timeout: 10_000 }).toBeGreaterThan(0);
  const other = await prepared(40, 'other.example');
  try {
    await untilDelivery(server.db, other.accountId, other.messageId, isFinished, 10_000);
  } finally {
    holder.release();
  }
  await holder.isOver;
  await untilDelivery(server.db, accountId, messageId, (one) => one.counts.deferred === 1);
  await expectInvariant(accountId, messageId, { deferred: 1 });
  await expectInvariant(other.accountId, other.messageId, { accepted: 40 });
});

test('cancelling waits for no slice of the audience, and the slice that was being written counts for nothing', async () => {
  const { accountId } = await server.owner();
  await addPeople(server.db, accountId, 30);
  const messageId = await startMessage(server.db, accountId);
  const holder = holding(
    (tx) => sql`lock table recipients in share mode`.execute(tx),
    async () => {},
  );
  await holder.isTaken;
  const isWritten = server.runJobs();
  await expect.poll(waitingForLocks, { timeout: 10_000 }).toBeGreaterThan(0);
  const state = async () => {
    const [delivery] = await readDelivery(server.db, accountId, [messageId]);
    return delivery?.state;
  };
  const isCancelled = inTransaction(server.db, (tx) => cancel(tx, accountId, messageId));
  try {
    await expect.poll(state, { timeout: 5_000 }).toBe('cancelled');
  } finally {
    holder.release();
    await Promise.all([holder.isOver, isCancelled, isWritten]);
  }
  const { rows } = await sql`select 1 from recipients where account_id = ${accountId}
    union all select 1 from lanes where account_id = ${accountId}`.execute(server.db);
  expect(rows).toEqual([]);
  await expectInvariant(accountId, messageId, {});
});
