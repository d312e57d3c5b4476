// Parses SMTP replies (RFC 5321 4.2) from arbitrary chunks, without creating strings for positive
// replies.

const LF = 10;
const HYPHEN = 45;
/**
 * RFC 5321 allows 512 bytes per line, and an EHLO reply may have dozens of lines. A longer reply
 * means another protocol.
 */
const MAX_BYTES = 64 * 1024;

/** Calls back once per reply. Within the callback, `code` and `text()` belong to the reply. */
export class ReplyReader {
  code = 0;
  private readonly onReply: () => void;
  private chunk: Buffer = Buffer.alloc(0);
  private lineStart = 0;
  private lineEnd = 0;
  private remainder: Buffer | undefined;
  private earlierLines: string[] = [];
  private earlierBytes = 0;

  constructor(onReply: () => void) {
    this.onReply = onReply;
  }

  /** Reads bytes from the socket; returns false if they are another protocol. */
  read(bytes: Buffer): boolean {
    let chunk = bytes;
    if (this.remainder) {
      chunk = Buffer.concat([this.remainder, bytes]);
      this.remainder = undefined;
    }
    this.chunk = chunk;
    let index = 0;
    while (index < chunk.length) {
      const end = lineFeed(chunk, index);
      if (end < 0) {
        this.remainder = Buffer.from(chunk.subarray(index));
        return this.remainder.length + this.earlierBytes <= MAX_BYTES;
      }
      if (!this.readLine(index, end)) {
        return false;
      }
      index = end + 1;
    }
    return true;
  }

  /** Returns the text after the code, with lines joined by LF. Only valid within the callback. */
  text(): string {
    const lastLine = this.chunk.toString('utf8', this.lineStart, this.lineEnd).trimEnd();
    return this.earlierLines.length > 0 ? `${this.earlierLines.join('\n')}\n${lastLine}` : lastLine;
  }

  private readLine(start: number, end: number): boolean {
    const code = codeAt(this.chunk, start, end);
    if (code < 200 || code > 599 || this.earlierBytes > MAX_BYTES) {
      return false;
    }
    this.lineStart = Math.min(start + 4, end);
    this.lineEnd = end;
    if (start + 3 < end && this.chunk[start + 3] === HYPHEN) {
      this.earlierBytes += end - start;
      this.earlierLines.push(this.chunk.toString('utf8', this.lineStart, end).trimEnd());
      return true;
    }
    this.code = code;
    this.onReply();
    if (this.earlierLines.length > 0) {
      this.earlierLines = [];
      this.earlierBytes = 0;
    }
    return true;
  }
}

// Finds the line feed with a loop, which is faster than indexOf for replies of about 20 bytes.
function lineFeed(chunk: Buffer, start: number): number {
  for (let index = start; index < chunk.length; index++) {
    if (chunk[index] === LF) {
      return index;
    }
  }
  return -1;
}

function codeAt(chunk: Buffer, start: number, end: number): number {
  if (end - start < 3) {
    return -1;
  }
  const hundreds = (chunk[start] ?? 0) - 48;
  const tens = (chunk[start + 1] ?? 0) - 48;
  const ones = (chunk[start + 2] ?? 0) - 48;
  if (hundreds < 2 || hundreds > 5 || tens < 0 || tens > 9 || ones < 0 || ones > 9) {
    return -1;
  }
  return hundreds * 100 + tens * 10 + ones;
}
