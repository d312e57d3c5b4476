// Previews: the message rendered by the same renderer as sent ones, decoded from its bytes. Links
// are direct, and nothing is tracked.
import { TOKEN_LENGTH } from '#areas/tracking/server/index.ts';
import { computeSentSize } from './checks/check-content.ts';
import { type CompiledMessage, compileNew } from './mime/compile-message.ts';
import type { MergeValues } from './personalization/merge-tags.ts';
import type { MessageSource } from './personalization/message-source.ts';
import { decodeQuotedPrintable } from './mime/quoted-printable.ts';
import { createRenderMoment, type MessageRecipient, render } from './mime/render.ts';

/** Token in links of a preview; installations never issue it. */
export const PREVIEW_TOKEN = 'preview'.padEnd(TOKEN_LENGTH, '-');

export type MessagePreview = {
  subject: string;
  preheader: string;
  html: string | null;
  text: string;
  size: number;
};

/**
 * Renders HTML and text for one subscriber; `size` is the size of the sent HTML in bytes, as in the
 * checks.
 */
export function previewMessage(
  source: MessageSource,
  values: MergeValues,
  now: Date,
): MessagePreview {
  const compiled = compileNew({ ...source, is_tracked: false });
  const email = typeof values.email === 'string' ? values.email : '';
  const recipient = { email, token: PREVIEW_TOKEN, message_token: PREVIEW_TOKEN, values };
  const bodyParts = readParts(renderWhole(compiled, recipient, now));
  const html = bodyParts.html ?? null;
  return {
    subject: compiled.lines.subject.render(values, createRenderMoment(now, compiled.locale)),
    preheader: compiled.lines.preheader.render(values, createRenderMoment(now, compiled.locale)),
    html,
    text: bodyParts.text,
    size: html === null ? 0 : computeSentSize(source),
  };
}

/** Renders one message into a new buffer: for single emails, where speed does not matter. */
export function renderWhole(
  compiled: CompiledMessage,
  recipient: MessageRecipient,
  now: Date,
): Buffer {
  const moment = createRenderMoment(now, compiled.locale);
  for (let size = compiled.size * 2 + 8192; ; size *= 2) {
    const buffer = Buffer.allocUnsafe(size);
    const end = render(compiled, recipient, moment, buffer, 0);
    if (end !== -1) return buffer.subarray(0, end);
  }
}

/** Decodes the parts of a message of this renderer (used by the web version). */
export function readParts(message: Buffer): { html: string | undefined; text: string } {
  const headerEnd = message.indexOf('\r\n\r\n');
  const header = message.toString('latin1', 0, headerEnd + 2);
  const boundary = /boundary="([^"]+)"/.exec(header)?.[1];
  if (boundary !== undefined && header.includes('multipart/mixed')) {
    return readParts(readFirstPart(message, headerEnd, boundary));
  }
  if (boundary === undefined) {
    return {
      html: undefined,
      text: trimLastBreak(decode(header, message.subarray(headerEnd + 4))),
    };
  }
  const separator = `\r\n--${boundary}`;
  const textStart = message.indexOf('\r\n\r\n', headerEnd + 4) + 4;
  const textEnd = message.indexOf(separator, textStart);
  const htmlStart = message.indexOf('\r\n\r\n', textEnd) + 4;
  const htmlEnd = message.indexOf(separator, htmlStart);
  const readFields = (from: number, to: number) => message.toString('latin1', from, to);
  return {
    text: decode(readFields(headerEnd, textStart), message.subarray(textStart, textEnd)),
    html: decode(readFields(textEnd, htmlStart), message.subarray(htmlStart, htmlEnd)),
  };
}

/** @param readFields header of the part, including its encoding */
function decode(readFields: string, body: Buffer): string {
  const encoding = /content-transfer-encoding: (\S+)/i.exec(readFields)?.[1];
  if (encoding === '7bit') return body.toString('utf8');
  if (encoding === 'base64') return Buffer.from(body.toString('latin1'), 'base64').toString('utf8');
  return decodeQuotedPrintable(body);
}

/** Returns the part with the body, which precedes all attachments. */
function readFirstPart(message: Buffer, headerEnd: number, boundary: string): Buffer {
  const opening = `--${boundary}\r\n`;
  const partStart = message.indexOf(opening, headerEnd) + opening.length;
  return message.subarray(partStart, message.indexOf(`\r\n--${boundary}`, partStart));
}

function trimLastBreak(text: string): string {
  return text.endsWith('\r\n') ? text.slice(0, -2) : text;
}
