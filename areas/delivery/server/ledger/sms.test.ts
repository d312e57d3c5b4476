// SMS through the same ledger as email: to one recipient and to a segment, by separate senders;
// provider replies and later receipts.

import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { sampleSource } from '#areas/content/server/sample-source.ts';
import type { Condition } from '#areas/segments/shared.ts';
import { getInstallationTokens } from '#areas/tracking/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import {
  startSmsSender,
  ACCEPTED,
  type FakeSmsProvider,
  fakeSmsProvider,
  scriptedTexts,
  writeTestSms,
} from '#testing/servers/fake-sms-provider.ts';
import { checkInvariant } from '#testing/oracles/invariants.ts';
import {
  ALL_SUBSCRIBERS,
  isFinished,
  startMessage,
  waitForDelivery,
} from '#testing/worlds/sending-helpers.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { startSmtpServer } from '#testing/servers/smtp-server.ts';
import { setAccountsWithOwnSms } from '../channels/own-senders.sql.ts';
import { messageFailed, smsDelivered } from '../index.ts';
import {
  type Audience,
  cancelMessage,
  countAudience,
  type MessageDelivery,
  pauseMessage,
  readDelivery,
  readSmsFigures,
  findSmsReference,
  resumeMessage,
  retryMessage,
  sendMany,
  sendOne,
  settleSms,
  startSending,
} from './index.ts';
import { openSmsPool, runSmsSenders } from '../sender/index.ts';

const server: TestServer = await testServer();
let provider: FakeSmsProvider;
let accountId: number;

writeTestSms();

beforeEach(async () => {
  provider = fakeSmsProvider();
  ({ accountId } = await server.owner());
  await sql`delete from single_sends`.execute(server.db);
  return async () => {
    await sql`update messages set state = 'cancelled'`.execute(server.db);
    await sql`update single_sends set state = 'skipped'`.execute(server.db);
    clock.reset();
  };
});

