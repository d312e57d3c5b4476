// What is added to the author's content (footer, preheader, pixel, UTM parameters, note), and how
// links, images and merge tags in it are rendered.
import PostalMime from 'postal-mime';
import { describe, expect, it } from 'vitest';
import {
  now,
  createRecipient,
  renderOne,
  readStrictParts,
  token,
  toTransportText,
} from '#testing/oracles/strict-email.ts';
import { computeContrast } from '../../colors.ts';
import { compileMessage } from './compile-message.ts';
import { checkContent } from '../checks/check-content.ts';
import { scanHtml } from '../../html-scanner.ts';
import { ContentError } from '../personalization/message-source.ts';
import { readParts, renderWhole } from '../preview.ts';
import { sampleSource } from '../sample-source.ts';

describe('a message with additions', () => {
  it('the footer is legible on any background', () => {
    const html = '<body style="background:#101418;color:#101418"><p>Dark</p></body>';
    const message = renderOne(sampleSource({ html, subject: 'Hello' }), createRecipient({}));
    const renderedHtml = readParts(message).html ?? '';
    const footer = renderedHtml.slice(renderedHtml.indexOf('<div dir="ltr"'));
    const footerStyle = /style="[^"]*background:(#[0-9a-f]{6});color:(#[0-9a-f]{6})/.exec(footer);
    expect(footerStyle, footer).not.toBeNull();
    const [, ground, textColor] = footerStyle as RegExpExecArray;
    const link = /<a [^>]*style="color:(#[0-9a-f]{6})/.exec(footer)?.[1];
    for (const color of [textColor, link]) {
      expect(computeContrast(color as `#${string}`, ground as `#${string}`)).toBeGreaterThanOrEqual(
        4.5,
      );
    }
  });

  it('tracks web links whose host contains no merge tag, and adds a pixel that counts opens', async () => {
    const html =
      '<a href="https://tea.example/a?x=1&amp;y=2">A</a> <a href=\'HTTP://tea.example/b\'><img src="https://i.example/x.png" alt="Tea"></a>' +
      '<!--[if mso]><v:roundrect href="https://tea.example/mso"></v:roundrect><![endif]-->' +
      '<!-- <a href="https://tea.example/comment">no</a> -->' +
      '<a href="mailto:a@b.example">m</a><a href="#top">t</a><a href=https://tea.example/c?n={{firstname}}#f>C</a>' +
      '<a href="https://{{firstname}}.example/">own</a><a href="{{website}}">site</a><link href="https://css.example/x.css">';
    const source = sampleSource({
      html,
      text: 'See https://tea.example/t?q=(1). And (https://tea.example/u), ok',
    });
    const compiled = compileMessage(source);
    expect(compiled.links).toEqual([
      { position: 0, url: 'https://tea.example/a?x=1&y=2', label: 'A' },
      { position: 1, url: 'HTTP://tea.example/b', label: 'Tea' },
      { position: 2, url: 'https://tea.example/mso', label: '' },
      { position: 3, url: 'https://tea.example/c?n={{firstname}}#f', label: 'C' },
      { position: 4, url: 'https://tea.example/t?q=(1)', label: 'https://tea.example/t?q=(1)' },
      { position: 5, url: 'https://tea.example/u', label: 'https://tea.example/u' },
    ]);
    expect(compileMessage(source).links).toEqual(compiled.links);
    expect(compiled.names).toEqual(['firstname', 'website']);
    const values = { firstname: 'a b', website: 'javascript:alert(1)' };
    const email = await PostalMime.parse(renderWhole(compiled, createRecipient(values), now));
    const track = `https://mail.example/t/c/${token}`;
    expect(email.html).toContain(`<a href="${track}/0">A</a> <a href='${track}/1'>`);
    expect(email.html).toContain(`<v:roundrect href="${track}/2">`);
    expect(email.html).toContain('<!-- <a href="https://tea.example/comment">no</a> -->');
    expect(email.html).toContain(
      `<a href=${track}/3>C</a><a href="https://a%20b.example/">own</a><a href="#">site</a>`,
    );
    expect(email.html).toContain('<link href="https://css.example/x.css">');
    expect(email.html).toContain(
      `<img src="https://mail.example/t/o/${token}.gif" width="1" height="1"`,
    );
    expect(email.text).toContain(`See ${track}/4. And (${track}/5), ok`);
  });

  it('an unsubscribe link and a postal address are added only if they are missing', () => {
    const plainBodies = readStrictParts(
      renderOne(sampleSource({ html: '<p>x</p>' }), createRecipient({})),
    ).bodies;
    for (const body of plainBodies) {
      expect(body).toContain(`https://mail.example/u/${token}`);
      expect(body).toContain('Nordic Tea, Storgata 1, 0155 Oslo, Norway');
    }
    const html =
      '<p>x</p><p>STORGATA  1</p><a href="{{unsubscribe_link}}">{{unsubscribe_text}}</a>';
    const complete = renderOne(sampleSource({ html, is_tracked: false }), createRecipient({}));
    expect(readStrictParts(complete).bodies[1]).toBe(
      `<p>x</p><p>STORGATA  1</p><a href="https://mail.example/u/${token}">Unsubscribe</a>`,
    );
    expect(readStrictParts(complete).bodies[0]).toContain(
      `Unsubscribe (https://mail.example/u/${token})`,
    );
    const single = renderOne(
      sampleSource({ kind: 'transactional', html: '<p>x</p>', is_tracked: false }),
      createRecipient({}),
    );
    expect(readStrictParts(single).bodies[1]).toBe('<p>x</p>');
  });

  it('keeps pasted HTML unchanged', () => {
    const html = [
      '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">',
      '<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style>.a{color:red}@media (max-width:600px){.b{x:y}}</style>',
      '<!--[if gte mso 9]><xml><o:OfficeDocumentSettings></o:OfficeDocumentSettings></xml><![endif]--></head>',
      '<BODY bgcolor=#fff><table><tr><td>broken <b>tags</td></table>\t  spaces   kept <!-- {{ not a tag }} -->',
      '<a name="x">no link</a> < 3 & more &nbsp;<br/>',
    ].join('\n');
    const source = sampleSource({ html, kind: 'transactional', is_tracked: false });
    expect(readStrictParts(renderOne(source, createRecipient({}))).bodies[1]).toBe(
      toTransportText(html),
    );
    const bodyWithPreheader = readStrictParts(
      renderOne(sampleSource({ html, preheader: 'Peek <1>' }), createRecipient({})),
    ).bodies[1];
    const [before, rest] = (bodyWithPreheader ?? '').split('<BODY bgcolor=#fff>');
    expect(before).toBe(toTransportText(html).split('<BODY')[0]);
    expect(rest).toMatch(
      /^<div style="display:none[^>]+>Peek &lt;1&gt;(&#8199;&#847;)+<\/div><table>/,
    );
    expect(rest).toContain(toTransportText(html).split('#fff>')[1]);
  });

  it('a message with content errors is refused, with the line and column of each error', () => {
    const html =
      '<p>\n  {{ firstname | nope }}</p><script>x</script><a href="javascript:x()">x</a><style>a{ {{x}} }</style>';
    expect(() => compileMessage(sampleSource({ html }))).toThrow(ContentError);
    try {
      compileMessage(sampleSource({ html }));
    } catch (error) {
      const findingPositions = (error as ContentError).findings.map((finding) => [
        finding.code,
        finding.line,
        finding.column,
      ]);
      expect(findingPositions).toEqual(
        expect.arrayContaining([
          ['tag_filter_unknown', 2, 3],
          ['script', 2, 29],
          ['link_dangerous', 2, 56],
          ['tag_in_style', 2, 87],
        ]),
      );
    }
  });

  it('links without utm_source get UTM parameters', () => {
    const html =
      '<a href="https://a.example/?x=1#top">a</a><a href="https://b.example/?utm_source=own">b</a>';
    const { links } = compileMessage(
      sampleSource({ html, text: 'x', utm_campaign: 'Spring & tea' }),
    );
    expect(links.map((link) => link.url)).toEqual([
      'https://a.example/?x=1&utm_source=newsletter&utm_medium=email&utm_campaign=Spring%20%26%20tea#top',
      'https://b.example/?utm_source=own',
    ]);
  });

  it('links without utm_source get only the missing UTM parameters, and the original URL is stored', () => {
    const html =
      '<a href="https://a.example/?utm_term=own">a</a><a href="https://b.example/?UTM_SOURCE=own">b</a>';
    const utm = { source: 'shop', medium: 'email', campaign: 'Té', term: 'tea', id: '7 a' };
    const { links } = compileMessage(sampleSource({ html, text: 'x', utm }));
    expect(links).toMatchObject([
      {
        url: 'https://a.example/?utm_term=own&utm_source=shop&utm_medium=email&utm_campaign=T%C3%A9&utm_id=7%20a',
        written_url: 'https://a.example/?utm_term=own',
      },
      { url: 'https://b.example/?UTM_SOURCE=own', written_url: undefined },
    ]);
    expect(
      compileMessage(sampleSource({ html, text: 'x', utm: {} })).links.map(({ url }) => url),
    ).toEqual(['https://a.example/?utm_term=own', 'https://b.example/?UTM_SOURCE=own']);
  });

  it('the note of a test email is above both parts, with markup and merge tags as plain text', () => {
    const noteText = 'Please check <b>prices</b>\n{{firstname}}';
    const html =
      '<html><body><p>{{unsubscribe_link}} Storgata 1 Dear {{firstname}}</p></body></html>';
    for (const text of [null, 'Hello {{unsubscribe_link}} Storgata 1']) {
      const source = sampleSource({ html, text, preheader: 'Fresh', note: noteText });
      const email = readParts(
        renderWhole(compileMessage(source), createRecipient({ firstname: 'Ada' }), now),
      );
      expect(email.html).toContain(
        'Please check &lt;b&gt;prices&lt;/b&gt;<br>{{firstname}}</div><p>',
      );
      expect(email.text).toMatch(/^Please check <b>prices<\/b>\r?\n\{\{firstname\}\}/);
    }
  });

  it('UTM parameters are added even without click tracking, and to links whose merge tag has a fallback', () => {
    const html =
      '<p>{{unsubscribe_link}} Storgata 1</p><a href="https://a.example/{{ firstname | default: "who? #1" }}?x=1&amp;y=2#top">a</a>' +
      '<a href="https://b.example/?utm_campaign=own">b</a>';
    const source = sampleSource({ html, text: null, utm_campaign: 'Spring' });
    const [first, second] = compileMessage(source).links.map((link) => link.url);
    const parameters = 'utm_source=newsletter&utm_medium=email';
    expect(first).toBe(
      `https://a.example/{{ firstname | default: "who? #1" }}?x=1&y=2&${parameters}&utm_campaign=Spring#top`,
    );
    expect(second).toBe(`https://b.example/?utm_campaign=own&${parameters}`);
    const unmeasuredSource = { ...source, measures_clicks: false };
    expect(compileMessage(unmeasuredSource).links).toEqual([]);
    const email = readParts(
      renderWhole(compileMessage(unmeasuredSource), createRecipient({}), now),
    );
    expect(email.html).toContain(
      `href="https://a.example/who%3F%20%231?x=1&amp;y=2&amp;utm_source=newsletter&amp;utm_medium=email&amp;utm_campaign=Spring#top"`,
    );
    expect(email.text).toContain(`https://b.example/?utm_campaign=own&${parameters}`);
  });

  it('encodes values in untracked plain text URLs', () => {
    const text =
      'Dear {{firstname}}: https://shop.example/?n={{ firstname }}&x=1, or {{firstname}}';
    const unmeasuredSource = { ...sampleSource({ text }), measures_clicks: false };
    const reader = createRecipient({ firstname: 'Ada & Co #1' });
    for (const source of [unmeasuredSource, sampleSource({ text, is_tracked: false })]) {
      const email = readParts(renderOne(source, reader));
      expect(email.text).toContain(
        'Dear Ada & Co #1: https://shop.example/?n=Ada%20%26%20Co%20%231&x=1, or Ada & Co #1',
      );
    }
  });

  it('describes an image in the plain text by its alternative text', () => {
    const html =
      '<a href="https://tea.example/new"><img src="https://i.example/x.png" alt="New {{firstname}} teas"></a><img src="x" alt="">';
    const source = sampleSource({ html, is_tracked: false });
    const email = readParts(renderOne(source, createRecipient({ firstname: 'green' })));
    expect(email.text).toContain('New green teas (https://tea.example/new)');
  });

  it('escapes values in attributes and reports merge tags outside attribute values', () => {
    const firstname = 'https://x onclick=alert(1) style=a/b';
    const html =
      '<td width={{firstname}} title="{{firstname}}">x</td><a href={{firstname}}>y</a><img src={{firstname}} alt=z>';
    const email = renderWhole(
      compileMessage(sampleSource({ html })),
      createRecipient({ firstname }),
      now,
    );
    const names = [...scanHtml(readParts(email).html ?? '')].map((token) =>
      token.type === 'open' ? token.attributes.map(({ name }) => name) : [],
    );
    expect(names.flat()).toEqual(expect.arrayContaining(['width', 'title', 'href', 'src', 'alt']));
    expect(names.flat()).not.toContain('onclick');
    const unclosedSource = sampleSource({
      html: '<p>a</p><table {{firstname}}><tr {{firstname}}="x"></tr></table>',
    });
    expect(checkContent(unclosedSource).filter(({ code }) => code === 'tag_not_here')).toHaveLength(
      2,
    );
  });
});

