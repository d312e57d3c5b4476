// Reported opens, bounces, complaints and unsubscribes have one effect even if they arrive several
// times, and the same result in any order. Also tests the monthly partitions of events.
import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { inTransaction, type Tx } from '#platform/server/database/database.ts';
import { findSetbackProblems } from '#testing/oracles/invariants.ts';
import { addPeople } from '#testing/worlds/sending-helpers.ts';
import { propertyOptions } from '#testing/setup/property-runs.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import {
  claimProviderEvents,
  getInstallationTokens,
  recordComplaints,
  recordHardBounces,
  recordSoftBounces,
  recordUnsubscribes,
  settleTracking,
  reverseRefusals,
} from './index.ts';
import { onSubscribersErased } from './feedback.ts';
import { makePartitions } from './partitions.ts';

let server: TestServer;
let accountId: number;
let messageId = 0;

beforeAll(async () => {
  server = await testServer();
  accountId = (await server.owner()).accountId;
});

beforeEach(() => {
  clock.reset();
  messageId += 1;
});

async function readRow(table: 'outcomes' | 'engagement_counts', id = messageId) {
  const { rows } = await sql<Record<string, unknown>>`
    select * from ${sql.table(table)} where account_id = ${accountId} and message_id = ${id}`.execute(
    server.db,
  );
  return rows[0] ?? {};
}

async function setbacksOf(id = messageId) {
  const { rows } = await sql<Record<string, unknown>>`
    select mailbox, day, hard, policy, other, complaints, unsubscribes from setback_counts
    where account_id = ${accountId} and message_id = ${id} order by day, mailbox`.execute(
    server.db,
  );
  return rows;
}

test('a provider event that is received 100 times, 20 times concurrently, has one effect', async () => {
  const claimAndRecord = (tx: Tx) =>
    claimProviderEvents(tx, accountId, 'postmark', ['event 1']).then(async (newEvents) => {
      if (newEvents.has('event 1')) {
        await recordHardBounces(tx, accountId, [{ messageId, subscriberId: 5 }]);
      }
      return newEvents.size;
    });
  let effects = 0;
  for (let round = 0; round < 5; round++) {
    const sizes = await Promise.all(
      Array.from({ length: 20 }, () => inTransaction(server.db, claimAndRecord)),
    );
    effects += sizes.reduce((sum, size) => sum + size, 0);
  }
  expect(effects).toBe(1);
  expect(await readRow('engagement_counts')).toMatchObject({ hard_bounces: 1 });
});

test('the same bounce in different events counts once', async () => {
  for (let i = 0; i < 10; i++) {
    await inTransaction(server.db, (tx) =>
      recordSoftBounces(tx, accountId, [{ messageId, subscriberId: 1 }]),
    );
  }
  await Promise.all(
    Array.from({ length: 20 }, () =>
      inTransaction(server.db, (tx) =>
        recordSoftBounces(
          tx,
          accountId,
          [3, 2, 2, 1].map((subscriberId) => ({ messageId, subscriberId })),
        ),
      ),
    ),
  );
  expect(await readRow('engagement_counts')).toMatchObject({ soft_bounces: 3 });
});

test('opens, bounces, complaints and unsubscribes have the same result in any order', async () => {
  const start = Date.UTC(2026, 5, 1);
  const minutesAfter = (minutes: number) => new Date(start + minutes * 60_000);
  const agent = { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/126.0.0.0' };
  const steps = {
    open: async (subscriberId: number) => {
      clock.freeze(minutesAfter(30));
      const payload = {
        account: accountId,
        message: messageId,
        subscriber: subscriberId,
        ordinal: 1,
      };
      await server.client().get(`/t/o/${getInstallationTokens().make(payload)}.gif`, agent);
      await settleTracking(server.db);
    },
    hard: (subscriberId: number) =>
      inTransaction(server.db, (tx) =>
        recordHardBounces(tx, accountId, [{ messageId, subscriberId, at: minutesAfter(10) }]),
      ),
    hardLater: (subscriberId: number) =>
      inTransaction(server.db, (tx) =>
        recordHardBounces(tx, accountId, [{ messageId, subscriberId, at: minutesAfter(20) }]),
      ),
    complaint: (subscriberId: number) =>
      inTransaction(server.db, (tx) =>
        recordComplaints(tx, accountId, [{ messageId, subscriberId, at: minutesAfter(40) }]),
      ),
    unsubscribe: (subscriberId: number) =>
      inTransaction(server.db, (tx) =>
        recordUnsubscribes(tx, accountId, [{ messageId, subscriberId, at: minutesAfter(50) }]),
      ),
  };
  const names = Object.keys(steps) as (keyof typeof steps)[];
  const results: unknown[] = [];
  let subscriberId = 100;
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray(names, { minLength: names.length }), async (order) => {
      messageId += 1;
      subscriberId += 1;
      for (const name of order) await steps[name](subscriberId);
      const outcome = { ...(await readRow('outcomes')), subscriber_id: 0, message_id: 0 };
      const counts = { ...(await readRow('engagement_counts')), message_id: 0 };
      const { rows } = await sql<object>`select last_open_at from activity
        where account_id = ${accountId} and subscriber_id = ${subscriberId}`.execute(server.db);
      const setbacks = await setbacksOf();
      results.push({ outcome, counts, setbacks, activity: rows[0] });
      expect(results.at(-1)).toEqual(results[0]);
    }),
    { numRuns: 12 },
  );
  expect(results[0]).toMatchObject({
    outcome: {
      hard_bounced_at: minutesAfter(10),
      complained_at: minutesAfter(40),
      unsubscribed_at: minutesAfter(50),
      opens: 1,
    },
    counts: { hard_bounces: 1, complaints: 1, unsubscribes: 1, unique_opens: 1 },
    setbacks: [{ mailbox: 0, day: '2026-06-01', hard: 1, complaints: 1, unsubscribes: 1 }],
    activity: { last_open_at: minutesAfter(30) },
  });
});

