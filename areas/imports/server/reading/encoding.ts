// Detects the encoding of a text file while its bytes pass and creates decoders.
import { isAscii } from 'node:buffer';
import { StringDecoder } from 'node:string_decoder';
import iconv from 'iconv-lite';
import type { FileEncoding } from '../../shared.ts';
import { detectCodePage, needsIconv } from './code-pages.ts';

/** Enough to detect a language; a longer file is still checked to its end for valid UTF-8. */
const BYTES_COUNTED = 4 * 1024 * 1024;
/** Bytes searched for two-byte characters. */
const SAMPLE_LENGTH = 16 * 1024;
/** A longer line is decoded in pieces. */
const MAX_LINE_BYTES = 256 * 1024;

/**
 * Observes a file chunk by chunk and returns its encoding: the one of its byte order mark;
 * otherwise UTF-16, if many bytes at every second position are NUL; otherwise UTF-8, if the file
 * has at most a few broken sequences among many valid ones; otherwise the likeliest code page.
 */
export class EncodingObserver {
  private readonly firstBytes = Buffer.alloc(3);
  private bytesSeen = 0;
  private lineFeeds = 0;
  private carriageReturns = 0;
  private lastByte = 10;
  private readonly nulCounts: [number, number] = [0, 0];
  private readonly counts = new Uint32Array(256);
  private bytesCounted = 0;
  private pendingBytes = 0;
  private validSequences = 0;
  private brokenSequences = 0;
  private readonly sample = Buffer.alloc(SAMPLE_LENGTH);
  private sampleLength = 0;

  write(chunk: Buffer): void {
    if (this.bytesSeen < 3) chunk.copy(this.firstBytes, this.bytesSeen, 0, 3 - this.bytesSeen);
    if (this.bytesSeen < BYTES_COUNTED) this.countNul(chunk);
    const isPlain = isAscii(chunk);
    if (this.sampleLength < SAMPLE_LENGTH && (this.sampleLength > 0 || !isPlain))
      this.addToSample(chunk);
    if (this.pendingBytes > 0 || !isPlain) this.countHighBytes(chunk);
    this.lineFeeds += countByte(chunk, 10);
    if (this.lineFeeds === 0) this.carriageReturns += countByte(chunk, 13);
    // In UTF-16 a line break is two bytes, one of them zero.
    for (let i = chunk.length - 1; i >= chunk.length - 2 && i >= 0; i--) {
      if (chunk[i] === 0) continue;
      this.lastByte = chunk[i] as number;
      break;
    }
    this.bytesSeen += chunk.length;
  }

  /** Number of bytes seen. */
  get size(): number {
    return this.bytesSeen;
  }

  /** Lines seen: equals the rows if no cell contains a line break and no line is empty. */
  get lines(): number {
    const lineEnds = this.lineFeeds > 0 ? this.lineFeeds : this.carriageReturns;
    return this.lastByte === 10 || this.lastByte === 13 ? lineEnds : lineEnds + 1;
  }

  finish(): { encoding: FileEncoding; hasByteOrderMark: boolean } {
    const [a, b, c] = this.firstBytes;
    if (this.bytesSeen >= 3 && a === 0xef && b === 0xbb && c === 0xbf)
      return { encoding: 'utf-8', hasByteOrderMark: true };
    if (this.bytesSeen >= 2 && a === 0xff && b === 0xfe)
      return { encoding: 'utf-16le', hasByteOrderMark: true };
    if (this.bytesSeen >= 2 && a === 0xfe && b === 0xff)
      return { encoding: 'utf-16be', hasByteOrderMark: true };
    const half = Math.min(this.bytesSeen, BYTES_COUNTED) / 2;
    const [even, odd] = this.nulCounts;
    if (odd > half * 0.3 && odd > even * 4)
      return { encoding: 'utf-16le', hasByteOrderMark: false };
    if (even > half * 0.3 && even > odd * 4)
      return { encoding: 'utf-16be', hasByteOrderMark: false };
    const broken = this.brokenSequences + (this.pendingBytes > 0 ? 1 : 0);
    if (broken === 0 || this.validSequences > broken * 10)
      return { encoding: 'utf-8', hasByteOrderMark: false };
    return {
      encoding: detectCodePage(this.counts, this.sample.subarray(0, this.sampleLength)),
      hasByteOrderMark: false,
    };
  }

