import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { computeBase64Length, writeBase64 } from './body-encoding.ts';

/** Returns base64 in lines of up to 76 characters (RFC 2045), each ending with a line break. */
const base64Lines = (bytes: Buffer) =>
  (bytes.toString('base64').match(/.{1,76}/g) ?? []).map((line) => `${line}\r\n`).join('');

test('base64 of any length has lines of 76 characters and exactly the reserved size', () => {
  const bytes = randomBytes(120_000);
  const lengths = [
    ...Array.from({ length: 240 }, (_, n) => n),
    2_999,
    3_000,
    3_078,
    57_000,
    120_000,
  ];
  for (const length of lengths) {
    const encodedLength = computeBase64Length(length);
    const into = Buffer.alloc(encodedLength + 20, '#');
    expect(writeBase64(into, 10, bytes, length), `${length}`).toBe(10 + encodedLength);
    const output = into.toString('latin1');
    expect(output.slice(10, 10 + encodedLength), `${length}`).toBe(
      base64Lines(bytes.subarray(0, length)),
    );
    expect(output.slice(0, 10) + output.slice(10 + encodedLength)).toBe('#'.repeat(20));
  }
});
