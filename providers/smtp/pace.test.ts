// The sending rate is accurate over time and without bursts. It is lower after refusals and
// recovers slowly.
import { expect, test } from 'vitest';
import { RelayPace } from './pace.ts';

function countSent(pace: RelayPace, startMs: number, milliseconds: number): number {
  let sentCount = 0;
  for (let now = startMs; now < startMs + milliseconds; now += 1) {
    while (sentCount < 1e6 && pace.consumeCredit(now)) {
      sentCount++;
    }
  }
  return sentCount;
}

test('all messages may be sent if there is no limit', () => {
  const pace = new RelayPace(0, 0);
  expect(pace.isLimited).toBe(false);
  expect(pace.getWaitMs(0)).toBe(0);
});

test.each([1, 7, 50, 1_000, 5_000])('a rate of %i per second allows that many messages', (rate) => {
  const pace = new RelayPace(rate, 0);
  expect(Math.abs(countSent(pace, 0, 10_000) - rate * 10)).toBeLessThanOrEqual(1 + rate * 0.05);
});

test('a pause accumulates credit for at most 50 ms of the rate', () => {
  const pace = new RelayPace(1_000, 0);
  countSent(pace, 0, 100);
  expect(countSent(pace, 60_000, 1)).toBeLessThanOrEqual(51);
});

test('a message may be sent after the announced wait', () => {
  const pace = new RelayPace(3, 0);
  expect(pace.consumeCredit(0)).toBe(true);
  expect(pace.consumeCredit(1)).toBe(false);
  const wait = pace.getWaitMs(1);
  expect(pace.consumeCredit(1 + wait)).toBe(true);
});

test('refusals halve the rate, concurrent refusals count once, and the rate recovers', () => {
  const pace = new RelayPace(0, 0);
  pace.recover(0, 400);
  pace.slowDown(1_000, 400);
  pace.slowDown(1_010, 400);
  expect(pace.allowed).toBe(200);
  pace.slowDown(2_100, 200);
  expect(pace.allowed).toBe(100);
  expect(countSent(pace, 2_100, 1_000)).toBeLessThanOrEqual(106);
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

test('the learned rate never exceeds the configured rate', () => {
  const pace = new RelayPace(10, 0);
  pace.slowDown(1_000, 10);
  expect(pace.allowed).toBe(5);
  for (let now = 2_000; now < 120_000; now += 100) {
    pace.recover(now, 10);
    expect(pace.allowed).toBeLessThanOrEqual(10);
  }
  expect(pace.allowed).toBe(10);
});

test('a refusal at low traffic does not stop all sending', () => {
  const pace = new RelayPace(0, 0);
  pace.slowDown(1_000, 0);
  expect(pace.allowed).toBe(10);
});
