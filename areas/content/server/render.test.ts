// The renderer against independent readers: postal-mime, and a strict reading of the RFCs below.
// Whatever the values, the message parses to exactly them and needs neither dot-stuffing nor
// canonicalisation.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import PostalMime from 'postal-mime';
import { describe, expect, it } from 'vitest';
import { tokensOf } from '#areas/tracking/server/index.ts';
import { contrastOf } from '../colours.ts';
import { compileMessage } from './compile-message.ts';
import { checkContent } from './check-content.ts';
import { scanHtml } from './html-scanner.ts';
import { ContentError, type MessageSource } from './message-source.ts';
import { readParts, renderWhole } from './preview.ts';
import { momentOf, mostBytes, type Recipient, render, textsFor } from './render.ts';
import { sampleSource } from './sample-source.ts';

const now = new Date('2026-03-05T14:07:09Z');
const tokens = tokensOf('secret');
const facts = { account: 7, message: 42, subscriber: 99, ordinal: 3 };
const token = tokens.make(facts);

function recipientWith(values: Recipient['values'], email = 'ada@example.com'): Recipient {
  return { email, token, message_token: tokens.make(facts, 'messageId'), values };
}

function renderOne(source: MessageSource, recipient: Recipient): Buffer {
  return renderWhole(compileMessage(source), recipient, now);
}

/** Header lines and lengths as RFC 5322 wants them, body in relaxed form and free of leading dots. */
function expectStrict(message: Buffer): void {
  const text = message.toString('latin1');
  expect(/(?<!\r)\n|\r(?!\n)|\0/.test(text), 'bare CR, LF or NUL').toBe(false);
  const lines = text.split('\r\n');
  expect(lines.pop(), 'ends in CRLF').toBe('');
  const bodyAt = lines.indexOf('');
  const isPlain = lines.slice(0, bodyAt).includes('Content-Transfer-Encoding: 7bit');
  for (const line of lines.slice(0, bodyAt)) {
    expect(line).toMatch(/^([A-Za-z-]+:|[ \t]+\S)/);
    expect(line.length).toBeLessThanOrEqual(998);
  }
  let most = isPlain ? 900 : 76;
  for (const line of lines.slice(bodyAt + 1)) {
    // What travels as it is has the lines of its author.
    if (line.startsWith('Content-Transfer-Encoding: ')) most = line.endsWith('7bit') ? 900 : 76;
    expect(line.length).toBeLessThanOrEqual(most);
    expect(/^\.|^From |[ \t]$|[ \t]{2}|[^\x20-\x7e]/.test(line), JSON.stringify(line)).toBe(false);
  }
}

/** RFC 2045 decoding by the letter, for a part with its boundary or a whole body. */
function strictDecode(encoding: string | undefined, encoded: string): string {
  if (encoding === '7bit') return encoded;
  if (encoding === 'base64') {
    expect(encoded).toMatch(/^(?:[A-Za-z0-9+/]{76}\r\n)*(?:[A-Za-z0-9+/]{1,76}={0,2}\r\n)?$/);
    const digits = encoded.replaceAll('\r\n', '');
    expect(digits.length % 4).toBe(0);
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      Buffer.from(digits, 'base64'),
    );
  }
  expect(encoding).toBe('quoted-printable');
  const bytes: number[] = [];
  for (let i = 0; i < encoded.length; i++) {
    if (encoded[i] !== '=') bytes.push(encoded.charCodeAt(i));
    else if (encoded.startsWith('\r\n', i + 1)) i += 2;
    else {
      expect(encoded.slice(i + 1, i + 3)).toMatch(/^[0-9A-F]{2}$/);
      bytes.push(Number.parseInt(encoded.slice(i + 1, i + 3), 16));
      i += 2;
    }
  }
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
}

function strictParts(message: Buffer): { headers: Map<string, string>; bodies: string[] } {
  const text = message.toString('utf8');
  const split = text.indexOf('\r\n\r\n');
  const headers = new Map<string, string>();
  for (const field of text.slice(0, split).split(/\r\n(?![ \t])/)) {
    const name = field.slice(0, field.indexOf(':')).toLowerCase();
    expect(headers.has(name), `${name} twice`).toBe(false);
    headers.set(
      name,
      field
        .slice(field.indexOf(':') + 1)
        .replace(/\r\n/g, '')
        .trim(),
    );
  }
  const body = text.slice(split + 4);
  const boundary = /boundary="([^"]+)"/.exec(headers.get('content-type') ?? '')?.[1];
  if (boundary === undefined) {
    const encoding = headers.get('content-transfer-encoding');
    return { headers, bodies: [strictDecode(encoding, body)] };
  }
  const parts = `\r\n${body}`.split(`\r\n--${boundary}`);
  expect(parts.at(-1)).toBe('--\r\n');
  return {
    headers,
    bodies: parts.slice(1, -1).map((part) => {
      const from = part.indexOf('\r\n\r\n') + 4;
      const encoding = /^content-transfer-encoding: (\S+)$/im.exec(part.slice(0, from))?.[1];
      return strictDecode(encoding, part.slice(from));
    }),
  };
}

