// Opens one report file: gzip, ZIP with one file, or plain text. The kind is detected by the first
// bytes, because file names and media types are too often wrong.
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type Entry, fromBuffer, type ZipFile } from 'yauzl';
import { MAX_RATIO, MAX_UNPACKED_BYTES, MIN_UNPACKED_BYTES, ReportError } from './limits.ts';

export type UnpackedFile = { kind: 'xml' | 'json'; bytes: AsyncIterable<Buffer> };

const isGzip = (bytes: Uint8Array) => bytes[0] === 0x1f && bytes[1] === 0x8b;
const isZip = (bytes: Uint8Array) => bytes[0] === 0x50 && bytes[1] === 0x4b;

/** Returns whether the first bytes show that a file may be a report. */
export function isPossibleReport(bytes: Uint8Array): boolean {
  return isGzip(bytes) || isZip(bytes) || detectTextKind(bytes) !== undefined;
}

/** @throws ReportError immediately, or later while the returned bytes are read */
export async function unpackFile(file: Buffer): Promise<UnpackedFile> {
  if (file.length === 0) throw new ReportError('empty');
  const unpacked = isGzip(file)
    ? limitSize(Readable.from([file]).pipe(createGunzip()), file.length)
    : isZip(file)
      ? limitSize(await openZip(file), file.length)
      : limitSize([file], file.length);
  return detectKind(unpacked);
}

/**
 * Reads at least 1,024 bytes or the whole file to detect the kind, because the first bytes may be a
 * byte order mark and spaces.
 */
async function detectKind(bytes: AsyncGenerator<Buffer>): Promise<UnpackedFile> {
  let head = Buffer.alloc(0);
  while (head.length < 1024) {
    const next = await bytes.next();
    if (next.done) break;
    head = Buffer.concat([head, next.value]);
  }
  if (head.length === 0) throw new ReportError('empty');
  if (isGzip(head) || isZip(head)) throw new ReportError('nested');
  const kind = detectTextKind(head);
  if (kind === undefined) throw new ReportError('no_report');
  async function* concatenate() {
    yield head;
    yield* bytes;
  }
  return { kind, bytes: concatenate() };
}

/**
 * Detects the kind from the first character, which may follow a byte order mark, zero bytes of
 * UTF-16 and white space.
 */
function detectTextKind(bytes: Uint8Array): UnpackedFile['kind'] | undefined {
  for (const byte of bytes.subarray(0, 1024)) {
    if (byte === 0x3c) return 'xml';
    if (byte === 0x7b) return 'json';
    const isSkipped =
      byte <= 0x20 || byte === 0xef || byte === 0xbb || byte >= 0xfe || byte === 0xbf;
    if (!isSkipped) return undefined;
  }
  return undefined;
}

async function* limitSize(
  source: AsyncIterable<Buffer> | Iterable<Buffer>,
  packedBytes: number,
): AsyncGenerator<Buffer> {
  const limit = Math.min(MAX_UNPACKED_BYTES, Math.max(MIN_UNPACKED_BYTES, packedBytes * MAX_RATIO));
  let size = 0;
  try {
    for await (const chunk of source) {
      size += chunk.length;
      if (size > limit) throw new ReportError('unpacked_too_large');
      yield chunk;
    }
  } catch (error) {
    throw error instanceof ReportError ? error : new ReportError('damaged');
  }
}

/** Returns whether the entry is a folder or a hidden file, such as macOS adds to archives. */
const isIgnored = ({ fileName }: Entry) =>
  fileName.endsWith('/') || /(^|\/)(__MACOSX\/|\.)/.test(fileName);

async function openZip(file: Buffer): Promise<AsyncIterable<Buffer>> {
  try {
    const zip = await new Promise<ZipFile>((resolve, reject) => {
      fromBuffer(file, { lazyEntries: true }, (error, unpacked) =>
        error ? reject(error) : resolve(unpacked),
      );
    });
    const entry = await findOnlyEntry(zip);
    return await new Promise<Readable>((resolve, reject) => {
      zip.openReadStream(entry, (error, stream) => (error ? reject(error) : resolve(stream)));
    });
  } catch (error) {
    throw error instanceof ReportError ? error : new ReportError('damaged');
  }
}

function findOnlyEntry(zip: ZipFile): Promise<Entry> {
  return new Promise((resolve, reject) => {
    let fileEntry: Entry | undefined;
    let count = 0;
    zip.on('entry', (entry: Entry) => {
      count += 1;
      if (!isIgnored(entry)) {
        if (fileEntry || count > 100) return reject(new ReportError('several_files'));
        fileEntry = entry;
      }
      zip.readEntry();
    });
    zip.once('end', () => (fileEntry ? resolve(fileEntry) : reject(new ReportError('no_report'))));
    zip.once('error', reject);
    zip.readEntry();
  });
}
