// Billing periods of a plan: by wall-clock time, in short months, leap years and at daylight saving
// changes.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addMonths, periodEnd, usageMonth } from './periods.ts';

test('monthly periods from the 31st end on the last day of a short month and on the 31st of longer months', () => {
  const start = new Date('2026-01-31T10:00:00Z');
  expect(addMonths(start, 1, 'UTC').toISOString()).toBe('2026-02-28T10:00:00.000Z');
  expect(addMonths(start, 2, 'UTC').toISOString()).toBe('2026-03-31T10:00:00.000Z');
  expect(addMonths(new Date('2024-02-29T00:00:00Z'), 12, 'UTC').toISOString()).toBe(
    '2025-02-28T00:00:00.000Z',
  );
});

test('daylight saving time does not change the wall-clock time', () => {
  const start = new Date('2026-02-15T08:00:00Z');
  expect(addMonths(start, 2, 'Europe/Vilnius').toISOString()).toBe('2026-04-15T07:00:00.000Z');
});

/** Returns the end days of consecutive periods; each period starts when the previous one ends. */
function endsOf(boughtAt: string, months: number, count: number): string[] {
  const anchor = new Date(boughtAt);
  let start = anchor;
  return Array.from({ length: count }, () => {
    start = periodEnd({ start, anchor }, months, 'UTC');
    return start.toISOString().slice(0, 10);
  });
}

test.each([29, 30, 31])(
  'monthly periods from January %i end on that day, or on the last day of a shorter month',
  (startDay) => {
    const lastDays = [28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 31];
    const days = endsOf(`2026-01-${startDay}T10:00:00Z`, 1, 12).map((end) => Number(end.slice(8)));
    expect(days).toEqual(lastDays.map((lastDay) => Math.min(startDay, lastDay)));
  },
);

test('yearly periods from February 29 end on that day in each leap year', () => {
  expect(endsOf('2024-02-29T10:00:00Z', 12, 8)).toEqual([
    ...['2025-02-28', '2026-02-28', '2027-02-28', '2028-02-29'],
    ...['2029-02-28', '2030-02-28', '2031-02-28', '2032-02-29'],
  ]);
});

test('a change between yearly and monthly periods keeps the anchor’s day', () => {
  const anchor = new Date('2024-02-29T10:00:00Z');
  const month = periodEnd({ start: new Date('2025-02-28T10:00:00Z'), anchor }, 1, 'UTC');
  expect(month.toISOString()).toBe('2025-03-29T10:00:00.000Z');
  const year = periodEnd({ start: new Date('2026-02-28T10:00:00Z'), anchor }, 12, 'UTC');
  expect(year.toISOString()).toBe('2027-02-28T10:00:00.000Z');
});

test('a renewal in the hour skipped by daylight saving time does not move later ones', () => {
  const anchor = new Date('2026-02-28T00:30:00Z'); // 02:30 in Vilnius
  const end = periodEnd({ start: anchor, anchor }, 1, 'Europe/Vilnius');
  expect(periodEnd({ start: end, anchor }, 1, 'Europe/Vilnius').toISOString()).toBe(
    '2026-04-27T23:30:00.000Z',
  );
});

test('changing the time zone shortens or lengthens a period by at most a few days', () => {
  // January 30 in New York, January 31 in UTC.
  const anchor = new Date('2026-01-31T04:30:00Z');
  const start = periodEnd({ start: anchor, anchor }, 1, 'America/New_York');
  expect(start.toISOString()).toBe('2026-03-01T04:30:00.000Z');
  expect(periodEnd({ start, anchor }, 1, 'UTC').toISOString()).toBe('2026-03-31T04:30:00.000Z');
  // February 1 in Vilnius, January 31 in UTC.
  const februaryAnchor = new Date('2026-01-31T22:30:00Z');
  const next = periodEnd({ start: februaryAnchor, anchor: februaryAnchor }, 1, 'Europe/Vilnius');
  expect(next.toISOString()).toBe('2026-02-28T22:30:00.000Z');
  expect(periodEnd({ start: next, anchor: februaryAnchor }, 1, 'UTC').toISOString()).toBe(
    '2026-03-31T22:30:00.000Z',
  );
});

test('a start far from the anchor’s day of the month becomes the new anchor', () => {
  const anchor = new Date('2026-01-31T10:00:00Z');
  const end = periodEnd({ start: new Date('2026-04-12T10:00:00Z'), anchor }, 1, 'UTC');
  expect(end.toISOString()).toBe('2026-05-12T10:00:00.000Z');
});

test('the last usage month of a renewed period ends with the period', () => {
  const anchor = new Date('2026-01-31T10:00:00Z');
  const start = new Date('2026-02-28T10:00:00Z');
  const lastMonth = usageMonth({ start, anchor }, new Date('2026-03-30T00:00:00Z'), 'UTC');
  expect(lastMonth).toEqual({ start, end: periodEnd({ start, anchor }, 1, 'UTC') });
});

test('a period renewed on the 28th by an earlier version has no shortened usage month', () => {
  const period = {
    start: new Date('2026-06-28T10:00:00Z'),
    anchor: new Date('2026-01-31T10:00:00Z'),
  };
  expect(usageMonth(period, new Date('2026-06-29T00:00:00Z'), 'UTC')).toEqual({
    start: period.start,
    end: new Date('2026-07-31T10:00:00Z'),
  });
});

test('each instant after the start is in exactly one usage month', () => {
  const day = fc.date({
    min: new Date('2020-01-01'),
    max: new Date('2030-01-01'),
    noInvalidDate: true,
  });
  const zone = 'America/New_York';
  fc.assert(
    fc.property(
      day,
      fc.nat(40),
      fc.integer({ min: -4, max: 4 }),
      fc.nat(1_500),
      (anchor, months, shift, days) => {
        const start = new Date(addMonths(anchor, months, zone).getTime() + shift * 86_400_000);
        const now = new Date(start.getTime() + days * 86_400_000);
        const month = usageMonth({ start, anchor }, now, zone);
        expect(month.start <= now && now < month.end).toBe(true);
        const previousInstant = new Date(month.start.getTime() - 1);
        if (month.start > start)
          expect(usageMonth({ start, anchor }, previousInstant, zone).end).toEqual(month.start);
      },
    ),
  );
});
