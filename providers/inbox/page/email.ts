// Parses a message for display and makes its HTML safe to show in an opaque origin without scripts,
// forms or plug-ins. Images load, including the open pixel, as in a real mailbox.
import PostalMime, { type Email } from 'postal-mime';

export interface ParsedEmail {
  readonly html: string;
  readonly text: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly attachments: readonly EmailAttachment[];
}

export interface EmailAttachment {
  readonly name: string;
  readonly type: string;
  readonly content: Buffer;
  /** Content-ID without angle brackets; empty if it has none. */
  readonly contentId: string;
}

export const HTML_POLICY = [
  "default-src 'none'",
  'img-src http: https: data:',
  'media-src http: https: data:',
  "style-src 'unsafe-inline' http: https:",
  'font-src http: https: data:',
  "frame-ancestors 'self'",
  'sandbox allow-popups allow-popups-to-escape-sandbox',
].join('; ');

const MAX_INLINE_BYTES = 5_000_000;

export async function parseEmail(source: Buffer): Promise<ParsedEmail> {
  const email = await PostalMime.parse(source, { attachmentEncoding: 'arraybuffer' });
  return {
    html: email.html ?? '',
    text: email.text ?? '',
    headers: rawHeaders(source),
    attachments: email.attachments.map(attachmentOf),
  };
}

/**
 * Returns the document for the sandboxed frame. Links open outside the frame, and cid: images are
 * embedded.
 */
export function htmlDocument(email: ParsedEmail): string {
  const base = '<base target="_blank">';
  const withBase = /<head[^<>]*>/i.test(email.html)
    ? email.html.replace(/<head[^<>]*>/i, (head) => head + base)
    : base + email.html;
  return withBase.replace(/\bcid:([^"'\s)>]+)/gi, (match, id: string) => {
    const image = email.attachments.find((attachment) => attachment.contentId === decodeUri(id));
    return image && image.content.length <= MAX_INLINE_BYTES
      ? `data:${image.type};base64,${image.content.toString('base64')}`
      : match;
  });
}

function attachmentOf(attachment: Email['attachments'][number], offset: number): EmailAttachment {
  const { content } = attachment;
  return {
    name: attachment.filename ?? `${offset + 1}`,
    type: /^[\w.+-]+\/[\w.+-]+$/.test(attachment.mimeType)
      ? attachment.mimeType
      : 'application/octet-stream',
    content:
      typeof content === 'string' ? Buffer.from(content) : Buffer.from(new Uint8Array(content)),
    contentId: (attachment.contentId ?? '').replace(/^<|>$/g, ''),
  };
}

// Returns the headers in the order of the source, unfolded.
function rawHeaders(source: Buffer): { name: string; value: string }[] {
  const end = source.indexOf('\r\n\r\n');
  const head = source.toString('utf8', 0, end < 0 ? source.length : end);
  return head
    .replace(/\r?\n(?=[ \t])/g, '')
    .split(/\r?\n/)
    .filter((line) => line.includes(':'))
    .map((line) => ({
      name: line.slice(0, line.indexOf(':')),
      value: line.slice(line.indexOf(':') + 1).trim(),
    }));
}

function decodeUri(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
