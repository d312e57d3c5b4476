import { expect, test } from 'vitest';
import { blank } from './error-report.ts';
import { replaceSpans, findSpans, removeElements } from './spans.ts';
import { sanitize } from './web/sanitize.ts';

test('spans are replaced from their opening to the next closing delimiter, regardless of case', () => {
  const html = 'a<SCRIPT x>1</script>b<script>2</Script>c<script>3';
  expect(replaceSpans(html, /<script\b/gi, '</script>', ({ innerText }) => `[${innerText}]`)).toBe(
    'a[ x>1]b[>2]c<script>3',
  );
  expect([...findSpans('a(1)b(2', /\(/g, ')')]).toMatchObject([
    { start: 1, end: 4, innerText: '1' },
  ]);
});

test('tags are removed and their text stays; a `<` that is not closed stays', () => {
  expect(removeElements('<b class="x">2 < 3</b> <', '')).toBe('2  <');
  expect(removeElements('a<br>b < c', ' ')).toBe('a b < c');
});

test.each([
  ['open brackets', () => removeElements('<'.repeat(1e6), ' ')],
  ['open comments', () => replaceSpans('<!--'.repeat(250_000), /<!--/g, '-->', () => '')],
  ['an error message of one word', () => blank('a'.repeat(1e6))],
  ['an error message of opening quotes', () => blank('“'.repeat(1e6))],
  ['a person’s name of unclosed tags', () => sanitize('<style\t0'.repeat(100_000))],
])('long input is processed in linear time: %s', (_, read) => {
  const start = performance.now();
  read();
  expect(performance.now() - start).toBeLessThan(2_000);
});
