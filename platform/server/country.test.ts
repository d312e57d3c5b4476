import { readFile } from 'node:fs/promises';
import { expect, test, vi } from 'vitest';
import { findCountries } from './country.ts';

vi.mock('node:fs/promises', async (load) => {
  const actual = await load<typeof import('node:fs/promises')>();
  return { ...actual, readFile: vi.fn<typeof readFile>(actual.readFile) };
});

test('countries are unknown while the country files are unreadable', async () => {
  vi.mocked(readFile).mockRejectedValueOnce(new Error('EMFILE: too many open files'));
  expect([...(await findCountries(['8.8.8.8', '193.0.6.139']))]).toEqual([]);
  expect((await findCountries(['8.8.8.8'])).get('8.8.8.8')).toBe('US');
});

test('an IPv4 or IPv6 address has the country where its block is registered', async () => {
  const countries = await findCountries([
    '1.0.0.1', // APNIC's research block
    '193.0.6.139', // RIPE NCC, Amsterdam
    '8.8.8.8',
    '2001:67c:2e8:22::c100:68b', // RIPE NCC
    '::ffff:8.8.8.8',
  ]);
  expect(countries.get('1.0.0.1')).toBe('AU');
  expect(countries.get('193.0.6.139')).toBe('NL');
  expect(countries.get('8.8.8.8')).toBe('US');
  expect(countries.get('2001:67c:2e8:22::c100:68b')).toBe('NL');
  expect(countries.get('::ffff:8.8.8.8')).toBe('US');
});

test('private, reserved and malformed addresses have no country', async () => {
  const unassigned = [
    '',
    'x',
    '127.0.0.1',
    '10.1.2.3',
    '192.168.0.1',
    '::1',
    'fe80::1',
    '0.0.0.0',
    '255.255.255.255',
    '999.1.1.1',
  ];
  expect([...(await findCountries(unassigned))]).toEqual([]);
});
