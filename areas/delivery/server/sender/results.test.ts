// The effects of relay replies: each reply leaves the ledger correct (invariant I). Group numbers
// refer to the faults in docs/reliability.md.
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { recordSoftBounces } from '#areas/tracking/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { checkInvariant, listRecipients } from '#testing/oracles/invariants.ts';
import { isFinished, waitForDelivery } from '#testing/worlds/sending-helpers.ts';
import { insertCampaign } from '#testing/worlds/reported-campaign.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import {
  expectInvariant,
  runToCompletion,
  listAcceptedIds,
  prepareCampaign,
  relay,
  server,
  sleep,
} from '#testing/worlds/sending-setup.ts';
import { startSmtpServer } from '#testing/servers/smtp-server.ts';
import { readDelivery, resumeMessage, retryMessage } from '../ledger/index.ts';
import { findTotals, saveBreakerFrom, type BreakerTotals } from '../ledger/breaker.sql.ts';

type CountedDelivery = { counts: { accepted: number } };

/**
 * More than the number of connections, but few: after a 421, a relay gets only ten copies per
 * second.
 */
const COPIES = 10;
const CONNECTIONS = 4;

describe('4: every reply at every verb', () => {
  test.each([
    ['rcpt', '550 5.1.1 No such user', 'failed', 'bounced'],
    ['rcpt', '550 5.7.1 We do not like this', 'failed', 'active'],
    ['rcpt', '552 5.2.2 Mailbox full', 'failed', 'active'],
    ['rcpt', '450 4.2.1 Try later', 'deferred', 'active'],
    ['data', '554 5.6.0 Not this', 'failed', 'active'],
    ['dot', '451 4.6.0 Not now', 'deferred', 'active'],
    ['dot', '550 5.7.1 Spam', 'failed', 'active'],
  ] as const)(
    'after the reply to %s “%s” the recipient is %s and the subscriber %s',
    async (verb, reply, state, status) => {
      const { accountId, messageId, ids } = await prepareCampaign(1);
      relay.script[verb] = reply;
      startTestSender(server.db, relay.url);
      await waitForDelivery(
        server.db,
        accountId,
        messageId,
        (delivery) => delivery.counts[state] === 1,
      );
      await expectInvariant(accountId, messageId, { [state]: 1 });
      const { rows } = await sql<{ email_status: string }>`select email_status from subscribers
      where account_id = ${accountId} and id = ${ids[0]}`.execute(server.db);
      expect(rows[0]?.email_status).toBe(status);
      const [recipient] = await listRecipients(server.db, accountId, messageId);
      expect(recipient?.code).toBe(reply.split(' ')[1]);
    },
  );

  test.each([
    ['banner', '554 5.7.1 Go away'],
    ['mail', '550 5.7.1 You may not send from there'],
    ['mail', '550 5.4.5 Daily user sending quota exceeded'],
    [
      'dot',
      '554 5.7.0 Your account is suspended: sending has been disabled for your account paused',
    ],
  ] as const)(
    'after the reply to %s “%s” the message pauses and no subscriber is suppressed',
    async (verb, reply) => {
      const { accountId, messageId } = await prepareCampaign(40);
      relay.script[verb] = reply;
      startTestSender(server.db, relay.url);
      const isPaused = (delivery: { state: string }) => delivery.state === 'paused';
      const delivery = await waitForDelivery(server.db, accountId, messageId, isPaused);
      expect(delivery).toMatchObject({ reason: 'sender_refused' });
      expect(delivery.details?.reply).toBeTruthy();
      relay.script[verb] = undefined;
      await sleep(300);
      // Only the system email to the owner may have been accepted.
      expect(
        relay.accepted.filter((receivedMessage) => receivedMessage.to[0]?.startsWith('person')),
      ).toEqual([]);
      await inTransaction(server.db, (tx) => resumeMessage(tx, accountId, messageId));
      await waitForDelivery(server.db, accountId, messageId, isFinished);
      await expectInvariant(accountId, messageId, { accepted: 40 });
      const { rows } =
        await sql`select 1 from suppressions where account_id = ${accountId}`.execute(server.db);
      expect(rows).toEqual([]);
    },
  );

  test.each([
    ['banner', '421 4.3.2 Busy'],
    ['ehlo', '421 4.3.0 Later'],
    ['mail', '421 4.7.0 Slow down'],
    ['rcpt', '421 4.7.0 Slow down'],
    ['data', '421 4.3.0 Later'],
    ['dot', '421 4.3.0 Later'],
  ] as const)(
    'a relay that first replies to %s “%s” finally gets all copies, at most two with an unknown outcome',
    async (verb, reply) => {
      const { accountId, messageId } = await prepareCampaign(COPIES);
      relay.script[verb] = [reply, reply];
      startTestSender(server.db, relay.url);
      const nearlyAll = (counted: CountedDelivery) =>
        counted.counts.accepted >= COPIES - CONNECTIONS;
      await waitForDelivery(server.db, accountId, messageId, nearlyAll, 30_000);
      const delivery = await runToCompletion(accountId, messageId);
      // A relay that replies 421 closes the connection. If the next message was already sent on it
      // in chunks, that message is complete but gets no reply, so its outcome is unknown.
      const { accepted, unknown } = delivery.counts;
      expect(accepted + unknown).toBe(COPIES);
      expect(unknown).toBeLessThanOrEqual(verb === 'banner' || verb === 'ehlo' ? 0 : 2);
      await expectInvariant(accountId, messageId, unknown ? { accepted, unknown } : { accepted });
    },
    90_000,
  );

  describe.each([
    ['DATA', false, true],
    ['DATA, although the relay offers chunks', true, false],
    ['chunks', true, true],
  ] as const)('a relay that replies 421 and closes, with %s', (_, offers, chunking) => {
    test.each(['mail', 'rcpt', 'data', 'dot'] as const)(
      'gets each copy once if it closes at %s',
      async (verb) => {
        const closing = await startSmtpServer({ chunking: offers });
        try {
          const { accountId, messageId } = await prepareCampaign(COPIES);
          const goodbye = { reply: '421 4.3.2 Closing', hangUp: 'behind' } as const;
          // A chunk gets the same reply as the final dot.
          closing.script[verb === 'data' && offers && chunking ? 'dot' : verb] = [goodbye, goodbye];
          startTestSender(server.db, closing.url, { allowsChunking: chunking });
          const nearlyAll = (counted: CountedDelivery) =>
            counted.counts.accepted >= COPIES - CONNECTIONS;
          await waitForDelivery(server.db, accountId, messageId, nearlyAll, 30_000);
          const delivery = await runToCompletion(accountId, messageId);
          expect(delivery.counts).toMatchObject({ accepted: COPIES, unknown: 0 });
          const log = closing.accepted.map((receivedMessage) => receivedMessage.messageId);
          const invariant = await checkInvariant(server.db, accountId, messageId, log);
          expect(invariant).toEqual({ states: { accepted: COPIES }, problems: [] });
        } finally {
          await closing.close();
        }
      },
      70_000,
    );
  });

  test('a deferred recipient is retried later and finally fails', async () => {
    const { accountId, messageId } = await prepareCampaign(1);
    relay.script.rcpt = '450 4.2.2 Mailbox full';
    startTestSender(server.db, relay.url);
    const attemptsOf = async () =>
      (await listRecipients(server.db, accountId, messageId))[0]?.attempts;
    for (let attempts = 1; attempts <= 3; attempts++) {
      await expect.poll(attemptsOf).toBe(attempts);
      clock.advance(25 * 3_600_000);
    }
    await waitForDelivery(server.db, accountId, messageId, isFinished);
    const [recipient] = await listRecipients(server.db, accountId, messageId);
    expect(recipient).toMatchObject({ state: 'failed', reason: 'gave_up', code: '4.2.2' });
    expect(recipient?.attempts).toBe(4);
  });
});