  /** Adds bytes to the sample, from the first one above 127 on, without gaps. */
  private addToSample(chunk: Buffer): void {
    let index = 0;
    if (this.sampleLength === 0)
      while (index < chunk.length && (chunk[index] as number) < 0x80) index += 1;
    this.sampleLength += chunk.copy(this.sample, this.sampleLength, index);
  }

  private countNul(chunk: Buffer): void {
    let index = chunk.indexOf(0);
    while (index !== -1) {
      if ((this.bytesSeen + index) % 2 === 0) this.nulCounts[0] += 1;
      else this.nulCounts[1] += 1;
      index = chunk.indexOf(0, index + 1);
    }
  }

  /** Counts bytes above 127, and the valid and broken UTF-8 sequences among them. */
  private countHighBytes(chunk: Buffer): void {
    const counting = this.bytesCounted < BYTES_COUNTED;
    let pending = this.pendingBytes;
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i] as number;
      if (byte < 0x80) {
        if (pending > 0) {
          this.brokenSequences += 1;
          pending = 0;
        }
        continue;
      }
      if (counting) this.counts[byte] = (this.counts[byte] as number) + 1;
      if (pending > 0 && byte < 0xc0) {
        pending -= 1;
        if (pending === 0) this.validSequences += 1;
        continue;
      }
      if (pending > 0) this.brokenSequences += 1;
      pending = byte >= 0xc2 && byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
      if (byte < 0xc2 || byte > 0xf4) {
        this.brokenSequences += 1;
        pending = 0;
      }
    }
    this.pendingBytes = pending;
    this.bytesCounted += chunk.length;
  }
}

function countByte(chunk: Buffer, byte: number): number {
  let count = 0;
  for (let index = chunk.indexOf(byte); index !== -1; index = chunk.indexOf(byte, index + 1))
    count += 1;
  return count;
}

export interface Decoder {
  write(chunk: Buffer): string;
  end(): string;
}

/**
 * Decodes chunk by chunk; drops a byte order mark at the start and replaces broken bytes with
 * U+FFFD.
 */
export function createDecoder(encoding: FileEncoding): Decoder {
  const decode =
    encoding === 'utf-8' || encoding === 'utf-16le'
      ? createNodeDecoder(encoding === 'utf-8' ? 'utf8' : 'utf16le')
      : needsIconv(encoding)
        ? createIconvDecoder(encoding)
        : webDecoder(encoding);
  let isFirst = true;
  return {
    write(chunk) {
      const text = decode.write(chunk);
      if (!isFirst || text === '') return text;
      isFirst = false;
      return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
    },
    end: () => decode.end(),
  };
}

/** Node's own decoder is several times faster than TextDecoder in stream mode. */
function createNodeDecoder(encoding: 'utf8' | 'utf16le'): Decoder {
  const decoder = new StringDecoder(encoding);
  return { write: (chunk) => decoder.write(chunk), end: () => decoder.end() };
}

/**
 * Decodes whole lines, because the library drops the byte after an invalid byte where two chunks
 * meet. A line feed is not part of a two-byte character in any of these encodings.
 */
function createIconvDecoder(encoding: FileEncoding): Decoder {
  const decoder = iconv.getDecoder(encoding);
  let line = Buffer.alloc(0);
  return {
    write(chunk) {
      const isLong = line.length + chunk.length > MAX_LINE_BYTES;
      const end = isLong ? chunk.length : chunk.lastIndexOf(10) + 1;
      const complete =
        end === 0 ? '' : decoder.write(Buffer.concat([line, chunk.subarray(0, end)]));
      line = Buffer.concat([end === 0 ? line : Buffer.alloc(0), chunk.subarray(end)]);
      return complete;
    },
    end: () => decoder.write(line) + (decoder.end() ?? ''),
  };
}

function webDecoder(encoding: FileEncoding): Decoder {
  const decoder = new TextDecoder(encoding);
  return {
    write: (chunk) => decoder.decode(chunk, { stream: true }),
    end: () => decoder.decode(),
  };
}
