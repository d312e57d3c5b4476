// Limits of a sending domain at mailbox providers: two senders share a limit, other providers do
// not wait, and a removed limit restores the speed.
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { MAILBOXES } from '#areas/subscribers/shared.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { checkInvariant } from '#testing/oracles/invariants.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/servers/smtp-server.ts';
import { testServer } from '#testing/setup/server.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import {
  addPeople,
  isFinished,
  startMessage,
  waitForDelivery,
} from '#testing/worlds/sending-helpers.ts';
import { setProviderCap } from './provider-caps.ts';

const server = await testServer();
const { db } = server;
let relay: TestSmtpServer;

beforeEach(async () => {
  relay = await startSmtpServer();
  return async () => {
    await sql`update messages set state = 'cancelled'`.execute(db);
    await relay.close();
  };
});

const DAY_MS = 86_400_000;

const setCap = (accountId: number, cap: Parameters<typeof setProviderCap>[3]) =>
  inTransaction(db, (tx) =>
    setProviderCap(tx, accountId, { domain: 'tea.example', mailbox: MAILBOXES.gmail }, cap),
  );

async function createAccount(recipientCount: number) {
  const { accountId } = await server.owner();
  await sql`delete from single_sends where account_id = ${accountId}`.execute(db);
  const ids = await addPeople(db, accountId, recipientCount);
  return { accountId, ids };
}

const atGmail = () => relay.accepted.filter(({ to }) => to[0]?.endsWith('@gmail.com'));
const pause = () => new Promise((resolve) => setTimeout(resolve, 1_500));

test('two senders share an hourly limit, other providers do not wait, and no copy is sent twice', async () => {
  const { accountId } = await createAccount(120);
  await setCap(accountId, { perHour: 10, isEngagedOnly: false });
  const messageId = await startMessage(db, accountId);
  await server.runJobs();
  startTestSender(db, relay.url);
  startTestSender(db, relay.url);
  // Each sender may hold a slice of the limit, which the other sender cannot use.
  await waitForDelivery(db, accountId, messageId, ({ counts }) => counts.accepted >= 88);
  await pause();
  expect(atGmail().length).toBeLessThanOrEqual(10);
  await setCap(accountId, undefined);
  await waitForDelivery(db, accountId, messageId, isFinished);
  const sent = relay.accepted.map((received) => received.messageId);
  expect(await checkInvariant(db, accountId, messageId, sent)).toEqual({
    ...{ states: { accepted: 120 }, problems: [] },
  });
});

test('a limit to engaged subscribers excludes all other subscribers at that mailbox provider', async () => {
  const { accountId, ids } = await createAccount(30);
  const at = clock.now();
  await sql`update subscribers set created_at = ${new Date(at.getTime() - 200 * DAY_MS)}
    where account_id = ${accountId}`.execute(db);
  // The first and the fourth subscriber have addresses at Gmail.
  await sql`insert into activity (account_id, subscriber_id, last_human_open_at)
    select ${accountId}::bigint, id, ${at}
    from unnest(${[ids[0], ids[3]]}::bigint[]) id`.execute(db);
  await setCap(accountId, { perHour: 20, isEngagedOnly: true });
  const messageId = await startMessage(db, accountId);
  await server.runJobs();
  startTestSender(db, relay.url);
  await waitForDelivery(db, accountId, messageId, ({ counts }) => counts.accepted === 22);
  await pause();
  expect(atGmail().map(({ to }) => to[0])).toEqual(['person1@gmail.com', 'person4@gmail.com']);
  await setCap(accountId, { perHour: null, isEngagedOnly: false });
  await waitForDelivery(db, accountId, messageId, isFinished);
});

test('a mail host has its own limit and counts', async () => {
  const { accountId } = await createAccount(60);
  await sql`update subscribers set mailbox = ${MAILBOXES.microsoft365}
    where account_id = ${accountId} and email like '%@home.example'`.execute(db);
  await inTransaction(db, (tx) =>
    setProviderCap(
      tx,
      accountId,
      { domain: 'tea.example', mailbox: MAILBOXES.microsoft365 },
      { perHour: 5, isEngagedOnly: false },
    ),
  );
  const messageId = await startMessage(db, accountId);
  await server.runJobs();
  startTestSender(db, relay.url);
  await waitForDelivery(db, accountId, messageId, ({ counts }) => counts.accepted >= 44);
  await pause();
  const atHost = relay.accepted.filter(({ to }) => to[0]?.endsWith('@home.example'));
  expect(atHost.length).toBeLessThanOrEqual(5);
  const { rows } = await sql<{ accepted: number }>`select sum(accepted)::int as accepted
    from lane_counts where account_id = ${accountId}
      and lane % 100 = ${MAILBOXES.microsoft365}`.execute(db);
  expect(rows[0]?.accepted).toBe(atHost.length);
});

test('rate-limit deferrals are counted per mailbox provider, at most once per attempt', async () => {
  const { accountId } = await createAccount(30);
  relay.script.rcpt = ({ line }) =>
    line.includes('@gmail.com') ? '421 4.7.28 Unusual rate of mail' : undefined;
  const messageId = await startMessage(db, accountId);
  await server.runJobs();
  startTestSender(db, relay.url);
  await waitForDelivery(db, accountId, messageId, ({ counts }) => counts.accepted === 20);
  const { rows } = await sql<{ throttled: number }>`select sum(throttled)::int as throttled
    from lane_counts where account_id = ${accountId} and lane % 100 = ${MAILBOXES.gmail}`.execute(
    db,
  );
  expect(rows[0]?.throttled).toBeGreaterThanOrEqual(1);
  // There is at most one deferral per attempt, and twenty attempts were accepted.
  expect(rows[0]?.throttled).toBeLessThanOrEqual(relay.countCommands('rcpt') - 20);
});