describe('5: the connection drops after the dot', () => {
  test("a copy with an unknown outcome is never retried automatically, and the owner's retry keeps its Message-ID", async () => {
    const { accountId, messageId } = await prepareCampaign(30);
    relay.script.dot = ({ previousCount }) =>
      previousCount < 3 ? { hangUp: 'instead', isStored: previousCount < 2 } : undefined;
    startTestSender(server.db, relay.url);
    await waitForDelivery(server.db, accountId, messageId, isFinished);
    await expectInvariant(accountId, messageId, { accepted: 27, unknown: 3 });
    const idsBefore = listAcceptedIds();
    const count = await inTransaction(server.db, (tx) =>
      retryMessage(tx, accountId, messageId, 'unknown'),
    );
    expect(count).toBe(3);
    const delivery = await waitForDelivery(server.db, accountId, messageId, isFinished);
    expect(delivery.counts).toMatchObject({ accepted: 30, unknown: 0 });
    expect(new Set(listAcceptedIds()).size).toBe(30);
    expect(listAcceptedIds().length).toBe(idsBefore.length + 3);
    await expectInvariant(accountId, messageId, { accepted: 30 });
  });
});

test("a bounced copy with an unknown outcome counts as delivered once the owner's retry is accepted", async () => {
  const { owner, accountId, messageId } = await prepareCampaign(3);
  const campaign = await insertCampaign(server, accountId, messageId);
  relay.script.dot = ({ previousCount }) =>
    previousCount < 2 ? { hangUp: 'instead', isStored: true } : undefined;
  startTestSender(server.db, relay.url);
  await waitForDelivery(server.db, accountId, messageId, isFinished);
  const recipients = await listRecipients(server.db, accountId, messageId);
  const subscriberId = recipients.find((recipient) => recipient.state === 'unknown')
    ?.subscriber_id as number;
  const recordBounce = () =>
    inTransaction(server.db, (tx) =>
      recordSoftBounces(tx, accountId, [{ messageId, subscriberId }]),
    );
  await recordBounce();
  const readFigures = async () => {
    const path = `/client-api/api/campaigns/${campaign}/report`;
    const {
      sent,
      delivered,
      soft_bounces: soft,
    } = (await owner.get(`${path}/overview`)).body.data.figures;
    const list = (await owner.get('/client-api/api/campaigns?limit=100')).body.data;
    return [sent.count, delivered.count, soft.count, list[0].figures.delivered];
  };
  expect(await readFigures()).toEqual([3, 1, 1, 1]);
  await inTransaction(server.db, (tx) => retryMessage(tx, accountId, messageId, 'unknown'));
  await waitForDelivery(server.db, accountId, messageId, isFinished);
  expect(await readFigures()).toEqual([3, 3, 0, 3]);
  await recordBounce();
  expect(await readFigures()).toEqual([3, 2, 1, 2]);
});

