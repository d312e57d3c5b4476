// Reads single entries of a zip file on disk as capped streams: what a workbook is packed in.
import { type FileHandle, open } from 'node:fs/promises';
import { Readable, Transform } from 'node:stream';
import { createInflateRaw } from 'node:zlib';

/** Why a packed file is refused; the code is the import's error code. */
export class ZipError extends Error {
  readonly code: 'workbook_damaged' | 'workbook_encrypted' | 'workbook_too_large';
  constructor(code: ZipError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

export interface ZipEntry {
  name: string;
  method: number;
  packed: number;
  unpacked: number;
  offset: number;
}

export interface ZipLimits {
  /** Bytes that all entries read may unpack to together. */
  unpacked: number;
  /** Unpacked bytes per packed byte, looked at beyond the first megabyte. */
  ratio: number;
}

const maxEntries = 10_000;
const maxDirectory = 8 * 1024 * 1024;
const ratioFrom = 1024 * 1024;

/** A zip file opened for reading (APPNOTE 6.3, with zip64 sizes; no encryption, no split archives). */
export class ZipFile {
  readonly entries: ReadonlyMap<string, ZipEntry>;
  private readonly handle: FileHandle;
  private readonly limits: ZipLimits;
  private unpacked = 0;

  private constructor(handle: FileHandle, entries: Map<string, ZipEntry>, limits: ZipLimits) {
    this.handle = handle;
    this.entries = entries;
    this.limits = limits;
  }

  static async open(path: string, limits: ZipLimits): Promise<ZipFile> {
    const handle = await open(path);
    try {
      return new ZipFile(handle, await readDirectory(handle), limits);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.handle.close();
  }

  /** The unpacked bytes of one entry. Stops with `workbook_too_large` at the limits, whatever the headers say. */
  async *read(entry: ZipEntry): AsyncGenerator<Buffer> {
    if (entry.method !== 0 && entry.method !== 8)
      throw new ZipError('workbook_damaged', `compression method ${entry.method}`);
    const start = await this.dataOffset(entry);
    const source = Readable.from(packedBytes(this.handle, start, entry.packed));
    const unpack: Transform = entry.method === 8 ? createInflateRaw() : passThrough();
    source.on('error', (error) => unpack.destroy(error));
    source.pipe(unpack);
    let mine = 0;
    try {
      for await (const chunk of unpack as AsyncIterable<Buffer>) {
        mine += chunk.length;
        this.unpacked += chunk.length;
        if (this.unpacked > this.limits.unpacked)
          throw new ZipError('workbook_too_large', 'unpacked size');
        if (mine > ratioFrom && mine > entry.packed * this.limits.ratio)
          throw new ZipError('workbook_too_large', 'unpacked ratio');
        yield chunk;
      }
    } catch (error) {
      if (error instanceof ZipError) throw error;
      throw new ZipError('workbook_damaged', String(error));
    } finally {
      source.destroy();
      unpack.destroy();
    }
  }

  private async dataOffset(entry: ZipEntry): Promise<number> {
    const head = await readExactly(this.handle, entry.offset, 30);
    if (head.readUInt32LE(0) !== 0x04034b50)
      throw new ZipError('workbook_damaged', 'no local header');
    return entry.offset + 30 + head.readUInt16LE(26) + head.readUInt16LE(28);
  }
}

/** Reads by position: a stream made from the handle would close it with itself. */
async function* packedBytes(
  handle: FileHandle,
  start: number,
  length: number,
): AsyncGenerator<Buffer> {
  const end = start + length;
  for (let at = start; at < end; ) {
    const buffer = Buffer.allocUnsafe(Math.min(64 * 1024, end - at));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}

function passThrough(): Transform {
  return new Transform({
    transform(chunk, _encoding, done) {
      done(null, chunk);
    },
  });
}

async function readExactly(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  // A zip64 place may be beyond what any file, and any number here, reaches.
  if (position < 0 || !Number.isSafeInteger(position))
    throw new ZipError('workbook_damaged', 'outside the file');
  const { bytesRead } = await handle.read(buffer, 0, length, position);
  if (bytesRead !== length) throw new ZipError('workbook_damaged', 'cut short');
  return buffer;
}

async function readDirectory(handle: FileHandle): Promise<Map<string, ZipEntry>> {
  const { size } = await handle.stat();
  const tailLength = Math.min(size, 22 + 0xffff);
  const tail = await readExactly(handle, size - tailLength, tailLength);
  const end = tail.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (end === -1 || end + 22 > tail.length) throw new ZipError('workbook_damaged', 'no directory');
  let count = tail.readUInt16LE(end + 10);
  let length = tail.readUInt32LE(end + 12);
  let offset = tail.readUInt32LE(end + 16);
  if (count === 0xffff || length === 0xffffffff || offset === 0xffffffff) {
    const locator = end - 20;
    if (locator < 0 || tail.readUInt32LE(locator) !== 0x07064b50)
      throw new ZipError('workbook_damaged', 'no zip64 directory');
    const big = await readExactly(handle, Number(tail.readBigUInt64LE(locator + 8)), 56);
    count = Number(big.readBigUInt64LE(32));
    length = Number(big.readBigUInt64LE(40));
    offset = Number(big.readBigUInt64LE(48));
  }
  if (count > maxEntries || length > maxDirectory)
    throw new ZipError('workbook_too_large', 'directory');
  return parseDirectory(await readExactly(handle, offset, length), count);
}

function parseDirectory(bytes: Buffer, count: number): Map<string, ZipEntry> {
  const entries = new Map<string, ZipEntry>();
  let at = 0;
  for (let i = 0; i < count; i++) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== 0x02014b50)
      throw new ZipError('workbook_damaged', 'directory entry');
    if ((bytes.readUInt16LE(at + 8) & 1) === 1)
      throw new ZipError('workbook_encrypted', 'password');
    const nameLength = bytes.readUInt16LE(at + 28);
    const extraLength = bytes.readUInt16LE(at + 30);
    const next = at + 46 + nameLength + extraLength + bytes.readUInt16LE(at + 32);
    if (next > bytes.length) throw new ZipError('workbook_damaged', 'directory entry');
    const name = bytes.toString('utf8', at + 46, at + 46 + nameLength);
    const entry = {
      name,
      method: bytes.readUInt16LE(at + 10),
      packed: bytes.readUInt32LE(at + 20),
      unpacked: bytes.readUInt32LE(at + 24),
      offset: bytes.readUInt32LE(at + 42),
    };
    readZip64(entry, bytes.subarray(at + 46 + nameLength, at + 46 + nameLength + extraLength));
    // Some writers use backslashes.
    entries.set(name.replaceAll('\\', '/'), entry);
    at = next;
  }
  return entries;
}

/** Sizes that do not fit 32 bits stand in the extra field 1, in this order, each only if it is needed. */
function readZip64(entry: ZipEntry, extra: Buffer): void {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue;
    let value = at + 4;
    const end = Math.min(extra.length, value + extra.readUInt16LE(at + 2));
    for (const key of ['unpacked', 'packed', 'offset'] as const) {
      if (entry[key] !== 0xffffffff || value + 8 > end) continue;
      entry[key] = Number(extra.readBigUInt64LE(value));
      value += 8;
    }
  }
}
