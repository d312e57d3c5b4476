// Stores hits as bytes until they are copied. Objects that live for a tenth of a second are the
// worst case for the garbage collector: long enough to be promoted, but not much longer. Layout of
// a hit: bytes 0–3 length of the text · 4–7 kind, manner and position · 8–15 time · 16–55 token ·
// text. The text contains the last two columns of the COPY, escaped: IP address, tab, user agent,
// line feed.
import { TOKEN_LENGTH, type TokenPayload, type TrackingTokens } from './token.ts';
import type { Manner } from './verdict.ts';

/** A hit as received, before its verification. */
export type RawHit = {
  token: string;
  at: Date;
  kind: 'open' | 'click';
  position: number | null;
  manner: Manner | null;
  /** Whether the message is an SMS; clicks in SMS are not email activity. */
  isSms?: boolean;
  ip: string;
  userAgent: string;
};

/** Verified and numbered rows for COPY. A retry writes the same rows again. */
export type HitCopy = {
  text: Buffer;
  rows: number;
  clicks: number;
  /** Accounts of the hits. */
  accounts: number[];
};

/** Size of a page, enough for about 5,000 hits. */
export const PAGE_BYTES = 1 << 20;
const HEAD = 16 + TOKEN_LENGTH;
const CLICK = 1;
const MANNERS: readonly (Manner | null)[] = [null, 'head', 'prefetch'];
/** Values of the column `manner`, for emails and then, with a prefix, for SMS. */
const MANNER_VALUES = ['\\N', 'head', 'prefetch', '', 'text', 'text head', 'text prefetch'];
const TEXT = 4;
/**
 * Maximum number of bytes of all columns before the text, with tabs: five numbers of 16 digits, an
 * instant and three words.
 */
const MAX_ROW_HEAD_LENGTH = 160;

export class HitPage {
  count = 0;
  private readonly bytes: Buffer;
  private end = 0;

  constructor(capacity = PAGE_BYTES) {
    this.bytes = Buffer.allocUnsafeSlow(capacity);
  }

  /** Adds a hit, unless its token has the wrong length. Returns false if the page is full. */
  add({ token, at, kind, position, manner, isSms, ip, userAgent }: RawHit): boolean {
    const { bytes, end } = this;
    const text = `${escapeText(ip)}\t${escapeText(userAgent)}\n`;
    // Each UTF-16 unit takes at most three bytes.
    if (end + HEAD + text.length * 3 > bytes.length) return false;
    if (token.length !== TOKEN_LENGTH) return true;
    const length = bytes.write(text, end + HEAD);
    bytes.writeUInt32LE(length, end);
    const linkNumber = position === null ? 0 : position + 1;
    const flags = MANNERS.indexOf(manner) + (isSms ? TEXT : 0);
    const packedMeta = (linkNumber * 8 + flags) * 2 + (kind === 'click' ? CLICK : 0);
    bytes.writeUInt32LE(packedMeta, end + 4);
    bytes.writeDoubleLE(at.getTime(), end + 8);
    bytes.write(token, end + 16, 'latin1');
    this.end = end + HEAD + length;
    this.count++;
    return true;
  }

  /** Empties the page and returns the hits with a valid token as rows for COPY into `hits`. */
  take(tokens: TrackingTokens, nextSequence: () => number): HitCopy {
    const { bytes, count } = this;
    const payloads = tokens.readMany(this.tokens());
    const output = Buffer.allocUnsafe(this.end + count * MAX_ROW_HEAD_LENGTH);
    const accounts = new Set<number>();
    const copy = { rows: 0, clicks: 0 };
    let outputEnd = 0;
    let hitEnd = 0;
    for (let i = 0; i < count; i++) {
      const hitStart = hitEnd;
      hitEnd += HEAD + bytes.readUInt32LE(hitStart);
      const payload = payloads[i];
      if (!payload) continue;
      const packedMeta = bytes.readUInt32LE(hitStart + 4);
      copy.rows++;
      copy.clicks += packedMeta & CLICK;
      accounts.add(payload.account);
      const head = rowHead(payload, bytes.readDoubleLE(hitStart + 8), packedMeta, nextSequence());
      outputEnd += output.write(head, outputEnd, 'latin1');
      outputEnd += bytes.copy(output, outputEnd, hitStart + HEAD, hitEnd);
    }
    this.end = 0;
    this.count = 0;
    return { ...copy, text: output.subarray(0, outputEnd), accounts: [...accounts] };
  }

  private tokens(): string[] {
    const tokens: string[] = [];
    for (let i = 0, offset = 0; i < this.count; i++) {
      tokens.push(this.bytes.toString('latin1', offset + 16, offset + HEAD));
      offset += HEAD + this.bytes.readUInt32LE(offset);
    }
    return tokens;
  }
}

function rowHead(payload: TokenPayload, at: number, packedMeta: number, sequence: number): string {
  const kind = packedMeta & CLICK ? 'click' : 'open';
  const manner = MANNER_VALUES[(packedMeta >> 1) & 7];
  const position = packedMeta >> 4 === 0 ? '\\N' : (packedMeta >> 4) - 1;
  return `${payload.account}\t${isoOf(at)}\t${sequence}\t${payload.message}\t${recipientOf(payload)}\t${kind}\t${position}\t${manner}\t`;
}

/**
 * Returns the subscriber's ID, or the negated ID of a single send without a subscriber.
 */
function recipientOf(payload: TokenPayload): number {
  return payload.subscriber === 0 ? -payload.ordinal : payload.subscriber;
}

let isoTime = Number.NaN;
let isoText = '';

/** Formats a time; the last result is cached because many hits share a millisecond. */
function isoOf(time: number): string {
  if (time !== isoTime) {
    isoTime = time;
    isoText = new Date(time).toISOString();
  }
  return isoText;
}

const SPECIAL = /[\\\t\n\r\0]/;
const ESCAPED: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function escapeText(text: string): string {
  // PostgreSQL stores no NUL.
  return SPECIAL.test(text) ? text.replace(/[\\\t\n\r\0]/g, (char) => ESCAPED[char] ?? '') : text;
}
