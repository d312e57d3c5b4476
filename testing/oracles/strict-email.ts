// Renders an email for one subscriber and parses it strictly according to the RFCs.
import fc from 'fast-check';
import { expect } from 'vitest';
import { compileMessage } from '#areas/content/server/mime/compile-message.ts';
import { type MessageSource } from '#areas/content/server/personalization/message-source.ts';
import { renderWhole } from '#areas/content/server/preview.ts';
import { type MessageRecipient } from '#areas/content/server/mime/render.ts';
import { createTokens } from '#areas/tracking/server/index.ts';

export const now = new Date('2026-03-05T14:07:09Z');
export const tokens = createTokens('secret');
export const testCopy = { account: 7, message: 42, subscriber: 99, ordinal: 3 };
export const token = tokens.make(testCopy);

export function createRecipient(
  values: MessageRecipient['values'],
  email = 'ada@example.com',
): MessageRecipient {
  return { email, token, message_token: tokens.make(testCopy, 'messageId'), values };
}

export function renderOne(source: MessageSource, recipient: MessageRecipient): Buffer {
  return renderWhole(compileMessage(source), recipient, now);
}

/**
 * Expects header lines and line lengths as in RFC 5322, and a body that is in relaxed canonical
 * form and has no leading dots.
 */
export function expectStrict(message: Buffer): void {
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
  let max = isPlain ? 900 : 76;
  for (const line of lines.slice(bodyAt + 1)) {
    // The author determines the line lengths of an unencoded body.
    if (line.startsWith('Content-Transfer-Encoding: ')) max = line.endsWith('7bit') ? 900 : 76;
    expect(line.length).toBeLessThanOrEqual(max);
    expect(/^\.|^From |[ \t]$|[ \t]{2}|[^\x20-\x7e]/.test(line), JSON.stringify(line)).toBe(false);
  }
}

/** Decodes a whole body, or a part with its boundary, strictly by RFC 2045. */
function strictDecode(encoding: string | undefined, encodedText: string): string {
  if (encoding === '7bit') return encodedText;
  if (encoding === 'base64') {
    expect(encodedText).toMatch(/^(?:[A-Za-z0-9+/]{76}\r\n)*(?:[A-Za-z0-9+/]{1,76}={0,2}\r\n)?$/);
    const digits = encodedText.replaceAll('\r\n', '');
    expect(digits.length % 4).toBe(0);
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      Buffer.from(digits, 'base64'),
    );
  }
  expect(encoding).toBe('quoted-printable');
  const bytes: number[] = [];
  for (let i = 0; i < encodedText.length; i++) {
    if (encodedText[i] !== '=') bytes.push(encodedText.charCodeAt(i));
    else if (encodedText.startsWith('\r\n', i + 1)) i += 2;
    else {
      expect(encodedText.slice(i + 1, i + 3)).toMatch(/^[0-9A-F]{2}$/);
      bytes.push(Number.parseInt(encodedText.slice(i + 1, i + 3), 16));
      i += 2;
    }
  }
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
}

export function readStrictParts(message: Buffer): {
  headers: Map<string, string>;
  bodies: string[];
} {
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
  const sections = `\r\n${body}`.split(`\r\n--${boundary}`);
  expect(sections.at(-1)).toBe('--\r\n');
  return {
    headers,
    bodies: sections.slice(1, -1).map((section) => {
      const bodyStart = section.indexOf('\r\n\r\n') + 4;
      const encoding = /^content-transfer-encoding: (\S+)$/im.exec(
        section.slice(0, bodyStart),
      )?.[1];
      return strictDecode(encoding, section.slice(bodyStart));
    }),
  };
}

export function readStrictSubject(value: string): string {
  const unfoldedValue = value.replace(/\?=\s+=\?/g, '?==?');
  return unfoldedValue.replace(/=\?utf-8\?B\?([A-Za-z0-9+/=]*)\?=/g, (_, base64: string) =>
    new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      Buffer.from(base64, 'base64'),
    ),
  );
}

export const hostile = fc.oneof(
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

/** Returns the text after a correct transport: well-formed, with CRLF line ends. */
export function toTransportText(text: string): string {
  return text.toWellFormed().replace(/\r\n|\r|\n/g, '\r\n');
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
