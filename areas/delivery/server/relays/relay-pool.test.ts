// Several relays as one: who gets what another one cannot have, and what becomes of what nobody can have now.
import { sql } from 'kysely';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { inTransaction } from '#platform/server/database.ts';
import { openSmtpRelay, parseSmtpUrl } from '#providers/smtp/index.ts';
import { fakeRelay, GONE } from '#testing/fake-relay.ts';
import { checkInvariant } from '#testing/invariant.ts';
import { addPeople, startMessage, untilDelivery } from '#testing/mailing.ts';
import { letter, QueueSource } from '#testing/queue-source.ts';
import { testServer } from '#testing/server.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/smtp-server.ts';
import {
  type Delivery,
  openPool,
  pause,
  type PooledRelay,
  type RunningSender,
  runSender,
  soleRelay,
} from '../index.ts';
import type { Limits } from './allowance.ts';
import type { Answer, HandOver, OpenRelay } from './provider.ts';

const server = await testServer();
let sender: RunningSender | undefined;

afterEach(async () => {
  await sender?.close();
  sender = undefined;
});

const REFUSED: Answer = {
  ...GONE,
  outcome: 'relay_refused',
  about: 'sender',
  at: 'mail',
  code: 550,
};

/** A pool of these, each with limits of its own for home.example. */
function open(name: string, ...relays: { open: OpenRelay; limits?: Limits; priority?: number }[]) {
  const source = new QueueSource();
  const pooled = relays.map(({ open: one, limits, priority = 1 }, i) => ({
    ...soleRelay(`${name}/${i}`, one),
    priority,
    domainLimits: new Map(limits ? [['home.example', limits]] : []),
  }));
  const pool = openPool(server.db, pooled)(source);
  onTestFinished(() => pool.close(100));
  return source;
}

/** So many to home.example wait, all of one sender where it is named. */
function fill(source: QueueSource, count: number, sender?: string): void {
  for (let i = 0; i < count; i++) {
    const one = letter(i, 'Hello.\r\n', `p${i}@home.example`);
    source.add(sender ? Object.assign(one, { sender }) : one);
  }
}

/** Two mail servers, and a campaign to so many. */
async function twoRelays(people: number) {
  const [first, second] = [await startSmtpServer(), await startSmtpServer()];
  onTestFinished(async () => {
    for (const one of [first, second]) await one.close();
  });
  const { accountId } = await server.owner();
  await sql`delete from single_sends`.execute(server.db);
  await sql`update messages set state = 'cancelled'`.execute(server.db);
  await addPeople(server.db, accountId, people);
  const messageId = await startMessage(server.db, accountId);
  await server.runJobs();
  return { accountId, messageId, first, second };
}

function opened({ url }: TestSmtpServer) {
  const options = parseSmtpUrl(`${url}?tls=none&connections=10`);
  return soleRelay(`p ${url}`, (source) => openSmtpRelay(options, source));
}

const poolOf = (...relays: TestSmtpServer[]) => openPool(server.db, relays.map(opened));

