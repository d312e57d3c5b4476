// Faults of sending that one process can reproduce: each leaves the ledger correct (invariant I).
// Group numbers refer to the faults in docs/reliability.md.
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import {
  deleteSubscribers,
  eraseSubscribers,
  suppress,
  unsubscribe,
} from '#areas/subscribers/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { listRecipients } from '#testing/oracles/invariants.ts';
import { lockWaiters } from '#testing/setup/lock-waiters.ts';
import { addPeople, isFinished, waitForDelivery } from '#testing/worlds/sending-helpers.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import {
  expectInvariant,
  prepareCampaign,
  relay,
  server,
  sleep,
} from '#testing/worlds/sending-setup.ts';
import {
  cancelMessage,
  type MessageDelivery,
  pauseMessage,
  readDelivery,
  resumeMessage,
  resumeInstance,
} from '../ledger/index.ts';

/**
 * Waits until no copy is in flight, and expects that fewer than 200 copies were sent since `before`
 * (two seconds at 100 a second) and that none follow. Returns the number of accepted copies.
 */
async function expectStop(accountId: number, messageId: number, before: number): Promise<number> {
  const isIdle = (delivery: MessageDelivery) => delivery.counts.handing_over === 0;
  await waitForDelivery(server.db, accountId, messageId, isIdle);
  const acceptedBefore = relay.accepted.length;
  expect(acceptedBefore - before).toBeLessThan(200);
  await sleep(1_000);
  expect(relay.accepted.length).toBe(acceptedBefore);
  return acceptedBefore;
}

describe('3: the relay is unreachable', () => {
  test('a message reports that it waits, and completes automatically', async () => {
    const { accountId, messageId } = await prepareCampaign(60);
    await relay.stop();
    startTestSender(server.db, relay.url);
    const waiting = await waitForDelivery(
      server.db,
      accountId,
      messageId,
      (delivery) => delivery.state === 'waiting',
    );
    expect(waiting).toMatchObject({ reason: 'relay_unreachable' });
    await relay.listen();
    await waitForDelivery(server.db, accountId, messageId, isFinished);
    await expectInvariant(accountId, messageId, { accepted: 60 });
  });

  test('almost all copies in flight at the outage are sent later; few have an unknown outcome', async () => {
    const { accountId, messageId } = await prepareCampaign(400);
    startTestSender(server.db, relay.url, { rate: 200 });
    await relay.waitForMessages(50);
    await relay.stop();
    await waitForDelivery(
      server.db,
      accountId,
      messageId,
      (delivery) => delivery.state === 'waiting',
    );
    await relay.listen();
    clock.advance(20_000);
    const delivery = await waitForDelivery(server.db, accountId, messageId, isFinished, 30_000);
    const { accepted, unknown } = delivery.counts;
    expect(accepted + unknown).toBe(400);
    expect(unknown).toBeLessThanOrEqual(4);
    await expectInvariant(accountId, messageId, unknown ? { accepted, unknown } : { accepted });
  });
});

describe('11: changes to subscribers between scheduling and sending', () => {
  test('each subscriber is checked again at the handoff', async () => {
    const { accountId, messageId, ids } = await prepareCampaign(6);
    const [unsubscribed, erased, deleted, suppressed] = ids as [number, number, number, number];
    await inTransaction(server.db, async (tx) => {
      const change = { channel: 'email', reason: 'link' } as const;
      await unsubscribe(tx, accountId, { subscriberIds: [unsubscribed] }, change);
      await eraseSubscribers(tx, accountId, { subscriberIds: [erased] });
      await deleteSubscribers(tx, accountId, { subscriberIds: [deleted] });
      const key = `person4@gmail.com`;
      expect(suppressed).toBeGreaterThan(0);
      await suppress(tx, accountId, [key], { channel: 'email', reason: 'manual' });
    });
    startTestSender(server.db, relay.url);
    await waitForDelivery(server.db, accountId, messageId, isFinished);
    await expectInvariant(accountId, messageId, { accepted: 2, skipped: 4 });
    const recipients = await listRecipients(server.db, accountId, messageId);
    const reasonOf = (id: number) =>
      recipients.find((recipient) => recipient.subscriber_id === id)?.reason;
    expect([unsubscribed, erased, deleted, suppressed].map(reasonOf)).toEqual([
      'unsubscribed',
      'erased',
      'deleted',
      'suppressed',
    ]);
  });

  test('subscribers added to the account after the start get nothing', async () => {
    const { accountId, messageId } = await prepareCampaign(5);
    clock.advance(1_000);
    await addPeople(server.db, accountId, 5, ['later.example']);
    await server.runJobs();
    startTestSender(server.db, relay.url);
    await waitForDelivery(server.db, accountId, messageId, isFinished);
    await expectInvariant(accountId, messageId, { accepted: 5 });
  });
});

