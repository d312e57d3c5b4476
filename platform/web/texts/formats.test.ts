// Times use the account's zone by default, regardless of the browser's zone.
import { afterEach, expect, test, vi } from 'vitest';
import { getFormats } from './formats.ts';

afterEach(() => vi.restoreAllMocks());

/** Replaces all spaces by plain ones, because the space before AM depends on the machine's data. */
const stripSpaces = (text: string) => text.replace(/\s/g, ' ');
const at = '2026-11-21T23:15:00Z';

test("getFormats uses the account's time zone unless the caller passes another", () => {
  const { date, dateTime, time, relative } = getFormats('en', 'auto', 'Europe/Oslo');
  expect(date(at)).toBe('Nov 22, 2026');
  expect(stripSpaces(dateTime(at))).toBe('Nov 22, 2026, 12:15 AM');
  expect(stripSpaces(time(at))).toBe('12:15 AM');
  expect(date(at, 'America/New_York')).toBe('Nov 21, 2026');
  expect(relative(at, undefined, new Date('2026-11-23T01:00:00Z'))).toBe('yesterday');
  const custom = getFormats('en', 'DD.MM.YYYY', 'Europe/Oslo');
  expect(custom.date(at)).toBe('22.11.2026');
  expect(stripSpaces(custom.dateTime(at))).toBe('22.11.2026 12:15 AM');
  expect(custom.date(at, 'UTC')).toBe('21.11.2026');
});

test('getFormats creates each formatter once for all cells of a table', () => {
  const createSpy = vi.spyOn(Intl, 'DateTimeFormat');
  const numbers = vi.spyOn(Intl, 'NumberFormat');
  for (let row = 0; row < 10; row++) {
    const formats = getFormats('sv', 'auto', 'Europe/Vilnius');
    expect(formats).toBe(getFormats('sv', 'auto', 'Europe/Vilnius'));
    formats.date(at);
    formats.money(row, 'SEK');
  }
  expect(createSpy).toHaveBeenCalledOnce();
  // The formatters of numbers, compact numbers, two kinds of percentages, and money.
  expect(numbers).toHaveBeenCalledTimes(5);
});
