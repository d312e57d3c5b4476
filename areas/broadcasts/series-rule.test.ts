// Days of recurring campaigns: weeks, months, daylight saving, and a comparison with a walk over
// every day.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  findNextOccurrence,
  NTHS,
  listOccurrencesBetween,
  generateOccurrences,
  type SeriesPlan,
  type SeriesRule,
} from './series-rule.ts';
import { instantToWallTime } from './wall-time.ts';

const plan = (rule: SeriesRule, overrides: Partial<SeriesPlan> = {}): SeriesPlan => ({
  rule,
  zone: 'Europe/Oslo',
  starts_on: '2026-01-01',
  ends_on: null,
  ...overrides,
});

function days(seriesPlan: SeriesPlan, from: string, count: number): string[] {
  const dates: string[] = [];
  for (const { on } of generateOccurrences(seriesPlan, from)) {
    dates.push(on);
    if (dates.length === count) break;
  }
  return dates;
}

describe('weekly', () => {
  const rule = { every: 'week', time: '10:00' } as const;

  test('a rule with several weekdays yields each weekday in order', () => {
    const seriesPlan = plan({ ...rule, interval: 1, weekdays: [4, 2] });
    expect(days(seriesPlan, '2026-12-01', 4)).toEqual([
      '2026-12-01',
      '2026-12-03',
      '2026-12-08',
      '2026-12-10',
    ]);
  });

  test('a biweekly rule counts weeks from the week of its start', () => {
    const seriesPlan = plan(
      { ...rule, interval: 2, weekdays: [1, 7] },
      { starts_on: '2026-12-02' },
    );
    expect(days(seriesPlan, '2026-01-01', 4)).toEqual([
      '2026-12-06',
      '2026-12-14',
      '2026-12-20',
      '2026-12-28',
    ]);
    expect(days(seriesPlan, '2026-12-07', 1)).toEqual(['2026-12-14']);
  });

  test('no occurrence is after the last day', () => {
    const seriesPlan = plan({ ...rule, interval: 1, weekdays: [2] }, { ends_on: '2026-12-08' });
    expect(days(seriesPlan, '2026-12-01', 9)).toEqual(['2026-12-01', '2026-12-08']);
    expect(findNextOccurrence(seriesPlan, new Date('2026-12-08T09:00:00Z'))).toBeUndefined();
  });

  test('the wall-clock time is unaffected by daylight saving time, except that a skipped time moves to a later one', () => {
    const seriesPlan = plan({ every: 'week', interval: 1, weekdays: [7], time: '02:30' });
    const dates = listOccurrencesBetween(
      seriesPlan,
      instant('2026-03-20T00:00Z'),
      instant('2026-04-10T00:00Z'),
      9,
    );
    expect(dates.map((occurrence) => occurrence.at.toISOString())).toEqual([
      '2026-03-22T01:30:00.000Z',
      '2026-03-29T01:30:00.000Z',
      '2026-04-05T00:30:00.000Z',
    ]);
  });
});

describe('monthly', () => {
  const rule = { every: 'month', interval: 1, time: '09:00' } as const;

  test('a month that lacks the day uses its last day, such as 28 February instead of the 29th', () => {
    const seriesPlan = plan({ ...rule, on: { kind: 'day', day: 31 } });
    expect(days(seriesPlan, '2028-01-01', 4)).toEqual([
      '2028-01-31',
      '2028-02-29',
      '2028-03-31',
      '2028-04-30',
    ]);
    const leap = plan(
      { ...rule, interval: 12, on: { kind: 'day', day: 29 } },
      {
        starts_on: '2028-02-01',
      },
    );
    expect(days(leap, '2028-01-01', 3)).toEqual(['2028-02-29', '2029-02-28', '2030-02-28']);
  });

  test('the last day and the nth weekday are found in each month', () => {
    expect(days(plan({ ...rule, on: { kind: 'last_day' } }), '2026-11-30', 3)).toEqual([
      '2026-11-30',
      '2026-12-31',
      '2027-01-31',
    ]);
    const second = plan({ ...rule, on: { kind: 'weekday', nth: 2, weekday: 2 } });
    expect(days(second, '2026-12-01', 2)).toEqual(['2026-12-08', '2027-01-12']);
    const lastFriday = plan({ ...rule, on: { kind: 'weekday', nth: -1, weekday: 5 } });
    expect(days(lastFriday, '2026-12-01', 3)).toEqual(['2026-12-25', '2027-01-29', '2027-02-26']);
  });
});

