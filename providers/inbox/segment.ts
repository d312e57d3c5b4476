// One segment of the inbox's store: up to 10,000 messages in two append-only files. `<first
// id>.mail` contains blocks of messages, each block one zstd frame (the messages of a campaign are
// similar, so this makes them about 30 times smaller). `<first id>.index` has one line per message
// and is also held in memory. A line is written after its block, so an incomplete end is cut off at
// the next start.
import {
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

export interface Incoming {
  readonly bytes: Buffer;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly receivedAt: number;
}

/** A message in the index. */
export interface InboxEntry {
  readonly id: number;
  readonly from: string;
  /** Envelope recipients, joined by ', '. */
  readonly to: string;
  readonly subject: string;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  /** Bytes. */
  readonly size: number;
}

export const SEGMENT_MESSAGES = 10_000;
const MAX_BLOCK_BYTES = 1_000_000;
const INITIAL_INDEX_BYTES = 64 * 1024;
const LF = 10;
const COMPRESSION = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

export class InboxSegment {
  readonly firstId: number;
  private readonly paths: { readonly emails: string; readonly index: string };
  private readonly emailFile: number;
  private readonly indexFile: number;
  private emailEnd: number;
  private index = Buffer.alloc(INITIAL_INDEX_BYTES);
  private indexEnd = 0;
  /** Offsets of the lines of the index. */
  private readonly lines = new Uint32Array(SEGMENT_MESSAGES);
  private lowerCaseIndex: string | undefined;
  count = 0;

  /** Opens the segment, or creates it. */
  constructor(folder: string, firstId: number) {
    this.firstId = firstId;
    const name = String(firstId).padStart(12, '0');
    this.paths = { emails: join(folder, `${name}.mail`), index: join(folder, `${name}.index`) };
    this.emailFile = openSync(this.paths.emails, 'a+', 0o600);
    this.indexFile = openSync(this.paths.index, 'a+', 0o600);
    this.emailEnd = fstatSync(this.emailFile).size;
    this.load(readFileSync(this.paths.index));
  }

  get freeCount(): number {
    return SEGMENT_MESSAGES - this.count;
  }

  /**
   * Appends messages, which must fit into the segment. They are written, but not synced, when it
   * returns.
   */
  append(messages: readonly Incoming[]): void {
    let start = 0;
    while (start < messages.length) {
      let end = start;
      let size = 0;
      while (end < messages.length && (end === start || size < MAX_BLOCK_BYTES)) {
        size += messages[end]?.bytes.length ?? 0;
        end++;
      }
      this.appendBlock(messages.slice(start, end));
      start = end;
    }
  }

  entry(id: number): InboxEntry | undefined {
    const columns = this.splitLine(id - this.firstId);
    return columns && entryOf(id, columns);
  }

  /** Returns the message as received. */
  source(id: number): Buffer | undefined {
    const columns = this.splitLine(id - this.firstId);
    if (!columns) {
      return undefined;
    }
    const [blockAt, blockSize, at, size] = columns.map(Number);
    const block = Buffer.allocUnsafe(blockSize ?? 0);
    readSync(this.emailFile, block, 0, block.length, blockAt ?? 0);
    return zstdDecompressSync(block).subarray(at ?? 0, (at ?? 0) + (size ?? 0));
  }

  /**
   * IDs of messages with the search text in their index line, newest first. The search text must be
   * lower-case ASCII.
   */
  *idsContaining(text: string): Generator<number> {
    this.lowerCaseIndex ??= this.index.toString('latin1', 0, this.indexEnd).toLowerCase();
    let line = this.count - 1;
    let offset = this.lowerCaseIndex.lastIndexOf(text);
    while (offset >= 0) {
      while ((this.lines[line] ?? 0) > offset) {
        line--;
      }
      yield this.firstId + line;
      const start = this.lines[line] ?? 0;
      offset = start === 0 ? -1 : this.lowerCaseIndex.lastIndexOf(text, start - 1);
    }
  }

  remove(): void {
    this.close();
    unlinkSync(this.paths.index);
    unlinkSync(this.paths.emails);
  }

  close(): void {
    closeSync(this.indexFile);
    closeSync(this.emailFile);
  }

  private appendBlock(messages: readonly Incoming[]): void {
    const block = zstdCompressSync(
      Buffer.concat(messages.map((message) => message.bytes)),
      COMPRESSION,
    );
    let offset = 0;
    let lines = '';
    for (const { bytes, from, to, subject, receivedAt } of messages) {
      const positionColumns = `${this.emailEnd}\t${block.length}\t${offset}\t${bytes.length}`;
      lines += `${positionColumns}\t${receivedAt}\t${toIndexText(to)}\t${toIndexText(from)}\t${toIndexText(subject)}\n`;
      offset += bytes.length;
    }
    writeAll(this.emailFile, block, this.emailEnd);
    const indexBytes = Buffer.from(lines);
    writeAll(this.indexFile, indexBytes, this.indexEnd);
    this.emailEnd += block.length;
    this.addLines(indexBytes);
  }

  private load(index: Buffer): void {
    const completeEnd = index.lastIndexOf(LF) + 1;
    this.addLines(index.subarray(0, completeEnd));
    while (this.count > 0 && this.getLastBlockEnd() > this.emailEnd) {
      this.count--;
      this.indexEnd = this.lines[this.count] ?? 0;
    }
    if (this.indexEnd < index.length) {
      ftruncateSync(this.indexFile, this.indexEnd);
    }
    const emailEnd = this.count > 0 ? this.getLastBlockEnd() : 0;
    if (emailEnd < this.emailEnd) {
      ftruncateSync(this.emailFile, emailEnd);
      this.emailEnd = emailEnd;
    }
  }

  private getLastBlockEnd(): number {
    const [blockAt = '0', blockSize = '0'] = this.splitLine(this.count - 1) ?? [];
    return Number(blockAt) + Number(blockSize);
  }

  private addLines(indexBytes: Buffer): void {
    if (this.indexEnd + indexBytes.length > this.index.length) {
      const larger = Buffer.alloc(
        Math.max(this.index.length * 2, this.indexEnd + indexBytes.length),
      );
      this.index.copy(larger, 0, 0, this.indexEnd);
      this.index = larger;
    }
    indexBytes.copy(this.index, this.indexEnd);
    const end = this.indexEnd + indexBytes.length;
    for (
      let position = this.indexEnd;
      position < end;
      position = this.index.indexOf(LF, position) + 1
    ) {
      this.lines[this.count++] = position;
    }
    this.indexEnd = end;
    this.lowerCaseIndex = undefined;
  }

  private splitLine(line: number): string[] | undefined {
    if (line < 0 || line >= this.count) {
      return undefined;
    }
    const end = line + 1 < this.count ? (this.lines[line + 1] ?? 0) : this.indexEnd;
    return this.index.toString('utf8', this.lines[line], end - 1).split('\t');
  }
}

function entryOf(id: number, columns: string[]): InboxEntry {
  const [, , , size, receivedAt, to = '', from = '', subject = ''] = columns;
  return { id, from, to, subject, receivedAt: Number(receivedAt), size: Number(size) };
}

// Truncates the file after a failed write, so that no incomplete data remains.
function writeAll(file: number, bytes: Buffer, end: number): void {
  try {
    let writtenBytes = 0;
    while (writtenBytes < bytes.length) {
      writtenBytes += writeSync(file, bytes, writtenBytes, bytes.length - writtenBytes);
    }
  } catch (error) {
    ftruncateSync(file, end);
    throw error;
  }
}

function toIndexText(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f]+/g, ' ').slice(0, 1_000);
}
