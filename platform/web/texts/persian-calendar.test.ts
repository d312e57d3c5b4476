// The Persian calendar matches known days, and every day of 80 years survives the round trip.
import { expect, it } from 'vitest';
import { daysInMonth, toIsoDay, toPersianDay } from './persian-calendar.ts';

it.each([
  ['2026-11-21', 1405, 8, 30],
  ['2026-03-21', 1405, 1, 1],
  ['2025-03-20', 1403, 12, 30],
  ['2025-03-21', 1404, 1, 1],
  ['1979-02-11', 1357, 11, 22],
])('%s is converted in both directions', (iso, year, month, day) => {
  expect(toPersianDay(iso)).toEqual({ year, month, day });
  expect(toIsoDay({ year, month, day })).toBe(iso);
});

it('round-trips each day of 80 years', () => {
  for (let at = Date.UTC(1960, 0, 1); at < Date.UTC(2040, 0, 1); at += 86_400_000) {
    const iso = new Date(at).toISOString().slice(0, 10);
    const day = toPersianDay(iso);
    if (day === undefined || toIsoDay(day) !== iso) expect([iso, day]).toBe('the same day');
  }
  expect(toIsoDay(toPersianDay('2039-12-31') ?? { year: 0, month: 0, day: 0 })).toBe('2039-12-31');
});

it('leap years have one more day, and an impossible day is refused', () => {
  expect([daysInMonth(1403, 12), daysInMonth(1404, 12)]).toEqual([30, 29]);
  expect(toIsoDay({ year: 1404, month: 12, day: 30 })).toBeUndefined();
  expect(toIsoDay({ year: 1404, month: 7, day: 31 })).toBeUndefined();
  expect(toPersianDay('nonsense')).toBeUndefined();
});