describe('12: pause and cancel', () => {
  test('pausing takes effect within two seconds, and resuming sends the remaining copies once', async () => {
    const { accountId, messageId } = await prepareCampaign(300);
    startTestSender(server.db, relay.url, { rate: 100 });
    await relay.waitForMessages(30);
    await inTransaction(server.db, (tx) => pauseMessage(tx, accountId, messageId));
    const acceptedBefore = await expectStop(accountId, messageId, relay.accepted.length);
    const [delivery] = await readDelivery(server.db, accountId, [messageId]);
    expect(delivery?.counts).toMatchObject({
      accepted: acceptedBefore,
      pending: 300 - acceptedBefore,
      handing_over: 0,
    });
    await expectInvariant(accountId, messageId, {
      accepted: acceptedBefore,
      pending: 300 - acceptedBefore,
    });
    await inTransaction(server.db, (tx) => resumeMessage(tx, accountId, messageId));
    await waitForDelivery(server.db, accountId, messageId, isFinished);
    await expectInvariant(accountId, messageId, { accepted: 300 });
  });

  test('canceling skips the remaining recipients and counts them', async () => {
    const { accountId, messageId } = await prepareCampaign(300);
    relay.script.rcpt = ({ previousCount }) =>
      previousCount === 5 ? '450 4.2.1 Later' : undefined;
    startTestSender(server.db, relay.url, { rate: 100 });
    await relay.waitForMessages(30);
    const { hasHandoffs } = await inTransaction(server.db, (tx) =>
      cancelMessage(tx, accountId, messageId),
    );
    expect(hasHandoffs).toBe(true);
    const acceptedBefore = await expectStop(accountId, messageId, relay.accepted.length);
    const [delivery] = await readDelivery(server.db, accountId, [messageId]);
    expect(delivery).toMatchObject({ state: 'cancelled', audience: 300 });
    await expectInvariant(accountId, messageId, {
      accepted: acceptedBefore,
      skipped: 300 - acceptedBefore,
    });
  });
});

describe('12: canceling while recipients wait for a retry', () => {
  test('no recipient remains waiting, whether or not a retry is in flight', async () => {
    const { accountId, messageId } = await prepareCampaign(40);
    relay.script.rcpt = '450 4.2.1 Later';
    startTestSender(server.db, relay.url);
    await waitForDelivery(
      server.db,
      accountId,
      messageId,
      (delivery) => delivery.counts.deferred === 40,
    );
    // At the cancel, retries of some recipients are in flight.
    relay.script.rcpt = { delayMs: 1_500 };
    clock.advance(3_600_000);
    await waitForDelivery(
      server.db,
      accountId,
      messageId,
      (delivery) => delivery.counts.handing_over > 4,
    );
    await inTransaction(server.db, (tx) => cancelMessage(tx, accountId, messageId));
    const { counts } = await waitForDelivery(server.db, accountId, messageId, (delivery) => {
      const { accepted, skipped } = delivery.counts;
      return accepted > 0 && accepted + skipped === 40;
    });
    expect(counts.skipped).toBeGreaterThan(30);
    await expectInvariant(accountId, messageId, {
      accepted: relay.accepted.length,
      skipped: counts.skipped,
    });
  });
});

describe('13: after a restore', () => {
  test('no copy is sent until an operator resumes the installation', async () => {
    const { accountId, messageId } = await prepareCampaign(10);
    await sql`insert into instance_settings (key, value, modified_at)
      values ('sending_paused', '{"reason": "restored"}', ${clock.now()})`.execute(server.db);
    startTestSender(server.db, relay.url);
    await sleep(1_500);
    expect(relay.accepted).toEqual([]);
    const [delivery] = await readDelivery(server.db, accountId, [messageId]);
    expect(delivery).toMatchObject({ isInstancePaused: true, counts: { pending: 10 } });
    expect(await inTransaction(server.db, resumeInstance)).toBe(true);
    await waitForDelivery(server.db, accountId, messageId, isFinished);
    await expectInvariant(accountId, messageId, { accepted: 10 });
  });
});