describe('failed recipients are retried by the owner', () => {
  test('a retry excludes nonexistent addresses', async () => {
    const { accountId, messageId } = await prepareCampaign(9);
    relay.script.rcpt = ({ line }) => {
      if (line.includes('<person1@')) return '550 5.1.1 No such user';
      return line.includes('<person2@') ? '550 5.7.1 Not today' : undefined;
    };
    startTestSender(server.db, relay.url);
    await waitForDelivery(server.db, accountId, messageId, isFinished);
    await expectInvariant(accountId, messageId, { accepted: 7, failed: 2 });
    delete relay.script.rcpt;
    const retryFailed = () =>
      inTransaction(server.db, (tx) => retryMessage(tx, accountId, messageId, 'failed'));
    expect(await retryFailed()).toBe(1);
    await waitForDelivery(server.db, accountId, messageId, isFinished);
    await expectInvariant(accountId, messageId, { accepted: 8, failed: 1 });
    expect(await retryFailed()).toBe(0);
  });

  test('recipients are no longer counted as bounced once the retry is accepted', async () => {
    const { owner, accountId, messageId, ids } = await prepareCampaign(9);
    const campaign = await insertCampaign(server, accountId, messageId);
    relay.script.rcpt = ({ line }) =>
      /<person[23]@/.test(line) ? '550 5.7.1 Not today' : undefined;
    startTestSender(server.db, relay.url);
    await waitForDelivery(server.db, accountId, messageId, isFinished);
    const readApi = async (path: string) => (await owner.get(`/client-api/api/${path}`)).body;
    const figures = async () => {
      const { figures: all } = (await readApi(`campaigns/${campaign}/report/overview`)).data;
      const actions = await readApi(`campaigns/${campaign}/report/actions?action=soft_bounces`);
      const days = (await readApi('accounts/dashboard_sending')).data;
      const { sent, delivered, soft_bounces: soft } = all;
      return {
        sent: sent.count,
        delivered: delivered.count,
        soft: [soft.count, actions.meta.total, days.soft_bounces],
        replies: actions.data.map((row: { reply: string }) => row.reply),
      };
    };
    const firstFigures = await figures();
    expect(firstFigures).toMatchObject({ sent: 9, delivered: 7, soft: [2, 2, 2] });
    const retryFailed = () =>
      inTransaction(server.db, (tx) => retryMessage(tx, accountId, messageId, 'failed'));
    relay.script.rcpt = ({ line }) => (line.includes('<person3@') ? '550 5.7.1 Never' : undefined);
    clock.advance(60_000);
    expect(await retryFailed()).toBe(2);
    await waitForDelivery(server.db, accountId, messageId, isFinished);
    const second = await figures();
    expect(second).toMatchObject({ sent: 9, delivered: 8, soft: [1, 1, 1] });
    expect(second.replies).toEqual([expect.stringContaining('Never')]);
    delete relay.script.rcpt;
    clock.advance(60_000);
    expect(await retryFailed()).toBe(1);
    await waitForDelivery(server.db, accountId, messageId, isFinished);
    expect(await figures()).toMatchObject({ sent: 9, delivered: 9, soft: [0, 0, 0] });
    // A bounce after the acceptance counts, and no further retry removes it.
    await inTransaction(server.db, (tx) =>
      recordSoftBounces(tx, accountId, [{ messageId, subscriberId: ids[1] as number }]),
    );
    expect(await retryFailed()).toBe(0);
    expect(await figures()).toMatchObject({ delivered: 8, soft: [1, 1, 1] });
    const historyOf = async (subscriberId: number) => {
      const id = encodeId('subscriber', ids[subscriberId] as number);
      const { data } = await readApi(`subscribers/${id}/events`);
      return data.map((row: { action: string }) => row.action);
    };
    expect(await historyOf(2)).toEqual(['got']);
    expect(await historyOf(1)).toEqual(['bounced', 'sent']);
  });

  test('retried failures are deducted from the baseline totals of the circuit breaker', async () => {
    const { accountId, messageId } = await prepareCampaign(9);
    relay.script.rcpt = ({ line }) =>
      /<person[23]@/.test(line) ? '550 5.7.1 Not today' : undefined;
    startTestSender(server.db, relay.url);
    await waitForDelivery(server.db, accountId, messageId, isFinished);
    const totals = () => inTransaction(server.db, (tx) => findTotals(tx, accountId, messageId));
    const countedTotals = (await totals())?.totals;
    expect(countedTotals).toMatchObject({ accepted: 7, handed: 9, soft_bounces: 2 });
    await inTransaction(server.db, (tx) =>
      saveBreakerFrom(tx, accountId, messageId, countedTotals as BreakerTotals, clock.now()),
    );
    expect((await totals())?.from).toMatchObject({ ...countedTotals });
    await inTransaction(server.db, async (tx) => {
      expect(await retryMessage(tx, accountId, messageId, 'failed')).toBe(2);
      const savedTotals = await findTotals(tx, accountId, messageId);
      expect(savedTotals?.from).toMatchObject({ accepted: 7, handed: 7, soft_bounces: 0 });
    });
  });
});

