// Transfer encoding of a message part: none if every line allows it, otherwise quoted-printable, or
// base64 if that is much smaller (non-Latin scripts). It is chosen once for all recipients, from
// the content that they share.
import { TOKEN_LENGTH } from '#areas/tracking/server/index.ts';
import type { MessagePart } from '../html/instrumenting.ts';

export type BodyEncoding = '7bit' | 'quoted-printable' | 'base64';

/** RFC 5322 allows 998 characters. */
const MAX_LINE = 900;
const ANY_TOKEN = 't'.repeat(TOKEN_LENGTH);
/**
 * Quoted-printable is rendered in place, but base64 is encoded separately for each recipient. So
 * base64 is chosen only if its size is below this fraction of the size in quoted-printable.
 */
const MAX_BASE64_SHARE = 0.85;

export function selectEncoding(parts: readonly MessagePart[]): BodyEncoding {
  if (isPlain(parts)) return '7bit';
  let quotedLength = 0;
  let bytes = 0;
  for (const part of parts) {
    if (typeof part === 'string') {
      const size = measureSizes(part);
      quotedLength += size.quotedLength;
      bytes += size.bytes;
    } else if ('token' in part) {
      quotedLength += TOKEN_LENGTH;
      bytes += TOKEN_LENGTH;
    }
  }
  return computeBase64Length(bytes) < ((quotedLength * 78) / 75) * MAX_BASE64_SHARE
    ? 'base64'
    : 'quoted-printable';
}

/**
 * Returns true if no line needs encoding: the content is ASCII, contains no recipient values except
 * tokens, has no line that could be mistaken for a boundary, and nothing that relays, mailbox files
 * or DKIM canonicalization change.
 */
function isPlain(parts: readonly MessagePart[]): boolean {
  let text = '';
  let line = 0;
  for (const part of parts) {
    if (typeof part !== 'string' && !('token' in part)) return false;
    const content = typeof part === 'string' ? part : ANY_TOKEN;
    const lineBreak = Math.max(content.lastIndexOf('\n'), content.lastIndexOf('\r'));
    line = lineBreak === -1 ? line + content.length : content.length - lineBreak - 1;
    // Large HTML is often a single line; then the rest need not be examined.
    if (line > MAX_LINE) return false;
    text += content;
  }
  if (/[^\x20-\x7e\r\n]| {2}| [\r\n]|=_/.test(text) || text.endsWith(' ')) return false;
  return text
    .split(/\r\n|\r|\n/)
    .every((line) => line.length <= MAX_LINE && !/^(?:\.|From )/.test(line));
}

/**
 * Measures the size in UTF-8 and the approximate size in quoted-printable without soft line breaks.
 */
function measureSizes(text: string): { quotedLength: number; bytes: number } {
  let quotedLength = 0;
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const width = code < 0x80 ? 1 : code < 0x800 ? 2 : code >= 0xd800 && code < 0xe000 ? 2 : 3;
    const isQuoted = width > 1 || code === 61 || (code === 32 && text.charCodeAt(i - 1) === 32);
    bytes += width;
    quotedLength += isQuoted ? width * 3 : 1;
  }
  return { quotedLength, bytes };
}

const LINE_BYTES = 57;
const LINE_LENGTH = 76;

/** Returns the size in base64 with line breaks. */
export function computeBase64Length(bytes: number): number {
  const remainder = bytes % LINE_BYTES;
  const lines = Math.floor(bytes / LINE_BYTES) * (LINE_LENGTH + 2);
  return remainder === 0 ? lines : lines + Math.ceil(remainder / 3) * 4 + 2;
}

const CR = 13;
const LF = 10;

/**
 * Writes the first `length` bytes as base64 in lines of 76 characters;
 * `computeBase64Length(length)` bytes must be available. Returns the end position. The base64 is
 * first written to the end of the available space; then each line is moved to its final position.
 */
export function writeBase64(into: Buffer, from: number, bytes: Buffer, length: number): number {
  const digits = bytes.toString('base64', 0, length);
  let source = from + computeBase64Length(length) - digits.length;
  const end = source + into.write(digits, source, 'latin1');
  let position = from;
  while (source < end) {
    const width = Math.min(LINE_LENGTH, end - source);
    into.copyWithin(position, source, source + width);
    source += width;
    position += width;
    into[position] = CR;
    into[position + 1] = LF;
    position += 2;
  }
  return position;
}
