// Previews show the email as it is sent, but without tracking.
import { describe, expect, it } from 'vitest';
import { CLIP_BYTES } from '../shared.ts';
import { checkContent } from './checks/check-content.ts';
import { compileMessage } from './mime/compile-message.ts';
import { PREVIEW_TOKEN, previewMessage, readParts, renderWhole } from './preview.ts';
import { sampleSource } from './sample-source.ts';

const now = new Date('2026-03-05T14:07:09Z');

describe('a preview', () => {
  it('shows the message for one subscriber, with direct instead of tracked links', () => {
    const html =
      '<body><p>Hei {{ firstname }} é</p><a href="https://tea.example/?n={{firstname}}">x</a></body>';
    const preview = previewMessage(
      sampleSource({ html, preheader: 'Til {{firstname}}' }),
      { firstname: '<Ada>' },
      now,
    );
    expect(preview.subject).toBe('Hello <Ada>');
    expect(preview.preheader).toBe('Til <Ada>');
    expect(preview.html).toContain(
      '<p>Hei &lt;Ada&gt; é</p><a href="https://tea.example/?n=%3CAda%3E">x</a>',
    );
    expect(preview.html).toContain(`https://mail.example/u/${PREVIEW_TOKEN}`);
    expect(preview.html).not.toContain('/t/');
    expect(preview.text).toContain('Hei <Ada> é');
  });

  it('reports the size of the sent email with tracked links and pixel', () => {
    const links = Array.from(
      { length: 12 },
      (_, i) => `<a href="https://tea.example/${i}">é</a>\n`,
    );
    const size = (extra: number) => {
      const html = `<body>\r\n${links.join('')}<p>${'x'.repeat(extra)}</p></body>`;
      const source = sampleSource({ html, subject: 'Tea', is_tracked: false });
      const tokens = { token: PREVIEW_TOKEN, message_token: PREVIEW_TOKEN };
      const compiled = compileMessage({ ...source, is_tracked: true });
      const recipient = { email: 'a@b.example', ...tokens, values: {} };
      const sentHtml = readParts(renderWhole(compiled, recipient, now)).html ?? '';
      const preview = previewMessage(source, {}, now);
      expect(preview.size).toBe(Buffer.byteLength(sentHtml));
      expect(preview.size).toBeGreaterThan(Buffer.byteLength(preview.html ?? ''));
      const finding = checkContent(source).find(({ code }) => code === 'size_clipped');
      return [preview.size, finding?.values?.bytes];
    };
    const [small, noFinding] = size(0) as [number, undefined];
    expect(noFinding).toBeUndefined();
    expect(size(CLIP_BYTES - small)).toEqual([CLIP_BYTES, undefined]);
    expect(size(CLIP_BYTES - small + 1)).toEqual([CLIP_BYTES + 1, CLIP_BYTES + 1]);
  });

  it('fills the rest of an inbox’s preview line up to 1,200 px so that it shows no body text', () => {
    const { html } = previewMessage(
      sampleSource({ html: '<p>Body</p>', preheader: 'Short' }),
      {},
      now,
    );
    const filler = (html ?? '').slice(0, (html ?? '').indexOf('Body'));
    // A figure space is as wide as a digit: 0.556 em in Arial and Helvetica at 14 px.
    expect(filler.split('&#8199;').length * 0.556 * 14).toBeGreaterThanOrEqual(1_200);
    expect(filler).not.toMatch(/&nbsp;&nbsp;/);
    expect(filler.length).toBeLessThan(3_000);
  });

  it('declares its actual charset regardless of the pasted HTML', () => {
    const previewHead = (head: string) =>
      previewMessage(sampleSource({ html: `<head>${head}</head><p>é</p>` }), {}, now).html;
    for (const [written, right] of [
      ['<meta charset="iso-8859-1">', '<meta charset="utf-8">'],
      ['<meta charset=windows-1251 />', '<meta charset=utf-8 />'],
      [
        '<META http-equiv="Content-Type" content="text/html; charset=gb2312">',
        '<META http-equiv="Content-Type" content="text/html; charset=utf-8">',
      ],
    ] as const)
      expect(previewHead(written)).toContain(right);
    for (const fine of [
      '<meta charset="UTF-8">',
      '<meta http-equiv="Content-Type" content="text/html; charset=utf8">',
      '<meta name="viewport" content="width=device-width">',
    ])
      expect(previewHead(fine)).toContain(fine);
  });

  it('separates adjacent links in the text', () => {
    const html =
      '<p><a href="https://tea.example/a">New</a><a href="https://tea.example/(b)">Old</a>more</p>';
    const source = sampleSource({ html, text: null });
    expect(previewMessage(source, {}, now).text).toContain(
      'New (https://tea.example/a) Old (https://tea.example/(b)) more',
    );
    const links = compileMessage({ ...source, is_tracked: true }).links.map((link) => link.url);
    expect([...new Set(links)]).toEqual(['https://tea.example/a', 'https://tea.example/(b)']);
  });

  it('decodes the parts from the bytes that are sent', () => {
    const source = sampleSource({
      html: '<p>a\n.b  c</p>{{unsubscribe_link}} Storgata 1',
      text: 'x\n.y  z',
      kind: 'transactional',
      is_tracked: false,
    });
    const recipient = {
      email: 'a@b.example',
      token: PREVIEW_TOKEN,
      message_token: PREVIEW_TOKEN,
      values: {},
    };
    expect(readParts(renderWhole(compileMessage(source), recipient, now))).toEqual({
      html: `<p>a\r\n.b  c</p>https://mail.example/u/${PREVIEW_TOKEN} Storgata 1`,
      text: 'x\r\n.y  z',
    });
    const plainMessage = renderWhole(compileMessage({ ...source, html: null }), recipient, now);
    expect(readParts(plainMessage)).toEqual({ html: undefined, text: 'x\r\n.y  z' });
  });
});
