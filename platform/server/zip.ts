// Reads single entries of a zip file, on disk or in memory, as capped streams; nothing is unpacked
// to disk.
import { open } from 'node:fs/promises';
import { Readable, Transform } from 'node:stream';
import { createInflateRaw } from 'node:zlib';

/** Why a zip file is refused. */
export class ZipError extends Error {
  readonly code: 'damaged' | 'encrypted' | 'too_large';
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
  /** Total unpacked bytes of all entries read. */
  unpacked: number;
  /** Unpacked bytes per packed byte, checked beyond the first megabyte. */
  ratio: number;
}

/** The source of the archive's bytes. */
interface Source {
  size: number;
  /** Returns at most `length` bytes, fewer at the end. */
  read(position: number, length: number): Promise<Buffer>;
  close(): Promise<void>;
}

const maxEntries = 10_000;
const maxDirectory = 8 * 1024 * 1024;
const ratioFrom = 1024 * 1024;

/**
 * A zip file opened for reading (APPNOTE 6.3, with zip64 sizes; no encryption, no split archives).
 */
export class ZipFile {
  readonly entries: ReadonlyMap<string, ZipEntry>;
  private readonly source: Source;
  private readonly limits: ZipLimits;
  private unpacked = 0;

  private constructor(source: Source, entries: Map<string, ZipEntry>, limits: ZipLimits) {
    this.source = source;
    this.entries = entries;
    this.limits = limits;
  }

  static async open(path: string, limits: ZipLimits): Promise<ZipFile> {
    const source = await onDisk(path);
    try {
      return new ZipFile(source, await readDirectory(source), limits);
    } catch (error) {
      await source.close();
      throw error;
    }
  }

  static async of(bytes: Buffer, limits: ZipLimits): Promise<ZipFile> {
    const source = inMemory(bytes);
    return new ZipFile(source, await readDirectory(source), limits);
  }

  async close(): Promise<void> {
    await this.source.close();
  }

  /** Bytes unpacked so far. */
  get unpackedBytes(): number {
    return this.unpacked;
  }

  /**
   * The unpacked bytes of one entry. Throws `too_large` at the limits, whatever the headers claim.
   */
  async *read(entry: ZipEntry): AsyncGenerator<Buffer> {
    if (entry.method !== 0 && entry.method !== 8)
      throw new ZipError('damaged', `compression method ${entry.method}`);
    const start = await this.dataOffset(entry);
    const packed = Readable.from(packedBytes(this.source, start, entry.packed));
    const unpack: Transform = entry.method === 8 ? createInflateRaw() : passThrough();
    packed.on('error', (error) => unpack.destroy(error));
    packed.pipe(unpack);
    let mine = 0;
    try {
      for await (const chunk of unpack as AsyncIterable<Buffer>) {
        mine += chunk.length;
        this.unpacked += chunk.length;
        if (this.unpacked > this.limits.unpacked) throw new ZipError('too_large', 'unpacked size');
        if (mine > ratioFrom && mine > entry.packed * this.limits.ratio)
          throw new ZipError('too_large', 'unpacked ratio');
        yield chunk;
      }
    } catch (error) {
      if (error instanceof ZipError) throw error;
      throw new ZipError('damaged', String(error));
    } finally {
      packed.destroy();
      unpack.destroy();
    }
  }

  private async dataOffset(entry: ZipEntry): Promise<number> {
    const head = await readExactly(this.source, entry.offset, 30);
    if (head.readUInt32LE(0) !== 0x04034b50) throw new ZipError('damaged', 'no local header');
    return entry.offset + 30 + head.readUInt16LE(26) + head.readUInt16LE(28);
  }
}

async function onDisk(path: string): Promise<Source> {
  const handle = await open(path);
  try {
    const { size } = await handle.stat();
    return {
      size,
      async read(position, length) {
        const buffer = Buffer.alloc(length);
        const { bytesRead } = await handle.read(buffer, 0, length, position);
        return buffer.subarray(0, bytesRead);
      },
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function inMemory(bytes: Buffer): Source {
  return {
    size: bytes.length,
    read: (position, length) => Promise.resolve(bytes.subarray(position, position + length)),
    close: () => Promise.resolve(),
  };
}

/** Reads by position: a stream from a file handle would close the handle at its end. */
async function* packedBytes(source: Source, start: number, length: number): AsyncGenerator<Buffer> {
  const end = start + length;
  for (let at = start; at < end; ) {
    const part = await source.read(at, Math.min(64 * 1024, end - at));
    if (part.length === 0) return;
    yield part;
    at += part.length;
  }
}

function passThrough(): Transform {
  return new Transform({
    transform(chunk, _encoding, done) {
      done(null, chunk);
    },
  });
}

async function readExactly(source: Source, position: number, length: number): Promise<Buffer> {
  // A zip64 offset may exceed any file size and the safe integers.
  if (position < 0 || !Number.isSafeInteger(position))
    throw new ZipError('damaged', 'outside the file');
  const bytes = await source.read(position, length);
  if (bytes.length !== length) throw new ZipError('damaged', 'cut short');
  return bytes;
}

async function readDirectory(source: Source): Promise<Map<string, ZipEntry>> {
  const { size } = source;
  const tailLength = Math.min(size, 22 + 0xffff);
  const tail = await readExactly(source, size - tailLength, tailLength);
  const end = tail.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (end === -1 || end + 22 > tail.length) throw new ZipError('damaged', 'no directory');
  let count = tail.readUInt16LE(end + 10);
  let length = tail.readUInt32LE(end + 12);
  let offset = tail.readUInt32LE(end + 16);
  if (count === 0xffff || length === 0xffffffff || offset === 0xffffffff) {
    const locator = end - 20;
    if (locator < 0 || tail.readUInt32LE(locator) !== 0x07064b50)
      throw new ZipError('damaged', 'no zip64 directory');
    const big = await readExactly(source, Number(tail.readBigUInt64LE(locator + 8)), 56);
    count = Number(big.readBigUInt64LE(32));
    length = Number(big.readBigUInt64LE(40));
    offset = Number(big.readBigUInt64LE(48));
  }
  if (count > maxEntries || length > maxDirectory) throw new ZipError('too_large', 'directory');
  return parseDirectory(await readExactly(source, offset, length), count);
}

function parseDirectory(bytes: Buffer, count: number): Map<string, ZipEntry> {
  const entries = new Map<string, ZipEntry>();
  let at = 0;
  for (let i = 0; i < count; i++) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== 0x02014b50)
      throw new ZipError('damaged', 'directory entry');
    if ((bytes.readUInt16LE(at + 8) & 1) === 1) throw new ZipError('encrypted', 'password');
    const nameLength = bytes.readUInt16LE(at + 28);
    const extraLength = bytes.readUInt16LE(at + 30);
    const next = at + 46 + nameLength + extraLength + bytes.readUInt16LE(at + 32);
    if (next > bytes.length) throw new ZipError('damaged', 'directory entry');
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

/** Sizes above 32 bits are in extra field 1, in this order, each only if needed. */
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