describe('HTML that clients parse differently', () => {
  const unsubscribe = '<a href="{{unsubscribe_link}}">Unsubscribe</a>';
  const paragraph = '<p>Spring tea from the mountains. {{postal_address}}</p>';
  const render = (html: string) =>
    readParts(renderOne(sampleSource({ html, preheader: 'Preview' }), createRecipient({}))).html ??
    '';
  /** Returns the HTML as browsers see it: without comments. */
  const browsers = (html: string) => html.replace(/<!--[^]*?-->/g, '');
  /**
   * Returns the HTML as Outlook sees it: with the content of its conditional comments, and without
   * content for other clients.
   */
  const outlook = (html: string) =>
    html
      .replace(/<!--\[if !mso\]><!-->[^]*?<!--<!\[endif\]-->/g, '')
      .replace(/<!--\[if mso\]>([^]*?)<!\[endif\]-->/g, '$1');
  const hasUnsubscribe = (html: string) => html.includes(`/u/${token}`);

  it.each([
    ['in Outlook only', `${paragraph}<!--[if mso]><p>${unsubscribe}</p><![endif]-->`, 1],
    [
      'in all clients except Outlook',
      `${paragraph}<!--[if !mso]><!-->${unsubscribe}<!--<![endif]-->`,
      1,
    ],
    [
      'once for Outlook and once for other clients',
      `${paragraph}<!--[if mso]>${unsubscribe}<![endif]--><!--[if !mso]><!-->${unsubscribe}<!--<![endif]-->`,
      0,
    ],
    ['in all clients', `${paragraph}${unsubscribe}`, 0],
    ['in a hidden element', `${paragraph}<div style="display:none">${unsubscribe}</div>`, 1],
    ['in a title', `<title>${unsubscribe}</title>${paragraph}`, 1],
  ])(
    'a footer is added only if some client does not show the unsubscribe link: %s',
    (_, html, footers) => {
      const renderedHtml = render(html);
      expect(renderedHtml.split('<div dir="ltr"')).toHaveLength(1 + footers);
      expect(hasUnsubscribe(browsers(renderedHtml))).toBe(true);
    },
  );

  it('the footer, preheader and pixel are where both browsers and Outlook display them', () => {
    const bodies =
      '<head><title>a</body></title></head>\n<!--[if mso]>\n<body class="mso">\n<![endif]-->\n<!--[if !mso]><!-->\n<body class="no-padding">\n<!--<![endif]-->\n' +
      paragraph;
    for (const end of [
      '</body></html>',
      '<!--[if mso]></body><![endif]--><!--[if !mso]><!--></body><!--<![endif]--></html>',
      '</body><!--[if mso]></body></html><![endif]-->',
      '<style>p::after{content:"</body>"}</style></body>',
    ]) {
      const renderedHtml = render(bodies + end);
      for (const visibleText of [browsers(renderedHtml), outlook(renderedHtml)]) {
        const body = visibleText.indexOf('<body');
        expect(visibleText.indexOf('Preview'), end).toBeGreaterThan(body);
        expect(visibleText.indexOf('Preview'), end).toBeLessThan(visibleText.indexOf('Spring tea'));
        expect(hasUnsubscribe(visibleText), end).toBe(true);
        expect(visibleText, end).toContain('/t/o/');
      }
      expect(renderedHtml.indexOf('/t/o/'), end).toBeLessThan(renderedHtml.lastIndexOf('</body>'));
    }
  });

  it.each(['http://', 'https://', 'HTTP://', 'mailto:', '//', ' http://'])(
    'unsubscribe, preference and browser links work if an editor adds %j before the tag',
    (scheme) => {
      for (const tag of ['unsubscribe_link', 'preferences_url', 'browser_preview']) {
        const renderedHtml = render(`${paragraph}<a href="${scheme}{{${tag}}}">x</a>`);
        const [, href = ''] = /<a href="([^"]*)">x</.exec(renderedHtml) ?? [];
        expect(href.trim()).toMatch(
          new RegExp(`^https://mail\\.example/[uv]/${token}(/preferences)?$`),
        );
      }
      const source = sampleSource({ html: null, text: `Tea. ${scheme}{{unsubscribe_link}}` });
      const { text } = readParts(renderOne(source, createRecipient({})));
      expect(text).toContain(
        `Tea. ${scheme.startsWith(' ') ? ' ' : ''}https://mail.example/u/${token}`,
      );
    },
  );

  it('does not add a second scheme to a value that is a complete URL', () => {
    const hrefOf = (website: string) => {
      const source = sampleSource({ html: `${paragraph}<a href="http://{{website}}">x</a>` });
      const renderedHtml = readParts(renderOne(source, createRecipient({ website }))).html ?? '';
      return /<a href="([^"]*)">x</.exec(renderedHtml)?.[1];
    };
    expect(hrefOf('tea.example')).toBe('http://tea.example');
    expect(hrefOf('https://tea.example/a')).toBe('https://tea.example/a');
    expect(hrefOf('javascript:x')).toBe('http://javascript%3Ax');
  });
});
