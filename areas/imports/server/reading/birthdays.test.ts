// Birthdays in the formats of people and services.
import { expect, test } from 'vitest';
import { areBirthdays, parseBirthday } from './birthdays.ts';
import { detectDateOrder } from './dates.ts';

test.each([
  ['05/12', 'month-first', '05-12'],
  ['05/12', 'day-first', '12-05'],
  ['31/05', 'month-first', '05-31'],
  ['05/31', 'day-first', '05-31'],
  ['12.5.', 'day-first', '05-12'],
  ['12. 05', 'day-first', '05-12'],
  ['۱۲/۰۵', 'day-first', '05-12'],
  ['05-12', 'day-first', '05-12'],
  ['--05-12', 'day-first', '05-12'],
  ['--0512', 'day-first', '05-12'],
  ['12 May', 'day-first', '05-12'],
  ['May 12th', 'day-first', '05-12'],
  ['12. mai', 'day-first', '05-12'],
  ['12 maj', 'day-first', '05-12'],
  ['gegužės 12 d.', 'day-first', '05-12'],
  ['12. maijs', 'day-first', '05-12'],
  ['۱۲ مه', 'day-first', '05-12'],
  ['1990-05-12', 'day-first', '05-12'],
  ['12.05.1990', 'day-first', '05-12'],
  ['29/02', 'day-first', '02-29'],
  ['30/02', 'day-first', undefined],
  ['00/12', 'day-first', undefined],
  ['13/13', 'day-first', undefined],
  ['May', 'day-first', undefined],
  ['12 Mystery', 'day-first', undefined],
  ['۱۲ فروردین', 'day-first', undefined],
  ['', 'day-first', undefined],
] as const)('the birthday %s (%s) is read as %s', (text, order, day) => {
  expect(parseBirthday(text, order)).toBe(day);
});

test('birthdays are distinguished from sizes, numbers and dates', () => {
  expect(areBirthdays('Bday', ['05/12', '11/30'])).toBe(true);
  expect(areBirthdays('BIRTHDAY', ['5/12', '5.12'])).toBe(true);
  expect(areBirthdays('Fødselsdag', ['5.12'])).toBe(true);
  expect(areBirthdays('Gimtadienis', ['gegužės 12 d.'])).toBe(true);
  expect(areBirthdays('When', ['12 May', '--05-12'])).toBe(true);
  expect(areBirthdays('Size', ['1/2', '3/4'])).toBe(false);
  expect(areBirthdays('Score', ['5.12', '5.11'])).toBe(false);
  expect(areBirthdays('Birthday', ['1990-05-12'])).toBe(false);
  expect(areBirthdays('Birthday', [])).toBe(false);
});

test('the order of a birthday column follows from days above twelve', () => {
  expect(detectDateOrder(['05/12', '05/31'])).toBe('month-first');
  expect(detectDateOrder(['05/12', '31/05'])).toBe('day-first');
});
