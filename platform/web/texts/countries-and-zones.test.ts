// Lists countries and time zones to choose from, and formats dates in an account's format.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { getFormats } from './formats.ts';
import { listCountries, findOnlyZone, listTimeZones } from './countries-and-zones.ts';

it('lists about 250 countries in the language and order of the user', () => {
  const english = listCountries('en');
  expect(english.length).toBeGreaterThan(240);
  expect(english.length).toBeLessThan(260);
  expect(english.find(({ value }) => value === 'LT')?.label).toBe('Lithuania');
  const swedish = listCountries('sv').map(({ label }) => label);
  expect(swedish.indexOf('Österrike')).toBeGreaterThan(swedish.indexOf('Zimbabwe'));
  expect(listCountries('fa').find(({ value }) => value === 'IR')?.label).toBe('ایران');
});

it("names zones in the user's language with the day's offset, in summer and winter", () => {
  const label = (zone: string, day: string, locale = 'en') =>
    listTimeZones(locale, zone, new Date(day)).find(({ value }) => value === zone)?.label;
  expect(label('Europe/Vilnius', '2026-01-15')).toBe(
    '(GMT+02:00) Europe/Vilnius · Eastern European Time',
  );
  expect(label('Europe/Vilnius', '2026-07-15')).toContain('(GMT+03:00) Europe/Vilnius');
  expect(label('America/St_Johns', '2026-01-15')).toContain('(GMT-03:30) America/St Johns');
  expect(label('UTC', '2026-01-15')).toContain('(GMT+00:00) UTC');
  expect(label('Asia/Tehran', '2026-01-15', 'fa')).toBe(
    '\u2066(GMT+۰۳:۳۰) Asia/Tehran\u2069 · وقت عادی ایران',
  );
  expect(label('Europe/Oslo', '2026-01-15', 'nb')).toContain('sentraleuropeisk tid');
  expect(listTimeZones('en').length).toBeGreaterThan(400);
  expect(label('Nowhere/Land', '2026-01-15')).toBeUndefined();
});

it("lists the browser's zone before all other zones", () => {
  const zonesOf = (ownZone: string | undefined) =>
    listTimeZones('en', undefined, new Date('2026-01-15'), ownZone).map(({ value }) => value);
  expect(zonesOf('Asia/Kolkata')[0]).toBe('Asia/Kolkata');
  const [first, second] = zonesOf('Europe/Vilnius');
  expect([first, second]).toEqual(['Europe/Vilnius', zonesOf('Nowhere/Land')[0]]);
});

it('finds the zone of a country that has only one', () => {
  expect(findOnlyZone('LT')).toBe('Europe/Vilnius');
  expect(findOnlyZone('IN')).toBe('Asia/Kolkata');
  for (const country of ['US', 'DE', 'XX', '', 'x-y'])
    expect(findOnlyZone(country)).toBeUndefined();
});

it('lists zones by current names, and former names find them', () => {
  const zones = listTimeZones('en');
  for (const [current, former] of [
    ['Asia/Kolkata', 'Asia/Calcutta'],
    ['Europe/Kyiv', 'Europe/Kiev'],
    ['America/Nuuk', 'America/Godthab'],
  ]) {
    const zone = zones.filter(({ value }) => value === current || value === former);
    expect(zone).toEqual([
      { value: current, label: expect.stringContaining(current ?? ''), keywords: former },
    ]);
  }
  // A stored former name keeps its value and shows the current name.
  const matchingZones = listTimeZones('en', 'Asia/Calcutta').filter(({ label }) =>
    /Kolkata/.test(label),
  );
  expect(matchingZones.map(({ value }) => value)).toEqual(['Asia/Calcutta']);
});

it('computes the right offset for every zone at any time', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...Intl.supportedValuesOf('timeZone')),
      fc.date({ min: new Date('2000-01-01'), max: new Date('2035-01-01'), noInvalidDate: true }),
      (zone, at) => {
        const parts = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
        const name = parts.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value;
        const expected = name === 'GMT' ? 'GMT+00:00' : name;
        const label = listTimeZones('en', zone, at).find(({ value }) => value === zone)?.label;
        expect(label).toContain(`(${expected})`);
      },
    ),
    { numRuns: 10 },
  );
});

it("formats dates in the account's format and the language's digits", () => {
  const day = '2026-03-21T12:05:00Z';
  expect(getFormats('en', 'DD.MM.YYYY').date(day, 'UTC')).toBe('21.03.2026');
  expect(getFormats('en', 'MM/DD/YYYY').dateTime(day, 'UTC')).toMatch(/^03\/21\/2026 12:05/);
  expect(getFormats('fa', 'YYYY-MM-DD').date(day, 'UTC')).toBe('۱۴۰۵-۰۱-۰۱');
  expect(getFormats('en', 'auto').date(day, 'UTC')).toBe('Mar 21, 2026');
});
