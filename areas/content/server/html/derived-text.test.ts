// The text part derived from HTML has the same links and the visible words.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileMessage } from '../mime/compile-message.ts';
import { readParts, renderWhole } from '../preview.ts';
import { sampleSource } from '../sample-source.ts';

const recipient = {
  email: 'a@b.example',
  token: 'T'.repeat(40),
  message_token: 'M'.repeat(40),
  values: {},
};

function textOf(html: string): string {
  const source = sampleSource({ html, is_tracked: false, kind: 'transactional' });
  return readParts(renderWhole(compileMessage(source), recipient, new Date(0)))
    .text.trim()
    .replaceAll('\r\n', '\n');
}

const urlsOf = (html: string) => {
  const { links } = compileMessage(sampleSource({ html }));
  return links.map(({ url }) => url);
};

describe('content hidden in browsers', () => {
  it.each([
    'display:none',
    'max-height:0;overflow:hidden;mso-hide:all',
    'MAX-HEIGHT: 0px; OVERFLOW: hidden',
    'overflow:hidden;width:0 !important',
    'visibility:hidden',
    'opacity:0;color:#fff',
  ])('content with the style %s is not in the text', (style) => {
    expect(textOf(`<div style="${style}">PREVIEW WORDS</div><p>Spring tea</p>`)).toBe('Spring tea');
  });

  it.each([
    'max-height:0',
    'opacity:0.9',
    'height:0.5em;overflow:hidden',
    'line-height:0',
    'font-size:0',
  ])('content with the style %s remains in the text', (style) => {
    expect(textOf(`<div style="${style}">Words</div><p>Spring tea</p>`)).toContain('Words');
  });
});

describe('links', () => {
  it('a link has the same URL in the text as in the HTML, whatever characters end or follow it', () => {
    const end = fc.array(
      fc.constantFrom('_', '?', '!', ']', ')', '(', '*', '.', ',', 'a', '/', '=', '~', ';', ':'),
      { maxLength: 6 },
    );
    const beside = fc.constantFrom('', '|View', '’s', ')', ' ', '.', '؟', '_x', '</p><p>y');
    fc.assert(
      fc.property(fc.array(fc.tuple(end, beside), { minLength: 1, maxLength: 5 }), (list) => {
        const html = list
          .map(
            ([tail, after], n) =>
              `<a href="https://t.example/${n}${tail.join('')}">L${n}</a>${after}`,
          )
          .join('');
        const urls = urlsOf(html);
        const expectedUrls = list.map(([tail], n) => `https://t.example/${n}${tail.join('')}`);
        // First the links of the HTML, then the links of the text.
        expect(urls).toEqual([...expectedUrls, ...expectedUrls]);
      }),
    );
  });

  it('the URL of a link is in parentheses after its label, unless the label is the URL', () => {
    expect(textOf('<a href="https://t.example/x_">https://t.example/x_</a>')).toBe(
      'https://t.example/x_',
    );
    expect(textOf('See <a href="https://t.example/a?b=1&amp;c=2">the page</a>, please')).toBe(
      'See the page (https://t.example/a?b=1&c=2), please',
    );
  });

  it('URLs contain the values of their merge tags', () => {
    const values = { firstname: 'a b' };
    const source = sampleSource({
      html: '<a href="https://t.example/{{firstname}}?">Go</a>|<a href="{{unsubscribe_link}}">Leave</a>',
      is_tracked: false,
    });
    const { text } = readParts(
      renderWhole(compileMessage(source), { ...recipient, values }, new Date(0)),
    );
    expect(text).toContain('Go (https://t.example/a%20b?) |Leave (https://mail.example/u/');
  });
});

describe('text', () => {
  it.each([
    [
      'omits hidden elements',
      '<div style="color:red; display:none">Peek<div>more</div></div><p>Hi</p>',
      'Hi',
    ],
    [
      'omits the filler of a preheader',
      '<div>&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;</div><p>Hi</p>',
      'Hi',
    ],
    ['omits blank paragraphs', '<p>a</p><p>&nbsp;</p><p> &nbsp; </p><p>b</p>', 'a\n\nb'],
    [
      'the text has one line per table row',
      '<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>',
      'a b\nc d',
    ],
    [
      'the text has one link for an image and a label with the same text and URL',
      '<a href="https://t.example/"><img src="x" alt="Green tea"></a><p><a href="https://t.example/">Green tea</a></p>',
      'Green tea (https://t.example/)',
    ],
    [
      'omits the alternative text of an image that equals the next heading',
      '<img src="x" alt="Spring"><h1>Spring</h1><p>Spring</p>',
      'Spring\n\nSpring',
    ],
  ])('%s', (_, html, text) => {
    expect(textOf(html)).toBe(text);
  });

  it('an unsubscribe link is added to the text when the only one is hidden', () => {
    const html =
      '<p>Hi</p><div style="display:none"><a href="{{unsubscribe_link}}">Leave</a></div>';
    const source = sampleSource({ html });
    const { text } = readParts(renderWhole(compileMessage(source), recipient, new Date(0)));
    expect(text).toContain('https://mail.example/u/');
  });
});
