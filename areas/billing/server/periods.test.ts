// Billing periods of a plan: by wall-clock time, in short months, leap years and at daylight saving
// changes.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { monthsAfter, usageMonth } from './periods.ts';

test('the 31st becomes the last day of a short month and returns afterwards', () => {
  const start = new Date('2026-01-31T10:00:00Z');
  expect(monthsAfter(start, 1, 'UTC').toISOString()).toBe('2026-02-28T10:00:00.000Z');
  expect(monthsAfter(start, 2, 'UTC').toISOString()).toBe('2026-03-31T10:00:00.000Z');
  expect(monthsAfter(new Date('2024-02-29T00:00:00Z'), 12, 'UTC').toISOString()).toBe(
    '2025-02-28T00:00:00.000Z',
  );
});

test('daylight saving time does not change the wall-clock time', () => {
  const start = new Date('2026-02-15T08:00:00Z');
  expect(monthsAfter(start, 2, 'Europe/Vilnius').toISOString()).toBe('2026-04-15T07:00:00.000Z');
});

test('the usage month of an instant contains this instant', () => {
  const day = fc.date({
    min: new Date('2020-01-01'),
    max: new Date('2030-01-01'),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(day, fc.integer({ min: 0, max: 1_500 }), (anchor, days) => {
      const now = new Date(anchor.getTime() + days * 86_400_000);
      const { start, end } = usageMonth(anchor, now, 'America/New_York');
      expect(start <= now && now < end).toBe(true);
    }),
  );
});
