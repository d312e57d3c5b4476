// The circuit breaker: too many bounces or complaints stop a campaign. Its owner is notified and
// can resume it.
import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { MAILBOXES, type Mailbox } from '#areas/subscribers/shared.ts';
import {
  getInstallationTokens,
  readEngagement,
  recordComplaints,
} from '#areas/tracking/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import {
  addPeople,
  isFinished,
  startMessage,
  waitForDelivery,
} from '#testing/worlds/sending-helpers.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/servers/smtp-server.ts';
import { breakerPoller, findExceededLimit, pollBreaker } from './breaker.ts';
import { processReturnedEmail } from '../feedback/index.ts';
import { cancelMessage, type MessageDelivery, readDelivery, resumeMessage } from './index.ts';
import { TIER } from './lanes.ts';

let server: TestServer;
let relay: TestSmtpServer;

beforeAll(async () => {
  server = await testServer();
});

beforeEach(async () => {
  relay = await startSmtpServer();
  return () => relay.close();
});

const isPaused = (delivery: { state: string }) => delivery.state === 'paused';
const poll = () => breakerPoller.run(server.db, new AbortController().signal);

async function prepareMessage(recipientCount: number) {
  const owner = await server.owner();
  // Earlier system emails are not part of this test.
  await sql`delete from single_sends`.execute(server.db);
  await addPeople(server.db, owner.accountId, recipientCount);
  const messageId = await startMessage(server.db, owner.accountId);
  await server.runJobs();
  return { accountId: owner.accountId, messageId };
}

/** Adds bounces and complaints to the message's counts, as later reports would. */
async function addCounts(
  accountId: number,
  messageId: number,
  extraTotals: Record<string, number>,
) {
  await sql`insert into engagement_counts (account_id, message_id, hard_bounces, complaints)
    values (${accountId}, ${messageId}, ${extraTotals.bounces ?? 0}, ${extraTotals.complaints ?? 0})
    on conflict (account_id, message_id) do update
      set hard_bounces = engagement_counts.hard_bounces + excluded.hard_bounces,
        complaints = engagement_counts.complaints + excluded.complaints`.execute(server.db);
}

const dsn = (
  subscriberId: number,
  code: string,
  diagnostic: string,
) => `From: MAILER-DAEMON@relay.example
Subject: Undelivered Mail Returned to Sender
Message-ID: <${subscriberId}.${Math.random()}@relay.example>
Content-Type: multipart/report; report-type=delivery-status; boundary=B

--B
Content-Type: message/delivery-status

Reporting-MTA: dns; relay.example

Final-Recipient: rfc822; somebody@x.example
Action: failed
Status: ${code}
Diagnostic-Code: smtp; 550 ${code} ${diagnostic}
--B--
`;

/** Cancels a message that would otherwise resume and reach the relays of later tests. */
async function cancelInTransaction(accountId: number, messageId: number): Promise<void> {
  await inTransaction(server.db, (tx) => cancelMessage(tx, accountId, messageId));
}

const systemEmailsOf = async (accountId: number) => {
  const { rows } = await sql<{ subject: string }>`
    select m.frozen #>> '{source,subject}' as subject from single_sends s
    join messages m on m.account_id = s.account_id and m.id = s.message_id
    where s.account_id = ${accountId}`.execute(server.db);
  return rows.map((row) => row.subject);
};

