// A subscriber's best hour is found from a weighted mean of the subscriber's and the account's
// hours.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findBestHourOfAccount, findBestHourOfSubscriber, zeroHours } from './best-hour.ts';

const hours = (weights: Record<number, number>) => zeroHours().map((_, hour) => weights[hour] ?? 0);
const MORNING = hours({ 8: 300, 9: 600, 10: 400 });

test('the account’s best hour is the first of its best three consecutive hours, which may span midnight', () => {
  expect(findBestHourOfAccount(MORNING)).toBe(8);
  expect(findBestHourOfAccount(hours({ 23: 5, 0: 9, 1: 5 }))).toBe(23);
});

test('the best hour is based on the subscriber’s actions if there are many, and on the account’s otherwise', () => {
  expect(findBestHourOfSubscriber(hours({ 20: 1 }), MORNING)).toBe(8);
  expect(findBestHourOfSubscriber(hours({ 20: 4, 21: 20, 22: 4 }), MORNING)).toBe(20);
  expect(findBestHourOfSubscriber(zeroHours(), MORNING)).toBe(8);
});

test('a subscriber’s actions determine the best hour in an account without a history', () => {
  expect(findBestHourOfSubscriber(hours({ 3: 3 }), zeroHours())).toBe(2);
});

test('shifting all hours shifts the best hour by the same amount', () => {
  const weights = fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 24, maxLength: 24 });
  fc.assert(
    fc.property(weights, fc.integer({ min: 1, max: 23 }), (someWeights, shift) => {
      const distinct = someWeights.map((weight, hour) => weight + hour * hour * 0.013);
      const shiftedWeights = distinct.map(
        (_, hour) => distinct[(hour - shift + 24) % 24] as number,
      );
      expect(findBestHourOfAccount(shiftedWeights)).toBe(
        (findBestHourOfAccount(distinct) + shift) % 24,
      );
    }),
    { numRuns: 100, seed: 5 },
  );
});
