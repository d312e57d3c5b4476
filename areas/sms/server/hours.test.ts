// When marketing may reach people: by number, by where they are known to be, by the law of the place.
import { expect, test } from 'vitest';
import { phoneCountry } from '#areas/subscribers/server/index.ts';
import { heldUntil, openUntil, placesOf } from './hours.ts';

const NOWHERE = { country: null, zone: null };

test.each([
  // 18:00 UTC on a Monday is noon in Texas and 20:00 in Vilnius.
  ['+15125550101', NOWHERE, '2026-11-23T18:00:00Z', null],
  ['+37061234567', NOWHERE, '2026-11-23T18:00:00Z', null],
  ['+37061234567', NOWHERE, '2026-11-23T19:00:00Z', '2026-11-24T06:00:00Z'],
  // Texas opens at nine, on Sundays at noon.
  ['+15125550101', NOWHERE, '2026-11-23T14:30:00Z', '2026-11-23T15:00:00Z'],
  ['+15125550101', NOWHERE, '2026-11-22T17:30:00Z', '2026-11-22T18:00:00Z'],
  // Mississippi keeps Sundays.
  ['+16015550101', NOWHERE, '2026-11-22T17:30:00Z', '2026-11-23T14:00:00Z'],
  ['+16015550101', NOWHERE, '2026-11-21T17:30:00Z', null],
  // Florida ends at eight, New York at nine.
  ['+13055550101', NOWHERE, '2026-11-24T01:00:00Z', '2026-11-24T13:00:00Z'],
  ['+12125550101', NOWHERE, '2026-11-24T01:00:00Z', null],
  // France keeps Sundays and holidays: 15 August, Easter Monday.
  ['+33612345678', NOWHERE, '2026-11-22T10:00:00Z', '2026-11-23T07:00:00Z'],
  ['+33612345678', NOWHERE, '2026-04-06T10:00:00Z', '2026-04-07T06:00:00Z'],
  // A number of nobody knows which of many zones waits until it is day in all: 14:00 in the east of Brazil.
  ['+551123456789', { country: null, zone: 'America/Sao_Paulo' }, '2026-11-23T11:00:00Z', null],
  // Where somebody is known to be goes before where the number is from.
  [
    '+37061234567',
    { country: null, zone: 'Asia/Tokyo' },
    '2026-11-23T13:00:00Z',
    '2026-11-23T23:00:00Z',
  ],
  ['+37061234567', { country: null, zone: 'Nowhere/At_All' }, '2026-11-23T13:00:00Z', null],
  // A number of one country, a person in another: allowed in both.
  ['+37061234567', { country: 'US', zone: null }, '2026-11-23T17:30:00Z', '2026-11-23T18:00:00Z'],
] as const)('%s, %j at %s waits until %s', (phone, known, now, until) => {
  expect(heldUntil(placesOf(phone, known), new Date(now))?.toISOString() ?? null).toBe(
    until && new Date(until).toISOString(),
  );
});

test('a text may be delivered until its window ends', () => {
  const at = (iso: string) =>
    openUntil(placesOf('+37061234567', NOWHERE), new Date(iso)).toISOString();
  expect(at('2026-11-23T18:40:00Z')).toBe('2026-11-23T19:00:00.000Z');
});

test.each([
  ['+15125550101', 'US'],
  ['+14165550101', 'CA'],
  ['+447400123456', 'GB'],
  ['+77011234567', 'KZ'],
  ['+989121234567', 'IR'],
  ['', undefined],
])('%s is of %s', (phone, country) => {
  expect(phoneCountry(phone)).toBe(country);
});