describe('too many bounces', () => {
  test('too many bounces stop a campaign during sending; the owner is notified and can resume it', async () => {
    const { accountId, messageId } = await prepareMessage(1_200);
    relay.script.rcpt = ({ previousCount }) =>
      previousCount % 10 === 3 ? '550 5.1.1 No such user' : undefined;
    startTestSender(server.db, relay.url, { rate: 200 });
    const delivery = await waitForDelivery(server.db, accountId, messageId, isPaused);
    expect(delivery).toMatchObject({ reason: 'bounces_high', details: { limit: 0.05 } });
    const { count: bounces, of } = delivery.details as { count: number; of: number };
    expect(of).toBeGreaterThanOrEqual(200);
    expect(of).toBeLessThan(600);
    expect(bounces / of).toBeGreaterThan(0.05);
    expect(await systemEmailsOf(accountId)).toEqual([
      '“{{ mail_subject }}” has stopped: too many emails bounce',
    ]);
    // The relay refuses no further recipient. After the resume, the earlier bounces do not stop the
    // campaign again.
    relay.script.rcpt = undefined;
    await inTransaction(server.db, (tx) => resumeMessage(tx, accountId, messageId));
    await poll();
    await waitForDelivery(server.db, accountId, messageId, isFinished);
    expect(await systemEmailsOf(accountId)).toHaveLength(1);
  });

  test('too many bounces stop a campaign even if they are reported after the handoff', async () => {
    const { accountId, messageId } = await prepareMessage(500);
    startTestSender(server.db, relay.url, { rate: 150 });
    await relay.waitForMessages(210);
    await addCounts(accountId, messageId, { bounces: 60 });
    await poll();
    const [delivery] = await readDelivery(server.db, accountId, [messageId]);
    expect(delivery).toMatchObject({ state: 'paused', reason: 'bounces_high' });
    const acceptedBefore = relay.accepted.length;
    const isIdle = (delivery: MessageDelivery) => delivery.counts.handing_over === 0;
    await waitForDelivery(server.db, accountId, messageId, isIdle);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(relay.accepted.length - acceptedBefore).toBeLessThan(60);
  });
});

describe('too many complaints', () => {
  test('too many complaints stop a campaign only after its first thousand copies', async () => {
    const { accountId, messageId } = await prepareMessage(2_000);
    // This rate lets even a busy machine poll before the thousandth copy, and before the last.
    startTestSender(server.db, relay.url, { rate: 250 });
    await relay.waitForMessages(100);
    await addCounts(accountId, messageId, { complaints: 6 });
    await poll();
    const [early] = await readDelivery(server.db, accountId, [messageId]);
    expect(early?.state).toBe('sending');
    await waitForDelivery(
      server.db,
      accountId,
      messageId,
      (delivery) => delivery.counts.accepted >= 1_000,
    );
    await poll();
    const [delivery] = await readDelivery(server.db, accountId, [messageId]);
    expect(delivery).toMatchObject({ state: 'paused', reason: 'complaints_high' });
    expect(delivery?.details).toMatchObject({ count: 6, limit: 0.003 });
    expect(await systemEmailsOf(accountId)).toHaveLength(1);
  });
});

test('a campaign stops if most copies are refused for their content, and the owner receives the reply', async () => {
  const { accountId, messageId } = await prepareMessage(1_000);
  relay.script.dot = ({ from }) =>
    from.includes('@localhost') ? undefined : '554 5.7.1 A link in it is on a block list';
  startTestSender(server.db, relay.url, { rate: 200 });
  const delivery = await waitForDelivery(server.db, accountId, messageId, isPaused);
  expect(delivery).toMatchObject({ reason: 'mails_refused' });
  expect(delivery.counts.failed).toBeGreaterThanOrEqual(200);
  expect(delivery.counts.failed).toBeLessThan(1_000);
  expect(await systemEmailsOf(accountId)).toEqual([
    '“{{ mail_subject }}” has stopped: most of its emails are refused',
  ]);
  await expect.poll(() => relay.accepted.length).toBe(1);
  expect(relay.accepted[0]?.source).toContain('A link in it is on a block list');
});

test('a campaign whose last copy went to a nonexistent address shows the owner the refusals of the other copies', async () => {
  const { accountId, messageId } = await prepareMessage(200);
  let attempts = 0;
  relay.script.rcpt = ({ line }) => {
    if (!line.includes('person200@')) return undefined;
    return attempts++ === 0 ? '451 4.2.1 Later' : '550 5.1.1 No such user';
  };
  relay.script.dot = ({ from }) =>
    from.includes('@localhost') ? undefined : '554 5.7.1 A link in it is on a block list';
  startTestSender(server.db, relay.url);
  const isOneLeft = ({ counts }: MessageDelivery) => counts.failed === 199 && counts.deferred === 1;
  expect((await waitForDelivery(server.db, accountId, messageId, isOneLeft)).state).toBe('sending');
  onTestFinished(() => clock.reset());
  clock.advance(120_000);
  const delivery = await waitForDelivery(server.db, accountId, messageId, isPaused);
  expect(delivery).toMatchObject({
    reason: 'mails_refused',
    details: { count: 199, of: 200, code: '5.7.1', reply: 'A link in it is on a block list' },
  });
  await expect.poll(() => relay.accepted.length).toBe(1);
  expect(relay.accepted[0]?.source).toContain('A link in it is on a block list');
});

