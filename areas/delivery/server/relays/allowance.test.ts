// The arithmetic of relays' limits: no window exceeds its limit, and limits are used as far as
// possible.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type AllowanceState,
  acquireFrom,
  findLearnedRate,
  type RateLimits,
  createState,
  computeCurrentRate,
  lowerRate,
  SLOT_MS,
} from './allowance.ts';
import { computeReserve } from '../../relay-limits.ts';

const START = Date.UTC(2027, 0, 4, 9);

/** Draws all capacity available to single sends, at intervals; returns the time of each send. */
function drawAll(limits: RateLimits, milliseconds: number, intervalMs: number): number[] {
  let state: AllowanceState = createState(START);
  const sentAt: number[] = [];
  for (let now = START; now < START + milliseconds; now += intervalMs) {
    const acquired = acquireFrom(state, limits, 10_000, now, true);
    ({ state } = acquired);
    for (let i = 0; i < acquired.granted; i++) sentAt.push(now);
  }
  return sentAt;
}

/** Returns the maximum number of sends within any window of this length. */
function maxWithin(sentAt: readonly number[], window: number): number {
  let max = 0;
  let firstMs = 0;
  for (let lastMs = 0; lastMs < sentAt.length; lastMs++) {
    while ((sentAt[lastMs] as number) - (sentAt[firstMs] as number) >= window) firstMs++;
    max = Math.max(max, lastMs - firstMs + 1);
  }
  return max;
}

