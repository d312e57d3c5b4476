import { expect, test } from 'vitest';
import { isCountry } from './countries.ts';

test.each(['NO', 'SE', 'LT', 'IR', 'LV', 'US', 'GB', 'XK', 'TW'])('%s is a country', (code) =>
  expect(isCountry(code)).toBe(true),
);

test.each(['ZZ', 'UK', 'AB', 'XX', 'EU', 'no', 'N', 'NOR', '', 'A1'])(
  '%s is not a country',
  (code) => expect(isCountry(code)).toBe(false),
);
