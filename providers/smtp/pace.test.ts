// The pace: exact over time, no bursts, slower when refused, back again slowly.
import { expect, test } from 'vitest';
import { Pace } from './pace.ts';

function leaving(pace: Pace, from: number, milliseconds: number): number {
  let left = 0;
  for (let now = from; now < from + milliseconds; now += 1) {
    while (left < 1e6 && pace.take(now)) {
      left++;
    }
  }
  return left;
}

test('without a limit all may leave', () => {
  const pace = new Pace(0, 0);
  expect(pace.isLimited).toBe(false);
  expect(pace.wait(0)).toBe(0);
});

test.each([1, 7, 50, 1_000, 5_000])('%i a second is %i a second', (rate) => {
  const pace = new Pace(rate, 0);
  expect(Math.abs(leaving(pace, 0, 10_000) - rate * 10)).toBeLessThanOrEqual(1 + rate * 0.05);
});

test('a pause gathers no more than 50 ms of the rate', () => {
  const pace = new Pace(1_000, 0);
  leaving(pace, 0, 100);
  expect(leaving(pace, 60_000, 1)).toBeLessThanOrEqual(51);
});

test('the wait is over when it says so', () => {
  const pace = new Pace(3, 0);
  expect(pace.take(0)).toBe(true);
  expect(pace.take(1)).toBe(false);
  const wait = pace.wait(1);
  expect(pace.take(1 + wait)).toBe(true);
});

test('refusals halve the rate, those under way together count once, and it comes back', () => {
  const pace = new Pace(0, 0);
  pace.recover(0, 400);
  pace.refused(1_000, 400);
  pace.refused(1_010, 400);
  expect(pace.allowed).toBe(200);
  pace.refused(2_100, 200);
  expect(pace.allowed).toBe(100);
  expect(leaving(pace, 2_100, 1_000)).toBeLessThanOrEqual(106);
  pace.recover(4_000, 100);
  expect(pace.allowed).toBe(100);
  for (let now = 5_100; now < 20_000; now += 100) {
    pace.recover(now, 100);
  }
  expect(pace.allowed).toBeGreaterThan(200);
  expect(pace.allowed).toBeLessThan(800);
  for (let now = 20_000; now < 60_000; now += 100) {
    pace.recover(now, 400);
  }
  expect(pace.isLimited).toBe(false);
});

test('the learnt rate never exceeds the one that was set', () => {
  const pace = new Pace(10, 0);
  pace.refused(1_000, 10);
  expect(pace.allowed).toBe(5);
  for (let now = 2_000; now < 120_000; now += 100) {
    pace.recover(now, 10);
    expect(pace.allowed).toBeLessThanOrEqual(10);
  }
  expect(pace.allowed).toBe(10);
});

test('one refusal while little is sent does not bring all to a halt', () => {
  const pace = new Pace(0, 0);
  pace.refused(1_000, 0);
  expect(pace.allowed).toBe(10);
});
