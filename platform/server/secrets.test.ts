// SQL computes a keyed hash, an HMAC, from its two pads. The result equals the hash computed in
// Node and depends on the secret and purpose.
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { configureSecrets, computeKeyedHash, keyedHashPads } from './secrets.ts';

const SECRET = 'a secret of these tests, thirty-two characters';
const OTHER_SECRET = 'another secret of these tests, thirty-two too';
const VALUE = 'åse@example.com';

const sha256 = (...parts: (Buffer | string)[]) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** Computes the hash as SQL does. */
function hashByPads(purpose: string): Buffer {
  const { inner, outer } = keyedHashPads(purpose);
  return sha256(outer, sha256(inner, VALUE));
}

test('a hash computed with precomputed pads matches the keyed hash for each secret and purpose', () => {
  const hashes = [SECRET, OTHER_SECRET, SECRET].flatMap((secret) => {
    configureSecrets(secret);
    return ['one', 'two', 'one'].map((purpose) => {
      expect(hashByPads(purpose)).toEqual(computeKeyedHash(purpose, VALUE));
      return hashByPads(purpose).toString('hex');
    });
  });
  expect(new Set(hashes).size).toBe(4);
  expect(hashes.slice(6)).toEqual(hashes.slice(0, 3));
});
