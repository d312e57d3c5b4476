// Reads individual entries of a ZIP file, on disk or in memory, as capped streams; nothing is
// unpacked to disk. yauzl reads the structure; the limits are ours.
import fs from 'node:fs';
import { open } from 'node:fs/promises';
import { PassThrough, Readable, type Transform } from 'node:stream';
import { createInflateRaw } from 'node:zlib';
import yauzl from 'yauzl';

/** Reasons for refusing a ZIP file. */
export class ZipError extends Error {
  readonly code: 'damaged' | 'encrypted' | 'too_large';
  constructor(code: ZipError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

export interface ZipEntry {
  name: string;
  entry: yauzl.Entry;
}

export interface ZipLimits {
  /** Total unpacked bytes of all entries read. */
  maxUnpackedBytes: number;
  /** Unpacked bytes per packed byte, checked beyond the first megabyte. */
  maxRatio: number;
}

const MAX_ENTRIES = 10_000;
const MAX_DIRECTORY_BYTES = 8 * 1024 * 1024;
const MIN_RATIO_BYTES = 1024 * 1024;
const STORED = 0;
const DEFLATED = 8;

export class ZipFile {
  readonly entries: ReadonlyMap<string, ZipEntry>;
  private readonly archive: yauzl.ZipFile;
  private readonly reader: HandleReader;
  private readonly limits: ZipLimits;
  private unpackedTotal = 0;

  private constructor(
    reader: HandleReader,
    archive: yauzl.ZipFile,
    entries: Map<string, ZipEntry>,
    limits: ZipLimits,
  ) {
    this.reader = reader;
    this.archive = archive;
    this.entries = entries;
    this.limits = limits;
  }

  static async open(path: string, limits: ZipLimits): Promise<ZipFile> {
    const handle = await open(path);
    const reader = new HandleReader(
      (buffer, offset, length, position, callback) =>
        fs.read(handle.fd, buffer, offset, length, position, callback),
      () => handle.close(),
    );
    try {
      return await ZipFile.fromReader(reader, (await handle.stat()).size, limits);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  static fromBuffer(bytes: Buffer, limits: ZipLimits): Promise<ZipFile> {
    const reader = new HandleReader(
      (buffer, offset, length, position, callback) =>
        setImmediate(callback, null, bytes.copy(buffer, offset, position, position + length)),
      () => Promise.resolve(),
    );
    return ZipFile.fromReader(reader, bytes.length, limits);
  }

  private static async fromReader(
    reader: HandleReader,
    size: number,
    limits: ZipLimits,
  ): Promise<ZipFile> {
    try {
      // Raw names, because yauzl refuses a whole archive for one absolute path.
      const options = { lazyEntries: true, decodeStrings: false, autoClose: false };
      const archive = await promisifyCall<yauzl.ZipFile>((callback) =>
        yauzl.fromRandomAccessReader(
          reader,
          size,
          { ...options, validateEntrySizes: false },
          callback,
        ),
      );
      return new ZipFile(reader, archive, await readDirectory(archive), limits);
    } catch (error) {
      throw asZipError(error);
    }
  }

  async close(): Promise<void> {
    await this.reader.end();
  }

  /** Bytes unpacked so far. */
  get unpackedBytes(): number {
    return this.unpackedTotal;
  }

  /**
   * Yields the unpacked bytes of one entry. Throws `too_large` at the limits, even if the headers
   * lie.
   */
  async *read({ entry }: ZipEntry): AsyncGenerator<Buffer> {
    const { compressionMethod, compressedSize } = entry;
    if (compressionMethod !== STORED && compressionMethod !== DEFLATED)
      throw new ZipError('damaged', `compression method ${compressionMethod}`);
    const packedStream = await this.openPacked(entry);
    const unpack: Transform =
      compressionMethod === DEFLATED ? createInflateRaw() : new PassThrough();
    packedStream.on('error', (error) => unpack.destroy(error));
    packedStream.pipe(unpack);
    let size = 0;
    try {
      for await (const chunk of unpack as AsyncIterable<Buffer>) {
        size += chunk.length;
        this.unpackedTotal += chunk.length;
        if (this.unpackedTotal > this.limits.maxUnpackedBytes)
          throw new ZipError('too_large', 'unpacked size');
        if (size > MIN_RATIO_BYTES && size > compressedSize * this.limits.maxRatio)
          throw new ZipError('too_large', 'unpacked ratio');
        yield chunk;
      }
    } catch (error) {
      throw asZipError(error);
    } finally {
      packedStream.destroy();
      unpack.destroy();
    }
  }

  private async openPacked(entry: yauzl.Entry): Promise<Readable> {
    try {
      return await promisifyCall<Readable>((callback) =>
        this.archive.openReadStream(entry, { decodeFileData: false }, callback),
      );
    } catch (error) {
      throw asZipError(error);
    }
  }
}

const asZipError = (error: unknown) =>
  error instanceof ZipError ? error : new ZipError('damaged', String(error));

const promisifyCall = <T>(call: (callback: (error: Error | null, value: T) => void) => void) =>
  new Promise<T>((resolve, reject) => {
    call((error, value) => (error ? reject(error) : resolve(value)));
  });

type ReadAt = (
  buffer: Buffer,
  offset: number,
  length: number,
  position: number,
  callback: (error: Error | null, bytesRead: number) => void,
) => void;

/** yauzl's own readers throw out of a callback, uncaught, at a zip64 offset beyond 2^53. */
class HandleReader extends yauzl.RandomAccessReader {
  private readonly readAt: ReadAt;
  readonly end: () => Promise<void>;

  constructor(readAt: ReadAt, end: () => Promise<void>) {
    super();
    this.readAt = readAt;
    this.end = end;
  }

  override read(...[buffer, offset, length, position, callback]: Parameters<ReadAt>): void {
    if (position < 0 || !Number.isSafeInteger(position + length))
      setImmediate(callback, new ZipError('damaged', 'outside the file'), 0);
    else this.readAt(buffer, offset, length, position, callback);
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.readChunks(start, end));
  }

  private async *readChunks(start: number, end: number): AsyncGenerator<Buffer> {
    for (let at = start; at < end; ) {
      const chunk = Buffer.allocUnsafe(Math.min(64 * 1024, end - at));
      const length = await promisifyCall<number>((callback) =>
        this.read(chunk, 0, chunk.length, at, callback),
      );
      if (length === 0) return;
      yield chunk.subarray(0, length);
      at += length;
    }
  }
}

async function readDirectory(archive: yauzl.ZipFile): Promise<Map<string, ZipEntry>> {
  if (archive.entryCount > MAX_ENTRIES) throw new ZipError('too_large', 'directory');
  const entries = new Map<string, ZipEntry>();
  let bytes = 0;
  await new Promise<void>((resolve, reject) => {
    archive.on('entry', (entry: yauzl.Entry) => {
      bytes += 46 + entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength;
      if (entry.isEncrypted()) return reject(new ZipError('encrypted', 'password'));
      if (bytes > MAX_DIRECTORY_BYTES) return reject(new ZipError('too_large', 'directory'));
      const name = (entry.fileName as unknown as Buffer).toString('utf8');
      // Some writers use backslashes.
      entries.set(name.replaceAll('\\', '/'), { name, entry });
      archive.readEntry();
    });
    archive.on('end', resolve);
    archive.on('error', reject);
    archive.readEntry();
  });
  return entries;
}
