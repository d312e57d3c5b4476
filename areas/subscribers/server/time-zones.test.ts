// The time zone of a subscriber, if it is certain: no zone is guessed.
import { expect, test } from 'vitest';
import { zoneOfSubscriber } from './time-zones.ts';

const nothing = { timezone: null, country: null, phone: null };

test.each([
  ['their own zone, before all else', { timezone: 'Asia/Tokyo', country: 'NO' }, 'Asia/Tokyo'],
  ['their country, in either case of letters', { country: 'no' }, 'Europe/Oslo'],
  ['a country to which the locale data assign two zones', { country: 'DE' }, 'Europe/Berlin'],
  ['their number', { phone: '+37060012345' }, 'Europe/Vilnius'],
  [
    'their country, before a number from elsewhere',
    { country: 'IR', phone: '+4790012345' },
    'Asia/Tehran',
  ],
  ['a country that is not in the table', { country: 'JP' }, 'Asia/Tokyo'],
])('%s', (_, known, zone) => {
  expect(zoneOfSubscriber({ ...nothing, ...known })).toBe(zone);
});

test.each([
  ['nothing is known', {}],
  ['a country of several zones', { country: 'US' }],
  ['a number of such a country', { phone: '+12125550123' }],
  [
    'a country of several zones, despite a number from a country of one',
    { country: 'AU', phone: '+4790012345' },
  ],
  ['an invalid zone', { timezone: 'Mars/Olympus' }],
  ['an invalid country', { country: 'Atlantis' }],
])('the zone is unknown: %s', (_, known) => {
  expect(zoneOfSubscriber({ ...nothing, ...known })).toBeUndefined();
});
