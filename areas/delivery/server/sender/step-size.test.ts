// Step sizes of a sender, at slow and fast relays.
import { expect, test } from 'vitest';
import { leastRoom, mostBegun } from './step-size.ts';

test('unanswered handoffs fill the connections and 50 ms of the rate, and fewer of a limited relay', () => {
  expect(mostBegun({ capacity: 20, allowedPerSecond: Infinity, perSecond: 8_000 })).toBe(420);
  expect(mostBegun({ capacity: 20, allowedPerSecond: 100, perSecond: 8_000 })).toBe(25);
  expect(mostBegun({ capacity: 20, allowedPerSecond: 0.5, perSecond: 0.5 })).toBe(7);
});

test('a step starts at a quarter of that, but at a fast relay at 4 ms of its rate, at least 32', () => {
  const room = (perSecond: number) =>
    leastRoom({ capacity: 20, allowedPerSecond: Infinity, perSecond });
  expect(room(100)).toBe(6.25);
  expect(room(2_000)).toBe(30);
  expect(room(8_000)).toBe(32);
  expect(room(20_000)).toBe(80);
});
