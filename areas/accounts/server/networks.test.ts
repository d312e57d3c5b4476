// IP networks that an API token is restricted to.
import { expect, test } from 'vitest';
import { isInNetworks, readNetwork } from './networks.ts';

test.each([
  ['203.0.113.7', '203.0.113.7/32'],
  [' 203.0.113.0/24 ', '203.0.113.0/24'],
  ['2001:DB8::/32', '2001:db8::/32'],
  ['::1', '::1/128'],
  ['0.0.0.0/0', '0.0.0.0/0'],
])('%s is stored as %s', (input, expected) => {
  expect(readNetwork(input)).toBe(expected);
});

test.each([
  ...['', 'shop.example', '203.0.113.0/33', '203.0.113.0/', '203.0.113.0/2x', '1.2.3.4/8/8'],
  ...['fe80::1%eth0', '2001:db8::/129', '999.0.0.1', '/24'],
])('%j is not a network', (input) => {
  expect(readNetwork(input)).toBeUndefined();
});

test('an address matches only networks that contain it, and an IPv4 address may be in IPv6 notation', () => {
  const networks = ['203.0.113.0/24', '2001:db8::/32'];
  expect(isInNetworks('203.0.113.255', networks)).toBe(true);
  expect(isInNetworks('::ffff:203.0.113.9', networks)).toBe(true);
  expect(isInNetworks('203.0.114.0', networks)).toBe(false);
  expect(isInNetworks('2001:db8:1::9', networks)).toBe(true);
  expect(isInNetworks('2001:db9::1', networks)).toBe(false);
  expect(isInNetworks('', networks)).toBe(false);
});
