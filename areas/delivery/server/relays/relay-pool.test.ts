// Several relays used as one: the distribution of handoffs that one relay, or all relays, cannot
// accept now.
import { sql } from 'kysely';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { inTransaction } from '#platform/server/database/database.ts';
import { openSmtpRelay, parseSmtpUrl } from '#providers/smtp/index.ts';
import { fakeRelay, CONNECTION_LOST } from '#testing/servers/fake-relay.ts';
import { checkInvariant } from '#testing/oracles/invariants.ts';
import { addPeople, startMessage, waitForDelivery } from '#testing/worlds/sending-helpers.ts';
import { createMessage, QueueSource } from '#testing/servers/queue-source.ts';
import { testServer } from '#testing/setup/server.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/servers/smtp-server.ts';
import { type MessageDelivery, pauseMessage } from '../ledger/index.ts';
import {
  openPool,
  type PooledRelay,
  type RunningSender,
  runSender,
  soleRelay,
} from '../sender/index.ts';
import type { RateLimits } from './allowance.ts';
import type { HandoffResult, Handoff, OpenRelay } from './provider.ts';

const server = await testServer();
let sender: RunningSender | undefined;

afterEach(async () => {
  await sender?.close();
  sender = undefined;
});

const REFUSED: HandoffResult = {
  ...CONNECTION_LOST,
  outcome: 'relay_refused',
  scope: 'sender',
  step: 'mail',
  code: 550,
};

/** Opens a pool of these relays, each with its own limit for home.example. */
function openTestPool(
  name: string,
  ...relays: { open: OpenRelay; limits?: RateLimits; priority?: number }[]
) {
  const source = new QueueSource();
  const pooledRelays = relays.map(({ open: openRelay, limits, priority = 1 }, i) => ({
    ...soleRelay(`${name}/${i}`, openRelay),
    priority,
    domainLimits: new Map(limits ? [['home.example', limits]] : []),
  }));
  const pool = openPool(server.db, pooledRelays)(source);
  onTestFinished(() => pool.close(100));
  return source;
}

/** Queues handoffs to home.example, from `sender` if it is given. */
function fill(source: QueueSource, count: number, sender?: string): void {
  for (let i = 0; i < count; i++) {
    const message = createMessage(i, 'Hello.\r\n', `p${i}@home.example`);
    source.add(sender ? Object.assign(message, { sender }) : message);
  }
}

/** Starts two mail servers and a campaign to this number of recipients. */
async function twoRelays(recipientCount: number) {
  const [first, second] = [await startSmtpServer(), await startSmtpServer()];
  onTestFinished(async () => {
    for (const testSmtpServer of [first, second]) await testSmtpServer.close();
  });
  const { accountId } = await server.owner();
  await sql`delete from single_sends`.execute(server.db);
  await sql`update messages set state = 'cancelled'`.execute(server.db);
  await addPeople(server.db, accountId, recipientCount);
  const messageId = await startMessage(server.db, accountId);
  await server.runJobs();
  return { accountId, messageId, first, second };
}

function pooledRelayOf({ url }: TestSmtpServer) {
  const options = parseSmtpUrl(`${url}?tls=none&connections=10`);
  return soleRelay(`p ${url}`, (source) => openSmtpRelay(options, source));
}

const poolOf = (...relays: TestSmtpServer[]) => openPool(server.db, relays.map(pooledRelayOf));