test('a proven bounce overrides an unproven bounce in any order', async () => {
  const [subscriberId] = await addPeople(server.db, accountId, 1);
  const minutesAfter = (minutes: number) => new Date(Date.UTC(2026, 5, 1) + minutes * 60_000);
  const forged = { unproven: 'true', reply: 'forged' };
  const reports = [forged, { reply: 'first' }, { reply: 'again' }, forged].map((details, i) => ({
    subscriberId: subscriberId as number,
    at: minutesAfter(i),
    details,
  }));
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray(reports, { minLength: 4 }), async (order) => {
      messageId += 1;
      for (const event of order) {
        await inTransaction(server.db, (tx) =>
          recordSoftBounces(tx, accountId, [{ ...event, messageId }]),
        );
      }
      const { rows } = await sql<object>`select at, details from events
        where account_id = ${accountId} and message_id = ${messageId}`.execute(server.db);
      expect(rows).toEqual([{ at: minutesAfter(1), details: { reply: 'first' } }]);
      expect(await readRow('outcomes')).toMatchObject({
        soft_bounced_at: minutesAfter(1),
        returned_at: minutesAfter(0),
      });
      expect(await readRow('engagement_counts')).toMatchObject({ soft_bounces: 1, returned: 1 });
    }),
    { numRuns: 24 },
  );
});

test('setbacks are counted by mailbox provider, day and cause, and corrected by a proven report or a retry', async () => {
  const [one, two] = await addPeople(server.db, accountId, 2, ['googlemail.com', 'aol.com']);
  const [gmail, yahoo] = [one as number, two as number];
  const day = (date: number) => new Date(Date.UTC(2026, 5, date, 12));
  const soft = (subscriberId: number, at: Date, details: Record<string, string>) =>
    inTransaction(server.db, (tx) =>
      recordSoftBounces(tx, accountId, [{ messageId, subscriberId, at, details, isRefused: true }]),
    );
  await soft(gmail, day(2), { cause: 'policy', unproven: 'true' });
  await soft(yahoo, day(2), { code: '4.7.1' });
  const zeroCounts = { hard: 0, policy: 0, other: 0, complaints: 0, unsubscribes: 0 };
  expect(await setbacksOf()).toEqual([
    { ...zeroCounts, mailbox: 1, day: '2026-06-02', policy: 1 },
    { ...zeroCounts, mailbox: 3, day: '2026-06-02', policy: 1 },
  ]);
  await soft(gmail, day(3), { cause: 'full' });
  expect(await setbacksOf()).toEqual([
    { ...zeroCounts, mailbox: 1, day: '2026-06-02' },
    { ...zeroCounts, mailbox: 3, day: '2026-06-02', policy: 1 },
    { ...zeroCounts, mailbox: 1, day: '2026-06-03', other: 1 },
  ]);
  await inTransaction(server.db, (tx) =>
    reverseRefusals(tx, accountId, messageId, [gmail, yahoo], true),
  );
  const setbacks = await setbacksOf();
  expect(setbacks).toHaveLength(3);
  for (const row of setbacks) expect(row).toMatchObject(zeroCounts);
  expect(await readRow('engagement_counts')).toMatchObject({ soft_bounces: 0 });
});