/** Adds active subscribers, each with a number and an active email address. */
async function addPhones(count: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    insert into subscribers (account_id, email, email_key, phone, phone_key, firstname, sms_status,
      tsms_status, created_at, modified_at)
    select ${accountId}::bigint, e, e, p, p, 'Name ' || n, 'active', 'active', ${clock.now()}, ${clock.now()}
    from (select n, 'person' || n || '@home.example' as e, '+4790' || (100000 + n) as p
      from generate_series(1, ${count}::int) n) people
    returning id`.execute(server.db);
  return rows.map((row) => row.id);
}

const text = { from: '+15550001', title: 'Hello', body: 'Hello {{ firstname }}' };
const campaign = () => ({ accountId, kind: 'sms_campaign', sourceId: 3, text }) as const;

async function startSms(audience: Audience = ALL_SUBSCRIBERS): Promise<number> {
  const { messageId } = await inTransaction(server.db, (tx) =>
    startSending(tx, campaign(), audience),
  );
  await server.runJobs();
  return messageId;
}

const single = (key: string, recipient = '+4791234567') =>
  inTransaction(server.db, (tx) =>
    sendOne(tx, {
      ...{ accountId, kind: 'sms_transactional', sourceId: 4, text, recipient },
      ...{ values: { firstname: 'Ada' }, idempotencyKey: key },
    }),
  );

const deliveryOf = async (id: number) =>
  (await readDelivery(server.db, accountId, [id]))[0] as MessageDelivery;
const waitForSms = (id: number, isRight: (delivery: MessageDelivery) => boolean) =>
  waitForDelivery(server.db, accountId, id, isRight);
const logOf = () => provider.accepted.map((smsHandoff) => `${smsHandoff.reference}@x`);

async function expectInvariant(messageId: number): Promise<void> {
  const { problems } = await checkInvariant(server.db, accountId, messageId, logOf());
  expect(problems).toEqual([]);
}

describe('SMS', () => {
  test('an SMS to one recipient is sent once, and its reference and cost are stored', async () => {
    const { messageId, singleId } = await single('order 1');
    expect(await single('order 1')).toEqual({ messageId, singleId, isNew: false });
    startSmsSender(server.db, provider.open);
    await waitForSms(messageId, (delivery) => delivery.counts.accepted === 1);
    expect(provider.accepted).toHaveLength(1);
    const [sent] = provider.accepted;
    expect(sent).toMatchObject({
      ...{ to: '+4791234567', from: '+15550001', text: 'Hello Ada', parts: 1 },
      callbackUrl: `https://text.example/told/${sent?.reference}`,
    });
    const payload = getInstallationTokens().read(sent?.reference as string, 'messageId');
    expect(payload).toMatchObject({ account: accountId, message: messageId, ordinal: singleId });
    const figures = await inTransaction(server.db, (tx) =>
      readSmsFigures(tx, accountId, [messageId]).then((allFigures) => allFigures.get(messageId)),
    );
    expect(figures).toEqual({ delivered: 0, undelivered: 0, parts: 1, cost_micros: 7_000 });
  });

  test('an SMS to a segment reaches each permitted subscriber once, regardless of email status', async () => {
    const ids = await addPhones(30);
    const [smsLeaver, emailLeaver] = ids as [number, number];
    await sql`update subscribers set sms_status = 'unsubscribed' where id = ${smsLeaver}`.execute(
      server.db,
    );
    await sql`update subscribers set email_status = 'unsubscribed' where id = ${emailLeaver}`.execute(
      server.db,
    );
    const counts = await countAudience(server.db, accountId, ALL_SUBSCRIBERS, 'sms');
    expect(counts).toMatchObject({ count: 29, excluded: { unsubscribed: 1 } });
    const name: Condition = {
      ...{ type: 'firstname', operator: 'begins', operand: 'Name 1', key: '', more: [] },
      ...{ group: 1, outside_concat: 'and', inside_concat: 'and' },
    };
    const messageId = await startSms({ ...ALL_SUBSCRIBERS, all: false, segments: [[name]] });
    startSmsSender(server.db, provider.open);
    const delivery = await waitForSms(messageId, isFinished);
    // The segment consists of Name 1, who has unsubscribed, and Name 10 to Name 19.
    expect(delivery).toMatchObject({ audience: 10, counts: { accepted: 10 } });
    expect(provider.accepted).toHaveLength(10);
    await expectInvariant(messageId);
    const secondMessage = await startSms();
    expect(await waitForSms(secondMessage, isFinished)).toMatchObject({
      audience: 29,
      counts: { accepted: 29 },
    });
    await expectInvariant(secondMessage);
  });

  test('email senders do not lease SMS, and SMS senders do not lease email', async () => {
    await addPhones(10);
    const relay = await startSmtpServer();
    const ofSms = await startSms();
    const emailMessage = await startMessage(server.db, accountId);
    await server.runJobs();
    await single('one');
    const emailSender = startTestSender(server.db, relay.url);
    await waitForSms(emailMessage, isFinished);
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect(await deliveryOf(ofSms)).toMatchObject({ counts: { pending: 10 } });
    await emailSender.close();
    const repeated = await startMessage(server.db, accountId);
    await server.runJobs();
    startSmsSender(server.db, provider.open);
    await waitForSms(ofSms, isFinished);
    await expect.poll(() => provider.accepted.length).toBe(11);
    expect(await deliveryOf(repeated)).toMatchObject({ counts: { pending: 10 } });
    await relay.close();
  });

  test('sendMany extends an SMS stream, and each copy is sent once', async () => {
    const ids = await addPhones(6);
    const step = { accountId, kind: 'sms_workflow', sourceId: 9, text } as const;
    const enqueue = (recipients: Parameters<typeof sendMany>[2]) =>
      inTransaction(server.db, (tx) =>
        sendMany(tx, step, recipients, { pass: 1, month: '2026-11' }),
      );
    const { messageId } = await enqueue(ids.slice(0, 3));
    await enqueue(ids);
    await enqueue([{ subscriberId: ids[0] as number, values: { firstname: 'Cart' }, key: 'c' }]);
    startSmsSender(server.db, provider.open);
    await waitForSms(messageId, (delivery) => isFinished(delivery) && delivery.audience === 6);
    await expect.poll(() => provider.accepted.length).toBe(7);
    expect(provider.accepted.map((smsHandoff) => smsHandoff.text)).toContain('Hello Cart');
  });

  test('a recipient who opts out before the handoff, or whom the text writer skips, gets no SMS', async () => {
    const ids = await addPhones(3);
    const messageId = await startSms();
    await sql`update subscribers set sms_status = 'unsubscribed' where id = ${ids[0]}`.execute(
      server.db,
    );
    scriptedTexts.write = (to) => (to === '+4790100002' ? { skipReason: 'phone_not_active' } : {});
    startSmsSender(server.db, provider.open);
    const delivery = await waitForSms(messageId, isFinished);
    expect(delivery.counts).toMatchObject({ accepted: 1, skipped: 2 });
    expect(provider.accepted.map((smsHandoff) => smsHandoff.to)).toEqual(['+4790100003']);
  });
});

