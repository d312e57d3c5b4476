// How a part of a message travels: as it is where every line is fit for that, in quoted-printable, or in base64 where
// that is smaller by far (writing that is not Latin). Chosen once for a message, by what is the same for everybody.
import { TOKEN_LENGTH } from '#areas/tracking/server/index.ts';
import type { Part } from './instrumenting.ts';

export type BodyEncoding = '7bit' | 'quoted-printable' | 'base64';

/** RFC 5322 allows 998 characters. */
const LINE_MOST = 900;
/** Quoted-printable is filled in place for each copy, base64 written anew: it must save a good part. */
const WORTH = 0.85;

export function encodingOf(parts: readonly Part[]): BodyEncoding {
  if (isPlain(parts)) return '7bit';
  let quoted = 0;
  let bytes = 0;
  for (const part of parts) {
    if (typeof part === 'string') {
      const size = sizesOf(part);
      quoted += size.quoted;
      bytes += size.bytes;
    } else if ('token' in part) {
      quoted += TOKEN_LENGTH;
      bytes += TOKEN_LENGTH;
    }
  }
  return inBase64(bytes) < ((quoted * 78) / 75) * WORTH ? 'base64' : 'quoted-printable';
}

/**
 * Every line stands as it is: letters of ASCII, nothing that relays, mailbox files or DKIM's canonical form change, and
 * nothing of a person. A line that could be a boundary is none of these.
 */
function isPlain(parts: readonly Part[]): boolean {
  let text = '';
  for (const part of parts) {
    if (typeof part === 'string') text += part;
    else if ('token' in part) text += 't'.repeat(TOKEN_LENGTH);
    else return false;
  }
  if (/[^\x20-\x7e\r\n]| {2}| [\r\n]|=_/.test(text) || text.endsWith(' ')) return false;
  return text
    .split(/\r\n|\r|\n/)
    .every((line) => line.length <= LINE_MOST && !/^(?:\.|From )/.test(line));
}

/** Bytes in UTF-8, and about as many as quoted-printable makes of them without its line breaks. */
function sizesOf(text: string): { quoted: number; bytes: number } {
  let quoted = 0;
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const width = code < 0x80 ? 1 : code < 0x800 ? 2 : code >= 0xd800 && code < 0xe000 ? 2 : 3;
    const isQuoted = width > 1 || code === 61 || (code === 32 && text.charCodeAt(i - 1) === 32);
    bytes += width;
    quoted += isQuoted ? width * 3 : 1;
  }
  return { quoted, bytes };
}

const LINE_BYTES = 57;
const LINE_LENGTH = 76;

/** What so many bytes become, with their line breaks. */
export function inBase64(bytes: number): number {
  const last = bytes % LINE_BYTES;
  const lines = Math.floor(bytes / LINE_BYTES) * (LINE_LENGTH + 2);
  return last === 0 ? lines : lines + Math.ceil(last / 3) * 4 + 2;
}

const CR = 13;
const LF = 10;

/**
 * Writes the first `length` bytes in lines of 76; there must be room for `inBase64(length)`. Returns where it ends.
 * All digits at once stand at the end of their room first, and each line moves forward to its place.
 */
export function writeBase64(into: Buffer, from: number, bytes: Buffer, length: number): number {
  const digits = bytes.toString('base64', 0, length);
  let source = from + inBase64(length) - digits.length;
  const end = source + into.write(digits, source, 'latin1');
  let at = from;
  while (source < end) {
    const width = Math.min(LINE_LENGTH, end - source);
    into.copyWithin(at, source, source + width);
    source += width;
    at += width;
    into[at] = CR;
    into[at + 1] = LF;
    at += 2;
  }
  return at;
}
