// Days in every zone: each begins exactly once, when the previous day ends.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addDays, resolveDays, toDay, countDaysBetween, startOfDay } from './days.ts';

const zones = Intl.supportedValuesOf('timeZone');
const anyZone = fc.constantFrom(...zones, 'UTC');
const anyDay = fc.integer({ min: 0, max: 12_000 }).map((days) => addDays('2005-01-01', days));

test('a day begins when the previous day ends, in any zone and across clock changes', () => {
  fc.assert(
    fc.property(anyZone, anyDay, (zone, day) => {
      // A day that the zone skipped, as Samoa and Kiribati once did, has no start.
      const start = startOfDay(day, zone);
      if (toDay(zone, start) !== day) return;
      expect(toDay(zone, new Date(start.getTime() - 1)) < day).toBe(true);
      expect(startOfDay(addDays(day, 1), zone).getTime()).toBeGreaterThan(start.getTime());
    }),
    { numRuns: 300 },
  );
});

test('a day starts at its first instant even if the clock changes on that day', () => {
  expect(startOfDay('2018-11-04', 'America/Sao_Paulo').toISOString()).toBe(
    '2018-11-04T03:00:00.000Z',
  );
  expect(startOfDay('2022-03-22', 'Asia/Tehran').toISOString()).toBe('2022-03-21T20:30:00.000Z');
  expect(startOfDay('2026-03-29', 'Europe/Vilnius').toISOString()).toBe('2026-03-28T22:00:00.000Z');
});

test('the range defaults to the last thirty days, ends today at the latest, and is refused if it is empty or too long', () => {
  const now = new Date('2026-03-15T23:30:00Z');
  expect(resolveDays({}, 'Europe/Vilnius', now)).toEqual({ from: '2026-02-15', to: '2026-03-16' });
  expect(countDaysBetween('2026-02-15', '2026-03-16')).toBe(29);
  expect(resolveDays({ to: '2030-01-01', from: '2026-03-01' }, 'UTC', now).to).toBe('2026-03-15');
  expect(() => resolveDays({ from: '2026-03-20' }, 'UTC', now)).toThrow();
  expect(() => resolveDays({ from: '2020-01-01' }, 'UTC', now)).toThrow();
});
