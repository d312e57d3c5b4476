// Sender and subject out of a message's header, quickly: it is done for every message that arrives.
import { decodeWords } from 'postal-mime';

/** Header lines beyond this are not looked at. */
const MOST_HEADER = 64 * 1024;

export function fromAndSubject(message: Buffer): { from: string; subject: string } {
  const end = message.indexOf('\r\n\r\n');
  const header = message.toString('utf8', 0, Math.min(end < 0 ? message.length : end, MOST_HEADER));
  return { from: field(header, 'from'), subject: field(header, 'subject') };
}

const PATTERNS = {
  from: /^from:[ \t]*(.*(?:\r?\n[ \t].*)*)/im,
  subject: /^subject:[ \t]*(.*(?:\r?\n[ \t].*)*)/im,
};

function field(header: string, name: keyof typeof PATTERNS): string {
  const raw = PATTERNS[name].exec(header)?.[1] ?? '';
  const unfolded = raw.includes('\n') ? raw.replace(/\r?\n[ \t]/g, ' ') : raw;
  const words = unfolded.includes('=?') ? decodeWords(unfolded) : unfolded;
  return words.trim();
}
