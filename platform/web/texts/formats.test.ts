// Times use the account's zone by default, regardless of the browser's zone.
import { expect, test } from 'vitest';
import { formatsFor } from './formats.ts';

/** The kind of space before AM depends on the machine's data. */
const plain = (text: string) => text.replace(/\s/g, ' ');
const at = '2026-11-21T23:15:00Z';

test('uses one time zone unless the caller passes another', () => {
  const { date, dateTime, time, relative } = formatsFor('en', 'auto', 'Europe/Oslo');
  expect(date(at)).toBe('Nov 22, 2026');
  expect(plain(dateTime(at))).toBe('Nov 22, 2026, 12:15 AM');
  expect(plain(time(at))).toBe('12:15 AM');
  expect(date(at, 'America/New_York')).toBe('Nov 21, 2026');
  expect(relative(at, undefined, new Date('2026-11-23T01:00:00Z'))).toBe('yesterday');
  const placed = formatsFor('en', 'DD.MM.YYYY', 'Europe/Oslo');
  expect(placed.date(at)).toBe('22.11.2026');
  expect(plain(placed.dateTime(at))).toBe('22.11.2026 12:15 AM');
  expect(placed.date(at, 'UTC')).toBe('21.11.2026');
});
