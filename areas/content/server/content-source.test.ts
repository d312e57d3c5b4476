// Style sheets written into the elements of own HTML: whatever is asked for, the process goes on, and in time.
import { describe, expect, it, test } from 'vitest';
import { checkContent } from './check-content.ts';
import { inlineCss } from './content-source.ts';
import { ContentError } from './message-source.ts';
import { sampleSource } from './sample-source.ts';

const STYLE = '<style>p{color:#00f}</style>';
const codesOf = (html: string) => {
  try {
    inlineCss(html);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(ContentError);
    return (error as ContentError).findings.map(({ code }) => code);
  }
};
const isFoundDeep = (html: string) =>
  checkContent(sampleSource({ html }), []).some(({ code }) => code === 'nested_too_deep');

describe('HTML that is nested deeper than its readers go', () => {
  it.each([
    ['elements', '<div>'],
    ['elements that a slash does not close', '<div/>'],
    ['elements before an end of nothing', '<div></x>'],
    ['elements that another closes', '<div><b></i>'],
    ['elements closed in a comment', '<div><!--[if mso]></div><![endif]-->'],
    ['elements closed in an attribute', '<div><img title="</div>">'],
    ['elements closed in a title', '<div><title></div></title>'],
    ['terms and their words', '<dt><dd><li>'],
    ['lists', '<ul><li>'],
    ['tables', '<table><tr><td>'],
  ])('is refused: %s', (_, piece) => {
    const html = STYLE + piece.repeat(7000);
    expect(codesOf(html)).toEqual(['nested_too_deep']);
    expect(isFoundDeep(html)).toBe(true);
  });

  it.each([
    ['cells in a drawing', '<svg>', '<td>'],
    ['what looks like a style sheet in a drawing', '<svg><style>', '<div>'],
    ['what may not stand in a choice', '<SELECT>', '<div>'],
    ['formatting that is opened anew', '<p>', '<b class="i">'],
  ])('is refused: %s', (_, before, piece) => {
    const pieces = Array.from({ length: 7000 }, (__, i) => piece.replace('"i"', `"${i}"`));
    expect(codesOf(STYLE + before + pieces.join(''))).toEqual(['nested_too_deep']);
  });

  it('is shown where it begins', () => {
    const [finding] = checkContent(
      sampleSource({ html: `{{ firstname }}\n${'<div>'.repeat(600)}` }),
      [],
    );
    // The page and its body are two of the four hundred.
    const column = 398 * '<div>'.length + 1;
    expect(finding).toMatchObject({ code: 'nested_too_deep', line: 2, column });
  });
});

test.each([
  ['paragraphs', '<p>x'],
  ['breaks', 'x<br>'],
  ['pictures', '<img src="x.png">'],
  ['items', '<li>x'],
  ['rows', '<tr><td>x'],
  ['options', '<option>x'],
  ['slashes of empty elements', '<br/><hr/>'],
  ['well closed elements', '<table><tr><td><p>x</p></td></tr></table>'],
])('%s in any number are none inside each other', (_, piece) => {
  const html = `${STYLE}<table>${piece.repeat(2000)}`;
  expect(codesOf(html)).toEqual([]);
  expect(isFoundDeep(html)).toBe(false);
});

test('few tags that become very many elements, and tags of very many attributes, are not inlined', () => {
  const open = Array.from({ length: 390 }, (_, i) => `<b id="${i}">`).join('');
  expect(codesOf(`<p>${open}${'</p><p>x'.repeat(50_000)}`)).toEqual(['css_too_large']);
  const attributes = Array.from({ length: 100_000 }, (_, i) => `a${i}`).join(' ');
  expect(codesOf(`<p ${attributes}>`)).toEqual(['css_too_large']);
  expect(codesOf(`<p>x</p ${attributes}>`)).toEqual(['css_too_large']);
});

test('patterns between tables nest for the inliner as deep as they are measured', () => {
  const html = '<ruby><table><template><td></td><div>'.repeat(7000);
  expect(['', 'nested_too_deep']).toContain(codesOf(STYLE + html).join());
});

test('a choice stays what it is', () => {
  const html = inlineCss(`${STYLE}<p><SELECT name="tea"><option>Green<option>Black</SELECT></p>`);
  expect(html).toContain(
    '<p style="color: #00f;"><select name="tea"><option>Green</option><option>Black</option></select></p>',
  );
});

test('a million bytes of style sheets that never begin are read in time', () => {
  const begun = process.cpuUsage();
  inlineCss('<style '.repeat(140_000));
  // A quarter of a second; the square of their number took two minutes.
  expect(process.cpuUsage(begun).user / 1000).toBeLessThan(5000);
}, 300_000);
