// Links stay on their words while an author edits the text around them.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addLink, formatLinks, parseLinks, replaceText } from './linked-text.ts';

const SOURCE = 'I accept the [terms](https://shop.example/terms) of the shop.';

test('a link shows only its text and is stored with its URL', () => {
  const linkedText = parseLinks(SOURCE);
  expect(linkedText).toEqual({
    text: 'I accept the terms of the shop.',
    links: [{ from: 13, to: 18, url: 'https://shop.example/terms' }],
  });
  expect(formatLinks(linkedText)).toBe(SOURCE);
  expect(parseLinks('[terms](javascript:alert)').links).toEqual([]);
});

test('a link stays on its text during edits around and inside it and is removed with the text', () => {
  const linkedText = parseLinks(SOURCE);
  const edit = (text: string) => formatLinks(replaceText(linkedText, text));
  expect(edit('Yes, I accept the terms of the shop.')).toContain('Yes, I accept the [terms](');
  expect(edit('I accept the new terms of the shop.')).toContain('the new [terms](');
  expect(edit('I accept the terrms of the shop.')).toContain('[terrms](');
  expect(edit('I accept the terms of the shops.')).toContain('[terms](');
  expect(edit('I accept.')).toBe('I accept.');
});

test('a link is added to the selection, or else to the first occurrence of its label, or else at the end', () => {
  const url = 'https://x.example/a)b';
  const linkedText = { text: 'tea and tea', links: [] };
  const add = (label: string, selection: [number, number]) =>
    formatLinks(addLink(linkedText, { label, url, selection }));
  expect(add('tea', [8, 11])).toBe('tea and [tea](https://x.example/a%29b)');
  expect(add('tea', [0, 0])).toBe('[tea](https://x.example/a%29b) and tea');
  expect(add('cups', [0, 0])).toBe('tea and tea [cups](https://x.example/a%29b)');
});

test('any edit keeps the text as typed, with links within it', () => {
  const plainText = fc.string({ maxLength: 40 }).filter((text) => !/[[\]()]/.test(text));
  fc.assert(
    fc.property(plainText, plainText, plainText, (before, label, next) => {
      const source = `${before}[${label || 'x'}](https://shop.example)`;
      const editedText = replaceText(parseLinks(source), next);
      expect(editedText.text).toBe(next);
      for (const { from, to } of editedText.links) {
        expect(from).toBeLessThan(to);
        expect(from).toBeGreaterThanOrEqual(0);
        expect(to).toBeLessThanOrEqual(next.length);
      }
      expect(parseLinks(formatLinks(editedText)).text).toBe(next);
    }),
  );
});
