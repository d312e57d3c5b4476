// The product connects to user-supplied hosts only at public addresses.
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import {
  allowPrivateAddresses,
  isPrivateAddress,
  PrivateAddressError,
  publicLookup,
  refusePrivateAddress,
  requirePublicHost,
} from './outgoing-address.ts';

afterEach(() => allowPrivateAddresses(false));

test.each([
  '127.0.0.1',
  '10.1.2.3',
  '172.16.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '0.0.0.0',
  '224.0.0.1',
  '::1',
  '::',
  'fe80::1',
  'fd00::1',
  '::ffff:10.0.0.1',
  '64:ff9b::a00:1',
  '64:ff9b:1::7f00:1',
  '::127.0.0.1',
  '::7f00:1',
  '::a00:1',
  '::8.8.8.8',
  '::ffff:0:127.0.0.1',
  '2002:7f00:1::',
  '2001:0:7f00:1::',
  'fec0::1',
  '1::1',
  '4000::1',
])('%s is private', (address) => {
  expect(isPrivateAddress(address)).toBe(true);
  expect(() => refusePrivateAddress(address)).toThrow(PrivateAddressError);
});

test.each(['8.8.8.8', '2606:4700::1111', '193.0.6.139'])('%s is not private', (address) => {
  expect(isPrivateAddress(address)).toBe(false);
  refusePrivateAddress(address);
});

test('a name that resolves to a private address is refused', async () => {
  await expect(requirePublicHost('localhost')).rejects.toThrow(PrivateAddressError);
  const error = await new Promise((resolve) => {
    connect({ host: 'localhost', port: 9, lookup: publicLookup }).once('error', resolve);
  });
  expect(error).toBeInstanceOf(PrivateAddressError);
});

test('private networks can be allowed', async () => {
  allowPrivateAddresses(true);
  await expect(requirePublicHost('localhost')).resolves.toBeUndefined();
  expect(() => refusePrivateAddress('192.168.1.1')).not.toThrow();
});
