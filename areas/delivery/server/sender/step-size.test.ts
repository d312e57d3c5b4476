// Step sizes of a sender, at slow and fast relays.
import { expect, test } from 'vitest';
import { minCapacity, maxStarted } from './step-size.ts';

test('unanswered handoffs fill the connections and 50 ms of the rate, and fewer for a limited relay', () => {
  expect(maxStarted({ capacity: 20, allowedPerSecond: Infinity, perSecond: 8_000 })).toBe(420);
  expect(maxStarted({ capacity: 20, allowedPerSecond: 100, perSecond: 8_000 })).toBe(25);
  expect(maxStarted({ capacity: 20, allowedPerSecond: 0.5, perSecond: 0.5 })).toBe(7);
});

test('a step starts at a quarter of the unanswered handoffs, or at 4 ms of a fast rate, but at least 32', () => {
  const minCapacityAt = (perSecond: number) =>
    minCapacity({ capacity: 20, allowedPerSecond: Infinity, perSecond });
  expect(minCapacityAt(100)).toBe(6.25);
  expect(minCapacityAt(2_000)).toBe(30);
  expect(minCapacityAt(8_000)).toBe(32);
  expect(minCapacityAt(20_000)).toBe(80);
});
