// Replies are parsed equally no matter how the network splits them, and other protocols are
// detected.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ReplyReader } from './replies.ts';

function readAll(chunks: Buffer[]) {
  const replies: { code: number; text: string }[] = [];
  const reader = new ReplyReader(() => replies.push({ code: reader.code, text: reader.text() }));
  const isSmtp = chunks.every((chunk) => reader.read(chunk));
  return { replies, isSmtp };
}

const line = fc
  .string({ unit: 'grapheme', maxLength: 40 })
  .map((text) => text.replace(/\s+/g, ' ').trim());
const reply = fc.record({
  code: fc.integer({ min: 200, max: 599 }),
  lines: fc.array(line, { minLength: 1, maxLength: 4 }),
});

test('replies are parsed the same when split at any position', () => {
  fc.assert(
    fc.property(fc.array(reply, { maxLength: 6 }), fc.array(fc.nat(400)), (replies, cuts) => {
      const wire = Buffer.from(
        replies
          .map(({ code, lines }) =>
            lines
              .map((text, at) => `${code}${at < lines.length - 1 ? '-' : ' '}${text}\r\n`)
              .join(''),
          )
          .join(''),
      );
      const positions = [0, ...cuts.map((cut) => Math.min(cut, wire.length)), wire.length];
      const boundaries = positions.toSorted((a, b) => a - b);
      const chunks = boundaries
        .slice(1)
        .map((end, at) => Buffer.from(wire.subarray(boundaries[at], end)));
      const parsedReplies = readAll(chunks);
      expect(parsedReplies.isSmtp).toBe(true);
      expect(parsedReplies.replies).toEqual(
        replies.map(({ code, lines }) => ({ code, text: lines.join('\n') })),
      );
    }),
  );
});

test('bare codes and bare line feeds are accepted', () => {
  expect(readAll([Buffer.from('250\r\n354 \n220-\n220 x\n')]).replies).toEqual([
    { code: 250, text: '' },
    { code: 354, text: '' },
    { code: 220, text: '\nx' },
  ]);
});

test.each([
  'HTTP/1.1 400 Bad Request\r\n',
  '99 no\r\n',
  '600 no\r\n',
  '\r\n',
  'x'.repeat(70_000),
  '250-again\r\n'.repeat(10_000),
])('other protocols are detected: %#', (text) => {
  expect(readAll([Buffer.from(text)]).isSmtp).toBe(false);
});
