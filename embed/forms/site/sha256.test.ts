// Our own SHA-256 gives what everybody's gives.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { prove } from './prove.ts';
import { sha256 } from './sha256.ts';

const known = (text: string) => createHash('sha256').update(text).digest('hex');

test('of any text, around the ends of its blocks too', () => {
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

test('a proof is the number whose hash was asked for; without any there is none', async () => {
  const asked = { algorithm: 'SHA-256', salt: 'salt?form=1&', signature: 'ours', maxnumber: 500 };
  const proof = await prove({ ...asked, challenge: known('salt?form=1&321') });
  expect(JSON.parse(atob(proof))).toMatchObject({ number: 321, signature: 'ours' });
  await expect(prove({ ...asked, challenge: known('other') })).rejects.toThrow('unproven');
});