const ZONES = [
  'Europe/Oslo',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
  'America/New_York',
  'Asia/Tehran',
];

const anyRule: fc.Arbitrary<SeriesRule> = fc.oneof(
  fc.record({
    every: fc.constant('week' as const),
    interval: fc.integer({ min: 1, max: 12 }),
    weekdays: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
    time: fc.constantFrom('00:00', '02:15', '10:00', '23:45'),
  }),
  fc.record({
    every: fc.constant('month' as const),
    interval: fc.integer({ min: 1, max: 12 }),
    on: fc.oneof(
      fc.record({ kind: fc.constant('day' as const), day: fc.integer({ min: 1, max: 31 }) }),
      fc.record({ kind: fc.constant('last_day' as const) }),
      fc.record({
        kind: fc.constant('weekday' as const),
        nth: fc.constantFrom(...NTHS),
        weekday: fc.integer({ min: 1, max: 7 }),
      }),
    ),
    time: fc.constantFrom('00:00', '02:15', '10:00', '23:45'),
  }),
);
const anyDay = fc
  .integer({ min: 0, max: 3650 })
  .map((after) => new Date(Date.UTC(2024, 0, 1 + after)).toISOString().slice(0, 10));

test('every rule yields the same days as a brute-force calendar scan', () => {
  fc.assert(
    fc.property(anyRule, anyDay, anyDay, fc.constantFrom(...ZONES), (rule, starts, from, zone) => {
      const seriesPlan = plan(rule, { starts_on: starts, zone });
      const firstDay = starts > from ? starts : from;
      const end = addDays(firstDay, 130);
      const expectedDays: string[] = [];
      for (let day = firstDay; day < end; day = addDays(day, 1)) {
        if (isDayOf(rule, starts, day)) expectedDays.push(day);
      }
      const listedDays = days(seriesPlan, from, expectedDays.length + 1).filter((day) => day < end);
      expect(listedDays).toEqual(expectedDays);
    }),
    { numRuns: 60, seed: 40 },
  );
});

test('the next occurrence is the first one after the instant, at its wall time or after a skipped hour', () => {
  fc.assert(
    fc.property(
      anyRule,
      anyDay,
      fc.integer({ min: 0, max: 4e11 }),
      fc.constantFrom(...ZONES),
      (rule, starts, offset, zone) => {
        const seriesPlan = plan(rule, { starts_on: starts, zone });
        const after = new Date(Date.UTC(2024, 0, 1) + offset);
        const next = findNextOccurrence(seriesPlan, after);
        if (next === undefined) return;
        expect(next.at > after).toBe(true);
        expect(
          listOccurrencesBetween(seriesPlan, new Date(after.getTime() + 1), next.at, 5),
        ).toEqual([]);
        const wallTime = instantToWallTime(next.at, zone);
        expect(wallTime.slice(0, 10)).toBe(next.on);
        expect(wallTime.slice(11, 16) >= rule.time).toBe(true);
      },
    ),
    { numRuns: 60, seed: 41 },
  );
});

const instant = (text: string) => new Date(text);

function addDays(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * 86_400_000).toISOString().slice(0, 10);
}

/**
 * Decides independently of the tested code whether a day is an occurrence: it counts the weeks or
 * months since the start.
 */
function isDayOf(rule: SeriesRule, starts: string, day: string): boolean {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay() || 7;
  if (rule.every === 'week') {
    if (!rule.weekdays.includes(weekday)) return false;
    let weeks = 0;
    for (let monday = mondayOf(starts); monday < mondayOf(day); monday = addDays(monday, 7))
      weeks++;
    return weeks % rule.interval === 0;
  }
  const months =
    (Number(day.slice(0, 4)) - Number(starts.slice(0, 4))) * 12 +
    Number(day.slice(5, 7)) -
    Number(starts.slice(5, 7));
  if (months % rule.interval !== 0) return false;
  const isLast = addDays(day, 1).slice(8) === '01';
  const date = Number(day.slice(8));
  if (rule.on.kind === 'last_day') return isLast;
  if (rule.on.kind === 'day') return date === rule.on.day || (isLast && date < rule.on.day);
  if (weekday !== rule.on.weekday) return false;
  if (rule.on.nth === -1) return addDays(day, 7).slice(5, 7) !== day.slice(5, 7);
  return Math.ceil(date / 7) === rule.on.nth;
}

function mondayOf(day: string): string {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay() || 7;
  return addDays(day, 1 - weekday);
}