const FEEDBACK_KINDS = ['hard', 'soft', 'complaint', 'unsubscribe'] as const;
const CAUSES: Record<string, string>[] = [
  {},
  { cause: 'policy' },
  { cause: 'full' },
  { code: '4.7.1' },
];

/** A fact about up to three of six subscribers, a retry of refused copies, or an erasure. */
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom(...FEEDBACK_KINDS),
      people: fc.array(fc.nat(5), { minLength: 1, maxLength: 3 }),
      hour: fc.nat(100),
      details: fc.constantFrom(...CAUSES),
      isUnproven: fc.boolean(),
      isRefused: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('retry' as const),
      people: fc.uniqueArray(fc.nat(5), { minLength: 1, maxLength: 3 }),
      wereUnknown: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('erase' as const), person: fc.nat(5) }) },
);
type FeedbackStep = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function runStep(step: FeedbackStep, ids: readonly number[]): Promise<void> {
  const idOf = (index: number) => ids[index] as number;
  await inTransaction(server.db, async (tx) => {
    if (step.kind === 'retry') {
      const subscriberIds = step.people.map(idOf);
      return reverseRefusals(tx, accountId, messageId, subscriberIds, step.wereUnknown);
    }
    if (step.kind === 'erase') {
      const subscriberIds = [idOf(step.person)];
      await sql`update subscribers set mailbox = 0 where account_id = ${accountId}
        and id = ${subscriberIds[0]}`.execute(tx);
      return onSubscribersErased(tx, { accountId, subscriberIds });
    }
    const eventAt = new Date(Date.UTC(2026, 5, 1, step.hour));
    const details = { ...step.details, ...(step.isUnproven && { unproven: 'true' }) };
    const { isRefused } = step;
    const feedback = step.people.map((index) => ({
      ...{ messageId, subscriberId: idOf(index), at: eventAt, details, isRefused },
    }));
    if (step.kind === 'hard') return recordHardBounces(tx, accountId, feedback);
    if (step.kind === 'soft') return recordSoftBounces(tx, accountId, feedback);
    if (step.kind === 'complaint') return recordComplaints(tx, accountId, feedback);
    return recordUnsubscribes(tx, accountId, feedback);
  });
}

test('setbacks by mailbox provider add up to the message’s counts after any facts, retries and erasures', async () => {
  const ids = await addPeople(server.db, accountId, 6, ['yahoo.com', 'hotmail.com', 'icloud.com']);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      messageId += 1;
      await sql`update subscribers set mailbox = id % 4 where account_id = ${accountId}
        and id = any(${ids}::bigint[])`.execute(server.db);
      for (const step of steps) {
        await runStep(step, ids);
        expect(await findSetbackProblems(server.db, accountId, messageId)).toEqual([]);
      }
    }),
    propertyOptions(300, 25),
  );
});

test('an erasure removes the personal data of events and keeps the counts', async () => {
  const payload = { account: accountId, message: messageId, subscriber: 9, ordinal: 1 };
  await server.client().get(`/t/o/${getInstallationTokens().make(payload)}.gif`, {
    'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/126.0',
  });
  await settleTracking(server.db);
  await inTransaction(server.db, (tx) =>
    onSubscribersErased(tx, { accountId, subscriberIds: [9] }),
  );
  const { rows } = await sql<object>`select ip, user_agent, details, kind from events
    where account_id = ${accountId} and message_id = ${messageId}`.execute(server.db);
  expect(rows).toEqual([{ ip: null, user_agent: null, details: null, kind: 'open' }]);
  expect(await readRow('engagement_counts')).toMatchObject({ opens: 1 });
});

test('monthly partitions are created once, in advance, and receive the rows of the default partition', async () => {
  const eventAt = new Date('2031-01-15T00:00:00Z');
  await inTransaction(server.db, (tx) =>
    recordComplaints(tx, accountId, [{ messageId, subscriberId: 3, at: eventAt }]),
  );
  const created = await Promise.all([1, 2, 3].map(() => makePartitions(server.db, eventAt)));
  expect(created.flat().sort()).toEqual([
    'events_2031_01',
    'events_2031_02',
    'events_2031_03',
    'events_2031_04',
  ]);
  expect(await makePartitions(server.db, eventAt)).toEqual([]);
  // On a cluster a shard of the table has a number at the end of its name.
  const { rows } = await sql<{
    partition_name: string;
  }>`select substr(tableoid::regclass::text, 1, 14) as partition_name from events
    where account_id = ${accountId} and message_id = ${messageId}`.execute(server.db);
  expect(rows).toEqual([{ partition_name: 'events_2031_01' }]);
});
