// Step sizes of a sender, at slow and fast relays.
import { expect, test } from 'vitest';
import { computeMinCapacity, computeMaxStarted } from './step-size.ts';

test("the maximum number of started handoffs is the capacity, or less for a slow relay, plus the relay's handoffs in 50 ms", () => {
  expect(computeMaxStarted({ capacity: 20, allowedPerSecond: Infinity, perSecond: 8_000 })).toBe(
    420,
  );
  expect(computeMaxStarted({ capacity: 20, allowedPerSecond: 100, perSecond: 8_000 })).toBe(25);
  expect(computeMaxStarted({ capacity: 20, allowedPerSecond: 0.5, perSecond: 0.5 })).toBe(7);
});

test('a step requires capacity for a quarter of the maximum started handoffs, but at most for 32 handoffs or for those of 4 ms, whichever is more', () => {
  const minCapacityAt = (perSecond: number) =>
    computeMinCapacity({ capacity: 20, allowedPerSecond: Infinity, perSecond });
  expect(minCapacityAt(100)).toBe(6.25);
  expect(minCapacityAt(2_000)).toBe(30);
  expect(minCapacityAt(8_000)).toBe(32);
  expect(minCapacityAt(20_000)).toBe(80);
});
