// Conditional comments for Outlook in HTML blocks are preserved, and cannot break the email or run
// code.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createBlock, createEmailDocument, createSection } from '../../document-factory.ts';
import { renderDocument } from '../document/render-document.ts';
import { SAMPLE_CONTEXT } from '../document/sample-document.ts';
import { isWholeForOutlook } from './outlook-comments.ts';
import { cleanBlockHtml, cleanEmailHtml } from '../rich-text.ts';

const BUTTON =
  '<!--[if mso]><v:roundrect xmlns:v="urn:schemas-microsoft-com:vml" href="https://tea.example/{{firstname | default: "x"}}" arcsize="10%" fillcolor="#3b4fe4"><w:anchorlock/><center>Buy</center></v:roundrect><![endif]-->';
const FOR_OTHER_CLIENTS =
  '<!--[if !mso]><!--><a href="https://tea.example/">Buy</a><!--<![endif]-->';
const TABLE =
  '<!--[if (gte mso 9)|(IE)]><table width="600"><tr><td width="300"><![endif]--><div>One</div><!--[if mso]></td><td><![endif]--><div>Two</div><!--[if mso]></td></tr></table><![endif]-->';

describe('conditional comments of an HTML block', () => {
  test.each([
    ['a VML button', BUTTON],
    ['content hidden from Outlook', FOR_OTHER_CLIENTS],
    ['columns for Outlook', TABLE],
    [
      'a row for Outlook between rows',
      `<table><!--[if mso]><tr><td></td></tr><![endif]--><tr><td>a</td></tr></table>`,
    ],
    ['a style sheet', '<!--[if mso]><style>td{font-family:Arial}</style><![endif]--><p>a</p>'],
  ])('conditional comments are preserved: %s', (_, html) => {
    expect(cleanEmailHtml(html)).toBe(html);
  });

  test('conditional comments are kept in the HTML and omitted from the plain text', async () => {
    const block = createBlock('html', { html: `${BUTTON}${FOR_OTHER_CLIENTS}<!-- a note -->` });
    const { html, text } = await renderDocument(
      createEmailDocument([createSection([[block]])]),
      SAMPLE_CONTEXT,
    );
    expect(html).toContain(BUTTON + FOR_OTHER_CLIENTS);
    expect(html).not.toContain('a note');
    expect(text).not.toContain('roundrect');
    expect(text).not.toContain('endif');
  });

  test.each([
    ['closing tags without opening tags', '<!--[if mso]></td></tr></table><![endif]--><p>a</p>'],
    ['an unclosed table', '<!--[if mso]><table><![endif]--><p>a</p>'],
    ['a comment without an end', '<!--[if !mso]><!--><p>a</p>'],
    ['the end of a comment without a start', '<p>a</p><!--<![endif]-->'],
    ['a script', '<!--[if mso]><script>alert(1)</script><![endif]--><p>a</p>'],
    ['an event handler', '<!--[if mso]><img src="x" onerror="alert(1)"><![endif]--><p>a</p>'],
    ['a URL that runs code', '<!--[if mso]><a href=" java\tscript:x">y</a><![endif]--><p>a</p>'],
    ['a comment in an attribute', '<p title="<!--[if mso]>&quot;><b>x</b><![endif]-->">a</p>'],
  ])('conditional comments are omitted: %s', (_, html) => {
    const clean = cleanEmailHtml(html);
    expect(clean).not.toMatch(/if|script|onerror|<b>/);
    expect(clean).toContain('a</p>');
  });

  test.each([
    [
      'written in entities',
      '<!--[if mso]><a href="&#106;avascript:alert(1)">y</a><![endif]--><p>a</p>',
    ],
    [
      'after --!>, which ends a comment in browsers',
      '<!--[if mso]>--!><a href="x">y</a><![endif]--><p>a</p>',
    ],
  ])('conditional comments contain no URL that runs code: %s', (_, html) => {
    const clean = cleanEmailHtml(html);
    expect(clean).not.toMatch(/<!--|&#106;|javascript/);
    expect(clean).toContain('<p>a</p>');
  });

  test('arbitrary conditional comments leave the email complete in Outlook and unchanged in other clients', () => {
    const htmlFragment = fc.constantFrom(
      '<!--[if mso]>',
      '<![endif]-->',
      '<!--[if !mso]><!-->',
      '<!--<![endif]-->',
      '-->',
      '<!--',
      '<table><tr><td>',
      '</td></tr></table>',
      '<div>',
      '</div>',
      '<p title="',
      '">',
      '<script>',
      '</script>',
      'words',
      '\ufdd40\ufdd5',
      '{{ email }}',
    );
    fc.assert(
      fc.property(fc.array(htmlFragment, { maxLength: 14 }), (list) => {
        const html = list.join('');
        const clean = cleanEmailHtml(html);
        expect(isWholeForOutlook(clean)).toBe(true);
        expect(clean).not.toMatch(/<script|[\ufdd4\ufdd5]/);
        const visibleHtml = clean.replace(/<!--[^]*?-->/g, '').replaceAll(' title=""', '');
        expect(cleanBlockHtml(visibleHtml)).toBe(visibleHtml);
      }),
      { numRuns: 2000 },
    );
  });
});
