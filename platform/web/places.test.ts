// Countries and zones to choose from, and dates in the form that an account wants.
import { expect, it } from 'vitest';
import { formatsFor } from './formats.ts';
import { countriesIn, timeZones } from './places.ts';

it('knows about 250 countries, in the language and order of the reader', () => {
  const english = countriesIn('en');
  expect(english.length).toBeGreaterThan(240);
  expect(english.length).toBeLessThan(260);
  expect(english.find(({ value }) => value === 'LT')?.label).toBe('Lithuania');
  const swedish = countriesIn('sv').map(({ label }) => label);
  expect(swedish.indexOf('Österrike')).toBeGreaterThan(swedish.indexOf('Zimbabwe'));
  expect(countriesIn('fa').find(({ value }) => value === 'IR')?.label).toBe('ایران');
});

it('names zones with the offset of the day, summer and winter', () => {
  const label = (zone: string, day: string) =>
    timeZones(zone, new Date(day)).find(({ value }) => value === zone)?.label;
  expect(label('Europe/Vilnius', '2026-01-15')).toBe('(GMT+02:00) Europe/Vilnius');
  expect(label('Europe/Vilnius', '2026-07-15')).toBe('(GMT+03:00) Europe/Vilnius');
  expect(label('America/St_Johns', '2026-01-15')).toBe('(GMT-03:30) America/St Johns');
  expect(label('UTC', '2026-01-15')).toBe('(GMT+00:00) UTC');
  expect(timeZones().length).toBeGreaterThan(400);
  expect(label('Nowhere/Land', '2026-01-15')).toBeUndefined();
});

it('writes dates in the form that an account settled on, in the digits of the language', () => {
  const day = '2026-03-21T12:05:00Z';
  expect(formatsFor('en', 'DD.MM.YYYY').date(day, 'UTC')).toBe('21.03.2026');
  expect(formatsFor('en', 'MM/DD/YYYY').dateTime(day, 'UTC')).toMatch(/^03\/21\/2026 12:05/);
  expect(formatsFor('fa', 'YYYY-MM-DD').date(day, 'UTC')).toBe('۱۴۰۵-۰۱-۰۱');
  expect(formatsFor('en', 'auto').date(day, 'UTC')).toBe('Mar 21, 2026');
});
