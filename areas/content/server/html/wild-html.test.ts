// Arbitrary HTML is preserved as pasted except for line endings and is parsed in linear time.
import fc from 'fast-check';
import PostalMime from 'postal-mime';
import { describe, expect, it } from 'vitest';
import { propertyOptions } from '#testing/setup/property-runs.ts';
import { compileMessage } from '../mime/compile-message.ts';
import { checkContent } from '../checks/check-content.ts';
import { scanHtml } from '../../html-scanner.ts';
import { ContentError } from '../personalization/message-source.ts';
import { renderWhole } from '../preview.ts';
import { sampleSource } from '../sample-source.ts';

const token = 'T'.repeat(40);
const recipient = { email: 'a@b.example', token, message_token: 'M'.repeat(40), values: {} };
const now = new Date('2026-03-05T14:07:09Z');

const soup = fc
  .array(
    fc.constantFrom(
      '<table width="100%" cellpadding=0>',
      '</table>',
      '<tr><td align=center>',
      '</td>',
      '<p',
      '>',
      '<',
      '/>',
      '"',
      "'",
      '<!--[if mso | IE]>',
      '<!--[if (gte mso 9)|(IE)]><table><![endif]-->',
      '<![endif]-->',
      '<!--[if !mso]><!-->',
      '<!--<![endif]-->',
      '<!-- ',
      '-->',
      '<style>@media (max-width:600px){.x{a:b}}</style>',
      '<style>',
      '</style',
      '<title>&amp;</title>',
      '<a href="https://tea.example/?a=1&amp;b=2#x">',
      '<a href=https://tea.example/y>',
      "<a href='//tea.example'>",
      '<a\nhref = "https://tea.example"\n>',
      '</a>',
      '<img src="https://i.example/x.png" alt="x">',
      '<br/>',
      '<![CDATA[',
      ']]>',
      '<?xml version="1.0"?>',
      '&nbsp;',
      '&bogus;',
      '\n',
      '\r\n',
      '\t',
      ' ',
      '.',
      'text',
      'é',
      '😀',
      '<v:roundrect href="https://tea.example/mso">',
      '<body class=x>',
      '</body>',
      '</html>',
      '<o:p></o:p>',
      '</',
      '<1',
    ),
    { maxLength: 60 },
  )
  .map((list) => list.join(''));

const normalizeLineBreaks = (text: string) => text.replace(/\r\n|\r|\n/g, '\r\n');

/** Normalizes a URL for comparison. */
const asLink = (text: string) =>
  text
    .replace(/(?<!https:)\/\/tea\.example/g, 'https://tea.example')
    .replaceAll('&amp;', '&')
    .replace(/(\r\n)+$/, '');

describe('arbitrary HTML', () => {
  it('arbitrary HTML is preserved as pasted', async () => {
    await fc.assert(
      fc.asyncProperty(soup, async (html) => {
        const source = sampleSource({
          html: `x${html}`,
          kind: 'transactional',
          subject: 's',
          is_tracked: false,
        });
        const email = await PostalMime.parse(renderWhole(compileMessage(source), recipient, now));
        expect(normalizeLineBreaks(email.html ?? '').replace(/(\r\n)+$/, '')).toBe(
          normalizeLineBreaks(`x${html}`).replace(/(\r\n)+$/, ''),
        );
      }),
      propertyOptions(150, 50),
    );
  });

  it('tracked HTML differs only in its links, pixel and footer', async () => {
    await fc.assert(
      fc.asyncProperty(soup, async (html) => {
        const source = sampleSource({ html: `x${html}`, subject: 's' });
        const compiled = compileMessage(source);
        const email = await PostalMime.parse(renderWhole(compiled, recipient, now));
        const receivedHtml = normalizeLineBreaks(email.html ?? '')
          .replace(/<div dir="ltr" style="margin:0 auto;padding:24px[^]*?<\/div>/, '')
          .replace(/<img src="https:\/\/mail\.example\/t\/o\/[^>]*>/, '');
        const restoredHtml = receivedHtml.replace(
          /https:\/\/mail\.example\/t\/c\/T{40}\/(\d+)/g,
          (_, position) => compiled.links[Number(position)]?.url ?? '?',
        );
        expect(asLink(restoredHtml)).toBe(asLink(normalizeLineBreaks(`x${html}`)));
      }),
      propertyOptions(150, 50),
    );
  });

  it('the tokens of the scanner cover the HTML without a gap', () => {
    fc.assert(
      fc.property(fc.oneof(soup, fc.string()), (html) => {
        let position = 0;
        for (const htmlToken of scanHtml(html)) {
          expect(htmlToken.start).toBe(position);
          expect(htmlToken.end).toBeGreaterThan(position);
          position = htmlToken.end;
        }
        expect(position).toBe(html.length);
      }),
    );
  });

  it.each([
    ['links', '<a href="https://tea.example/x">x</a>'],
    ['open tags', '<a href="https://tea.example/x" '],
    ['comments', '<!--'],
    ['conditions', '<!--[if mso]>'],
    ['scripts', '<script>'],
    ['brackets', '<'],
    ['braces', '{{'],
    ['conditions that never close', '{% if'],
    ['broken merge tags', '{{ a | b | "'],
    ['event handlers', '<p onclick=x>'],
    ['deep tables', '<table><tr><td>'],
    ['quotes', '<a b="'],
    ['entities', '&amp'],
    ['complete merge tags', '{{ firstname | default: "x" }}'],
  ])(
    'HTML is parsed within the time limit: a million bytes of %s',
    (_, piece) => {
      const source = sampleSource({ html: piece.repeat(Math.floor(1_000_000 / piece.length)) });
      const cpuStart = process.cpuUsage();
      checkContent(source, []);
      try {
        compileMessage(source);
      } catch (error) {
        expect(error).toBeInstanceOf(ContentError);
      }
      // Measures CPU time, which is independent of the machine's load.
      expect(process.cpuUsage(cpuStart).user / 1000).toBeLessThan(4000);
    },
    60_000,
  );
});
