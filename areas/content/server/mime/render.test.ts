// Two independent parsers read rendered messages: postal-mime, and a strict reading of the RFCs.
// For any values, they return exactly these values, and the message needs neither dot-stuffing nor
// canonicalization.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import PostalMime from 'postal-mime';
import { describe, expect, it } from 'vitest';
import {
  escapeHtml,
  expectStrict,
  testCopy,
  hostile,
  now,
  createRecipient,
  renderOne,
  readStrictParts,
  readStrictSubject,
  token,
  tokens,
  toTransportText,
} from '#testing/oracles/strict-email.ts';
import { compileMessage } from './compile-message.ts';
import { ContentError, type MessageSource } from '../personalization/message-source.ts';
import { readParts, renderWhole } from '../preview.ts';
import { createRenderMoment, computeMaxBytes, render, renderTexts } from './render.ts';
import { sampleSource } from '../sample-source.ts';

describe('the renderer', () => {
  it('renders any value so that both parsers return it', async () => {
    const source = sampleSource({
      subject: 'Hi {{firstname}}, {{ lastname }}',
      html: '<p title="{{lastname}}">\n  Dear {{firstname}}.\n{{lastname}}</p>{{unsubscribe_link}} {{postal_address}}',
      text: 'Dear {{firstname}}\n.{{lastname}}\n\n{{unsubscribe_link}} {{postal_address}} end',
      is_tracked: false,
    });
    const compiled = compileMessage(source);
    await fc.assert(
      fc.asyncProperty(hostile, hostile, async (first, last) => {
        const [firstname, lastname] = [toTransportText(first), toTransportText(last)];
        const message = renderWhole(
          compiled,
          createRecipient({ firstname: first, lastname: last }),
          now,
        );
        expectStrict(message);
        const ending = `https://mail.example/u/${token} Storgata 1, 0155 Oslo, Norway`;
        const text = toTransportText(`Dear ${firstname}\n.${lastname}\n\n${ending} end`);
        const html = toTransportText(
          `<p title="${escapeHtml(lastname)}">\n  Dear ${escapeHtml(firstname)}.\n${escapeHtml(lastname)}</p>${ending}`,
        );
        const strict = readStrictParts(message);
        expect(strict.bodies).toEqual([text, html]);
        const subject = `Hi ${first}, ${last}`
          .toWellFormed()
          .replace(/[\r\n\t\u0085\u2028\u2029]+/g, ' ')
          .replace(/[\u0000-\u001f\u007f]/g, '')
          .trim();
        expect(readStrictSubject(strict.headers.get('subject') ?? '')).toBe(subject);
        expect([...strict.headers.keys()]).not.toContain('bcc');

        const email = await PostalMime.parse(message);
        const normalizeEnd = (value = '') => value.replace(/\r\n?/g, '\n').replace(/\n$/, '');
        expect(normalizeEnd(email.text)).toBe(normalizeEnd(text));
        expect(normalizeEnd(email.html)).toBe(normalizeEnd(html));
        expect(email.to).toEqual([{ address: 'ada@example.com', name: '' }]);
      }),
      { numRuns: 150 },
    );
  });

  it('encodes non-Latin text with any values in base64', async () => {
    const sentence = 'برگ‌های تازه از کوهستان رسیده است. ';
    const source = sampleSource({
      html: `<p title="{{lastname}}">${sentence.repeat(9)}{{firstname}}</p>\n${sentence}{{unsubscribe_link}} {{postal_address}}`,
      text: `{{firstname}}\n.${sentence.repeat(3)}{{lastname}}\r\n{{unsubscribe_link}} {{postal_address}} end`,
      is_tracked: false,
    });
    const compiled = compileMessage(source);
    await fc.assert(
      fc.asyncProperty(hostile, hostile, async (first, last) => {
        const [firstname, lastname] = [toTransportText(first), toTransportText(last)];
        const recipient = createRecipient({ firstname: first, lastname: last });
        const message = renderWhole(compiled, recipient, now);
        expectStrict(message);
        expect(message.toString('latin1').match(/Encoding: base64/g)).toHaveLength(2);
        const renderedTexts = renderTexts(compiled, recipient, createRenderMoment(now, 'fa'));
        expect(message.length).toBeLessThanOrEqual(computeMaxBytes(compiled, renderedTexts));
        const ending = `https://mail.example/u/${token} Storgata 1, 0155 Oslo, Norway`;
        const text = toTransportText(
          `${firstname}\n.${sentence.repeat(3)}${lastname}\r\n${ending} end`,
        );
        const html = toTransportText(
          `<p title="${escapeHtml(lastname)}">${sentence.repeat(9)}${escapeHtml(firstname)}</p>\n${sentence}${ending}`,
        );
        expect(readStrictParts(message).bodies).toEqual([text, html]);
        expect(readParts(message)).toEqual({ text, html });
        const email = await PostalMime.parse(message);
        const normalizeEnd = (value = '') => value.replace(/\r\n?/g, '\n').replace(/\n$/, '');
        expect(normalizeEnd(email.html)).toBe(normalizeEnd(html));
      }),
      { numRuns: 100 },
    );
  });

  it('chooses the smallest safe encoding for each part', () => {
    const encodings = (changes: Partial<MessageSource>) => {
      const source = sampleSource({ is_tracked: false, kind: 'transactional', ...changes });
      const message = renderOne(source, createRecipient({})).toString('latin1');
      return [...message.matchAll(/Content-Transfer-Encoding: (\S+)/g)].map(
        ([, encoding]) => encoding,
      );
    };
    const encodingsOf = (text: string) => encodings({ html: null, text });
    expect(encodingsOf('Fresh leaves = spring.\nCome in.')).toEqual(['7bit']);
    expect(encodingsOf('a'.repeat(900))).toEqual(['7bit']);
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
      expect([unfit, encodingsOf(unfit)]).toEqual([unfit, ['quoted-printable']]);
    }
    expect(encodingsOf('سلام بهار')).toEqual(['base64']);
    expect(encodingsOf('春の新茶が届きました')).toEqual(['base64']);
    // Markup with few other characters is quoted-printable, so its source remains readable.
    const html = `<table width="600" align="center"><tr><td style="padding:0"><p>Blåbær</p></td></tr></table>`;
    expect(encodings({ html, text: 'Only ASCII.' })).toEqual(['7bit', 'quoted-printable']);
  });

  it('preserves any text of the author or reports content errors', async () => {
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
          message = renderOne(source, createRecipient({}));
        } catch (error) {
          expect(error).toBeInstanceOf(ContentError);
          return;
        }
        expectStrict(message);
        const email = await PostalMime.parse(message);
        const strict = readStrictParts(message);
        const expectedText = toTransportText(
          `t${text}`
            .replace(/[\ufdd0\ufdd1\0]/g, '\ufffd')
            .replace(/\r\n?/g, '\n')
            .trimEnd(),
        );
        if (!/\{\{|\{\$/.test(text)) {
          expect(strict.bodies[0]?.replace(/\r\n$/, '')).toBe(expectedText);
        }
        expect(email.from?.address).toBe('news@tea.example');
        expect(strict.headers.get('from')).toMatch(/<news@tea\.example>$/);
      }),
      { numRuns: 150 },
    );
  });

  it('confines addresses and names to their header field', async () => {
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
        const message = renderOne(source, createRecipient({}, `a${local}@example.com`));
        expectStrict(message);
        const { headers } = readStrictParts(message);
        expect([...headers.keys()]).toEqual(fields);
        expect(headers.get('list-id')).toMatch(/<a7\.tea\.example>$/);
        expect(headers.get('list-unsubscribe')).toMatch(/^<https:[^<>\s]+>,\s*<mailto:[^<>\s]+>$/);
        const email = await PostalMime.parse(message);
        expect(email.headers.map(({ key }) => key)).toEqual(fields);
        expect(email.from?.address).toBe('news@tea.example');
      }),
      { numRuns: 150 },
    );
  });

  it('writes internationalized domains in ASCII and local parts unchanged', async () => {
    const source = sampleSource({
      subject: 'Hello',
      from: { name: 'Blåbær', email: 'post@blåbær.example' },
      reply_to: 'svar@blåbær.example',
    });
    const message = renderOne(source, createRecipient({}, 'åse@چای.example'));
    const email = await PostalMime.parse(message);
    expect(email.from).toEqual({ name: 'Blåbær', address: 'post@xn--blbr-roah.example' });
    expect(email.replyTo?.[0]?.address).toBe('svar@xn--blbr-roah.example');
    const { headers } = readStrictParts(message);
    expect(headers.get('to')).toBe('<åse@xn--mgb3qph.example>');
    expect(headers.get('message-id')).toMatch(/@xn--blbr-roah\.example>$/);
    expect(headers.get('list-id')).toMatch(/<a7\.xn--blbr-roah\.example>$/);
  });

  it('offers unsubscribing only by https if there is no mailbox', () => {
    const source = sampleSource({ unsubscribe_mailbox: '' });
    const { headers } = readStrictParts(renderOne(source, createRecipient({})));
    expect(headers.get('list-unsubscribe')).toBe(`<https://mail.example/u/${token}>`);
    expect(headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
  });

  it('writes the headers that mailbox providers require, and list headers only for marketing', async () => {
    const message = renderOne(sampleSource(), createRecipient({ firstname: 'Ada' }));
    const { headers } = readStrictParts(message);
    expect(Object.fromEntries(headers)).toMatchObject({
      date: 'Thu, 05 Mar 2026 14:07:09 +0000',
      'message-id': `<${tokens.make(testCopy, 'messageId')}@tea.example>`,
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
    const single = renderOne(sampleSource({ kind: 'transactional' }), createRecipient({}));
    expect(
      [...readStrictParts(single).headers.keys()].filter((name) =>
        /^(list|precedence|auto)/.test(name),
      ),
    ).toEqual([]);
  });

  it('reports that a buffer is too small instead of writing past its end', () => {
    const compiled = compileMessage(sampleSource());
    const recipient = createRecipient({ firstname: 'x'.repeat(5000) });
    const moment = createRenderMoment(now, 'en');
    const fullMessage = renderWhole(compiled, recipient, now);
    const buffer = Buffer.alloc(fullMessage.length * 12, 0);
    expect(render(compiled, recipient, moment, buffer, 100)).toBe(fullMessage.length + 100);
    expect(buffer.subarray(100, fullMessage.length + 100).equals(fullMessage)).toBe(true);
    const maxSize = computeMaxBytes(compiled, renderTexts(compiled, recipient, moment));
    expect(maxSize).toBeGreaterThanOrEqual(fullMessage.length);
    expect(render(compiled, recipient, moment, Buffer.alloc(maxSize), 0)).toBe(fullMessage.length);
    for (let size = 0; size < fullMessage.length; size += 97) {
      expect(render(compiled, recipient, moment, Buffer.alloc(size), 0)).toBe(-1);
    }
  });

  it('produces the same bytes for the same source', () => {
    const source = JSON.parse(JSON.stringify(sampleSource())) as MessageSource;
    const hashes = [sampleSource(), source].map((messageSource) =>
      createHash('sha256')
        .update(renderOne(messageSource, createRecipient({ firstname: 'Ada' })))
        .digest('hex'),
    );
    expect(hashes[0]).toBe(hashes[1]);
  });
});
