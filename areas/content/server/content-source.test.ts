// Inlining of style sheets in custom HTML: ordinary emails are inlined correctly, and no input
// crashes the process or exceeds the time limit.
import { readdir, readFile } from 'node:fs/promises';
import { inline } from '@css-inline/css-inline';
import { describe, expect, it, test } from 'vitest';
import { checkContent } from './checks/check-content.ts';
import { compileMessage, compileNew } from './mime/compile-message.ts';
import { inlineCss } from './content-source.ts';
import { MAX_DEPTH } from './html/html-depth.ts';
import { maskTags, unmask } from './html/masked-source.ts';
import { ContentError } from './personalization/message-source.ts';
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

describe('HTML nested deeper than parsers support', () => {
  it.each([
    ['elements', '<div>'],
    ['elements that a slash does not close', '<div/>'],
    ['elements followed by an end tag without a start tag', '<div></x>'],
    ['elements followed by the end tag of another', '<div><b></i>'],
    ['elements closed in a comment', '<div><!--[if mso]></div><![endif]-->'],
    ['elements closed in an attribute', '<div><img title="</div>">'],
    ['elements closed in a title', '<div><title></div></title>'],
    ['terms and descriptions', '<dt><dd><li>'],
    ['lists', '<ul><li>'],
    ['tables', '<table><tr><td>'],
  ])('is refused: %s', (_, fragment) => {
    const html = STYLE + fragment.repeat(7000);
    expect(codesOf(html)).toEqual(['nested_too_deep']);
    expect(isFoundDeep(html)).toBe(true);
  });

  it.each([
    ['table cells in an SVG drawing', '<svg>', '<td>'],
    ['a style element in an SVG drawing', '<svg><style>', '<div>'],
    ['elements that a select may not contain', '<SELECT>', '<div>'],
    ['formatting elements that are reopened', '<p>', '<b class="i">'],
  ])('is refused: %s', (_, before, fragment) => {
    const fragments = Array.from({ length: 7000 }, (__, i) => fragment.replace('"i"', `"${i}"`));
    expect(codesOf(STYLE + before + fragments.join(''))).toEqual(['nested_too_deep']);
  });

  it('HTML that is nested too deeply is reported at the first tag beyond the limit', () => {
    const [finding] = checkContent(
      sampleSource({ html: `{{ firstname }}\n${'<div>'.repeat(600)}` }),
      [],
    );
    // The html and body elements count toward the maximum depth of 400.
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
  ['self-closed empty elements', '<br/><hr/>'],
  ['well closed elements', '<table><tr><td><p>x</p></td></tr></table>'],
])('2,000 %s in a row are not treated as nested', (_, fragment) => {
  const html = `${STYLE}<table>${fragment.repeat(2000)}`;
  expect(codesOf(html)).toEqual([]);
  expect(isFoundDeep(html)).toBe(false);
});

test('a few tags that expand to many elements, and tags with many attributes, are not inlined', () => {
  const openTags = Array.from({ length: 390 }, (_, i) => `<b id="${i}">`).join('');
  expect(codesOf(`<p>${openTags}${'</p><p>x'.repeat(50_000)}`)).toEqual(['css_too_large']);
  const attributes = Array.from({ length: 100_000 }, (_, i) => `a${i}`).join(' ');
  expect(codesOf(`<p ${attributes}>`)).toEqual(['css_too_large']);
  expect(codesOf(`<p>x</p ${attributes}>`)).toEqual(['css_too_large']);
});

test('a long rule for many elements is not inlined, and a typical one is', () => {
  const rule = (length: number) => `<style>*{--a:${'x'.repeat(length)}}</style>`;
  expect(codesOf(rule(400_000) + '<i>x</i>'.repeat(40_000))).toEqual(['css_too_large']);
  const typicalStyle = `<style>${'.a{color:#00f;margin:0}'.repeat(2_500)}</style>`;
  expect(codesOf(typicalStyle + '<i>x</i>'.repeat(5_000))).toEqual([]);
});

test('nested tables, templates and ruby text are inlined or reported as nested too deeply', () => {
  const html = '<ruby><table><template><td></td><div>'.repeat(7000);
  expect(['', 'nested_too_deep']).toContain(codesOf(STYLE + html).join());
});

/** Returns the depth of the inliner's output; every element in it is closed. */
function depthOf(html: string): number {
  const voidElement =
    /^(area|base|basefont|bgsound|br|col|embed|frame|hr|img|input|link|meta|param)$/;
  let depth = 0;
  let maxDepth = 0;
  for (const [, slash, name = ''] of html.matchAll(/<(\/?)([a-z][^\s/>]*)/gi)) {
    if (slash) depth--;
    else if (!voidElement.test(name)) maxDepth = Math.max(maxDepth, ++depth);
  }
  return maxDepth;
}

describe('frozen HTML', () => {
  const source = sampleSource({ html: '<div>'.repeat(600), text: null });

  it('the depth of HTML is checked before freezing, and not again', () => {
    expect(() => compileNew(source)).toThrow(ContentError);
    expect(compileMessage(source).size).toBeGreaterThan(3000);
    expect(() => compileNew(sampleSource({ html: '<p>x', text: null }))).not.toThrow();
  });

  it.each(['<a><b>', '<p><tr>', '<li><p>', '<html>', '<body/>'])(
    'deeply nested HTML is refused within the time limit: %s',
    (fragment) => {
      const html = fragment.repeat(Math.floor(900_000 / fragment.length));
      const startUsage = process.cpuUsage();
      expect(() => compileMessage({ ...source, html })).toThrow(ContentError);
      expect(process.cpuUsage(startUsage).user / 1000).toBeLessThan(4000);
    },
  );

  it.each([
    '<p>x',
    '<li>x',
    '<tr><td>x',
    '<div><p>x</div>',
    '<table><tr><td><p>x</table>',
    '<br/>x',
  ])('HTML is parsed if its tags do not nest: %s', (fragment) =>
    expect(() => compileMessage({ ...source, html: fragment.repeat(6000) })).not.toThrow(),
  );

  it('HTML is refused when extracting its text would exceed the time limit', () => {
    const html = '<a><b>'.repeat(100_000);
    const startUsage = process.cpuUsage();
    expect(() => compileMessage({ ...source, html })).toThrow(ContentError);
    // Takes a quarter of a second; extracting the text took ten seconds.
    expect(process.cpuUsage(startUsage).user / 1000).toBeLessThan(4000);
  });
});

describe('structures that the inliner parses differently', () => {
  // More than MAX_DEPTH, but too few to overflow the inliner's stack.
  const REPEATED = 450;
  const isRefusedOrShallow = (html: string) => {
    const [code] = codesOf(STYLE + html);
    return code === 'nested_too_deep' || depthOf(inlineCss(STYLE + html)) <= MAX_DEPTH;
  };

  it.each([
    ['list items in an obsolete search field', '', '<isindex><li>'],
    ['descriptions in an obsolete search field', '', '<isindex><dd>'],
    [
      'table rows in the annotation of a formula',
      '</applet></form><h1><math>',
      '<annotation-xml encoding="text/html"></ms><tr><select/><textarea/>',
    ],
  ])(
    'ambiguous structures are refused or nested no deeper than allowed: %s',
    (_, before, fragment) => {
      expect(isRefusedOrShallow(before + fragment.repeat(REPEATED))).toBe(true);
    },
  );

  const FRAGMENTS =
    'isindex li dd dt p table tr td caption select option textarea math annotation-xml mi ms svg foreignObject desc g h1 form applet button a b ruby rt rp div ul'
      .split(' ')
      .flatMap((name) => [`<${name}>`, `<${name}>`, `<${name}/>`, `</${name}>`])
      .concat('<annotation-xml encoding="text/html">', 'x', '<br>', '<input type=hidden>');

  it('repeated structures are refused or nested no deeper than allowed', () => {
    let seed = 2;
    const below = (limit: number) => {
      seed = (seed * 1_664_525 + 1_013_904_223) % 2 ** 32;
      return Math.floor((seed / 2 ** 32) * limit);
    };
    const createRandomHtml = (max: number) =>
      Array.from({ length: below(max + 1) }, () => FRAGMENTS[below(FRAGMENTS.length)]).join('');
    const failures = Array.from(
      { length: 200 },
      () => [createRandomHtml(3), createRandomHtml(5)] as const,
    ).filter(([before, piece]) => !isRefusedOrShallow(before + piece.repeat(REPEATED)));
    expect(failures).toEqual([]);
  }, 60_000);
});

test('well-formed emails are inlined exactly as the library alone would inline them', async () => {
  const folder = new URL('./document/goldens/', import.meta.url);
  const goldens = (await readdir(folder)).filter((name) => name.endsWith('.html'));
  const htmlFiles = await Promise.all(
    goldens.map((name) => readFile(new URL(name, folder), 'utf8')),
  );
  const ownFiles = [
    '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN"><p>Tea<table><tr><td>y</table>',
    '<!doctype html><p>Tea<table><tr><td>y</table><pre>\n\n\nx</pre>&copy;&nbsp;&bogus; a < b',
    '<body><!--[if mso]><table><tr><td><![endif]--><p>x<!--[if !mso]><!--><p>y<!--<![endif]-->',
    `<p title="{{ x | default: "y" }}">{{ x | default: '<b>' }}<a href="{{ u }}?a=1&amp;b=2">z</a>`,
    '<table>{{#rows}}<tr><td>{{ name }}</td></tr>{{/rows}}</table>',
  ];
  expect(htmlFiles.length).toBeGreaterThan(20);
  const sheet = '<style>p{color:#00f}td{padding:0}@media print{p{margin:0}}</style></head>';
  const removeDoctype = (html: string) => html.replace(/^\s*<!doctype[^>]*>/i, '');
  for (const written of [...htmlFiles, ...ownFiles]) {
    const html = written.replaceAll('!important', '');
    const styledHtml = html.includes('</head>') ? html.replace('</head>', sheet) : html + STYLE;
    const { text, tags } = maskTags(styledHtml, true);
    const options = { keepStyleTags: true, loadRemoteStylesheets: false };
    expect(removeDoctype(inlineCss(styledHtml))).toBe(
      removeDoctype(unmask(inline(text, options), tags)),
    );
  }
});

test('the doctype is unchanged, and `!important` rules remain in the style sheet', () => {
  const doctype =
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">';
  const sheet =
    'p{color:#00f;background:url("a;b}c")!important;margin:0}/* a{b:c!important} */' +
    '.x:not(.y){border:0 ! IMPORTANT}@media (prefers-color-scheme:dark){p{color:#fff!important}}' +
    'p{background:url(data:image/png;base64,AA==) !important;padding:1px}';
  const html = `<html><head><style>${sheet}</style></head><body><p class="x">x</p></body></html>`;
  const inlinedHtml = inlineCss(doctype + html);
  expect(inlinedHtml.startsWith(`${doctype}<html>`)).toBe(true);
  expect(inlinedHtml).toContain(`<style>${sheet}</style>`);
  expect(inlinedHtml).toContain('<p class="x" style="color: #00f;margin: 0;padding: 1px;">x</p>');
  expect(inlineCss(html).startsWith('<html>')).toBe(true);
});

test('SVG shapes remain siblings', () => {
  const shapes = '<svg viewBox="0 0 1 1"><path d="M0"/><circle r="1"/></svg>';
  expect(inlineCss(`${STYLE}<p>${shapes}x</p>`)).toContain(
    '<svg viewbox="0 0 1 1"><path d="M0"></path><circle r="1"></circle></svg>x</p>',
  );
});

test('long attributes reopened in each paragraph are not inlined', () => {
  const html = `<p><b title="${'x'.repeat(500_000)}">${'<p>x'.repeat(100)}`;
  expect(codesOf(html)).toEqual(['css_too_large']);
});

test('a select element keeps its options', () => {
  const html = inlineCss(`${STYLE}<p><SELECT name="tea"><option>Green<option>Black</SELECT></p>`);
  expect(html).toContain(
    '<p style="color: #00f;"><select name="tea"><option>Green</option><option>Black</option></select></p>',
  );
});

test('a megabyte of unclosed style tags is parsed within the time limit', () => {
  const startUsage = process.cpuUsage();
  inlineCss('<style '.repeat(140_000));
  // Takes a quarter of a second; a quadratic algorithm took two minutes.
  expect(process.cpuUsage(startUsage).user / 1000).toBeLessThan(5000);
}, 300_000);
