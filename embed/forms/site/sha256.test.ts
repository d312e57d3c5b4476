// SHA-256 of the form script: the same hashes as in Node.js, and the proof of work.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { prove } from './prove.ts';
import { sha256 } from './sha256.ts';

const nodeHash = (text: string) => createHash('sha256').update(text).digest('hex');

test('SHA-256 is correct for any text, including at block boundaries', () => {
  for (let length = 0; length < 200; length++) {
    const text = 'a'.repeat(length);
    expect(sha256(text), String(length)).toBe(nodeHash(text));
  }
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
      expect(sha256(text)).toBe(nodeHash(text));
    }),
  );
});

test('a proof contains the number with the requested hash, and a challenge without such a number is rejected', async () => {
  const challenge = {
    algorithm: 'SHA-256',
    salt: 'salt?form=1&',
    signature: 'ours',
    maxnumber: 500,
  };
  const proof = await prove({ ...challenge, challenge: nodeHash('salt?form=1&321') });
  expect(JSON.parse(atob(proof))).toMatchObject({ number: 321, signature: 'ours' });
  await expect(prove({ ...challenge, challenge: nodeHash('other') })).rejects.toThrow('unproven');
});