describe('an SMS that must wait', () => {
  test('an SMS in quiet hours waits in the ledger until they end, without an attempt', async () => {
    await addPhones(4);
    const opens = new Date(clock.now().getTime() + 8 * 3_600_000);
    scriptedTexts.write = (to, now) =>
      to.endsWith('1') && now < opens ? { delay: { until: opens, reason: 'quiet_hours' } } : {};
    const messageId = await startSms();
    startSmsSender(server.db, provider.open);
    await waitForSms(
      messageId,
      (delivery) => delivery.counts.accepted === 3 && delivery.counts.deferred === 1,
    );
    const { rows } = await sql`select reason, strikes, next_attempt_at from deferrals
      where account_id = ${accountId}`.execute(server.db);
    expect(rows).toEqual([{ reason: 'quiet_hours', strikes: 0, next_attempt_at: opens }]);
    expect(await deliveryOf(messageId)).toMatchObject({ held: 1, heldUntil: opens });
    clock.advance(8 * 3_600_000 + 1_000);
    await waitForSms(messageId, isFinished);
    expect(provider.accepted).toHaveLength(4);
    await expectInvariant(messageId);
  });

  test('a campaign whose recipients all wait for the end of quiet hours has not started', async () => {
    await addPhones(2);
    const opens = new Date(clock.now().getTime() + 8 * 3_600_000);
    scriptedTexts.write = (_, now) =>
      now < opens ? { delay: { until: opens, reason: 'quiet_hours' } } : {};
    const messageId = await startSms();
    startSmsSender(server.db, provider.open);
    await waitForSms(messageId, (delivery) => delivery.counts.deferred === 2);
    expect(await deliveryOf(messageId)).toMatchObject({
      ...{ held: 2, heldUntil: opens, firstHandedOverAt: null },
    });
    clock.advance(8 * 3_600_000 + 1_000);
    await waitForSms(messageId, isFinished);
    expect((await deliveryOf(messageId)).firstHandedOverAt).not.toBeNull();
  });

  test('a number never exceeds its parts-per-second limit', async () => {
    await addPhones(12);
    scriptedTexts.write = () => ({ parts: 5 });
    const messageId = await startSms();
    const numberLimits = new Map([['+15550001', { perSecond: 10 }]]);
    const startedAt = performance.now();
    startSmsSender(server.db, provider.open, { key: 'paced number', numberLimits });
    await waitForSms(messageId, isFinished);
    // 60 parts at ten a second, minus the initial burst.
    expect(performance.now() - startedAt).toBeGreaterThan(3_500);
  }, 40_000);
});

describe('unknown outcomes', () => {
  test('an SMS with an unknown outcome is never retried automatically, and a receipt settles it', async () => {
    await addPhones(1);
    provider.script.respond = () => ({
      ...ACCEPTED,
      outcome: 'unknown',
      scope: 'connection',
      code: 0,
    });
    const messageId = await startSms();
    const singleSend = await single('order');
    startSmsSender(server.db, provider.open);
    await waitForSms(messageId, (delivery) => delivery.counts.unknown === 1);
    await waitForSms(singleSend.messageId, (delivery) => delivery.counts.unknown === 1);
    clock.advance(3_600_000);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(provider.received).toHaveLength(2);
    for (const { reference } of provider.received) {
      const receipt = { isDelivered: true, at: clock.now(), remoteId: 'late' };
      for (let i = 0; i < 3; i++) {
        await inTransaction(server.db, (tx) => settleSms(tx, reference, receipt));
      }
    }
    expect((await deliveryOf(messageId)).counts).toMatchObject({ accepted: 1, unknown: 0 });
    expect((await deliveryOf(singleSend.messageId)).counts).toMatchObject({
      accepted: 1,
      unknown: 0,
    });
  });

  test('an SMS whose sender was killed has an unknown outcome and is not sent again', async () => {
    const { messageId } = await single('order');
    const expiredAt = new Date(clock.now().getTime() - 60_000);
    await sql`update single_sends set state = 'handing_over', owner = 'dead', attempt = 1,
      next_attempt_at = ${expiredAt}, expires_at = ${expiredAt}`.execute(server.db);
    startSmsSender(server.db, provider.open);
    await waitForSms(messageId, (delivery) => delivery.counts.unknown === 1);
    expect(provider.received).toHaveLength(0);
  });

  test('an SMS with an unknown outcome can be retried by its owner', async () => {
    await addPhones(2);
    provider.script.respond = () => ({
      ...ACCEPTED,
      outcome: 'unknown',
      scope: 'connection',
      code: 0,
    });
    const messageId = await startSms();
    startSmsSender(server.db, provider.open);
    await waitForSms(messageId, isFinished);
    provider.script.respond = () => ACCEPTED;
    await inTransaction(server.db, (tx) => retryMessage(tx, accountId, messageId, 'unknown'));
    const areBothAccepted = (delivery: MessageDelivery) =>
      isFinished(delivery) && delivery.counts.accepted === 2;
    await waitForSms(messageId, areBothAccepted);
    expect(provider.received).toHaveLength(4);
  });
});