describe('a relay that accepts copies and reports bounces later', () => {
  /** Sends a campaign of 500 copies; the relay accepts 250 of them and defers the others. */
  async function sendHalf() {
    const { accountId, messageId } = await prepareMessage(500);
    let acceptedCount = 0;
    relay.script.dot = ({ from }) => {
      if (from.includes('@localhost')) return undefined;
      return acceptedCount++ < 250 ? undefined : '451 4.3.2 Later';
    };
    startTestSender(server.db, relay.url);
    await waitForDelivery(
      server.db,
      accountId,
      messageId,
      (delivery) => delivery.counts.accepted === 250,
    );
    const { rows } = await sql<{ subscriber_id: number }>`
      select r.subscriber_id from recipients r join results a on a.account_id = r.account_id
        and a.message_id = r.message_id and a.lane = r.lane and a.ordinal = r.ordinal
        and a.state = 'accepted'
      where r.account_id = ${accountId} and r.message_id = ${messageId}
      limit 200`.execute(server.db);
    expect(rows).toHaveLength(200);
    const report = async (id: number, code: string, diagnostic: string) => {
      const payload = { account: accountId, message: messageId, subscriber: id, ordinal: 1 };
      const returnPath = `b+${getInstallationTokens().make(payload, 'bounce')}@bounce.example`;
      const bytes = Buffer.from(dsn(id, code, diagnostic).replaceAll('\n', '\r\n'));
      expect(await processReturnedEmail(server.db, { from: '', to: [returnPath], bytes })).toBe(
        'bounces',
      );
    };
    const subscriberIds = rows.map((row) => row.subscriber_id);
    onTestFinished(() => cancelInTransaction(accountId, messageId));
    const currentDelivery = async () => (await readDelivery(server.db, accountId, [messageId]))[0];
    return { accountId, messageId, people: subscriberIds, report, currentDelivery };
  }

  test('a campaign stops if most copies bounce for policy reasons, and the owner is notified', async () => {
    const { accountId, people, report, currentDelivery } = await sendHalf();
    const diagnostic = 'This mail is unauthenticated, which poses a security risk';
    for (const id of people) await report(id, '5.7.26', diagnostic);
    await poll();
    expect(await currentDelivery()).toMatchObject({
      state: 'paused',
      reason: 'mails_refused',
      details: { count: 200, of: 250, code: '5.7.26', reply: expect.stringContaining(diagnostic) },
    });
    expect(await systemEmailsOf(accountId)).toEqual([
      '“{{ mail_subject }}” has stopped: most of its emails are refused',
    ]);
  });

  test('full mailboxes, timeouts and refusals of a minority do not stop a campaign', async () => {
    const { accountId, messageId, people, report, currentDelivery } = await sendHalf();
    for (const [index, id] of people.entries()) {
      if (index < 90) await report(id, '5.2.2', 'Mailbox full');
      else if (index < 100) await report(id, '5.4.7', 'Delivery time expired');
      else await report(id, '5.7.1', 'Refused by policy');
    }
    await poll();
    expect((await currentDelivery())?.state).not.toBe('paused');
    expect(await systemEmailsOf(accountId)).toEqual([]);
    expect((await readEngagement(server.db, accountId, [messageId])).get(messageId)).toMatchObject({
      soft_bounces: 200,
    });
  });
});

