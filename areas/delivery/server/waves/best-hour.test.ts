// A subscriber's best hour is found from a weighted mean of the subscriber's and the account's hours.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bestHourOfAccount, bestHourOfSubscriber, noHours } from './best-hour.ts';

const hours = (weights: Record<number, number>) => noHours().map((_, hour) => weights[hour] ?? 0);
const MORNING = hours({ 8: 300, 9: 600, 10: 400 });

test('the account’s best hour begins its best three consecutive hours, which may include midnight', () => {
  expect(bestHourOfAccount(MORNING)).toBe(8);
  expect(bestHourOfAccount(hours({ 23: 5, 0: 9, 1: 5 }))).toBe(23);
});

test('the best hour follows a subscriber’s own actions if there are many, and the account’s if there are few', () => {
  expect(bestHourOfSubscriber(hours({ 20: 1 }), MORNING)).toBe(8);
  expect(bestHourOfSubscriber(hours({ 20: 4, 21: 20, 22: 4 }), MORNING)).toBe(20);
  expect(bestHourOfSubscriber(noHours(), MORNING)).toBe(8);
});

test('in an account without a history, a subscriber’s own actions decide the best hour', () => {
  expect(bestHourOfSubscriber(hours({ 3: 3 }), noHours())).toBe(2);
});

test('shifting all hours shifts the best hour equally', () => {
  const weights = fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 24, maxLength: 24 });
  fc.assert(
    fc.property(weights, fc.integer({ min: 1, max: 23 }), (some, by) => {
      const distinct = some.map((weight, hour) => weight + hour * hour * 0.013);
      const moved = distinct.map((_, hour) => distinct[(hour - by + 24) % 24] as number);
      expect(bestHourOfAccount(moved)).toBe((bestHourOfAccount(distinct) + by) % 24);
    }),
    { numRuns: 100, seed: 5 },
  );
});
