// Limits of relays as sums: never more in any window than was said, all of it used where it may be.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type AllowanceState,
  draw,
  learntRate,
  type Limits,
  newState,
  rateOf,
  refused,
  SLOT_MS,
} from './allowance.ts';

const START = Date.UTC(2027, 0, 4, 9);

/** Asks every so often for as much as there is; when each one left. */
function run(limits: Limits, milliseconds: number, every: number): number[] {
  let state: AllowanceState = newState(START);
  const left: number[] = [];
  for (let now = START; now < START + milliseconds; now += every) {
    const drawn = draw(state, limits, 10_000, now);
    ({ state } = drawn);
    for (let i = 0; i < drawn.given; i++) left.push(now);
  }
  return left;
}

/** The most that left within any window of this length. */
function mostWithin(left: readonly number[], window: number): number {
  let most = 0;
  let first = 0;
  for (let last = 0; last < left.length; last++) {
    while ((left[last] as number) - (left[first] as number) >= window) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

describe('limits', () => {
  test('no window of any length holds more than its limit, whatever the limits', () => {
    const some = fc.option(fc.integer({ min: 1, max: 400 }), { nil: null });
    const limits = fc.record({ perSecond: some, perMinute: some, perHour: some, perDay: some });
    fc.assert(
      fc.property(limits, fc.integer({ min: 37, max: 900 }), (given, every) => {
        if (!given.perSecond && !given.perMinute && !given.perHour && !given.perDay) return;
        const left = run(given, 200_000, every);
        expect(left.length).toBeGreaterThan(0);
        for (const [most, window] of [
          [given.perSecond, 1_000],
          [given.perMinute, 60_000],
          [given.perHour, 3_600_000],
          [given.perDay, 86_400_000],
        ] as const) {
          if (most) expect(mostWithin(left, window)).toBeLessThanOrEqual(most);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('a pace is used to nine tenths and more', () => {
    expect(run({ perSecond: 20 }, 60_000, 20).length).toBeGreaterThan(20 * 60 * 0.9);
    expect(run({ perMinute: 600 }, 600_000, 50).length).toBeGreaterThan(6_000 * 0.9);
    expect(run({ perMinute: 1 }, 600_000, 500).length).toBeGreaterThanOrEqual(9);
  });

  test('an hour is used at once, and comes back as what left grows old', () => {
    const limits = { perHour: 500 };
    const left = run(limits, 2.2 * 3_600_000, 10_000);
    expect(left.slice(0, 500).every((at) => at === START)).toBe(true);
    expect(left.length).toBe(1_500);
    expect(mostWithin(left, 3_600_000)).toBe(500);
    const { waitMs } = draw(draw(newState(START), limits, 500, START).state, limits, 1, START);
    expect(waitMs).toBe(3_600_000 + SLOT_MS);
  });

  test('both limits: the wait is that of the one that is used up, the longer one where both are', () => {
    const waitWith = (limits: Limits) =>
      draw(draw(newState(START), limits, 500, START).state, limits, 1, START).waitMs;
    const hour = 3_600_000 + SLOT_MS;
    const day = 86_400_000 + SLOT_MS;
    expect(waitWith({ perHour: 500, perDay: 5_000 })).toBe(hour);
    expect(waitWith({ perHour: 5_000, perDay: 500 })).toBe(day);
    expect(waitWith({ perHour: 500, perDay: 500 })).toBe(day);
    // What the hour gives back is used while the day has room.
    const left = run({ perHour: 500, perDay: 1_200 }, 3.3 * 3_600_000, 10_000);
    expect(left.length).toBe(1_200);
  });
});

describe('what refusals teach', () => {
  test('half of what left, then more with time, then nothing', () => {
    let state = refused(newState(START), {}, 100, START);
    expect(rateOf(state, {}, START)).toBe(50);
    // What was under way together is one refusal.
    state = refused(state, {}, 100, START + 500);
    expect(rateOf(state, {}, START)).toBe(50);
    state = refused(state, {}, 50, START + 2_000);
    expect(rateOf(state, {}, START)).toBe(25);
    const later = (minutes: number) => learntRate(state, START + 2_000 + minutes * 60_000);
    expect(later(1)).toBe(25);
    expect(later(2)).toBeCloseTo(27.5);
    expect(later(9)).toBeGreaterThan(50);
    expect(later(45)).toBe(Number.POSITIVE_INFINITY);
  });

  test('it never stands still altogether', () => {
    let state = newState(START);
    for (let i = 0; i < 100; i++) state = refused(state, {}, 0, START + i * 2_000);
    const now = START + 400_000;
    expect(draw(state, {}, 5, now).given).toBe(1);
  });
});