async function resultsOf(accountId: number, messageId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) from results
    where account_id = ${accountId} and message_id = ${messageId}`.execute(server.db);
  return rows[0]?.count ?? 0;
}

/**
 * Opens a pool whose relay has a limit of a hundred an hour and has sent the 98 emails that are
 * allowed to campaigns; then queues 102 more.
 */
async function openUsedUp(name: string, ...otherRelays: PooledRelay[]) {
  const limitedRelay = fakeRelay();
  const source = new QueueSource();
  const sole = { ...soleRelay(`${name}/limited`, limitedRelay.open), limits: { perHour: 100 } };
  const pool = openPool(server.db, [sole, ...otherRelays])(source);
  onTestFinished(() => pool.close(100));
  fill(source, 98);
  let handedOff = 0;
  const takeAll = () => {
    while (limitedRelay.source().next()) handedOff++;
    return handedOff;
  };
  await expect.poll(takeAll).toBe(98);
  fill(source, 102);
  return { source, pool, limited: limitedRelay, takeAll };
}

function addUrgent(source: QueueSource, ...recipients: string[]): void {
  for (const [i, to] of recipients.entries()) {
    const permissions = { isUrgent: true, mayUseReserve: true };
    source.add(Object.assign(createMessage(9_000 + i, 'Reset', to), permissions));
  }
}

const isSending = (delivery: MessageDelivery) => delivery.state === 'sending';
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const SENDER = 'news@tea.example';

test('a handoff set aside for another relay is deferred as soon as no relay is usable', async () => {
  const [first, second] = [fakeRelay(), fakeRelay()];
  const source = new QueueSource();
  const domainLimits = new Map([['home.example', { perMinute: 1 }]]);
  const pool = openPool(server.db, [
    { ...soleRelay('aside/1', first.open), domainLimits },
    soleRelay('aside/2', second.open),
  ])(source);
  onTestFinished(() => pool.close(100));
  source.add(createMessage(1, 'Hello.\r\n', 'ada@home.example'));
  // The first relay has not drawn from its limit yet, so the handoff waits for the second relay.
  expect(first.source().next()).toBeNull();
  expect(source.results).toEqual([]);
  for (const member of [first, second])
    member.become({ kind: 'waiting', retryInMs: 1_000, result: CONNECTION_LOST });
  expect(source.results).toHaveLength(1);
  const [answered] = await source.waitForResults(1);
  expect(answered).toMatchObject({ outcome: 'deferred', scope: 'connection' });
  expect(answered?.retryInMs).toBeUndefined();
});

test('emails to a limited domain do not delay emails to other domains, even if its next email is due soon', async () => {
  const soleFake = fakeRelay();
  const source = new QueueSource();
  const domainLimits = new Map([['home.example', { perMinute: 120 }]]);
  const pool = openPool(server.db, [{ ...soleRelay('gathered/1', soleFake.open), domainLimits }])(
    source,
  );
  onTestFinished(() => pool.close(100));
  for (let i = 0; i < 40; i++) source.add(createMessage(i, 'Hello.\r\n', `p${i}@home.example`));
  source.add(createMessage(40, 'Hello.\r\n', 'ada@other.example'));
  // Handoffs that may be sent soon are set aside; the others are deferred, each longer than the one
  // before.
  expect(soleFake.source().next()?.to).toBe('ada@other.example');
  const delays = source.results.map(({ result }) => result.retryInMs ?? 0);
  expect(delays.length).toBeGreaterThan(30);
  expect(delays).toEqual(delays.toSorted((a, b) => a - b));
  expect(delays.at(-1)).toBeGreaterThan(15_000);
});

test('a handoff that one relay may not send now goes to another relay without a deferral', async () => {
  const [first, second] = [fakeRelay(), fakeRelay()];
  const source = openTestPool('left', { ...first, limits: { perMinute: 1 } }, second);
  fill(source, 40);
  expect(first.source().next()).toBeNull();
  expect(source.results).toEqual([]);
  // From here on, the pool does not wait for the first relay.
  await wait(600);
  const handoffs: Handoff[] = [];
  for (let handoff = second.source().next(); handoff; handoff = second.source().next())
    handoffs.push(handoff);
  // The second relay gets all handoffs except those that the first may have received by now.
  expect(handoffs.length).toBeGreaterThan(30);
  expect(source.results).toEqual([]);
});

test('an email whose sender is refused by one relay goes to a relay that accepts it, without a deferral', async () => {
  const [first, second] = [fakeRelay(), fakeRelay()];
  const source = openTestPool('sender', first, second);
  fill(source, 41, SENDER);
  first.source().onResult(first.source().next() as Handoff, REFUSED);
  expect(first.source().next()).toBeNull();
  expect(source.results).toEqual([]);
  expect(second.source().next()?.to).toBe('p0@home.example');
});

test('handoffs for a slow relay do not block another relay for long', async () => {
  const [first, second] = [fakeRelay(), fakeRelay()];
  const source = openTestPool('slow', first, second);
  fill(source, 41, SENDER);
  source.add(createMessage(99, 'Hello.\r\n', 'ada@other.example'));
  first.source().onResult(first.source().next() as Handoff, REFUSED);
  // The second relay accepts nothing: the first one gets the handoffs that it may send, and the
  // others are deferred with increasing delays.
  await expect.poll(() => first.source().next()?.to, { timeout: 5_000 }).toBe('ada@other.example');
  const delays = source.results.map(({ result }) => result.retryInMs ?? 0);
  expect(delays.length).toBeGreaterThan(30);
  expect(Math.max(...delays)).toBeGreaterThan(20_000);
  expect(source.results.every(({ result }) => result.scope === 'relay')).toBe(true);
});

test('a campaign waits for a relay that is briefly down, even if another relay refuses its sender', async () => {
  const { accountId, messageId, first, second } = await twoRelays(5_000);
  first.script.mail = '550 5.7.1 Sender rejected';
  await second.stop();
  sender = runSender(server.db, poolOf(first, second));
  const waiting = await waitForDelivery(
    server.db,
    accountId,
    messageId,
    ({ state, counts }) => state === 'waiting' && counts.handing_over === 0,
  );
  expect(waiting).toMatchObject({ reason: 'relay_unreachable', counts: { failed: 0 } });
  // Only a few handoffs started before the outage was known, and no more are pulled afterwards.
  expect(waiting.counts.deferred).toBeLessThan(200);
  const resultsBefore = await resultsOf(accountId, messageId);
  await wait(3_000);
  expect(await resultsOf(accountId, messageId)).toBe(resultsBefore);
  await second.listen();
  await second.waitForMessages(100);
  expect((await waitForDelivery(server.db, accountId, messageId, isSending)).counts.failed).toBe(0);
}, 60_000);

test('a campaign pauses if one relay refuses its sender and the other refuses all connections', async () => {
  const { accountId, messageId, first, second } = await twoRelays(500);
  first.script.mail = '550 5.7.1 Sender rejected';
  second.script.banner = '554 5.7.1 You may not';
  sender = runSender(server.db, poolOf(first, second));
  const isPaused = (delivery: MessageDelivery) =>
    delivery.state === 'paused' && delivery.counts.handing_over === 0;
  const delivery = await waitForDelivery(server.db, accountId, messageId, isPaused);
  expect(delivery).toMatchObject({ reason: 'sender_refused', counts: { failed: 0 } });
  expect(delivery.counts.deferred).toBeLessThan(200);
});

test('handoffs wait for a second relay that has no capacity for their domain yet', async () => {
  const [first, second] = [fakeRelay(), fakeRelay()];
  const source = openTestPool('room', first, { ...second, limits: { perMinute: 6 } });
  fill(source, 6, SENDER);
  await wait(300);
  for (let i = 0; i < 6; i++) {
    const handoff = first.source().next();
    if (handoff) first.source().onResult(handoff, REFUSED);
    const secondHandoff = second.source().next();
    if (secondHandoff)
      second
        .source()
        .onResult(secondHandoff, { ...CONNECTION_LOST, outcome: 'accepted', scope: 'message' });
    await wait(100);
  }
  const outcomes = new Set(source.results.map(({ result }) => result.outcome));
  expect([...outcomes].toSorted()).toEqual(['accepted', 'deferred']);
});

test("handoffs beyond a domain's limit are deferred, even with another relay on standby", () => {
  const [first, second] = [fakeRelay(), fakeRelay()];
  const source = openTestPool(
    'backup',
    { ...first, limits: { perMinute: 6 } },
    { ...second, priority: 2 },
  );
  fill(source, 10);
  first.source().next();
  const delays = source.results.map(({ result }) => result.retryInMs ?? 0);
  expect(Math.max(...delays)).toBeGreaterThan(30_000);
});

test("a single email is sent before a campaign's copies that wait for the limit of their domain", async () => {
  const soleFake = fakeRelay();
  const source = openTestPool('urgent', { ...soleFake, limits: { perMinute: 60 } });
  fill(source, 5_000);
  soleFake.source().next();
  expect(source.results.at(-1)?.result.retryInMs).toBe(3_600_000);
  const emails = Array.from({ length: 20 }, (_, i) =>
    Object.assign(createMessage(9_000 + i, 'Reset', `u${i}@home.example`), { isUrgent: true }),
  );
  source.add(...emails);
  const sentTo: string[] = [];
  await expect
    .poll(() => {
      const handoff = soleFake.source().next();
      if (handoff) sentTo.push(handoff.to);
      return sentTo[0];
    })
    .toBe('u0@home.example');
  // The single emails wait only for each other, not for the campaign's copies.
  const lastResult = source.resultFor('u19@home.example');
  expect(lastResult?.retryInMs).toBeGreaterThan(1_000);
  expect(lastResult?.retryInMs).toBeLessThan(30_000);
});

test("a deferral after a wait for a domain's limit names that limit", async () => {
  const soleFake = fakeRelay();
  const source = openTestPool('waited', { ...soleFake, limits: { perMinute: 120 } });
  fill(source, 4);
  soleFake.source().next();
  expect(source.results).toEqual([]);
  await source.waitForResults(3);
  expect(source.results.every(({ result }) => result.scope === 'domain')).toBe(true);
});

test('only single emails use the reserve after an hourly limit is used up', async () => {
  const { source, pool, limited, takeAll } = await openUsedUp('kept');
  await expect.poll(takeAll).toBe(98);
  await expect.poll(() => source.states.at(-1)?.kind).toBe('ready');
  expect(source.states.at(-1)).toMatchObject({ othersWait: { kind: 'waiting', isLimit: true } });
  // No handoff is ready, so no connection is opened.
  expect(limited.source().countReady()).toBe(0);
  addUrgent(source, 'ada@home.example', 'eve@home.example', 'ida@home.example');
  expect(limited.source().countReady()).toBe(3);
  const deliveredTo: string[] = [];
  const deliverNext = () => {
    const handoff = limited.source().next();
    if (handoff) deliveredTo.push(handoff.to);
    return deliveredTo.length;
  };
  await expect.poll(deliverNext).toBe(2);
  expect(deliveredTo).toEqual(['ada@home.example', 'eve@home.example']);
  // The last handoff waits with all others; none was pulled and deferred.
  await expect.poll(() => deliverNext() && pool.state().kind).toBe('waiting');
  expect(deliveredTo).toHaveLength(2);
  expect(source.waiting).toHaveLength(103);
  expect(source.results).toEqual([]);
});

test('all emails use another relay while it has capacity, and the reserve remains', async () => {
  const spareRelay = fakeRelay();
  const relay = { ...soleRelay('spare/other', spareRelay.open), priority: 2 };
  const { source, pool, limited } = await openUsedUp('spare', relay);
  await expect.poll(() => (limited.source().next(), spareRelay.source().countReady())).toBe(102);
  expect(pool.state()).toEqual({ kind: 'ready' });
  addUrgent(source, 'ada@home.example');
  for (let i = 0; i < 10; i++) {
    expect(limited.source().next()).toBeNull();
    await wait(20);
  }
  expect(spareRelay.source().next()?.to).toBe('p0@home.example');
  spareRelay.become({ kind: 'waiting', retryInMs: 1_000, result: CONNECTION_LOST });
  expect(pool.state()).toMatchObject({ kind: 'ready', othersWait: { retryInMs: 1_000 } });
  await expect.poll(() => limited.source().next()?.to).toBe('ada@home.example');
  expect(limited.source().next()).toBeNull();
});

test('an unproven relay gets single emails last if both relays have only their reserves left', async () => {
  const spareRelay = fakeRelay();
  const limits = { perHour: 100 };
  const relay = { ...soleRelay('trial/other', spareRelay.open), limits, priority: 2 };
  const { source, limited } = await openUsedUp('trial', relay);
  const drawNext = () => (limited.source().next(), spareRelay.source().next());
  const reserveState = { kind: 'ready', othersWait: { isLimit: true } };
  await expect.poll(() => (drawNext(), source.states.at(-1))).toMatchObject(reserveState);
  limited.become({ kind: 'ready', isUnproven: true });
  addUrgent(source, 'ada@home.example', 'eve@home.example', 'ida@home.example');
  const handoffs: string[] = [];
  const takeNext = () => {
    for (const [name, member] of Object.entries({ limited, spare: spareRelay })) {
      const recipient = member.source().next()?.to;
      if (recipient) handoffs.push(`${recipient} by ${name}`);
    }
    return handoffs.length;
  };
  await expect.poll(takeNext).toBe(3);
  expect(handoffs).toEqual([
    'ada@home.example by spare',
    'eve@home.example by spare',
    'ida@home.example by limited',
  ]);
});

test('a pool whose relay has only its reserve left reports whether the relay is unproven', async () => {
  const { source, limited } = await openUsedUp('proven');
  const reserveState = { kind: 'ready', othersWait: { isLimit: true } };
  const readLastState = () => (limited.source().next(), source.states.at(-1));
  await expect.poll(readLastState).toMatchObject(reserveState);
  limited.become({ kind: 'ready', isUnproven: true });
  await expect.poll(readLastState).toMatchObject({ ...reserveState, isUnproven: true });
  limited.become({ kind: 'ready' });
  await expect.poll(readLastState).not.toMatchObject({ isUnproven: true });
});

test('a single email that the other relay refuses uses the reserve of the used-up relay', async () => {
  const otherRelay = fakeRelay();
  const relay = { ...soleRelay('refusing/other', otherRelay.open), priority: 2 };
  const { source, limited } = await openUsedUp('refusing', relay);
  source.waiting.splice(0);
  addUrgent(source, 'ada@home.example');
  let handoff: Handoff | null = null;
  await expect.poll(() => (handoff = otherRelay.source().next())).not.toBeNull();
  otherRelay.source().onResult(handoff as unknown as Handoff, REFUSED);
  await expect.poll(() => limited.source().next()?.to).toBe('ada@home.example');
});

test('handoffs waiting for a slower relay are not sent after a pause', async () => {
  const { accountId, messageId, first, second } = await twoRelays(200);
  first.script.mail = '550 5.7.1 Sender rejected';
  const slowRelay = { ...pooledRelayOf(second), limits: { perMinute: 60 } };
  const pool = openPool(server.db, [pooledRelayOf(first), slowRelay]);
  sender = runSender(server.db, pool);
  await second.waitForMessages(2);
  await inTransaction(server.db, (tx) => pauseMessage(tx, accountId, messageId));
  await wait(2_500);
  const acceptedBefore = second.accepted.length;
  await wait(4_000);
  expect(second.accepted.length).toBe(acceptedBefore);
  const delivery = await waitForDelivery(
    server.db,
    accountId,
    messageId,
    (delivery) => delivery.counts.handing_over === 0,
  );
  expect(delivery).toMatchObject({ state: 'paused', counts: { failed: 0, unknown: 0 } });
  const ids = second.accepted.map((receivedMessage) => receivedMessage.messageId);
  const invariant = await checkInvariant(server.db, accountId, messageId, ids);
  expect(invariant.problems).toEqual([]);
});
