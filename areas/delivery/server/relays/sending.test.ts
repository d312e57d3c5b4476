// The choice of relays by priority and weight, within their limits, and without unavailable ones.
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { sampleSource } from '#areas/content/server/sample-source.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { checkInvariant } from '#testing/oracles/invariants.ts';
import { isFinished, startMessage, waitForDelivery } from '#testing/worlds/sending-helpers.ts';
import {
  addRelay,
  createCampaign,
  instance,
  testSmtpServer,
  relay,
  sender,
  server,
  startSender,
  URL_,
} from '#testing/worlds/relays-setup.ts';
import { type TestSmtpServer } from '#testing/servers/smtp-server.ts';
import { type MessageDelivery, resumeMessage, sendOne } from '../ledger/index.ts';

function sendSingle(accountId: number, recipient: string) {
  const { message_id: _, ...source } = sampleSource({
    kind: 'transactional',
    account_id: accountId,
  });
  const message = {
    accountId,
    kind: 'transactional',
    sourceId: 5,
    source,
    recipient,
    values: {},
  } as const;
  return inTransaction(server.db, (tx) => sendOne(tx, { ...message, idempotencyKey: recipient }));
}

const untilItWaits = (accountId: number, messageId: number, acceptedCount: number) =>
  waitForDelivery(
    server.db,
    accountId,
    messageId,
    ({ state, counts }) =>
      state === 'waiting' && counts.accepted === acceptedCount && counts.handing_over === 0,
    15_000,
  );

/** Expects that a message waits about an hour: until the five-minute slots of its sends expire. */
function expectAnHour({ heldUntil: delayedUntil }: MessageDelivery): void {
  const inMinutes = ((delayedUntil?.getTime() ?? 0) - Date.now()) / 60_000;
  expect(inMinutes).toBeGreaterThan(58);
  expect(inMinutes).toBeLessThan(66);
}

const idsOf = (...relays: TestSmtpServer[]) =>
  relays.flatMap((relay) => relay.accepted.map(({ messageId }) => messageId));

