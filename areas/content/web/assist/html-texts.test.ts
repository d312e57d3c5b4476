// @vitest-environment jsdom
// Text extracted from custom HTML for a model, and the insertion of the model's responses: no
// response changes tags or merge tags.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MERGE_TAG } from '#platform/web/editing/rich/tags.ts';
import { scanHtml } from '../../html-scanner.ts';
import { fitsHtml, extractHtmlTexts, replaceHtmlTexts } from './html-texts.ts';

const EMAIL = `<!doctype html><html lang="en"><head><title>Spring  sale</title><style>p { color: red }</style></head>
<body><div style="display:none">Tea for {{ firstname | default: &quot;you&quot; }}&nbsp;&zwnj;&nbsp;&zwnj;</div>
<!-- Written by hand --><p>
  Hi <b>{{ firstname | default: "you" }}</b>, see <a href="https://x.example/?a=1&b=2" title='Our shop'>our <em>tea</em></a> &amp; more.
</p><table><tr><td><a href="{{shop}}"><span style="a">Buy now</span></a></td><td>50 %</td></tr></table>
<!--[if mso]><v:roundrect href="x"><center>Buy now</center></v:roundrect><![endif]-->
<p>First<br><br>Second<br/>line <img src="i.png" alt=Cup> end</p><p translate="no">Sendloom</p>
<img alt="For {{ firstname | default: "you" }} &quot;now&quot;"><script>var text = "Buy now";</script></body></html>`;

test('text, titles and alternative text are read once each, without tags', () => {
  expect(extractHtmlTexts(EMAIL)).toEqual([
    'Spring sale',
    'Tea for {{ firstname | default: "you" }}',
    'Our shop',
    'Hi [[1]]{{ firstname | default: "you" }}[[/1]], see [[2]]our [[3]]tea[[/3]][[/2]] & more.',
    'Buy now',
    'First',
    'Cup',
    'Second[[1]]line [[2]] end',
    'For {{ firstname | default: "you" }} "now"',
  ]);
});

test('translations replace the originals, and every other byte is unchanged', () => {
  const next = replaceHtmlTexts(
    EMAIL,
    new Map([
      ['Tea for {{ firstname | default: "you" }}', 'Te til {{firstname|default:"you"}}'],
      ['Our shop', "Butikken ‘vår’ & d'un"],
      [
        'Hi [[1]]{{ firstname | default: "you" }}[[/1]], see [[2]]our [[3]]tea[[/3]][[/2]] & more.',
        'Se [[2]][[3]]teen[[/3]] vår[[/2]] & < mer, [[1]]{{ firstname | default: "you" }}[[/1]]\u00a0!',
      ],
      ['Buy now', 'Kjøp nå'],
      ['Cup', 'En kopp'],
      ['Second[[1]]line [[2]] end', 'Andre[[1]]linje [[2]] slutt'],
      ['For {{ firstname | default: "you" }} "now"', 'Til {{ firstname | default: "you" }} "nå"'],
    ]),
  );
  const expected = EMAIL.replace('Tea for', 'Te til')
    .replace("'Our shop'", "'Butikken ‘vår’ &amp; d&#39;un'")
    .replace(
      /Hi <b>.*more\./,
      `Se <a href="https://x.example/?a=1&b=2" title='Butikken ‘vår’ &amp; d&#39;un'><em>teen</em> vår</a> &amp; &lt; mer, <b>{{ firstname | default: "you" }}</b>&nbsp;!`,
    )
    .replace('<span style="a">Buy now', '<span style="a">Kjøp nå')
    .replace('<center>Buy now', '<center>Kjøp nå')
    .replace('alt=Cup', 'alt="En kopp"')
    .replace('Second<br/>line', 'Andre<br/>linje')
    .replace(' end</p>', ' slutt</p>')
    .replace('For {{', 'Til {{')
    .replace('&quot;now&quot;', '&quot;nå&quot;');
  expect(next).toBe(expected);
});

test.each([
  ['a missing marker', 'A [[1]]b[[/1]]', 'A b'],
  ['an unknown marker', 'A [[1]]b[[/1]]', 'A [[2]]b[[/2]]'],
  ['a repeated marker', 'A [[1]]b[[/1]]', '[[1]]A[[/1]] [[1]]b[[/1]]'],
  ['nested elements', '[[1]]a[[/1]] [[2]]b[[/2]]', '[[1]]a [[2]]b[[/2]][[/1]]'],
  ['crossed elements', '[[1]]a[[/1]] [[2]]b[[/2]]', '[[1]]a[[2]]b[[/1]][[/2]]'],
  ['an emptied link', 'A [[1]]b[[/1]]', 'A b [[1]][[/1]]'],
  ['another merge tag', 'Hi {{firstname}}', 'Hi {{lastname}}'],
  ['an additional merge tag', 'Hi {{firstname}}', 'Hi {{firstname}} {{firstname}}'],
  ['an unclosed merge tag', 'Hi', 'Hi {{firstname'],
  ['control flow', 'Hi', 'Hi {% if x %}'],
  ['an element', 'Hi', 'Hi <img src=x onerror=alert(1)>'],
  ['no text', 'Hi', ' '],
])('a response with %s does not replace its text', (_, text, reply) => {
  expect(fitsHtml(text, text)).toBe(true);
  expect(fitsHtml(text, reply)).toBe(false);
});