describe('8: the relay requests a lower rate', () => {
  test('some copies are deferred, and all are accepted in the end', async () => {
    const { accountId, messageId } = await prepareCampaign(60);
    relay.script.rcpt = ({ previousCount }) =>
      previousCount > 20 && previousCount < 26 ? '454 4.7.0 Rate exceeded' : undefined;
    startTestSender(server.db, relay.url);
    await waitForDelivery(
      server.db,
      accountId,
      messageId,
      (delivery) => delivery.counts.deferred > 0,
    );
    clock.advance(20_000);
    await waitForDelivery(server.db, accountId, messageId, isFinished);
    await expectInvariant(accountId, messageId, { accepted: 60 });
  });
});

describe('failures while results are written', () => {
  test('a refusal truncated within a character is stored and does not block other results', async () => {
    const { accountId, messageId } = await prepareCampaign(40);
    relay.script.rcpt = ({ line }) =>
      line.includes('person7@') ? `550 5.1.1 ${'x'.repeat(499)}😀 nobody of that name` : undefined;
    startTestSender(server.db, relay.url);
    await waitForDelivery(server.db, accountId, messageId, isFinished);
    await expectInvariant(accountId, messageId, { accepted: 39, failed: 1 });
    const { rows } = await sql<{ reply: string }>`select details->>'reply' as reply from events
      where account_id = ${accountId} and kind = 'hard_bounce'`.execute(server.db);
    expect(rows[0]?.reply).toMatch(/^x{499}\ufffd$/);
  });

  test('a message that cannot be finished yet is finished later, while other messages continue', async () => {
    const { accountId, messageId } = await prepareCampaign(30);
    const otherMessage = await prepareCampaign(300);
    await sql`create function not_yet() returns trigger language plpgsql as
      $$ begin raise exception 'not yet'; end $$`.execute(server.db);
    await sql
      .raw(`create trigger not_yet before update on messages for each row
        when (new.state = 'finished' and new.account_id = ${accountId}) execute function not_yet()`)
      .execute(server.db);
    try {
      const sender = startTestSender(server.db, relay.url);
      await waitForDelivery(server.db, otherMessage.accountId, otherMessage.messageId, isFinished);
      await waitForDelivery(
        server.db,
        accountId,
        messageId,
        (delivery) => delivery.counts.accepted === 30,
      );
      const [delivery] = await readDelivery(server.db, accountId, [messageId]);
      expect(delivery?.state).toBe('sending');
      await sql`drop trigger not_yet on messages`.execute(server.db);
      await waitForDelivery(server.db, accountId, messageId, isFinished);
      await sender.close();
    } finally {
      await sql`drop function not_yet cascade`.execute(server.db);
    }
    await expectInvariant(accountId, messageId, { accepted: 30 });
    await expectInvariant(otherMessage.accountId, otherMessage.messageId, { accepted: 300 });
  });
});
