// Quiet hours of marketing depend on the number, the subscriber's known location, and the law of
// the destination.
import { expect, test } from 'vitest';
import { findPhoneCountry } from '#areas/subscribers/server/index.ts';
import { findDelayEnd, findEndOfHours, listZoneRules } from './hours.ts';

const NOWHERE = { country: null, zone: null };

test.each([
  // 18:00 UTC on a Monday is noon in Texas and 20:00 in Vilnius.
  ['+15125550101', NOWHERE, '2026-11-23T18:00:00Z', null],
  ['+37061234567', NOWHERE, '2026-11-23T18:00:00Z', null],
  ['+37061234567', NOWHERE, '2026-11-23T19:00:00Z', '2026-11-24T06:00:00Z'],
  // Texas opens at nine, on Sundays at noon.
  ['+15125550101', NOWHERE, '2026-11-23T14:30:00Z', '2026-11-23T15:00:00Z'],
  ['+15125550101', NOWHERE, '2026-11-22T17:30:00Z', '2026-11-22T18:00:00Z'],
  // Mississippi allows nothing on Sundays.
  ['+16015550101', NOWHERE, '2026-11-22T17:30:00Z', '2026-11-23T14:00:00Z'],
  ['+16015550101', NOWHERE, '2026-11-21T17:30:00Z', null],
  // Florida closes at eight, New York at nine.
  ['+13055550101', NOWHERE, '2026-11-24T01:00:00Z', '2026-11-24T13:00:00Z'],
  ['+12125550101', NOWHERE, '2026-11-24T01:00:00Z', null],
  // The western area codes of Florida and Texas are at least partly in another time zone, but the
  // rules of their state apply.
  ['+18505550101', NOWHERE, '2026-11-23T13:30:00Z', '2026-11-23T14:00:00Z'],
  [
    '+18505550101',
    { country: null, zone: 'America/Chicago' },
    '2026-11-24T02:30:00Z',
    '2026-11-24T14:00:00Z',
  ],
  ['+19155550101', NOWHERE, '2026-11-23T15:30:00Z', '2026-11-23T16:00:00Z'],
  // France allows nothing on Sundays and public holidays, such as Easter Monday.
  ['+33612345678', NOWHERE, '2026-11-22T10:00:00Z', '2026-11-23T07:00:00Z'],
  ['+33612345678', NOWHERE, '2026-04-06T10:00:00Z', '2026-04-07T06:00:00Z'],
  // A Brazilian number may be in any of several time zones, so an SMS waits until the window is
  // also open in the westernmost one.
  ['+551123456789', NOWHERE, '2026-11-23T11:00:00Z', '2026-11-23T13:00:00Z'],
  ['+551123456789', NOWHERE, '2026-11-23T13:00:00Z', null],
  // A known time zone takes precedence over the number's time zones.
  ['+551123456789', { country: null, zone: 'America/Sao_Paulo' }, '2026-11-23T11:00:00Z', null],
  [
    '+37061234567',
    { country: null, zone: 'Asia/Tokyo' },
    '2026-11-23T13:00:00Z',
    '2026-11-23T23:00:00Z',
  ],
  ['+37061234567', { country: null, zone: 'Nowhere/At_All' }, '2026-11-23T13:00:00Z', null],
  // If the number and the subscriber are in different countries, the hour must be allowed in both.
  ['+37061234567', { country: 'US', zone: null }, '2026-11-23T17:30:00Z', '2026-11-23T18:00:00Z'],
] as const)(
  'an SMS to %s with the location %j at %s waits until %s',
  (phone, location, now, expectedEnd) => {
    expect(findDelayEnd(listZoneRules(phone, location), new Date(now))?.toISOString() ?? null).toBe(
      expectedEnd && new Date(expectedEnd).toISOString(),
    );
  },
);

test('an SMS can be delivered until its window closes', () => {
  const getEnd = (iso: string) =>
    findEndOfHours(listZoneRules('+37061234567', NOWHERE), new Date(iso)).toISOString();
  expect(getEnd('2026-11-23T18:40:00Z')).toBe('2026-11-23T19:00:00.000Z');
});

test.each([
  ['+15125550101', 'US'],
  ['+14165550101', 'CA'],
  ['+447400123456', 'GB'],
  ['+77011234567', 'KZ'],
  ['+989121234567', 'IR'],
  ['', undefined],
])('the country of the number %j is %s', (phone, country) => {
  expect(findPhoneCountry(phone)).toBe(country);
});
