// SMS parts and encodings: limits of the standard, escape and surrogate pairs that are never split,
// and a comparison with a second implementation on random text.
import fc from 'fast-check';
import { SegmentedMessage } from 'sms-segments-calculator';
import { expect, test } from 'vitest';
import { measure, replaceTypographicQuotes } from './text-parts.ts';

test.each([
  ['', 'GSM-7', 0],
  ['a'.repeat(160), 'GSM-7', 1],
  ['a'.repeat(161), 'GSM-7', 2],
  ['a'.repeat(306), 'GSM-7', 2],
  ['a'.repeat(307), 'GSM-7', 3],
  ['€'.repeat(80), 'GSM-7', 1],
  // An escape pair is never split, so the first part ends after 152 septets and 306 septets need
  // three parts.
  [`${'a'.repeat(152)}${'€'.repeat(77)}`, 'GSM-7', 3],
  ['س'.repeat(70), 'UCS-2', 1],
  ['س'.repeat(71), 'UCS-2', 2],
  ['س'.repeat(135), 'UCS-2', 3],
  // 66 units and a surrogate pair: the 67th unit of the first part remains empty.
  [`${'س'.repeat(66)}🎉${'س'.repeat(66)}`, 'UCS-2', 3],
  ['🎉'.repeat(35), 'UCS-2', 1],
] as const)('%j is encoded as %s in %i parts', (text, encoding, parts) => {
  expect(measure(text)).toMatchObject({ encoding, parts });
});

test('the encoding and the number of parts match a second implementation for any text', () => {
  const characters = fc.constantFrom(...'abcXYZ 0123@£èÅΔ_Ω^{}[]~|€\\\nıçğşžšłõ–’“…سلام💬ß');
  const texts = fc.string({ unit: characters, maxLength: 500 });
  fc.assert(
    fc.property(texts, (text) => {
      const measured = measure(text);
      const reference = new SegmentedMessage(text, 'auto', false);
      expect(measured.encoding).toBe(reference.getEncodingName());
      if (text !== '') expect(measured.parts).toBe(reference.segmentsCount);
    }),
    { numRuns: 300 },
  );
});

test('typographic characters are replaced only if GSM-7 can then encode the SMS', () => {
  expect(replaceTypographicQuotes('“Don’t” – wait…')).toBe('"Don\'t" - wait...');
  expect(replaceTypographicQuotes('«سلام» – 10')).toBe('«سلام» – 10');
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      expect(measure(replaceTypographicQuotes(text)).parts).toBeLessThanOrEqual(
        measure(text).parts,
      );
    }),
  );
});
