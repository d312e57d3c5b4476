// The time zone of a subscriber: known if it is certain, never guessed.
import { expect, test } from 'vitest';
import { resolveSubscriberZone } from './time-zones.ts';

const nothing = { timezone: null, country: null, phone: null };

test.each([
  [
    'the stored zone, even with another country',
    { timezone: 'Asia/Tokyo', country: 'NO' },
    'Asia/Tokyo',
  ],
  ['the country, even in lower case', { country: 'no' }, 'Europe/Oslo'],
  ['a country to which the locale data assign two zones', { country: 'DE' }, 'Europe/Berlin'],
  ['the phone number', { phone: '+37060012345' }, 'Europe/Vilnius'],
  [
    'the country, even with a number from elsewhere',
    { country: 'IR', phone: '+4790012345' },
    'Asia/Tehran',
  ],
  ['a country that is not in the table', { country: 'JP' }, 'Asia/Tokyo'],
])('the zone follows from %s', (_, location, zone) => {
  expect(resolveSubscriberZone({ ...nothing, ...location })).toBe(zone);
});

test.each([
  ['a subscriber without a location', {}],
  ['a country of several zones', { country: 'US' }],
  ['a number from a country of several zones', { phone: '+12125550123' }],
  [
    'a country of several zones, even with a number from a country of one zone',
    { country: 'AU', phone: '+4790012345' },
  ],
  ['an invalid zone', { timezone: 'Mars/Olympus' }],
  ['an invalid country', { country: 'Atlantis' }],
])('the zone is unknown for %s', (_, location) => {
  expect(resolveSubscriberZone({ ...nothing, ...location })).toBeUndefined();
});