test('receipts have the same result in any order, even before the reply, and an unknown reference has no effect', async () => {
  await addPhones(1);
  const messageId = await startSms();
  const at = clock.now();
  provider.script.respond = () => undefined;
  const sender = startSmsSender(server.db, provider.open);
  await expect.poll(() => provider.received.length).toBe(1);
  const { reference } = provider.received[0] as { reference: string };
  const report = (isDelivered: boolean) =>
    inTransaction(server.db, (tx) =>
      settleSms(tx, reference, { isDelivered, at, remoteId: 'r1', error: 'carrier' }),
    );
  const receiptEvents: unknown[] = [];
  const unsubscribe = smsDelivered.on(async (_tx, event) => void receiptEvents.push(event));
  await Promise.all([report(true), report(false), report(true)]);
  await sender.close();
  await report(true);
  unsubscribe();
  expect(receiptEvents).toEqual([
    expect.objectContaining({ messageId, kind: 'sms_campaign', at, singleId: null }),
  ]);
  const figures = await inTransaction(server.db, (tx) =>
    readSmsFigures(tx, accountId, [messageId]).then((allFigures) => allFigures.get(messageId)),
  );
  expect(figures).toMatchObject({ delivered: 1, undelivered: 0 });
  await waitForSms(messageId, (delivery) => delivery.counts.accepted === 1);
  const strangeReceipt = { isDelivered: true, at, remoteId: 'x' };
  expect(
    await inTransaction(server.db, (tx) => settleSms(tx, 'nonsense', strangeReceipt)),
  ).toBeUndefined();
});

test('a refusal due to an opt-out is published as an opt-out, and a refusal of an unknown number as a bounce', async () => {
  const ids = await addPhones(2);
  const failedEvents: unknown[] = [];
  const stop = messageFailed.on(async (_tx, { failures }) => {
    failedEvents.push(...failures);
  });
  provider.script.respond = ({ to }) => ({
    ...{ ...ACCEPTED, outcome: 'failed', code: 21_610 },
    sms: to.endsWith('1') ? { hasOptedOut: true } : { isUnknownRecipient: true },
  });
  const messageId = await startSms();
  startSmsSender(server.db, provider.open);
  await waitForSms(messageId, isFinished);
  stop?.();
  expect(failedEvents).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        subscriberId: ids[0],
        hasOptedOut: true,
        isUnknownRecipient: false,
      }),
      expect.objectContaining({
        subscriberId: ids[1],
        hasOptedOut: false,
        isUnknownRecipient: true,
      }),
    ]),
  );
  const { rows } = await sql<{ sms_status: string; email_status: string }>`
    select sms_status, email_status from subscribers where id = ${ids[1]}`.execute(server.db);
  expect(rows).toEqual([{ sms_status: 'bounced', email_status: 'active' }]);
});

const OUTCOMES = ['accepted', 'failed', 'unknown', 'deferred'] as const;

test('each recipient ends in one state, regardless of provider replies and interruptions', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...OUTCOMES), { minLength: 8, maxLength: 8 }),
      fc.array(fc.constantFrom('pause', 'replace', 'none'), { maxLength: 3 }),
      async (outcomes, actions) => {
        ({ accountId } = await server.owner());
        provider = fakeSmsProvider();
        await addPhones(8);
        const triedNumbers = new Set<string>();
        provider.script.respond = ({ to }) => {
          const outcome = outcomes[Number(to.at(-1)) - 1] ?? 'accepted';
          // A deferred SMS is accepted the second time.
          if (outcome === 'deferred' && triedNumbers.has(to)) return ACCEPTED;
          triedNumbers.add(to);
          const about = outcome === 'unknown' ? 'connection' : 'recipient';
          return { ...ACCEPTED, outcome, scope: about };
        };
        const messageId = await startSms();
        let sender = startSmsSender(server.db, provider.open);
        for (const action of actions) {
          if (action === 'pause') {
            await inTransaction(server.db, (tx) => pauseMessage(tx, accountId, messageId));
            await inTransaction(server.db, (tx) => resumeMessage(tx, accountId, messageId));
          } else if (action === 'replace') {
            await sender.close();
            sender = startSmsSender(server.db, provider.open);
          }
        }
        const isSettled = ({ counts }: MessageDelivery) =>
          counts.pending === 0 &&
          counts.handing_over === 0 &&
          counts.unknown + counts.accepted + counts.failed + counts.deferred === 8;
        await waitForSms(messageId, isSettled);
        await expectInvariant(messageId);
        clock.advance(3_600_000);
        await waitForSms(messageId, isFinished);
        await expectInvariant(messageId);
        await sender.close();
        const phones = provider.accepted.map((smsHandoff) => smsHandoff.to);
        expect(new Set(phones).size).toBe(phones.length);
      },
    ),
    { numRuns: 5 },
  );
}, 60_000);