async function resultsOf(accountId: number, messageId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) from results
    where account_id = ${accountId} and message_id = ${messageId}`.execute(server.db);
  return rows[0]?.count ?? 0;
}

/** One that may send a hundred an hour, and how many others than single mails it has sent. */
async function usedUp(name: string, ...others: PooledRelay[]) {
  const limited = fakeRelay();
  const source = new QueueSource();
  const sole = { ...soleRelay(`${name}/limited`, limited.open), limits: { perHour: 100 } };
  const pool = openPool(server.db, [sole, ...others])(source);
  onTestFinished(() => pool.close(100));
  fill(source, 98);
  let left = 0;
  const takeAll = () => {
    while (limited.source().next()) left++;
    return left;
  };
  await expect.poll(takeAll).toBe(98);
  fill(source, 102);
  return { source, pool, limited, takeAll };
}

function addUrgent(source: QueueSource, ...people: string[]): void {
  for (const [i, to] of people.entries()) {
    const allowed = { isUrgent: true, mayUseReserve: true };
    source.add(Object.assign(letter(9_000 + i, 'Reset', to), allowed));
  }
}

const isSending = (one: Delivery) => one.state === 'sending';
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const SENDER = 'news@tea.example';

test('what was laid aside for another relay is due again soon where none can be used any more', async () => {
  const [first, second] = [fakeRelay(), fakeRelay()];
  const source = new QueueSource();
  const limited = new Map([['home.example', { perMinute: 1 }]]);
  const pool = openPool(server.db, [
    { ...soleRelay('aside/1', first.open), domainLimits: limited },
    soleRelay('aside/2', second.open),
  ])(source);
  onTestFinished(() => pool.close(100));
  source.add(letter(1, 'Hello.\r\n', 'ada@home.example'));
  // The first has none of its limit at hand yet, so it waits for the second.
  expect(first.source().next()).toBeNull();
  expect(source.answers).toEqual([]);
  for (const one of [first, second]) one.become({ is: 'waiting', retryInMs: 1_000, answer: GONE });
  expect(source.answers).toHaveLength(1);
  const [answered] = await source.gotAnswers(1);
  expect(answered).toMatchObject({ outcome: 'deferred', about: 'connection' });
  expect(answered?.retryInMs).toBeUndefined();
});

test('mails to a domain with a limit gather before no others, however soon its next may leave', async () => {
  const only = fakeRelay();
  const source = new QueueSource();
  const limited = new Map([['home.example', { perMinute: 120 }]]);
  const pool = openPool(server.db, [
    { ...soleRelay('gathered/1', only.open), domainLimits: limited },
  ])(source);
  onTestFinished(() => pool.close(100));
  for (let i = 0; i < 40; i++) source.add(letter(i, 'Hello.\r\n', `p${i}@home.example`));
  source.add(letter(40, 'Hello.\r\n', 'ada@other.example'));
  // Those that may leave in a moment wait for it; the rest come back one after the other.
  expect(only.source().next()?.to).toBe('ada@other.example');
  const later = source.answers.map(({ answer }) => answer.retryInMs ?? 0);
  expect(later.length).toBeGreaterThan(30);
  expect(later).toEqual(later.toSorted((a, b) => a - b));
  expect(later.at(-1)).toBeGreaterThan(15_000);
});

test('what one relay may not have now is left to another that may, not put off', async () => {
  const [first, second] = [fakeRelay(), fakeRelay()];
  const source = open('left', { ...first, limits: { perMinute: 1 } }, second);
  fill(source, 40);
  expect(first.source().next()).toBeNull();
  expect(source.answers).toEqual([]);
  // From here on the first counts as one that need not be waited for.
  await wait(600);
  const taken: HandOver[] = [];
  for (let one = second.source().next(); one; one = second.source().next()) taken.push(one);
  // All but what the first may have had by now.
  expect(taken.length).toBeGreaterThan(30);
  expect(source.answers).toEqual([]);
});

test('a sender that one relay refuses is left to another that takes it, not put off', async () => {
  const [first, second] = [fakeRelay(), fakeRelay()];
  const source = open('sender', first, second);
  fill(source, 41, SENDER);
  first.source().answered(first.source().next() as HandOver, REFUSED);
  expect(first.source().next()).toBeNull();
  expect(source.answers).toEqual([]);
  expect(second.source().next()?.to).toBe('p0@home.example');
});

test('what a slow relay is to have keeps another from nobody else for long', async () => {
  const [first, second] = [fakeRelay(), fakeRelay()];
  const source = open('slow', first, second);
  fill(source, 41, SENDER);
  source.add(letter(99, 'Hello.\r\n', 'ada@other.example'));
  first.source().answered(first.source().next() as HandOver, REFUSED);
  // The second takes nothing: the first comes to whom it may have, and the rest comes back one by one.
  await expect.poll(() => first.source().next()?.to, { timeout: 5_000 }).toBe('ada@other.example');
  const later = source.answers.map(({ answer }) => answer.retryInMs ?? 0);
  expect(later.length).toBeGreaterThan(30);
  expect(Math.max(...later)).toBeGreaterThan(20_000);
  expect(source.answers.every(({ answer }) => answer.about === 'relay')).toBe(true);
});

test('a relay that refuses the sender is not all: one that is gone for a moment did not', async () => {
  const { accountId, messageId, first, second } = await twoRelays(5_000);
  first.script.mail = '550 5.7.1 Sender rejected';
  await second.stop();
  sender = runSender(server.db, poolOf(first, second));
  const waiting = await untilDelivery(
    server.db,
    accountId,
    messageId,
    ({ state, counts }) => state === 'waiting' && counts.handing_over === 0,
  );
  expect(waiting).toMatchObject({ reason: 'relay_unreachable', counts: { failed: 0 } });
  // Few have begun before it was known, and nobody is asked for again meanwhile.
  expect(waiting.counts.deferred).toBeLessThan(200);
  const asked = await resultsOf(accountId, messageId);
  await wait(3_000);
  expect(await resultsOf(accountId, messageId)).toBe(asked);
  await second.listen();
  await second.got(100);
  expect((await untilDelivery(server.db, accountId, messageId, isSending)).counts.failed).toBe(0);
}, 60_000);

test('where the other one refuses our sign-in it is the campaign’s end for now: its owner is told', async () => {
  const { accountId, messageId, first, second } = await twoRelays(500);
  first.script.mail = '550 5.7.1 Sender rejected';
  second.script.banner = '554 5.7.1 You may not';
  sender = runSender(server.db, poolOf(first, second));
  const isPaused = (one: Delivery) => one.state === 'paused' && one.counts.handing_over === 0;
  const paused = await untilDelivery(server.db, accountId, messageId, isPaused);
  expect(paused).toMatchObject({ reason: 'sender_refused', counts: { failed: 0 } });
  expect(paused.counts.deferred).toBeLessThan(200);
});

test('nor did one that has no room for the domain just now: it waits for that', async () => {
  const [first, second] = [fakeRelay(), fakeRelay()];
  const source = open('room', first, { ...second, limits: { perMinute: 6 } });
  fill(source, 6, SENDER);
  await wait(300);
  for (let i = 0; i < 6; i++) {
    const one = first.source().next();
    if (one) first.source().answered(one, REFUSED);
    const other = second.source().next();
    if (other) second.source().answered(other, { ...GONE, outcome: 'accepted', about: 'message' });
    await wait(100);
  }
  const outcomes = new Set(source.answers.map(({ answer }) => answer.outcome));
  expect([...outcomes].toSorted()).toEqual(['accepted', 'deferred']);
});

test('what its relay holds for a domain’s limit comes back by that limit, though another would stand by', () => {
  const [first, second] = [fakeRelay(), fakeRelay()];
  const source = open('backup', { ...first, limits: { perMinute: 6 } }, { ...second, priority: 2 });
  fill(source, 10);
  first.source().next();
  const later = source.answers.map(({ answer }) => answer.retryInMs ?? 0);
  expect(Math.max(...later)).toBeGreaterThan(30_000);
});

test('a single mail leaves before a campaign’s people of its domain, whose limit holds them', async () => {
  const only = fakeRelay();
  const source = open('urgent', { ...only, limits: { perMinute: 60 } });
  fill(source, 5_000);
  only.source().next();
  expect(source.answers.at(-1)?.answer.retryInMs).toBe(3_600_000);
  const letters = Array.from({ length: 20 }, (_, i) =>
    Object.assign(letter(9_000 + i, 'Reset', `u${i}@home.example`), { isUrgent: true }),
  );
  source.add(...letters);
  const left: string[] = [];
  await expect
    .poll(() => {
      const one = only.source().next();
      if (one) left.push(one.to);
      return left[0];
    })
    .toBe('u0@home.example');
  // Those that do not leave in a moment stand behind each other, and behind nobody else.
  const last = source.answerFor('u19@home.example');
  expect(last?.retryInMs).toBeGreaterThan(1_000);
  expect(last?.retryInMs).toBeLessThan(30_000);
});

test('what waited for a limit of its domain says so where it is put off after all', async () => {
  const only = fakeRelay();
  const source = open('waited', { ...only, limits: { perMinute: 120 } });
  fill(source, 4);
  only.source().next();
  expect(source.answers).toEqual([]);
  await source.gotAnswers(3);
  expect(source.answers.every(({ answer }) => answer.about === 'domain')).toBe(true);
});

test('of an hour that is used up, single mails get what is kept for them, and nobody else', async () => {
  const { source, pool, limited, takeAll } = await usedUp('kept');
  await expect.poll(takeAll).toBe(98);
  await expect.poll(() => source.states.at(-1)?.is).toBe('ready');
  expect(source.states.at(-1)).toMatchObject({ othersWait: { is: 'waiting', isLimit: true } });
  // Nothing is there for it to open a connection for.
  expect(limited.source().ready()).toBe(0);
  addUrgent(source, 'ada@home.example', 'eve@home.example', 'ida@home.example');
  expect(limited.source().ready()).toBe(3);
  const taken: string[] = [];
  const take = () => {
    const one = limited.source().next();
    if (one) taken.push(one.to);
    return taken.length;
  };
  await expect.poll(take).toBe(2);
  expect(taken).toEqual(['ada@home.example', 'eve@home.example']);
  // The last waits with all others, and nothing was taken out and put off.
  await expect.poll(() => take() && pool.state().is).toBe('waiting');
  expect(taken).toHaveLength(2);
  expect(source.waiting).toHaveLength(103);
  expect(source.answers).toEqual([]);
});

test('while another relay has room, all leave by that, and what is kept stays', async () => {
  const spare = fakeRelay();
  const relay = { ...soleRelay('spare/other', spare.open), priority: 2 };
  const { source, pool, limited } = await usedUp('spare', relay);
  await expect.poll(() => (limited.source().next(), spare.source().ready())).toBe(102);
  expect(pool.state()).toEqual({ is: 'ready' });
  addUrgent(source, 'ada@home.example');
  for (let i = 0; i < 10; i++) {
    expect(limited.source().next()).toBeNull();
    await wait(20);
  }
  expect(spare.source().next()?.to).toBe('p0@home.example');
  spare.become({ is: 'waiting', retryInMs: 1_000, answer: GONE });
  expect(pool.state()).toMatchObject({ is: 'ready', othersWait: { retryInMs: 1_000 } });
  await expect.poll(() => limited.source().next()?.to).toBe('ada@home.example');
  expect(limited.source().next()).toBeNull();
});

test('of relays that have only what is kept, one on trial gets single mails where no other has some', async () => {
  const spare = fakeRelay();
  const limits = { perHour: 100 };
  const relay = { ...soleRelay('trial/other', spare.open), limits, priority: 2 };
  const { source, limited } = await usedUp('trial', relay);
  const asked = () => (limited.source().next(), spare.source().next());
  const isKept = { is: 'ready', othersWait: { isLimit: true } };
  await expect.poll(() => (asked(), source.states.at(-1))).toMatchObject(isKept);
  limited.become({ is: 'ready', isUnproven: true });
  addUrgent(source, 'ada@home.example', 'eve@home.example', 'ida@home.example');
  const taken: string[] = [];
  const take = () => {
    for (const [name, one] of Object.entries({ limited, spare })) {
      const to = one.source().next()?.to;
      if (to) taken.push(`${to} by ${name}`);
    }
    return taken.length;
  };
  await expect.poll(take).toBe(3);
  expect(taken).toEqual([
    'ada@home.example by spare',
    'eve@home.example by spare',
    'ida@home.example by limited',
  ]);
});

test('it is told whether a relay that has only what is kept is proven', async () => {
  const { source, limited } = await usedUp('proven');
  const isKept = { is: 'ready', othersWait: { isLimit: true } };
  const last = () => (limited.source().next(), source.states.at(-1));
  await expect.poll(last).toMatchObject(isKept);
  limited.become({ is: 'ready', isUnproven: true });
  await expect.poll(last).toMatchObject({ ...isKept, isUnproven: true });
  limited.become({ is: 'ready' });
  await expect.poll(last).not.toMatchObject({ isUnproven: true });
});

test('a single mail that the others refuse leaves by what is kept here', async () => {
  const other = fakeRelay();
  const relay = { ...soleRelay('refusing/other', other.open), priority: 2 };
  const { source, limited } = await usedUp('refusing', relay);
  source.waiting.splice(0);
  addUrgent(source, 'ada@home.example');
  let one: HandOver | null = null;
  await expect.poll(() => (one = other.source().next())).not.toBeNull();
  other.source().answered(one as unknown as HandOver, REFUSED);
  await expect.poll(() => limited.source().next()?.to).toBe('ada@home.example');
});

test('what waits for a slower relay does not leave long after a pause', async () => {
  const { accountId, messageId, first, second } = await twoRelays(200);
  first.script.mail = '550 5.7.1 Sender rejected';
  const slow = { ...opened(second), limits: { perMinute: 60 } };
  const pool = openPool(server.db, [opened(first), slow]);
  sender = runSender(server.db, pool);
  await second.got(2);
  await inTransaction(server.db, (tx) => pause(tx, accountId, messageId));
  await wait(2_500);
  const before = second.accepted.length;
  await wait(4_000);
  expect(second.accepted.length).toBe(before);
  const paused = await untilDelivery(
    server.db,
    accountId,
    messageId,
    (one) => one.counts.handing_over === 0,
  );
  expect(paused).toMatchObject({ state: 'paused', counts: { failed: 0, unknown: 0 } });
  const ids = second.accepted.map((one) => one.messageId);
  const checked = await checkInvariant(server.db, accountId, messageId, ids);
  expect(checked.problems).toEqual([]);
});
