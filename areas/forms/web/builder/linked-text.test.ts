// Links stay on their words while an author edits the text around them.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addLink, formatLinks, parseLinks, withText } from './linked-text.ts';

const SOURCE = 'I accept the [terms](https://shop.example/terms) of the shop.';

test('a link shows its text only, and is stored with its address', () => {
  const linked = parseLinks(SOURCE);
  expect(linked).toEqual({
    text: 'I accept the terms of the shop.',
    links: [{ from: 13, to: 18, url: 'https://shop.example/terms' }],
  });
  expect(formatLinks(linked)).toBe(SOURCE);
  expect(parseLinks('[terms](javascript:alert)').links).toEqual([]);
});

test('a link stays on its text during edits around and inside it, and is removed with the text', () => {
  const linked = parseLinks(SOURCE);
  const after = (text: string) => formatLinks(withText(linked, text));
  expect(after('Yes, I accept the terms of the shop.')).toContain('Yes, I accept the [terms](');
  expect(after('I accept the new terms of the shop.')).toContain('the new [terms](');
  expect(after('I accept the terrms of the shop.')).toContain('[terrms](');
  expect(after('I accept the terms of the shops.')).toContain('[terms](');
  expect(after('I accept.')).toBe('I accept.');
});

test('a link is added on the selection, else where its label first occurs, else at the end', () => {
  const url = 'https://x.example/a)b';
  const linked = { text: 'tea and tea', links: [] };
  const add = (label: string, selection: [number, number]) =>
    formatLinks(addLink(linked, { label, url, selection }));
  expect(add('tea', [8, 11])).toBe('tea and [tea](https://x.example/a%29b)');
  expect(add('tea', [0, 0])).toBe('[tea](https://x.example/a%29b) and tea');
  expect(add('cups', [0, 0])).toBe('tea and tea [cups](https://x.example/a%29b)');
});

test('any edit keeps the text as typed, with links within it', () => {
  const words = fc.string({ maxLength: 40 }).filter((text) => !/[[\]()]/.test(text));
  fc.assert(
    fc.property(words, words, words, (before, label, next) => {
      const source = `${before}[${label || 'x'}](https://shop.example)`;
      const edited = withText(parseLinks(source), next);
      expect(edited.text).toBe(next);
      for (const { from, to } of edited.links) {
        expect(from).toBeLessThan(to);
        expect(from).toBeGreaterThanOrEqual(0);
        expect(to).toBeLessThanOrEqual(next.length);
      }
      expect(parseLinks(formatLinks(edited)).text).toBe(next);
    }),
  );
});
