// The script's SHA-256 equals Node's, and solves the captcha's challenge.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { prove } from './prove.ts';
import { sha256 } from './sha256.ts';

const known = (text: string) => createHash('sha256').update(text).digest('hex');

test('SHA-256 is correct for any text, also at block boundaries', () => {
  for (let length = 0; length < 200; length++) {
    const text = 'a'.repeat(length);
    expect(sha256(text), String(length)).toBe(known(text));
  }
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
      expect(sha256(text)).toBe(known(text));
    }),
  );
});

test('a proof is the number with the requested hash; without one there is none', async () => {
  const challenge = {
    algorithm: 'SHA-256',
    salt: 'salt?form=1&',
    signature: 'ours',
    maxnumber: 500,
  };
  const proof = await prove({ ...challenge, challenge: known('salt?form=1&321') });
  expect(JSON.parse(atob(proof))).toMatchObject({ number: 321, signature: 'ours' });
  await expect(prove({ ...challenge, challenge: known('other') })).rejects.toThrow('unproven');
});
