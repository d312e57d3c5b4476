// Weeks and months of the calendar, Gregorian and Persian.
import { expect, test } from 'vitest';
import { addMonths, startOfMonth, startOfWeek, weeksOfMonth } from './days.ts';

test('the first and last weeks of a month are whole weeks from Monday to Sunday', () => {
  const weeks = weeksOfMonth('2026-12-15', false);
  expect(weeks).toHaveLength(5);
  expect([weeks[0]?.[0], weeks[4]?.[6]]).toEqual(['2026-11-30', '2027-01-03']);
  expect(weeksOfMonth('2027-02-10', false)).toHaveLength(4);
});

test('a month of the Persian calendar begins on its own first day, and its weeks begin on Saturday', () => {
  // 1405-01-01 is 21 March 2026, a Saturday.
  expect(startOfMonth('2026-04-10', true)).toBe('2026-03-21');
  const weeks = weeksOfMonth('2026-04-10', true);
  expect(weeks[0]?.[0]).toBe('2026-03-21');
  expect(weeks.at(-1)?.[6]).toBe('2026-04-24');
  expect(startOfWeek('2026-03-20', true)).toBe('2026-03-14');
});

test('a month added to the last day of a long month gives the last day of a shorter one', () => {
  expect(addMonths('2027-01-31', 1, false)).toBe('2027-02-28');
  expect(addMonths('2027-01-15', -1, false)).toBe('2026-12-15');
  // From Shahrivar 31 to Mehr 30.
  expect(addMonths('2026-09-22', 1, true)).toBe('2026-10-22');
  expect(addMonths('2027-03-20', 1, true)).toBe('2027-04-18');
});