test('more open messages than fit on a page are all polled, page by page', async () => {
  const { accountId, messageId: first } = await prepareMessage(5);
  const second = await startMessage(server.db, accountId);
  await server.runJobs();
  const tooMany = (messageId: number) =>
    sql`update delivery_counts set accepted = 300, failed = 0
      where account_id = ${accountId} and message_id = ${messageId}`
      .execute(server.db)
      .then(() => addCounts(accountId, messageId, { bounces: 100 }));
  const states = async () =>
    (await readDelivery(server.db, accountId, [first, second])).map(({ state }) => state);
  const { rows } = await sql`select 1 from messages m join engagement_counts e
    on e.account_id = m.account_id and e.message_id = m.id
    where m.state in ('preparing', 'sending', 'waiting')`.execute(server.db);
  expect(rows).toEqual([]);
  const poller = pollBreaker(1);
  const runPoller = () => poller.run(server.db, new AbortController().signal);
  // The first message has one bounce, too few to stop it, so it continues to fill the first page.
  await addCounts(accountId, first, { bounces: 1 });
  await tooMany(second);
  await runPoller();
  expect(await states()).toEqual(['sending', 'sending']);
  await runPoller();
  expect(await states()).toEqual(['sending', 'paused']);
  await tooMany(first);
  await runPoller();
  await runPoller();
  expect(await states()).toEqual(['paused', 'paused']);
});

test('refusals before a message is resumed do not count, even if the stored totals lack soft bounces', async () => {
  const { accountId, messageId } = await prepareMessage(10);
  await sql`update messages set breaker_from = ${JSON.stringify({
    accepted: 90,
    handed: 290,
    hard_bounces: 0,
    complaints: 0,
  })} where account_id = ${accountId} and id = ${messageId}`.execute(server.db);
  await sql`update delivery_counts set accepted = 300, failed = 200
    where account_id = ${accountId} and message_id = ${messageId}`.execute(server.db);
  await sql`insert into engagement_counts (account_id, message_id, soft_bounces)
    values (${accountId}, ${messageId}, 200)`.execute(server.db);
  await poll();
  const [delivery] = await readDelivery(server.db, accountId, [messageId]);
  expect(delivery?.state).toBe('sending');
  await cancelInTransaction(accountId, messageId);
});

test('the complaint rate counts only copies at mailbox providers that report complaints', async () => {
  const { accountId } = await server.owner();
  const subscriberIds = await addPeople(server.db, accountId, 8, ['gmail.com', 'yahoo.com']);
  const messageId = await startMessage(server.db, accountId);
  await server.runJobs();
  onTestFinished(() => cancelInTransaction(accountId, messageId));
  await sql`update delivery_counts set accepted = 2000
    where account_id = ${accountId} and message_id = ${messageId}`.execute(server.db);
  await sql`insert into lane_counts (account_id, message_id, lane, day, accepted) values
    (${accountId}, ${messageId}, ${MAILBOXES.gmail}, '2026-06-01', 1600),
    (${accountId}, ${messageId}, ${MAILBOXES.yahoo}, '2026-06-01', 300),
    (${accountId}, ${messageId}, ${TIER + MAILBOXES.yahoo}, '2026-06-01', 100)`.execute(server.db);
  const complain = (subscriberId = 0) =>
    inTransaction(server.db, (tx) =>
      recordComplaints(tx, accountId, [{ messageId, subscriberId }]),
    );
  const atYahoo = subscriberIds.filter((_, index) => index % 2 === 1);
  for (const id of atYahoo.slice(0, 3)) await complain(id);
  await poll();
  expect((await readDelivery(server.db, accountId, [messageId]))[0]?.state).toBe('sending');
  // Four complaints are only 0.2 % of all copies, which is below the limit of 0.3 %.
  await complain(atYahoo[3]);
  await poll();
  expect((await readDelivery(server.db, accountId, [messageId]))[0]).toMatchObject({
    state: 'paused',
    reason: 'complaints_high',
    details: { count: 4, of: 1_000, limit: 0.003 },
  });
  // After the resume, earlier copies and complaints do not count.
  await inTransaction(server.db, (tx) => resumeMessage(tx, accountId, messageId));
  await poll();
  expect((await readDelivery(server.db, accountId, [messageId]))[0]?.state).toBe('sending');
});

test('a relay that refuses the sender causes a system email with the relay’s reply', async () => {
  const { accountId, messageId } = await prepareMessage(20);
  relay.script.mail = ({ line }) =>
    line.includes('@localhost') ? undefined : '550 5.7.1 Not from here';
  startTestSender(server.db, relay.url);
  await waitForDelivery(server.db, accountId, messageId, isPaused);
  await expect.poll(() => relay.accepted.length).toBe(1);
  expect(relay.accepted[0]?.source).toContain('Not from here');
});