function strictSubject(value: string): string {
  const words = value.replace(/\?=\s+=\?/g, '?==?');
  return words.replace(/=\?utf-8\?B\?([A-Za-z0-9+/=]*)\?=/g, (_, base64: string) =>
    new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      Buffer.from(base64, 'base64'),
    ),
  );
}

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc
    .array(
      fc.constantFrom(
        '.',
        '..',
        ' ',
        '  ',
        '\t',
        '\r',
        '\n',
        '\r\n',
        '\r\n.\r\n',
        '=',
        '=\r\n',
        '=20',
        'From ',
        '--',
        '=_',
        'é',
        '😀',
        '\ud800',
        '\udc00',
        '\0',
        'x'.repeat(75),
        'y'.repeat(76),
        '</p>',
        '<script>',
        '&amp;',
        '"',
        "'",
        '\r\nBcc: victim@example.com',
        '=?utf-8?B?eA==?=',
        '\ufeff',
        '\u2028',
        'سلام',
        '{{email}}',
        '\ufdd01\ufdd1',
      ),
      { maxLength: 40 },
    )
    .map((list) => list.join('')),
);

/** How text looks after any correct transport: CRLF line ends, well-formed. */
function transported(text: string): string {
  return text.toWellFormed().replace(/\r\n|\r|\n/g, '\r\n');
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

describe('render', () => {
  it('carries any value through to two readers', async () => {
    const source = sampleSource({
      subject: 'Hi {{firstname}}, {{ lastname }}',
      html: '<p title="{{lastname}}">\n  Dear {{firstname}}.\n{{lastname}}</p>{{unsubscribe_link}} {{postal_address}}',
      text: 'Dear {{firstname}}\n.{{lastname}}\n\n{{unsubscribe_link}} {{postal_address}} end',
      is_tracked: false,
    });
    const compiled = compileMessage(source);
    await fc.assert(
      fc.asyncProperty(hostile, hostile, async (first, last) => {
        const [firstname, lastname] = [transported(first), transported(last)];
        const message = renderWhole(
          compiled,
          recipientWith({ firstname: first, lastname: last }),
          now,
        );
        expectStrict(message);
        const ending = `https://mail.example/u/${token} Storgata 1, 0155 Oslo, Norway`;
        const text = transported(`Dear ${firstname}\n.${lastname}\n\n${ending} end`);
        const html = transported(
          `<p title="${escaped(lastname)}">\n  Dear ${escaped(firstname)}.\n${escaped(lastname)}</p>${ending}`,
        );
        const strict = strictParts(message);
        expect(strict.bodies).toEqual([text, html]);
        const subject = `Hi ${first}, ${last}`
          .toWellFormed()
          .replace(/[\r\n\t\u0085\u2028\u2029]+/g, ' ')
          .replace(/[\u0000-\u001f\u007f]/g, '')
          .trim();
        expect(strictSubject(strict.headers.get('subject') ?? '')).toBe(subject);
        expect([...strict.headers.keys()]).not.toContain('bcc');

        const parsed = await PostalMime.parse(message);
        const ends = (value = '') => value.replace(/\r\n?/g, '\n').replace(/\n$/, '');
        expect(ends(parsed.text)).toBe(ends(text));
        expect(ends(parsed.html)).toBe(ends(html));
        expect(parsed.to).toEqual([{ address: 'ada@example.com', name: '' }]);
      }),
      { numRuns: 150 },
    );
  });

  it('carries writing that is not Latin in base64, any value within it', async () => {
    const words = 'برگ‌های تازه از کوهستان رسیده است. ';
    const source = sampleSource({
      html: `<p title="{{lastname}}">${words.repeat(9)}{{firstname}}</p>\n${words}{{unsubscribe_link}} {{postal_address}}`,
      text: `{{firstname}}\n.${words.repeat(3)}{{lastname}}\r\n{{unsubscribe_link}} {{postal_address}} end`,
      is_tracked: false,
    });
    const compiled = compileMessage(source);
    await fc.assert(
      fc.asyncProperty(hostile, hostile, async (first, last) => {
        const [firstname, lastname] = [transported(first), transported(last)];
        const recipient = recipientWith({ firstname: first, lastname: last });
        const message = renderWhole(compiled, recipient, now);
        expectStrict(message);
        expect(message.toString('latin1').match(/Encoding: base64/g)).toHaveLength(2);
        const texts = textsFor(compiled, recipient, momentOf(now, 'fa'));
        expect(message.length).toBeLessThanOrEqual(mostBytes(compiled, texts));
        const ending = `https://mail.example/u/${token} Storgata 1, 0155 Oslo, Norway`;
        const text = transported(`${firstname}\n.${words.repeat(3)}${lastname}\r\n${ending} end`);
        const html = transported(
          `<p title="${escaped(lastname)}">${words.repeat(9)}${escaped(firstname)}</p>\n${words}${ending}`,
        );
        expect(strictParts(message).bodies).toEqual([text, html]);
        expect(readParts(message)).toEqual({ text, html });
        const parsed = await PostalMime.parse(message);
        const ends = (value = '') => value.replace(/\r\n?/g, '\n').replace(/\n$/, '');
        expect(ends(parsed.html)).toBe(ends(html));
      }),
      { numRuns: 100 },
    );
  });

  it('adds a footer that can be read on any ground, for it brings its own', () => {
    const html = '<body style="background:#101418;color:#101418"><p>Dark</p></body>';
    const message = renderOne(sampleSource({ html, subject: 'Hello' }), recipientWith({}));
    const shown = readParts(message).html ?? '';
    const footer = shown.slice(shown.indexOf('<div dir="ltr"'));
    const own = /style="[^"]*background:(#[0-9a-f]{6});color:(#[0-9a-f]{6})/.exec(footer);
    expect(own, footer).not.toBeNull();
    const [, ground, letters] = own as RegExpExecArray;
    const link = /<a [^>]*style="color:(#[0-9a-f]{6})/.exec(footer)?.[1];
    for (const colour of [letters, link]) {
      expect(contrastOf(colour as `#${string}`, ground as `#${string}`)).toBeGreaterThanOrEqual(
        4.5,
      );
    }
  });

  it('takes for each part what is smallest and safe', () => {
    const encodings = (changes: Partial<MessageSource>) => {
      const source = sampleSource({ is_tracked: false, kind: 'transactional', ...changes });
      const message = renderOne(source, recipientWith({})).toString('latin1');
      return [...message.matchAll(/Content-Transfer-Encoding: (\S+)/g)].map(([, one]) => one);
    };
    const of = (text: string) => encodings({ html: null, text });
    expect(of('Fresh leaves = spring.\nCome in.')).toEqual(['7bit']);
    expect(of('a'.repeat(900))).toEqual(['7bit']);
    for (const unfit of [
      'a'.repeat(901),
      'two  blanks',
      'one at its end \nof a line',
      '.hidden',
      'first\n.hidden',
      'first\nFrom us',
      'a\ttab',
      'Blåbær på en fjelltur i mai',
      'Dear {{firstname}}',
      '--=_0123456789abcdef',
    ]) {
      expect([unfit, of(unfit)]).toEqual([unfit, ['quoted-printable']]);
    }
    expect(of('سلام بهار')).toEqual(['base64']);
    expect(of('春の新茶が届きました')).toEqual(['base64']);
    // Markup around a few words stays to be read.
    const html = `<table width="600" align="center"><tr><td style="padding:0"><p>Blåbær</p></td></tr></table>`;
    expect(encodings({ html, text: 'Only ASCII.' })).toEqual(['7bit', 'quoted-printable']);
  });

  it('carries any text of the author through', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, hostile, hostile, async (subject, text, name) => {
        const source = sampleSource({
          kind: 'transactional',
          subject,
          text: `t${text}`,
          html: null,
          from: { name, email: 'news@tea.example' },
          is_tracked: false,
        });
        let message: Buffer;
        try {
          message = renderOne(source, recipientWith({}));
        } catch (error) {
          expect(error).toBeInstanceOf(ContentError);
          return;
        }
        expectStrict(message);
        const parsed = await PostalMime.parse(message);
        const strict = strictParts(message);
        const given = transported(
          `t${text}`
            .replace(/[\ufdd0\ufdd1\0]/g, '\ufffd')
            .replace(/\r\n?/g, '\n')
            .trimEnd(),
        );
        if (!/\{\{|\{\$/.test(text)) {
          expect(strict.bodies[0]?.replace(/\r\n$/, '')).toBe(given);
        }
        expect(parsed.from?.address).toBe('news@tea.example');
        expect(strict.headers.get('from')).toMatch(/<news@tea\.example>$/);
      }),
      { numRuns: 150 },
    );
  });

  it('lets neither an address nor a name out of its field', async () => {
    const fields = [
      ...['date', 'message-id', 'from', 'to', 'reply-to', 'subject'],
      ...['list-unsubscribe', 'list-unsubscribe-post', 'list-id', 'precedence', 'feedback-id'],
      ...['mime-version', 'content-type'],
    ];
    await fc.assert(
      fc.asyncProperty(hostile, hostile, async (local, name) => {
        const source = sampleSource({
          subject: 'Hello',
          company: name,
          from: { name, email: 'news@tea.example' },
          reply_to: `r${local}@tea.example`,
          unsubscribe_mailbox: `u${local}@tea.example`,
        });
        const message = renderOne(source, recipientWith({}, `a${local}@example.com`));
        expectStrict(message);
        const { headers } = strictParts(message);
        expect([...headers.keys()]).toEqual(fields);
        expect(headers.get('list-id')).toMatch(/<a7\.tea\.example>$/);
        expect(headers.get('list-unsubscribe')).toMatch(/^<https:[^<>\s]+>,\s*<mailto:[^<>\s]+>$/);
        const parsed = await PostalMime.parse(message);
        expect(parsed.headers.map(({ key }) => key)).toEqual(fields);
        expect(parsed.from?.address).toBe('news@tea.example');
      }),
      { numRuns: 150 },
    );
  });

  it('writes domains of any script in ASCII, and names before the @ as they are', async () => {
    const source = sampleSource({
      subject: 'Hello',
      from: { name: 'Blåbær', email: 'post@blåbær.example' },
      reply_to: 'svar@blåbær.example',
    });
    const message = renderOne(source, recipientWith({}, 'åse@چای.example'));
    const parsed = await PostalMime.parse(message);
    expect(parsed.from).toEqual({ name: 'Blåbær', address: 'post@xn--blbr-roah.example' });
    expect(parsed.replyTo?.[0]?.address).toBe('svar@xn--blbr-roah.example');
    const { headers } = strictParts(message);
    expect(headers.get('to')).toBe('<åse@xn--mgb3qph.example>');
    expect(headers.get('message-id')).toMatch(/@xn--blbr-roah\.example>$/);
    expect(headers.get('list-id')).toMatch(/<a7\.xn--blbr-roah\.example>$/);
  });

  it('unsubscribes by https alone where no mailbox takes it', () => {
    const source = sampleSource({ unsubscribe_mailbox: '' });
    const { headers } = strictParts(renderOne(source, recipientWith({})));
    expect(headers.get('list-unsubscribe')).toBe(`<https://mail.example/u/${token}>`);
    expect(headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
  });

  it('writes the headers that mailbox providers ask for', async () => {
    const message = renderOne(sampleSource(), recipientWith({ firstname: 'Ada' }));
    const { headers } = strictParts(message);
    expect(Object.fromEntries(headers)).toMatchObject({
      date: 'Thu, 05 Mar 2026 14:07:09 +0000',
      'message-id': `<${tokens.make(facts, 'messageId')}@tea.example>`,
      from: 'Nordic Tea <news@tea.example>',
      to: '<ada@example.com>',
      'reply-to': '<hello@tea.example>',
      subject: 'Hello Ada',
      'list-unsubscribe': `<https://mail.example/u/${token}>, <mailto:unsubscribe@tea.example?subject=unsubscribe%20${token}>`,
      'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
      'list-id': 'Nordic Tea <a7.tea.example>',
      precedence: 'bulk',
      'mime-version': '1.0',
      'feedback-id': 'm42:a7:marketing:sendloom',
    });
    const single = renderOne(sampleSource({ kind: 'transactional' }), recipientWith({}));
    expect(
      [...strictParts(single).headers.keys()].filter((name) =>
        /^(list|precedence|auto)/.test(name),
      ),
    ).toEqual([]);
  });

  it('turns every link into a redirect of its own and counts opens', async () => {
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
    const parsed = await PostalMime.parse(renderWhole(compiled, recipientWith(values), now));
    const track = `https://mail.example/t/c/${token}`;
    expect(parsed.html).toContain(`<a href="${track}/0">A</a> <a href='${track}/1'>`);
    expect(parsed.html).toContain(`<v:roundrect href="${track}/2">`);
    expect(parsed.html).toContain('<!-- <a href="https://tea.example/comment">no</a> -->');
    expect(parsed.html).toContain(
      `<a href=${track}/3>C</a><a href="https://a%20b.example/">own</a><a href="#">site</a>`,
    );
    expect(parsed.html).toContain('<link href="https://css.example/x.css">');
    expect(parsed.html).toContain(
      `<img src="https://mail.example/t/o/${token}.gif" width="1" height="1"`,
    );
    expect(parsed.text).toContain(`See ${track}/4. And (${track}/5), ok`);
  });

  it('adds what the law asks for, and only what is missing', () => {
    const bare = strictParts(
      renderOne(sampleSource({ html: '<p>x</p>' }), recipientWith({})),
    ).bodies;
    for (const body of bare) {
      expect(body).toContain(`https://mail.example/u/${token}`);
      expect(body).toContain('Nordic Tea, Storgata 1, 0155 Oslo, Norway');
    }
    const html =
      '<p>x</p><p>STORGATA  1</p><a href="{{unsubscribe_link}}">{{unsubscribe_text}}</a>';
    const own = renderOne(sampleSource({ html, is_tracked: false }), recipientWith({}));
    expect(strictParts(own).bodies[1]).toBe(
      `<p>x</p><p>STORGATA  1</p><a href="https://mail.example/u/${token}">Unsubscribe</a>`,
    );
    expect(strictParts(own).bodies[0]).toContain(`Unsubscribe (https://mail.example/u/${token})`);
    const single = renderOne(
      sampleSource({ kind: 'transactional', html: '<p>x</p>', is_tracked: false }),
      recipientWith({}),
    );
    expect(strictParts(single).bodies[1]).toBe('<p>x</p>');
  });

  it('keeps pasted HTML as it is', () => {
    const html = [
      '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">',
      '<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style>.a{color:red}@media (max-width:600px){.b{x:y}}</style>',
      '<!--[if gte mso 9]><xml><o:OfficeDocumentSettings></o:OfficeDocumentSettings></xml><![endif]--></head>',
      '<BODY bgcolor=#fff><table><tr><td>broken <b>tags</td></table>\t  spaces   kept <!-- {{ not a tag }} -->',
      '<a name="x">no link</a> < 3 & more &nbsp;<br/>',
    ].join('\n');
    const source = sampleSource({ html, kind: 'transactional', is_tracked: false });
    expect(strictParts(renderOne(source, recipientWith({}))).bodies[1]).toBe(transported(html));
    const added = strictParts(
      renderOne(sampleSource({ html, preheader: 'Peek <1>' }), recipientWith({})),
    ).bodies[1];
    const [before, rest] = (added ?? '').split('<BODY bgcolor=#fff>');
    expect(before).toBe(transported(html).split('<BODY')[0]);
    expect(rest).toMatch(
      /^<div style="display:none[^>]+>Peek &lt;1&gt;(&#8199;&#847;)+<\/div><table>/,
    );
    expect(rest).toContain(transported(html).split('#fff>')[1]);
  });

  it('refuses content with errors, naming each with its place', () => {
    const html =
      '<p>\n  {{ firstname | nope }}</p><script>x</script><a href="javascript:x()">x</a><style>a{ {{x}} }</style>';
    expect(() => compileMessage(sampleSource({ html }))).toThrow(ContentError);
    try {
      compileMessage(sampleSource({ html }));
    } catch (error) {
      const found = (error as ContentError).findings.map((one) => [one.code, one.line, one.column]);
      expect(found).toEqual(
        expect.arrayContaining([
          ['tag_filter_unknown', 2, 3],
          ['script', 2, 29],
          ['link_dangerous', 2, 56],
          ['tag_in_style', 2, 87],
        ]),
      );
    }
  });

  it('adds campaign parameters to links that have none', () => {
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

  it('adds them where clicks are not measured, and to what is around a fallback', () => {
    const html =
      '<p>{{unsubscribe_link}} Storgata 1</p><a href="https://a.example/{{ firstname | default: "who? #1" }}?x=1&amp;y=2#top">a</a>' +
      '<a href="https://b.example/?utm_campaign=own">b</a>';
    const source = sampleSource({ html, text: null, utm_campaign: 'Spring' });
    const [one, two] = compileMessage(source).links.map((link) => link.url);
    const parameters = 'utm_source=newsletter&utm_medium=email';
    expect(one).toBe(
      `https://a.example/{{ firstname | default: "who? #1" }}?x=1&y=2&${parameters}&utm_campaign=Spring#top`,
    );
    expect(two).toBe(`https://b.example/?utm_campaign=own&${parameters}`);
    const unmeasured = { ...source, measures_clicks: false };
    expect(compileMessage(unmeasured).links).toEqual([]);
    const mail = readParts(renderWhole(compileMessage(unmeasured), recipientWith({}), now));
    expect(mail.html).toContain(
      `href="https://a.example/who%3F%20%231?x=1&amp;y=2&amp;utm_source=newsletter&amp;utm_medium=email&amp;utm_campaign=Spring#top"`,
    );
    expect(mail.text).toContain(`https://b.example/?utm_campaign=own&${parameters}`);
  });

  it('writes values into unmeasured addresses of plain text as they stand in addresses', () => {
    const text =
      'Dear {{firstname}}: https://shop.example/?n={{ firstname }}&x=1, or {{firstname}}';
    const unmeasured = { ...sampleSource({ text }), measures_clicks: false };
    const reader = recipientWith({ firstname: 'Ada & Co #1' });
    for (const source of [unmeasured, sampleSource({ text, is_tracked: false })]) {
      const mail = readParts(renderOne(source, reader));
      expect(mail.text).toContain(
        'Dear Ada & Co #1: https://shop.example/?n=Ada%20%26%20Co%20%231&x=1, or Ada & Co #1',
      );
    }
  });

  it('names a picture by its words where nobody sees it', () => {
    const html =
      '<a href="https://tea.example/new"><img src="https://i.example/x.png" alt="New {{firstname}} teas"></a><img src="x" alt="">';
    const source = sampleSource({ html, is_tracked: false });
    const mail = readParts(renderOne(source, recipientWith({ firstname: 'green' })));
    expect(mail.text).toContain('New green teas (https://tea.example/new)');
  });

  it('lets no value of somebody begin an attribute', () => {
    const firstname = 'https://x onclick=alert(1) style=a/b';
    const html =
      '<td width={{firstname}} title="{{firstname}}">x</td><a href={{firstname}}>y</a><img src={{firstname}} alt=z>';
    const mail = renderWhole(
      compileMessage(sampleSource({ html })),
      recipientWith({ firstname }),
      now,
    );
    const names = [...scanHtml(readParts(mail).html ?? '')].map((token) =>
      token.type === 'open' ? token.attributes.map(({ name }) => name) : [],
    );
    expect(names.flat()).toEqual(expect.arrayContaining(['width', 'title', 'href', 'src', 'alt']));
    expect(names.flat()).not.toContain('onclick');
    const open = sampleSource({
      html: '<p>a</p><table {{firstname}}><tr {{firstname}}="x"></tr></table>',
    });
    expect(checkContent(open).filter(({ code }) => code === 'tag_not_here')).toHaveLength(2);
  });

  it('says that the buffer is too small instead of writing past it', () => {
    const compiled = compileMessage(sampleSource());
    const recipient = recipientWith({ firstname: 'x'.repeat(5000) });
    const moment = momentOf(now, 'en');
    const whole = renderWhole(compiled, recipient, now);
    const buffer = Buffer.alloc(whole.length * 12, 0);
    expect(render(compiled, recipient, moment, buffer, 100)).toBe(whole.length + 100);
    expect(buffer.subarray(100, whole.length + 100).equals(whole)).toBe(true);
    const most = mostBytes(compiled, textsFor(compiled, recipient, moment));
    expect(most).toBeGreaterThanOrEqual(whole.length);
    expect(render(compiled, recipient, moment, Buffer.alloc(most), 0)).toBe(whole.length);
    for (let size = 0; size < whole.length; size += 97) {
      expect(render(compiled, recipient, moment, Buffer.alloc(size), 0)).toBe(-1);
    }
  });

  it('gives the same bytes whenever it is compiled from the same source', () => {
    const source = JSON.parse(JSON.stringify(sampleSource())) as MessageSource;
    const hashes = [sampleSource(), source].map((one) =>
      createHash('sha256')
        .update(renderOne(one, recipientWith({ firstname: 'Ada' })))
        .digest('hex'),
    );
    expect(hashes[0]).toBe(hashes[1]);
  });
});
