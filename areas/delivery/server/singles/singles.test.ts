// Single emails are sent once per key and ahead of campaigns, and retried after failures.
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { sampleSource } from '#areas/content/server/sample-source.ts';
import { isSuppressed, suppress, unsubscribe } from '#areas/subscribers/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { addPeople, startMessage, waitForDelivery } from '#testing/worlds/sending-helpers.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/servers/smtp-server.ts';
import { singlesAccepted } from '../index.ts';
import { type MessageDelivery, type NewSingle, readDelivery, sendOne } from '../ledger/index.ts';
import { eraseRecipients } from '../ledger/erase-people.sql.ts';

const server: TestServer = await testServer();
let relay: TestSmtpServer;

beforeEach(async () => {
  relay = await startSmtpServer();
  return () => relay.close();
});

async function newAccount(): Promise<number> {
  const { accountId } = await server.owner();
  await sql`delete from single_sends where account_id = ${accountId}`.execute(server.db);
  return accountId;
}

function single(
  accountId: number,
  changes: Partial<Omit<NewSingle, 'source' | 'text'>> = {},
): NewSingle {
  const { message_id: _, ...source } = sampleSource({
    kind: 'transactional',
    account_id: accountId,
    subject: 'Order {{ number }}',
    html: '<p>Dear {{ firstname }}, order {{ number }} is on its way.</p>',
  });
  return {
    accountId,
    kind: 'transactional',
    sourceId: 5,
    source,
    recipient: 'buyer@home.example',
    values: { number: '7', firstname: 'Ada' },
    idempotencyKey: 'order-7',
    ...changes,
  };
}

const send = (newSingle: NewSingle) => inTransaction(server.db, (tx) => sendOne(tx, newSingle));