test('canceling during sending leaves exact counts and stops further SMS', async () => {
  await addPhones(40);
  const messageId = await startSms();
  startSmsSender(server.db, provider.open, { key: 'slow', limits: { perSecond: 20 } });
  await waitForSms(messageId, (delivery) => delivery.counts.accepted >= 5);
  await inTransaction(server.db, (tx) => cancelMessage(tx, accountId, messageId));
  const delivery = await waitForSms(messageId, (delivery) => delivery.counts.handing_over === 0);
  const sentBefore = provider.accepted.length;
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(provider.accepted).toHaveLength(sentBefore);
  expect(delivery.counts.accepted + delivery.counts.skipped).toBe(40);
  await expectInvariant(messageId);
});

test("an account with SMS providers uses only those, and other accounts use the installation's providers", async () => {
  const ownAccountId = accountId;
  const ownProvider = fakeSmsProvider();
  await addPhones(3);
  const ofMine = await startSms();
  await single('mine');
  ({ accountId } = await server.owner());
  await addPhones(2);
  const ofOthers = await startSms();
  const pooledProvider = {
    key: 'own texts',
    priority: 1,
    weight: 1,
    limits: {},
    numberLimits: new Map(),
  };
  setAccountsWithOwnSms(sql`select ${sql.lit(ownAccountId)}::bigint as account_id`);
  const senders = runSmsSenders(
    server.db,
    openSmsPool(server.db, [{ ...pooledProvider, ...provider }]),
    {
      open: async () => ({
        providers: [{ ...pooledProvider, ...ownProvider, key: 'own' }],
        version: '1',
      }),
    },
  );
  try {
    await waitForSms(ofOthers, isFinished);
    accountId = ownAccountId;
    await waitForSms(ofMine, isFinished);
    await expect.poll(() => ownProvider.accepted.length).toBe(4);
    expect(provider.accepted).toHaveLength(2);
  } finally {
    await senders.close();
    setAccountsWithOwnSms(sql`select null::bigint as account_id where false`);
  }
});

test('an SMS campaign with an email source is refused', async () => {
  const { message_id: _, ...source } = sampleSource({ account_id: accountId });
  const wrongMessage = { accountId, kind: 'sms_campaign', sourceId: 1, source } as const;
  await expect(
    inTransaction(server.db, (tx) => startSending(tx, wrongMessage, ALL_SUBSCRIBERS)),
  ).rejects.toThrow();
});

test("a receipt with only the message center's ID finds the SMS of a campaign and of a single send", async () => {
  await addPhones(1);
  provider.script.respond = ({ to }) => ({
    ...ACCEPTED,
    sms: { remoteId: `smpp:centre:2775/${to}` },
  });
  const { messageId } = await inTransaction(server.db, (tx) =>
    startSending(tx, campaign(), ALL_SUBSCRIBERS),
  );
  await server.runJobs();
  await inTransaction(server.db, (tx) =>
    sendOne(tx, {
      ...{ accountId, kind: 'sms_transactional', sourceId: null, text, values: {} },
      ...{ recipient: '+4790999999', idempotencyKey: 'a receipt' },
    }),
  );
  startSmsSender(server.db, provider.open);
  await waitForDelivery(server.db, accountId, messageId, isFinished);
  await expect.poll(() => provider.accepted.length).toBe(2);
  for (const { reference, to } of provider.accepted) {
    const ids = ['smpp:centre:2775/unheard', `smpp:centre:2775/${to}`];
    const query = { ids, aliases: [], numbers: [] };
    await expect
      .poll(() => findSmsReference(server.db, query))
      .toEqual({ reference, partCount: expect.any(Number) });
  }
  const elsewhere = { ids: ['smpp:other:2775/+4790999999'], aliases: [], numbers: [] };
  expect(await findSmsReference(server.db, elsewhere)).toBeUndefined();
});