describe('an expired sender', () => {
  test('copies in flight at an expired sender become unknown, and another sender sends the other copies', async () => {
    const { accountId, messageId } = await prepareCampaign(100);
    const delayedUntil = new Date(clock.now().getTime() + 30_000);
    // The ledger as a killed process leaves it: of 33 leased recipients, 25 have started and 10 of
    // these are accepted.
    await sql`
      with lane as (select lane from lanes where account_id = ${accountId}
          and message_id = ${messageId} order by lane limit 1),
        moved as (update lanes l set leased = 33 from lane where l.account_id = ${accountId}
          and l.message_id = ${messageId} and l.lane = lane.lane),
        lease as (insert into leases select ${accountId}::bigint, ${messageId}::bigint, lane, 1, 33,
          25, 'killed', ${delayedUntil} from lane returning lane)
      insert into results (account_id, message_id, lane, ordinal, state, at)
      select ${accountId}::bigint, ${messageId}::bigint, lane, o, 'accepted', ${clock.now()}
      from lane, generate_series(1, 10) o`.execute(server.db);
    await sql`update delivery_counts set accepted = 10 where account_id = ${accountId}
      and message_id = ${messageId}`.execute(server.db);
    startTestSender(server.db, relay.url);
    await relay.waitForMessages(60);
    clock.advance(31_000);
    const delivery = await waitForDelivery(server.db, accountId, messageId, isFinished);
    expect(delivery.counts).toMatchObject({ accepted: 85, unknown: 15, pending: 0 });
    expect(relay.accepted.length).toBe(75);
  });
});

describe('several senders', () => {
  test('several senders share a message, and each recipient gets it once', async () => {
    const { accountId, messageId } = await prepareCampaign(1_500);
    // The delay keeps one sender from sending all copies before the others have started.
    relay.script.dot = () => ({ delayMs: 10 });
    for (let i = 0; i < 3; i++) startTestSender(server.db, relay.url);
    await waitForDelivery(server.db, accountId, messageId, isFinished);
    await expectInvariant(accountId, messageId, { accepted: 1_500 });
    const { rows } = await sql`select distinct owner from leases
      where account_id = ${accountId}`.execute(server.db);
    expect(rows.length).toBe(3);
  });

  test('a new sender continues immediately after the previous one stops and releases its leases', async () => {
    const { accountId, messageId } = await prepareCampaign(400);
    const firstSender = startTestSender(server.db, relay.url, { rate: 100 });
    await relay.waitForMessages(30);
    await firstSender.close();
    const [delivery] = await readDelivery(server.db, accountId, [messageId]);
    expect(delivery?.counts).toMatchObject({ handing_over: 0, unknown: 0 });
    expect(delivery?.counts.accepted).toBe(relay.accepted.length);
    startTestSender(server.db, relay.url);
    await waitForDelivery(server.db, accountId, messageId, isFinished);
    await expectInvariant(accountId, messageId, { accepted: 400 });
  });
});

test('a sender that stops while the database drops connections still writes its replies', async () => {
  const { accountId, messageId } = await prepareCampaign(20);
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const holding = inTransaction(server.db, async (tx) => {
    await sql`select 1 from delivery_counts where account_id = ${accountId}
      and message_id = ${messageId} for update`.execute(tx);
    await released;
  });
  const sender = startTestSender(server.db, relay.url);
  await relay.waitForMessages(1);
  await expect
    .poll(async () => (await lockWaiters(server.db)).length, { timeout: 10_000 })
    .toBeGreaterThan(0);
  const closing = sender.close();
  await sleep(100);
  for (const pid of await lockWaiters(server.db)) {
    await sql`select pg_terminate_backend(${sql.lit(pid)})`.execute(server.db);
  }
  release();
  await Promise.all([holding, closing]);
  const { rows } = await sql<{ open: number }>`select count(*)::int as open from leases
    where account_id = ${accountId} and message_id = ${messageId} and owner <> ''
      and not is_done`.execute(server.db);
  expect(rows).toEqual([{ open: 0 }]);
  startTestSender(server.db, relay.url);
  await waitForDelivery(server.db, accountId, messageId, isFinished);
  await expectInvariant(accountId, messageId, { accepted: 20 });
});