describe('sendOne', () => {
  test('a repeated key sends one email, and identical content shares one message', async () => {
    const accountId = await newAccount();
    const firstSend = await send(single(accountId));
    const repeatedSend = await send(single(accountId));
    const otherSend = await send(single(accountId, { idempotencyKey: 'order-8' }));
    expect(repeatedSend).toEqual({ ...firstSend, isNew: false });
    expect(otherSend.messageId).toBe(firstSend.messageId);
    const [before] = await readDelivery(server.db, accountId, [firstSend.messageId]);
    expect(before).toMatchObject({ audience: 2, counts: { pending: 2 } });
    startTestSender(server.db, relay.url);
    const delivery = await waitForDelivery(
      server.db,
      accountId,
      firstSend.messageId,
      (delivery) => delivery.counts.accepted === 2,
    );
    expect(delivery).toMatchObject({ audience: 2, state: 'sending', counts: { pending: 0 } });
    expect(relay.accepted.map((receivedMessage) => receivedMessage.source)).toEqual([
      expect.stringContaining('Subject: Order 7'),
      expect.stringContaining('Subject: Order 7'),
    ]);
  });

  test('a nonexistent address without a subscriber is suppressed immediately, unless the email is a system email', async () => {
    const accountId = await newAccount();
    const missing = 'Nobody@home.example';
    await relay.close();
    relay = await startSmtpServer({ script: { rcpt: '550 5.1.1 No such user' } });
    startTestSender(server.db, relay.url);
    const hasSuppression = (address: string) =>
      isSuppressed(server.db, accountId, 'temail', address);
    for (const [kind, recipient] of [
      ['letter', 'user@home.example'],
      ['transactional', missing],
    ] as const) {
      const { messageId } = await send(
        single(accountId, { kind, recipient, idempotencyKey: kind }),
      );
      await waitForDelivery(server.db, accountId, messageId, ({ counts }) => counts.failed === 1);
    }
    expect(await hasSuppression('user@home.example')).toBe(false);
    expect(await hasSuppression(missing.toLowerCase())).toBe(true);
  });

  test('twenty concurrent calls with one key send one email', async () => {
    const accountId = await newAccount();
    const sends = await Promise.all(Array.from({ length: 20 }, () => send(single(accountId))));
    expect(new Set(sends.map((single) => `${single.messageId}/${single.singleId}`)).size).toBe(1);
    expect(sends.filter((single) => single.isNew).length).toBe(1);
  });

  test('a single email is sent within a second while a campaign runs', async () => {
    const accountId = await newAccount();
    await addPeople(server.db, accountId, 2_000);
    await startMessage(server.db, accountId);
    await server.runJobs();
    startTestSender(server.db, relay.url, { rate: 200 });
    await relay.waitForMessages(50);
    const acceptedBefore = relay.accepted.length;
    // Emails of earlier tests may still be sent to the usual recipient.
    const recipient = 'hasty@home.example';
    await send(single(accountId, { recipient }));
    const position = () =>
      relay.accepted.findIndex((receivedMessage) => receivedMessage.to[0] === recipient);
    await expect.poll(position, { interval: 10 }).toBeGreaterThan(0);
    // 200 emails take the campaign one second. Emails are counted instead of time because a busy
    // machine is slower.
    expect(position() - acceptedBefore).toBeLessThan(200);
    await sql`update messages set state = 'cancelled' where account_id = ${accountId}
      and kind = 'campaign'`.execute(server.db);
  });

  test('a single email without a reply to the final dot is retried with the same Message-ID', async () => {
    const accountId = await newAccount();
    const recipient = 'again@home.example';
    const listReceived = () =>
      relay.accepted.filter((receivedMessage) => receivedMessage.to[0] === recipient);
    relay.script.dot = ({ to }) =>
      to[0] === recipient && listReceived().length === 0
        ? { hangUp: 'instead', isStored: true }
        : undefined;
    const { messageId } = await send(single(accountId, { recipient }));
    startTestSender(server.db, relay.url);
    await waitForDelivery(
      server.db,
      accountId,
      messageId,
      (delivery) => delivery.counts.deferred === 1,
    );
    clock.advance(2 * 60_000);
    await waitForDelivery(
      server.db,
      accountId,
      messageId,
      (delivery) => delivery.counts.accepted === 1,
    );
    const [first, second] = listReceived();
    expect(second?.messageId).toBe(first?.messageId);
    expect(listReceived().length).toBe(2);
  });

  test('the outcome is unknown after three attempts without a reply to the final dot', async () => {
    const owner = await server.owner();
    const { accountId } = owner;
    await sql`delete from single_sends where account_id = ${accountId}`.execute(server.db);
    const [person] = (await addPeople(server.db, accountId, 1)) as [number];
    const recipient = 'never@home.example';
    const listReceived = () =>
      relay.accepted.filter((receivedMessage) => receivedMessage.to[0] === recipient);
    relay.script.dot = ({ to }) =>
      to[0] === recipient ? { hangUp: 'instead', isStored: true } : undefined;
    const { messageId, singleId } = await send(
      single(accountId, { recipient, subscriberId: person }),
    );
    startTestSender(server.db, relay.url);
    const waits: number[] = [];
    for (let copies = 1; copies < 3; copies++) {
      // The row itself is polled, because the counts of the message may include the deferral before
      // the row has it.
      const next = async () => {
        const { rows } = await sql<{ at: Date }>`select next_attempt_at as at from single_sends
          where account_id = ${accountId} and id = ${singleId} and state = 'deferred'
            and strikes = ${copies}`.execute(server.db);
        return rows[0]?.at;
      };
      await expect.poll(next, { timeout: 30_000 }).toBeDefined();
      expect(listReceived()).toHaveLength(copies);
      const wait = Number(await next()) - clock.now().getTime();
      waits.push(wait);
      clock.advance(wait + 1_000);
    }
    expect(waits[1]).toBeGreaterThan(2 * (waits[0] as number));
    const delivery = await waitForDelivery(
      server.db,
      accountId,
      messageId,
      (delivery) => delivery.counts.unknown === 1,
    );
    expect(delivery).toMatchObject({ audience: 1, counts: { deferred: 0, handing_over: 0 } });
    const ofPerson = `subscriber=${encodeId('subscriber', person)}`;
    const path = `/client-api/api/messages/${encodeId('message', messageId)}/why?${ofPerson}`;
    const { body } = await owner.get(path);
    expect(body.data).toMatchObject({ answer: 'unknown' });
    expect(body.data.steps.at(-1)).toMatchObject({ kind: 'unknown', reason: 'connection' });
    clock.advance(24 * 3_600_000);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(listReceived()).toHaveLength(3);
    clock.reset();
  });

  test('a single email that finally fails because its sender is refused does not record a subscriber event', async () => {
    const accountId = await newAccount();
    const [person] = (await addPeople(server.db, accountId, 1)) as [number];
    // This text would mean a full mailbox if it were about the recipient.
    relay.script.mail = '550 Your account sending quota was exceeded';
    const { messageId } = await send(single(accountId, { subscriberId: person }));
    await sql`update single_sends set created_at = (created_at at time zone 'UTC' - interval '73 hours') at time zone 'UTC'
      where account_id = ${accountId}`.execute(server.db);
    startTestSender(server.db, relay.url);
    await waitForDelivery(
      server.db,
      accountId,
      messageId,
      (delivery) => delivery.counts.failed === 1,
    );
    const { rows: events } = await sql`select kind from events
      where account_id = ${accountId}`.execute(server.db);
    expect(events).toEqual([]);
  });

  test("a single email whose values cannot be decrypted fails, and the account's other emails are sent", async () => {
    const accountId = await newAccount();
    const poison = 'sealed@home.example';
    const { singleId } = await send(
      single(accountId, { recipient: poison, idempotencyKey: 'poison', isSecret: true }),
    );
    // The values are changed as if they were sealed under another secret.
    await sql`update single_sends set sealed_variables = decode('00', 'hex') || sealed_variables
      where account_id = ${accountId} and id = ${singleId}`.execute(server.db);
    const { messageId } = await send(single(accountId, { recipient: 'behind@home.example' }));
    startTestSender(server.db, relay.url);
    const delivery = await waitForDelivery(
      server.db,
      accountId,
      messageId,
      (delivery) => delivery.counts.accepted === 1 && delivery.counts.failed === 1,
    );
    expect(delivery).toMatchObject({ audience: 2, counts: { pending: 0, handing_over: 0 } });
    const { rows } = await sql`select state, reason from single_sends
      where account_id = ${accountId} and id = ${singleId}`.execute(server.db);
    expect(rows).toEqual([{ state: 'failed', reason: 'message_gone' }]);
    expect(relay.accepted.some((receivedMessage) => receivedMessage.to[0] === poison)).toBe(false);
  });

  test("a single email deferred more often than its counter can count is still sent, and so are the account's other emails", async () => {
    const accountId = await newAccount();
    const { messageId, singleId } = await send(single(accountId, { idempotencyKey: 'old' }));
    await sql`update single_sends set state = 'deferred', relay = 'gone', attempt = 32767
      where account_id = ${accountId} and id = ${singleId}`.execute(server.db);
    await sql`update delivery_counts set audience = 1, deferred = 1
      where account_id = ${accountId} and message_id = ${messageId}`.execute(server.db);
    await send(single(accountId, { recipient: 'behind@home.example' }));
    startTestSender(server.db, relay.url);
    const areAccepted = (delivery: MessageDelivery) => delivery.counts.accepted === 2;
    const { counts } = await waitForDelivery(server.db, accountId, messageId, areAccepted);
    expect(counts).toMatchObject({ deferred: 0, handing_over: 0 });
  });

  test("the deferred single emails of one account do not delay another account's single email", async () => {
    const [crowded, behind] = [await newAccount(), await newAccount()];
    const { messageId } = await send(single(crowded, { idempotencyKey: 'first' }));
    const inAnHour = new Date(clock.now().getTime() + 3_600_000);
    await sql`insert into single_sends (account_id, message_id, idempotency_key, recipient, state,
        next_attempt_at, created_at)
      select ${crowded}::bigint, ${messageId}::bigint, 'crowd' || n, 'crowd@home.example', 'deferred',
        ${inAnHour}::timestamptz, ${inAnHour}::timestamptz from generate_series(1, 350) n`.execute(
      server.db,
    );
    await sql`update single_sends set next_attempt_at = ${inAnHour}
      where account_id = ${crowded}`.execute(server.db);
    await send(single(behind, { recipient: 'hidden@home.example' }));
    startTestSender(server.db, relay.url);
    const countReceived = (recipient: string) => () =>
      relay.accepted.filter((receivedMessage) => receivedMessage.to[0] === recipient).length;
    await expect.poll(countReceived('hidden@home.example'), { timeout: 10_000 }).toBe(1);
    expect(countReceived('crowd@home.example')()).toBe(0);
    clock.advance(3_601_000);
    await expect.poll(countReceived('crowd@home.example'), { timeout: 10_000 }).toBe(350);
    clock.reset();
  });

  test('a single email leased by a killed sender is sent after the lease expires', async () => {
    const accountId = await newAccount();
    const { messageId } = await send(single(accountId));
    const delayedUntil = new Date(clock.now().getTime() + 30_000);
    await sql`update single_sends set state = 'handing_over', owner = 'killed', attempt = 1,
      next_attempt_at = ${delayedUntil}, expires_at = ${delayedUntil} where account_id = ${accountId}`.execute(
      server.db,
    );
    startTestSender(server.db, relay.url);
    clock.advance(31_000);
    const delivery = await waitForDelivery(
      server.db,
      accountId,
      messageId,
      (delivery) => delivery.counts.accepted === 1,
    );
    expect(delivery).toMatchObject({ audience: 1, counts: { handing_over: 0, pending: 0 } });
  });

  test('unsubscribed subscribers and their addresses are skipped, and an event reports accepted emails', async () => {
    const accountId = await newAccount();
    const [left, stays] = (await addPeople(server.db, accountId, 2)) as [number, number];
    await inTransaction(server.db, async (tx) => {
      const change = { channel: 'temail', reason: 'link' } as const;
      await unsubscribe(tx, accountId, { subscriberIds: [left] }, change);
    });
    const acceptedEvents: { subscriberIds: number[]; singleIds: number[] }[] = [];
    const stopListening = singlesAccepted.on(async (_tx, event) => {
      acceptedEvents.push({ subscriberIds: event.subscriberIds, singleIds: event.singleIds });
    });
    const { messageId } = await send(
      single(accountId, { recipient: 'person1@gmail.com', subscriberId: left }),
    );
    const { singleId } = await send(
      single(accountId, {
        recipient: 'person2@outlook.com',
        subscriberId: stays,
        idempotencyKey: 'b',
        values: { number: '9' },
      }),
    );
    // The address belongs to the unsubscribed subscriber, whose ID is not given.
    await send(single(accountId, { recipient: 'Person1@gmail.com', idempotencyKey: 'c' }));
    startTestSender(server.db, relay.url);
    const delivery = await waitForDelivery(
      server.db,
      accountId,
      messageId,
      (delivery) => delivery.counts.pending + delivery.counts.handing_over === 0,
    );
    stopListening();
    expect(delivery).toMatchObject({ audience: 3, counts: { accepted: 1, skipped: 2 } });
    expect(relay.accepted[0]?.source).toContain('Name 2');
    expect(acceptedEvents).toEqual([{ subscriberIds: [stays], singleIds: [singleId] }]);
  });
});