describe('sending', () => {
  test("a campaign uses its account's relay, and system emails and other accounts use the installation's relay", async () => {
    const owner = await server.owner('own@shop.example');
    const neighbor = await server.owner('neighbour@shop.example');
    await addRelay(owner, relay.port);
    const ownMessage = await createCampaign(owner.accountId, 30);
    const foreignMessage = await createCampaign(neighbor.accountId, 20);
    startSender();
    await waitForDelivery(server.db, owner.accountId, ownMessage, isFinished);
    await waitForDelivery(server.db, neighbor.accountId, foreignMessage, isFinished);
    // The installation's relay also sends the verification emails to the two owners.
    await instance.waitForMessages(22);
    expect(relay.accepted).toHaveLength(30);
    expect(
      instance.accepted.filter((receivedMessage) =>
        receivedMessage.to[0]?.endsWith('@shop.example'),
      ),
    ).toHaveLength(2);
    const invariant = await checkInvariant(server.db, owner.accountId, ownMessage, idsOf(relay));
    expect(invariant).toEqual({ states: { accepted: 30 }, problems: [] });
    const listedRelay = (await owner.get(URL_)).body.data[0];
    expect(listedRelay.health).toMatchObject({ state: 'ready' });
  });

  test('a relay that is down or refuses the sender is replaced by the next one', async () => {
    const owner = await server.owner();
    await addRelay(owner, relay.port, { title: 'first', priority: 1 });
    await addRelay(owner, testSmtpServer.port, { title: 'second', priority: 2 });
    relay.script.mail = '550 5.7.1 Sender rejected';
    const refused = await createCampaign(owner.accountId, 40);
    startSender();
    await waitForDelivery(server.db, owner.accountId, refused, isFinished);
    expect(testSmtpServer.accepted).toHaveLength(40);
    await relay.stop();
    const unsent = await startMessage(server.db, owner.accountId);
    await server.runJobs();
    await waitForDelivery(server.db, owner.accountId, unsent, isFinished);
    expect(testSmtpServer.accepted).toHaveLength(80);
    const states = (await owner.get(URL_)).body.data.map(
      (row: { title: string; health: object }) => [
        row.title,
        (row.health as { state: string }).state,
      ],
    );
    expect(states).toEqual([
      ['first', 'waiting'],
      ['second', 'ready'],
    ]);
    const invariant = await checkInvariant(
      server.db,
      owner.accountId,
      unsent,
      idsOf(relay, testSmtpServer),
    );
    expect(invariant.problems).toEqual([]);
  });

  test('a message pauses if all relays refuse its sender; resuming tries each relay again', async () => {
    const owner = await server.owner();
    await addRelay(owner, relay.port);
    await addRelay(owner, testSmtpServer.port, { priority: 2 });
    relay.script.mail = testSmtpServer.script.mail = '550 5.7.1 Sender rejected';
    const messageId = await createCampaign(owner.accountId, 25);
    startSender();
    // No handoff is still in flight, so no refusal arrives after the resume.
    const delivery = await waitForDelivery(
      server.db,
      owner.accountId,
      messageId,
      (delivery) => delivery.state === 'paused' && delivery.counts.handing_over === 0,
    );
    expect(delivery.reason).toBe('sender_refused');
    relay.script.mail = undefined;
    await inTransaction(server.db, (tx) => resumeMessage(tx, owner.accountId, messageId));
    await waitForDelivery(server.db, owner.accountId, messageId, isFinished);
    expect(relay.accepted).toHaveLength(25);
  });

  test('relays of one priority share a campaign by weight', async () => {
    const owner = await server.owner();
    await addRelay(owner, relay.port, { weight: 3 });
    await addRelay(owner, testSmtpServer.port, { weight: 1 });
    for (const server of [relay, testSmtpServer]) server.script.dot = () => ({ delayMs: 2 });
    const messageId = await createCampaign(owner.accountId, 400);
    startSender();
    await waitForDelivery(server.db, owner.accountId, messageId, isFinished);
    expect(relay.accepted.length + testSmtpServer.accepted.length).toBe(400);
    expect(relay.accepted.length).toBeGreaterThan(280);
    expect(testSmtpServer.accepted.length).toBeGreaterThan(80);
  });

  test('an hourly limit applies across two processes, and the message shows the limit and its end', async () => {
    const owner = await server.owner();
    await addRelay(owner, relay.port, { per_hour: 30 });
    const messageId = await createCampaign(owner.accountId, 50);
    startSender();
    startSender();
    const delivery = await untilItWaits(owner.accountId, messageId, 30);
    expect(delivery).toMatchObject({
      reason: 'relay_limit',
      details: { until: expect.any(String) },
    });
    expectAnHour(delivery);
    expect(relay.accepted).toHaveLength(30);
    const [listed] = (await owner.get(URL_)).body.data;
    expect(listed.quotas).toMatchObject([{ unit: 'hour', used: 30, most: 30 }]);
    const reportedAt = Date.parse(listed.quotas[0].more_at);
    expect(Math.abs(reportedAt - (delivery.heldUntil?.getTime() ?? 0))).toBeLessThan(5_000);
  });

  test('single emails are sent while a campaign waits for an hourly limit, until the reserve is used up', async () => {
    const owner = await server.owner();
    await sql`delete from single_sends`.execute(server.db);
    await addRelay(owner, relay.port, { per_hour: 100 });
    const messageId = await createCampaign(owner.accountId, 200);
    startSender();
    const delivery = await untilItWaits(owner.accountId, messageId, 98);
    expect(delivery).toMatchObject({ reason: 'relay_limit', counts: { pending: 102 } });
    expectAnHour(delivery);
    const [listed] = (await owner.get(URL_)).body.data;
    expect(listed.quotas).toMatchObject([{ unit: 'hour', used: 98, most: 100 }]);
    const reportedAt = Date.parse(listed.quotas[0].more_at);
    expect(Math.abs(reportedAt - (delivery.heldUntil?.getTime() ?? 0))).toBeLessThan(5_000);
    const recipients = () =>
      relay.accepted.slice(98).flatMap((receivedMessage) => receivedMessage.to);
    await sendSingle(owner.accountId, 'ada@home.example');
    await expect.poll(recipients, { timeout: 3_000 }).toEqual(['ada@home.example']);
    // A second process loads the state of the limit, so both processes share the reserve.
    startSender();
    await sendSingle(owner.accountId, 'eve@home.example');
    await expect
      .poll(recipients, { timeout: 3_000 })
      .toEqual(['ada@home.example', 'eve@home.example']);
    await sendSingle(owner.accountId, 'ida@home.example');
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(relay.accepted).toHaveLength(100);
    const waitingDelivery = await untilItWaits(owner.accountId, messageId, 98);
    expect(waitingDelivery).toMatchObject({
      reason: 'relay_limit',
      counts: { deferred: 0, unknown: 0 },
    });
    await sender?.close();
    const { rows } = await sql<{ state: string }>`select state from single_sends
      where account_id = ${owner.accountId} order by id`.execute(server.db);
    expect(rows.map((row) => row.state)).toEqual(['accepted', 'accepted', 'pending']);
  });

  test('a relay with an hourly and a daily limit waits for the hour while the day has capacity', async () => {
    const owner = await server.owner();
    await addRelay(owner, relay.port, { per_hour: 20, per_day: 500 });
    const messageId = await createCampaign(owner.accountId, 30);
    startSender();
    const delivery = await untilItWaits(owner.accountId, messageId, 20);
    expect(delivery.reason).toBe('relay_limit');
    expectAnHour(delivery);
  });

  test("a provider's limit slows only recipients at that provider", async () => {
    const owner = await server.owner();
    await addRelay(owner, relay.port, { domain_limits: [{ domain: 'gmail.com', per_minute: 60 }] });
    const messageId = await createCampaign(owner.accountId, 300, [
      'gmail.com',
      'outlook.com',
      'home.example',
    ]);
    startSender();
    startSender();
    const toOthers = () =>
      relay.accepted.filter((receivedMessage) => !receivedMessage.to[0]?.endsWith('@gmail.com'))
        .length;
    await expect.poll(toOthers).toBe(200);
    const toGmail = () => relay.accepted.length - toOthers();
    expect(toGmail()).toBeLessThan(12);
    await expect.poll(toGmail).toBeGreaterThan(0);
    // The relay and the ledger agree only when no handoff is in flight.
    await sender?.close();
    const invariant = await checkInvariant(server.db, owner.accountId, messageId, idsOf(relay));
    expect(invariant.problems).toEqual([]);
  });

  test('a message to recipients at a single limited provider is sent at its rate with almost no deferrals', async () => {
    const owner = await server.owner();
    await addRelay(owner, relay.port, {
      domain_limits: [{ domain: 'gmail.com', per_minute: 1_200 }],
    });
    const messageId = await createCampaign(owner.accountId, 400, ['gmail.com']);
    startSender();
    await expect.poll(() => relay.accepted.length).toBeGreaterThan(0);
    const startedAt = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    const seconds = (performance.now() - startedAt) / 1_000;
    const sentMeanwhile = relay.accepted.length;
    expect(sentMeanwhile).toBeGreaterThan(seconds * 10);
    expect(sentMeanwhile).toBeLessThanOrEqual(seconds * 20 + 5);
    const delivery = await waitForDelivery(server.db, owner.accountId, messageId, () => true);
    expect(delivery.counts.deferred).toBeLessThan(sentMeanwhile / 20);
    await sender?.close();
    const invariant = await checkInvariant(server.db, owner.accountId, messageId, idsOf(relay));
    expect(invariant.problems).toEqual([]);
  });

  test('a learned rate is stored for the provider that requests it, and does not delay other providers', async () => {
    const owner = await server.owner();
    await addRelay(owner, relay.port);
    relay.script.rcpt = ({ line }) =>
      line.includes('@gmail.com') ? '421 4.7.28 Unusual rate of mail' : undefined;
    const messageId = await createCampaign(owner.accountId, 150, [
      'gmail.com',
      'outlook.com',
      'home.example',
    ]);
    startSender();
    await expect.poll(() => relay.accepted.length).toBe(100);
    const { rows } = await sql<{ key: string }>`select key from relay_allowances
      where state ? 'learnt' and key like ${`account/${owner.accountId}/%`}`.execute(server.db);
    expect(rows.map((row) => row.key.split('/').at(-1))).toEqual(['1']);
    const [delivery] = [await waitForDelivery(server.db, owner.accountId, messageId, () => true)];
    expect(delivery?.state).toBe('sending');
    expect(delivery?.counts.failed).toBe(0);
    expect(relay.countCommands('rcpt')).toBeLessThan(130);
  });
});
