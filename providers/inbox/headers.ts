// Parses sender and subject from a message's header; runs for every arriving message, so it must be
// fast.
import { decodeWords } from 'postal-mime';

/** Header bytes beyond this are ignored. */
const MAX_HEADER_BYTES = 64 * 1024;

export function fromAndSubject(message: Buffer): { from: string; subject: string } {
  const end = message.indexOf('\r\n\r\n');
  const header = message.toString(
    'utf8',
    0,
    Math.min(end < 0 ? message.length : end, MAX_HEADER_BYTES),
  );
  return { from: field(header, 'from'), subject: field(header, 'subject') };
}

const PATTERNS = {
  from: /^from:[ \t]*(.*(?:\r?\n[ \t].*)*)/im,
  subject: /^subject:[ \t]*(.*(?:\r?\n[ \t].*)*)/im,
};

function field(header: string, name: keyof typeof PATTERNS): string {
  const raw = PATTERNS[name].exec(header)?.[1] ?? '';
  const unfoldedHeader = raw.includes('\n') ? raw.replace(/\r?\n[ \t]/g, ' ') : raw;
  const decodedHeader = unfoldedHeader.includes('=?')
    ? decodeWords(unfoldedHeader)
    : unfoldedHeader;
  return decodedHeader.trim();
}