test('erasure removes the address and the reply from test emails, and a waiting test email is skipped', async () => {
  const accountId = await newAccount();
  const test = { kind: 'test', isSecret: true, recipient: 'Ada@home.example' } as const;
  const { messageId } = await send(single(accountId, { ...test, idempotencyKey: 'gone' }));
  startTestSender(server.db, relay.url);
  const accepted = (count: number) => (delivery: MessageDelivery) =>
    delivery.counts.accepted === count;
  await waitForDelivery(server.db, accountId, messageId, accepted(1));
  await sql`update single_sends set reply = '250 Ada@home.example is well'
    where account_id = ${accountId}`.execute(server.db);
  await inTransaction(server.db, async (tx) => {
    await sendOne(tx, single(accountId, { ...test, idempotencyKey: 'waits' }));
    const erasure = { subscriberIds: [77], addresses: ['ada@home.example', '4790000000'] };
    await eraseRecipients(tx, { accountId, ...erasure });
  });
  await send(single(accountId, { ...test, recipient: 'bo@home.example', idempotencyKey: 'other' }));
  const delivery = await waitForDelivery(server.db, accountId, messageId, accepted(2));
  expect(delivery.counts).toMatchObject({ accepted: 2, skipped: 1, failed: 0 });
  const { rows } = await sql`select recipient, reply from single_sends
    where account_id = ${accountId} and recipient <> 'bo@home.example'`.execute(server.db);
  expect(rows).toEqual([
    { recipient: '', reply: null },
    { recipient: '', reply: null },
  ]);
  expect(relay.accepted.map((receivedMessage) => receivedMessage.to[0])).toEqual([
    'Ada@home.example',
    'bo@home.example',
  ]);
});