describe('limits', () => {
  test('no window exceeds its limit, for any limits', () => {
    const optionalLimit = fc.option(fc.integer({ min: 1, max: 400 }), { nil: null });
    const limits = fc.record({
      perSecond: optionalLimit,
      perMinute: optionalLimit,
      perHour: optionalLimit,
      perDay: optionalLimit,
    });
    fc.assert(
      fc.property(limits, fc.integer({ min: 37, max: 900 }), (bounds, intervalMs) => {
        if (!bounds.perSecond && !bounds.perMinute && !bounds.perHour && !bounds.perDay) return;
        const sentAt = drawAll(bounds, 200_000, intervalMs);
        expect(sentAt.length).toBeGreaterThan(0);
        for (const [max, window] of [
          [bounds.perSecond, 1_000],
          [bounds.perMinute, 60_000],
          [bounds.perHour, 3_600_000],
          [bounds.perDay, 86_400_000],
        ] as const) {
          if (max) expect(maxWithin(sentAt, window)).toBeLessThanOrEqual(max);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('at least nine tenths of a rate are used', () => {
    expect(drawAll({ perSecond: 20 }, 60_000, 20).length).toBeGreaterThan(20 * 60 * 0.9);
    expect(drawAll({ perMinute: 600 }, 600_000, 50).length).toBeGreaterThan(6_000 * 0.9);
    expect(drawAll({ perMinute: 1 }, 600_000, 500).length).toBeGreaterThanOrEqual(9);
  });

  test('an hourly limit can be used in one burst, and recovers as the sends age', () => {
    const limits = { perHour: 500 };
    const sentAt = drawAll(limits, 2.2 * 3_600_000, 10_000);
    expect(sentAt.slice(0, 500).every((at) => at === START)).toBe(true);
    expect(sentAt.length).toBe(1_500);
    expect(maxWithin(sentAt, 3_600_000)).toBe(500);
    const usedUp = acquireFrom(createState(START), limits, 500, START, true);
    const { waitMs } = acquireFrom(usedUp.state, limits, 1, START, true);
    expect(waitMs).toBe(3_600_000 + SLOT_MS);
  });

  test('the wait is the longest among the used-up limits if a relay has an hourly and a daily limit', () => {
    const waitWith = (limits: RateLimits) =>
      acquireFrom(
        acquireFrom(createState(START), limits, 500, START, true).state,
        limits,
        1,
        START,
        true,
      ).waitMs;
    const hour = 3_600_000 + SLOT_MS;
    const day = 86_400_000 + SLOT_MS;
    expect(waitWith({ perHour: 500, perDay: 5_000 })).toBe(hour);
    expect(waitWith({ perHour: 5_000, perDay: 500 })).toBe(day);
    expect(waitWith({ perHour: 500, perDay: 500 })).toBe(day);
    // The hour's recovered capacity is used while the day has some left.
    const sentAt = drawAll({ perHour: 500, perDay: 1_200 }, 3.3 * 3_600_000, 10_000);
    expect(sentAt.length).toBe(1_200);
  });
});

describe('the reserve for urgent email', () => {
  test('the reserve is a fiftieth of an hourly or daily limit, at most 1,000, and zero for limits below 50', () => {
    expect([30, 49, 50, 100, 149, 50_000, 1_000_000].map(computeReserve)).toEqual([
      0, 0, 1, 2, 2, 1_000, 1_000,
    ]);
  });

  test('only urgent sends use the reserve, and no window exceeds its limit', () => {
    const maxLimit = fc.option(fc.integer({ min: 1, max: 700 }), { nil: null });
    const draws = fc.record({
      minutes: fc.integer({ min: 0, max: 50 }),
      want: fc.integer({ min: 1, max: 300 }),
      isUrgent: fc.boolean(),
    });
    fc.assert(
      fc.property(
        maxLimit,
        maxLimit,
        fc.array(draws, { maxLength: 120 }),
        (perHour, perDay, list) => {
          const limits = { perHour, perDay };
          const [all, others]: [number[], number[]] = [[], []];
          let state = createState(START);
          let now = START;
          for (const { minutes, want, isUrgent } of list) {
            now += minutes * 60_000;
            const acquired = acquireFrom(state, limits, want, now, isUrgent);
            ({ state } = acquired);
            const times = Array.from({ length: acquired.granted }, () => now);
            all.push(...times);
            if (!isUrgent) others.push(...times);
          }
          for (const [limit, window] of [
            [perHour, 3_600_000],
            [perDay, 86_400_000],
          ] as const) {
            if (!limit) continue;
            expect(maxWithin(all, window)).toBeLessThanOrEqual(limit);
            expect(maxWithin(others, window)).toBeLessThanOrEqual(limit - computeReserve(limit));
          }
        },
      ),
    );
  });

  test('a campaign leaves the reserve, and waits until enough of the sends are an hour old', () => {
    const limits = { perHour: 100 };
    const campaign = acquireFrom(createState(START), limits, 200, START);
    expect(campaign).toMatchObject({ granted: 98, isQuota: true, waitMs: 3_600_000 + SLOT_MS });
    const single = acquireFrom(campaign.state, limits, 1, START + SLOT_MS, true);
    expect(single).toMatchObject({ granted: 1, isQuota: false, waitMs: 0 });
    const lastDraw = acquireFrom(single.state, limits, 5, START + SLOT_MS, true);
    expect(lastDraw).toMatchObject({ granted: 1, isQuota: true, waitMs: 3_600_000 });
  });

  test('a campaign waits until capacity beyond the reserve is free, not only until the first single sends expire', () => {
    const limits = { perHour: 100 };
    let state = acquireFrom(createState(START), limits, 2, START, true).state;
    state = acquireFrom(state, limits, 200, START + SLOT_MS).state;
    state = acquireFrom(state, limits, 2, START + 2 * SLOT_MS, true).state;
    const laterDraw = acquireFrom(state, limits, 1, START + 2 * SLOT_MS);
    // After the first two sends expire, 98 sends still count: 96 of the campaign and two single
    // sends.
    expect(laterDraw).toMatchObject({ granted: 0, waitMs: 3_600_000 });
  });
});

describe('rates learned from refusals', () => {
  test('a refusal halves the rate, which then grows over time and is forgotten', () => {
    let state = lowerRate(createState(START), {}, 100, START);
    expect(computeCurrentRate(state, {}, START)).toBe(50);
    // Refusals of sends that were in flight together count once.
    state = lowerRate(state, {}, 100, START + 500);
    expect(computeCurrentRate(state, {}, START)).toBe(50);
    state = lowerRate(state, {}, 50, START + 2_000);
    expect(computeCurrentRate(state, {}, START)).toBe(25);
    const rateAfter = (minutes: number) => findLearnedRate(state, START + 2_000 + minutes * 60_000);
    expect(rateAfter(1)).toBe(25);
    expect(rateAfter(2)).toBeCloseTo(27.5);
    expect(rateAfter(9)).toBeGreaterThan(50);
    expect(rateAfter(45)).toBe(Number.POSITIVE_INFINITY);
  });

  test('the rate never drops to zero', () => {
    let state = createState(START);
    for (let i = 0; i < 100; i++) state = lowerRate(state, {}, 0, START + i * 2_000);
    const now = START + 400_000;
    expect(acquireFrom(state, {}, 5, now).granted).toBe(1);
  });
});
