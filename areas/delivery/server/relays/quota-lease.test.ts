// A lease is a process's share of a limit. It never draws more than is needed soon, or anything
// twice.
import { sql } from 'kysely';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { createDatabase, type Db } from '#platform/server/database/database.ts';
import { createTestDatabase } from '#testing/setup/database.ts';
import type { AllowanceState } from './allowance.ts';
import { QuotaLease } from './quota-lease.ts';

const db = createDatabase(await createTestDatabase());

afterEach(() => {
  clock.reset();
  vi.restoreAllMocks();
});

/** The limit is ten a second, so a slice is three. */
const LIMITS = { perMinute: 600 };
const MAX_AVAILABLE = 4;

/** Opens a lease, counting its notifications of more capacity. */
function openLease(key: string, demand: number) {
  let notifiedCount = 0;
  const onMore = () => {
    notifiedCount++;
  };
  const lease = new QuotaLease(db, key, LIMITS, { onCapacity: onMore, countDemand: () => demand });
  onTestFinished(() => lease.close());
  return { lease, notified: () => notifiedCount };
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('unused capacity does not accumulate, no matter how many handoffs wait', async () => {
  const { lease, notified } = openLease('others', 100);
  const available: number[] = [];
  for (let i = 0; i < 6; i++) {
    available.push(lease.getAvailable());
    await wait(400);
  }
  expect(Math.max(...available)).toBeGreaterThan(0);
  expect(Math.max(...available)).toBeLessThanOrEqual(MAX_AVAILABLE);
  expect(notified()).toBeLessThan(12);
});

test('a lease stops drawing capacity once demand ends, regardless of earlier demand', async () => {
  const { lease, notified } = openLease('paused', 0);
  lease.getAvailable(5_000);
  await wait(2_000);
  const notifiedBefore = notified();
  await wait(1_000);
  expect(notified()).toBe(notifiedBefore);
  let freeCount = 0;
  while (lease.take()) freeCount++;
  expect(freeCount).toBeLessThanOrEqual(MAX_AVAILABLE);
});

test('constant demand gets more than half of the rate and never exceeds it', async () => {
  const { lease } = openLease('taken', 100);
  let acquiredCount = 0;
  const startedAt = performance.now();
  while (performance.now() - startedAt < 3_000) {
    while (lease.take()) acquiredCount++;
    await wait(10);
  }
  // On a busy machine the lease draws late and gets less.
  expect(acquiredCount).toBeGreaterThan(15);
  expect(acquiredCount).toBeLessThanOrEqual(31);
});

/** Opens a lease on a limit of thirty per hour. */
async function openHourlyLease(key: string, onDb: Db, demand: () => number): Promise<QuotaLease> {
  const lease = new QuotaLease(
    onDb,
    key,
    { perHour: 30 },
    { onCapacity() {}, countDemand: demand },
  );
  onTestFinished(() => lease.close());
  await expect.poll(() => lease.getAvailable()).toBe(demand());
  return lease;
}

test('hourly capacity returned by another process is found within a minute, and the end of the hour is reported', async () => {
  const realSetTimeout = setTimeout;
  // Long timers end soon, which is possible because their callers check the clock.
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms = 0) =>
    realSetTimeout(run, Math.min(ms, 200))) as typeof setTimeout);
  const localLease = await openHourlyLease('back', db, () => 20);
  const elsewhere = await openHourlyLease('back', db, () => 10);
  for (let i = 0; i < 20; i++) expect(localLease.take()).toBe(true);
  await expect.poll(() => localLease.quotaWaitMs).toBeGreaterThan(58 * 60_000);
  await elsewhere.close();
  await wait(500);
  expect(localLease.quotaWaitMs).toBeGreaterThan(58 * 60_000);
  clock.advance(61_000);
  await expect.poll(() => localLease.getAvailable()).toBeGreaterThan(0);
  expect(localLease.quotaWaitMs).toBe(0);
});

/** Returns a database that loses the replies to the next `left` commits. */
function losingReplies(count: { left: number }): Db {
  const transaction = () => ({
    async execute(work: never) {
      const result = await db.transaction().execute(work);
      if (count.left-- > 0) throw new Error('Connection terminated unexpectedly');
      return result;
    },
  });
  return new Proxy(db, {
    get: (target, key) => (key === 'transaction' ? transaction : Reflect.get(target, key)),
  });
}

test('unused hourly capacity is returned once, even if the reply to the commit is lost', async () => {
  const lostLease = { left: 0 };
  let demand = 20;
  await openHourlyLease('lost', db, () => 10);
  const lease = await openHourlyLease('lost', losingReplies(lostLease), () => demand);
  demand = 5;
  lostLease.left = 1;
  clock.advance(10_000);
  await expect.poll(() => lease.getAvailable(), { timeout: 4_000 }).toBeGreaterThan(0);
  const { rows } = await sql<{ state: AllowanceState }>`select state from relay_allowances
    where key = 'lost'`.execute(db);
  const usedCount = rows[0]?.state.slots?.reduce((total, [, count]) => total + count, 0);
  expect(lostLease.left).toBeLessThan(0);
  // The first lease holds 10, and the second one at least 5.
  expect(usedCount).toBeGreaterThanOrEqual(15);
});

test('the reserve of an hourly limit is drawn only for urgent handoffs, one by one', async () => {
  let notifiedCount = 0;
  const leaseOf = (demand: number, isUrgent: boolean) => {
    const callbacks = { onCapacity: () => notifiedCount++, countDemand: () => demand };
    const lease = new QuotaLease(db, 'kept', { perHour: 100 }, callbacks, isUrgent);
    onTestFinished(() => lease.close());
    return lease;
  };
  const readUsedCount = async () => {
    const { rows } = await sql<{ state: AllowanceState }>`select state from relay_allowances
      where key = 'kept'`.execute(db);
    return rows[0]?.state.slots?.reduce((total, [, count]) => total + count, 0);
  };
  const [others, urgent, elsewhere] = [leaseOf(200, false), leaseOf(1, true), leaseOf(1, true)];
  await expect.poll(() => others.getAvailable()).toBe(98);
  for (let i = 0; i < 98; i++) expect(others.take()).toBe(true);
  await expect.poll(() => others.quotaWaitMs).toBeGreaterThan(58 * 60_000);
  // A lease without capacity notifies its user, which then requests the reserve.
  const notifiedBefore = notifiedCount;
  expect(leaseOf(5, false).getAvailable()).toBe(0);
  await expect.poll(() => notifiedCount).toBeGreaterThan(notifiedBefore);
  await expect.poll(() => urgent.take()).toBe(true);
  expect(urgent.quotaWaitMs).toBe(0);
  await wait(100);
  expect(await readUsedCount()).toBe(99);
  await expect.poll(() => elsewhere.take()).toBe(true);
  expect(urgent.take()).toBe(false);
  await expect.poll(() => urgent.quotaWaitMs).toBeGreaterThan(58 * 60_000);
  expect(await readUsedCount()).toBe(100);
});