test('a test email to an unsubscribed or reported address is skipped, unless the address belongs to a user', async () => {
  const owner = await server.owner('tester@home.example');
  const { accountId } = owner;
  await sql`delete from single_sends where account_id = ${accountId}`.execute(server.db);
  const addresses = ['left@home.example', 'gone@home.example', 'tester@home.example'];
  await inTransaction(server.db, async (tx) => {
    for (const recipient of [...addresses, 'other@home.example']) {
      const key = { kind: 'test', recipient, idempotencyKey: recipient } as const;
      await sendOne(tx, single(accountId, key));
    }
    const [left, missing, user] = addresses as [string, string, string];
    await suppress(tx, accountId, [left, user], { channel: 'email', reason: 'unsubscribed' });
    await suppress(tx, accountId, [missing], { channel: 'email', reason: 'reported' });
  });
  startTestSender(server.db, relay.url);
  await expect.poll(() => relay.accepted.length, { timeout: 10_000 }).toBe(2);
  const recipients = relay.accepted.map((receivedMessage) => receivedMessage.to[0]).sort();
  expect(recipients).toEqual(['other@home.example', 'tester@home.example']);
  // The skipped emails may be recorded a moment after the other two are accepted.
  const readSkipped = async () => {
    const { rows } = await sql`select recipient, reason from single_sends where
      account_id = ${accountId} and state = 'skipped' order by recipient`.execute(server.db);
    return rows;
  };
  await expect.poll(readSkipped).toEqual([
    { recipient: 'gone@home.example', reason: 'suppressed' },
    { recipient: 'left@home.example', reason: 'suppressed' },
  ]);
});