test('a message is not stopped by the refusal of a handoff that began before the message was resumed', async () => {
  const { accountId, messageId } = await prepareMessage(4);
  const [bothStarted, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let refusedCount = 0;
  relay.script.mail = ({ line }) => {
    if (line.includes('@localhost') || refusedCount === 2) return undefined;
    if (++refusedCount === 1)
      return { reply: '550 5.7.1 Not from here', waitFor: bothStarted.promise };
    bothStarted.resolve();
    return { reply: '550 5.7.1 Not from here', waitFor: resumed.promise };
  };
  startTestSender(server.db, relay.url);
  await waitForDelivery(server.db, accountId, messageId, isPaused);
  await inTransaction(server.db, (tx) => resumeMessage(tx, accountId, messageId));
  resumed.resolve();
  await waitForDelivery(server.db, accountId, messageId, isFinished);
  expect(refusedCount).toBe(2);
  expect(await systemEmailsOf(accountId)).toHaveLength(1);
});

test.each([
  [{ accepted: 180, handed: 199, hard_bounces: 19 }, undefined],
  [{ accepted: 190, handed: 200, hard_bounces: 10 }, undefined],
  [{ accepted: 100, handed: 200, soft_bounces: 100 }, undefined],
  [{ accepted: 0, handed: 199, soft_bounces: 199 }, undefined],
  [{ accepted: 99, handed: 200, soft_bounces: 101 }, 'mails_refused'],
  [{ accepted: 190, handed: 201, hard_bounces: 11 }, 'bounces_high'],
  [{ accepted: 999, handed: 999, complaints: 50 }, undefined],
  [{ accepted: 1_000, handed: 1_000, complaints: 3 }, undefined],
  [{ accepted: 1_000, handed: 1_000, complaints: 4 }, 'complaints_high'],
  // The relay accepts everything and reports bounces later.
  [{ accepted: 300, handed: 300, soft_bounces: 200 }, 'mails_refused'],
  // Hard bounces of accepted copies do not reduce the number of refusals.
  [{ accepted: 140, handed: 300, hard_bounces: 12, soft_bounces: 160 }, 'mails_refused'],
] as const)('the totals %o lead to the reason %s', (totals, reason) => {
  const nothing = { hard_bounces: 0, soft_bounces: 0, complaints: 0 };
  expect(findExceededLimit({ ...nothing, ...totals })?.[0]).toBe(reason);
});

const byMailbox = { gmail: 4_000, yahoo: 2_000 };
test.each([
  [[], 12, undefined],
  [[], 19, 'complaints_high'],
  [['yahoo'], 6, undefined],
  [['yahoo'], 7, 'complaints_high'],
  [['gmail', 'yahoo'], 18, undefined],
  [['gmail', 'yahoo'], 19, 'complaints_high'],
  // The rate is based on at least a thousand copies, so three complaints stop nothing.
  [['orange'], 3, undefined],
  [['orange'], 4, 'complaints_high'],
] as const)(
  'given reports of %o, %i complaints lead to the reason %s',
  (reporting, complaints, reason) => {
    const accepted_by = Object.fromEntries(
      Object.entries(byMailbox).map(([name, count]) => [MAILBOXES[name as Mailbox], count]),
    );
    const totals = {
      accepted: 6_000,
      handed: 6_000,
      hard_bounces: 0,
      soft_bounces: 0,
      accepted_by,
    };
    const mailboxes = new Set((reporting as readonly Mailbox[]).map((name) => MAILBOXES[name]));
    const exceeded = findExceededLimit({ ...totals, complaints }, undefined, mailboxes);
    expect(exceeded?.[0]).toBe(reason);
    // Copies and complaints before the last resume change nothing.
    const baseline = { ...totals, complaints: 50 };
    const laterTotals = {
      ...totals,
      ...{ accepted: 12_000, handed: 12_000, complaints: complaints + 50 },
      accepted_by: Object.fromEntries(
        Object.entries(accepted_by).map(([mailbox, count]) => [mailbox, 2 * count]),
      ),
    };
    expect(findExceededLimit(laterTotals, baseline, mailboxes)?.[0]).toBe(reason);
  },
);
