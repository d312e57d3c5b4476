import { expect, test } from 'vitest';
import { hashPassword, verifyPassword } from './passwords.ts';

test('a password is hashed with 19 MiB and two passes, and only the same password verifies', async () => {
  const storedHash = await hashPassword('a long password, yes');
  expect(storedHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  expect(await hashPassword('a long password, yes')).not.toBe(storedHash);
  expect(await verifyPassword('a long password, yes', storedHash)).toBe(true);
  expect(await verifyPassword('A long password, yes', storedHash)).toBe(false);
  expect(await verifyPassword('a long password, yes', undefined)).toBe(false);
});

// The hash comes from the reference implementation of RFC 9106 (phc-winner-argon2).
test('a hash by another implementation verifies only its own password', async () => {
  const storedHash =
    '$argon2id$v=19$m=19456,t=2,p=1$c2l4dGVlbiBieXRlcyBvaw$bAfnes5HACCDehV3nD4BAoSgv8xaEH/F3i1SkZIIJbI';
  expect(await verifyPassword('correct horse battery staple', storedHash)).toBe(true);
  expect(await verifyPassword('correct horse battery stapler', storedHash)).toBe(false);
});