const fragment = fc.constantFrom(
  ...[
    'Tea',
    ' and ',
    '&amp;',
    '&nbsp;',
    '&zwnj;',
    '\n  ',
    '50 %',
    'a < b',
    'a &lt;b&gt; c',
    '[[1]]',
    '<',
  ],
  ...[
    '{{firstname}}',
    '{{ a | default: "<b>" }}',
    '{{ a | default: &quot;x&quot; }}',
    '{$name}',
    '{{ open',
  ],
  ...[
    '<b>',
    '</b>',
    '<i>x</i>',
    '<a href="{{shop}}" title="Our {{ a | default: "b" }} tea">',
    '</a>',
  ],
  ...['<br>', '<br/>', '<img alt=Cup>', "<img alt='A &quot; b'>", '<img alt="">', '<span/>', '<p>'],
  ...[
    '</p>',
    '<div title=Tea>',
    '</div>',
    '<td',
    '<style>p { a: b }</style>',
    '<script>"Tea"</script>',
  ],
  ...[
    '<!-- Tea -->',
    '<!--[if mso]><p>Tea</p><![endif]-->',
    '<!--[if !mso]><!-->',
    '<!--<![endif]-->',
  ],
  ...['<svg><text>Tea</text></svg>', '<b translate=no>Tea</b>', '<title>Tea</title>', '<!--'],
);
const source = fc.array(fragment, { maxLength: 25 }).map((parts) => parts.join(''));

const maskMergeTags = (html: string) =>
  html.replace(MERGE_TAG, (tag) => '\ufdd0'.repeat(tag.length));
/** Returns the tags, comments and code in order, without the attribute values that contain text. */
const fixedParts = (html: string) =>
  [...scanHtml(maskMergeTags(html))].flatMap((token) => {
    if (token.type === 'text') return [];
    let raw = html.slice(token.start, token.end);
    for (const { name, start, end } of token.type === 'open' ? token.attributes.toReversed() : []) {
      const isText = ['alt', 'title', 'aria-label'].includes(name);
      const value = isText && end > start ? '""' : html.slice(start, end);
      const quotes = isText && /["']/.test(html[start - 1] ?? '') ? 1 : 0;
      const position = token.start;
      raw = raw.slice(0, start - position - quotes) + value + raw.slice(end - position + quotes);
    }
    return [raw];
  });
const mergeTags = (html: string) => html.match(MERGE_TAG) ?? [];

test('text that is returned unchanged leaves the texts, tags and merge tags unchanged', () => {
  fc.assert(
    fc.property(source, (html) => {
      const unchanged = new Map(extractHtmlTexts(html).map((text) => [text, text]));
      const next = replaceHtmlTexts(html, unchanged);
      expect(fixedParts(next)).toEqual(fixedParts(html));
      expect(mergeTags(next)).toEqual(mergeTags(html));
      expect(extractHtmlTexts(next)).toEqual(extractHtmlTexts(html));
    }),
  );
});

test('a translation changes neither the order of tags nor a merge tag', () => {
  const translate = (text: string) =>
    text
      .split(/(\[\[\/?\d+\]\]|\{\{.*?\}\}|\{\$\w+\})/)
      .map((piece, at) => (at % 2 === 0 ? piece.replace(/\p{L}+/gu, 'é&"\'<ö') : piece))
      .join('');
  fc.assert(
    fc.property(source, (html) => {
      const texts = new Map(extractHtmlTexts(html).map((text) => [text, translate(text)]));
      const next = replaceHtmlTexts(html, texts);
      expect(fixedParts(next)).toEqual(fixedParts(html));
      expect(mergeTags(next)).toEqual(mergeTags(html));
    }),
  );
});

test('no response, however malformed, adds, drops or changes a tag or a merge tag', () => {
  const replyText = fc
    .array(
      fc.oneof(
        fragment,
        fc.constantFrom('[[1]]', '[[/1]]', '[[2]]', '[[/2]]', '[[3]]', '"', "'", '>'),
        fc.string(),
      ),
    )
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(source, fc.infiniteStream(replyText), fc.nat(), (html, answers, rotation) => {
      const texts = extractHtmlTexts(html).map((text, at): [string, string] => {
        const fragments = text.split(/(?=\[\[)|(?<=\]\])/);
        const rotatedText = fragments
          .map((_, i) => fragments[(i + rotation) % fragments.length])
          .join('');
        return [text, at % 2 === 0 ? rotatedText : (answers.next().value ?? '')];
      });
      const next = replaceHtmlTexts(html, new Map(texts));
      expect(fixedParts(next).toSorted()).toEqual(fixedParts(html).toSorted());
      expect(mergeTags(next).toSorted()).toEqual(mergeTags(html).toSorted());
    }),
  );
});
