// HTML that is treated as shallow is never nested too deeply for a parser.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyOptions } from '#testing/setup/property-runs.ts';
import { measureHtmlDepth } from './html-depth.ts';
import { isShallow } from './shallow-html.ts';

const newsletter = `<!doctype html><html><head><title>Tea</title><style>p{color:red}</style></head><body>
  <!--[if mso]><table><tr><td><![endif]--><div style="a:b" title="x > y"><table><tr><td align=center>
  <p>Tea <b>now</b><br>and <a href="https://tea.example/?a=1&amp;b=2">then</a></p></td></tr></table></div>
  <!--[if mso]></td></tr></table><![endif]--></body></html>`;

test('a typical email is shallow; HTML with unclosed, ambiguous or deeply nested elements is not', () => {
  expect(isShallow(newsletter)).toBe(true);
  expect(isShallow('Tea')).toBe(true);
  for (const html of [
    '<div><p>Tea</div>',
    '<div>Tea</div></div>',
    '<noscript><!-- </noscript><div> --></noscript>',
    '<select><div></div></select>',
    '<div\u00a0></div>',
    '<a b=x\u00a0c="></a><div>"></a>',
    '<span></span a=">">',
    '<div>'.repeat(101) + '</div>'.repeat(101),
  ]) {
    expect(isShallow(html), html).toBe(false);
  }
  expect(isShallow('<div>'.repeat(100) + '</div>'.repeat(100))).toBe(true);
});

const names =
  'html head body title style div center section address blockquote p h1 h2 pre ul ol li table thead ' +
  'tbody tr td th colgroup span a b i u em font strong sub tt label';
const attributes = [
  '',
  ' class=x',
  ' a="<div>"',
  " a='>'",
  '/',
  '\n a = b',
  ' b=c\u00a0d="',
  '\u00a0',
];
const fragments = [
  'text',
  '<br>',
  '<col>',
  '<img src=x>',
  '<!-- <div> -->',
  '<!--',
  '&nbsp;',
  '<',
  ' ',
];
const { html } = fc.letrec<{ html: string; element: string }>((tie) => ({
  html: fc
    .array(fc.oneof({ maxDepth: 6 }, fc.constantFrom(...fragments), tie('element')), {
      maxLength: 4,
    })
    .map((parts) => parts.join('')),
  element: fc
    .tuple(
      fc.constantFrom(...names.split(' ')),
      fc.constantFrom(...attributes),
      tie('html'),
      fc.integer({ min: 0, max: 40 }),
    )
    .map(([name, attribute, inside, slip]) => {
      const close = slip === 0 ? '' : slip === 1 ? `</${name} >` : `</${name}>`;
      return `<${name}${attribute}>${inside}${close}`;
    }),
}));

test('arbitrary HTML that is treated as shallow is never too deep for a parser', () => {
  let shallow = 0;
  fc.assert(
    fc.property(html, (fragment) => {
      // The repetition adds up the elements that each part leaves open.
      const nestedTables = `<table><tr><td>${fragment.repeat(450)}`;
      if (!isShallow(nestedTables)) return;
      shallow++;
      expect(measureHtmlDepth(nestedTables).tooDeepAt).toBeUndefined();
    }),
    propertyOptions(5_000, 300),
  );
  expect(shallow).toBeGreaterThan(30);
});
