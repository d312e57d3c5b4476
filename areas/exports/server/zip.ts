// A ZIP archive as a stream: each entry is deflated on the fly, its sizes follow it (APPNOTE
// 4.3.9).
import { pipeline, Readable } from 'node:stream';
import { crc32, createDeflateRaw } from 'node:zlib';

export type ZipEntry = {
  name: string;
  content: Iterable<Buffer | string> | AsyncIterable<Buffer | string>;
};

/** The plain format ends at 4 GB, and not all spreadsheets read the larger one. */
export class ZipTooLarge extends Error {}

const most = 0xffff_ffff;
/** Bit 3: sizes follow the data; bit 11: names are UTF-8. */
const flags = 0x0808;
const deflated = 8;
/** 1 January 1980: an archive of the same rows is the same file. */
const date = 0x0021;

type Written = { name: Buffer; crc: number; packed: number; size: number; offset: number };

export async function* zip(entries: Iterable<ZipEntry>): AsyncGenerator<Buffer> {
  const written: Written[] = [];
  let offset = 0;
  for (const { name, content } of entries) {
    const entry: Written = { name: Buffer.from(name), crc: 0, packed: 0, size: 0, offset };
    const header = localHeader(entry.name);
    yield header;
    const packing = createDeflateRaw({ level: 5, chunkSize: 64 * 1024 });
    // A failure of the source ends the packing with it.
    pipeline(Readable.from(counted(content, entry)), packing, () => {});
    for await (const chunk of packing) {
      entry.packed += (chunk as Buffer).length;
      yield chunk as Buffer;
    }
    yield descriptor(entry);
    offset += header.length + entry.packed + 16;
    if (entry.size > most || offset > most) throw new ZipTooLarge(name);
    written.push(entry);
  }
  const directory = Buffer.concat(written.map(directoryEntry));
  yield directory;
  yield endOf(written.length, directory.length, offset);
}

async function* counted(content: ZipEntry['content'], entry: Written): AsyncGenerator<Buffer> {
  for await (const piece of content) {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    entry.crc = crc32(bytes, entry.crc);
    entry.size += bytes.length;
    yield bytes;
  }
}

function localHeader(name: Buffer): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(20, 4);
  header.writeUInt16LE(flags, 6);
  header.writeUInt16LE(deflated, 8);
  header.writeUInt16LE(date, 12);
  header.writeUInt16LE(name.length, 26);
  return Buffer.concat([header, name]);
}

function descriptor(entry: Written): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt32LE(0x08074b50, 0);
  bytes.writeUInt32LE(entry.crc, 4);
  bytes.writeUInt32LE(entry.packed, 8);
  bytes.writeUInt32LE(entry.size % (most + 1), 12);
  return bytes;
}

function directoryEntry(entry: Written): Buffer {
  const bytes = Buffer.alloc(46);
  bytes.writeUInt32LE(0x02014b50, 0);
  bytes.writeUInt16LE(20, 4);
  bytes.writeUInt16LE(20, 6);
  bytes.writeUInt16LE(flags, 8);
  bytes.writeUInt16LE(deflated, 10);
  bytes.writeUInt16LE(date, 14);
  bytes.writeUInt32LE(entry.crc, 16);
  bytes.writeUInt32LE(entry.packed, 20);
  bytes.writeUInt32LE(entry.size, 24);
  bytes.writeUInt16LE(entry.name.length, 28);
  bytes.writeUInt32LE(entry.offset, 42);
  return Buffer.concat([bytes, entry.name]);
}

function endOf(count: number, size: number, offset: number): Buffer {
  const bytes = Buffer.alloc(22);
  bytes.writeUInt32LE(0x06054b50, 0);
  bytes.writeUInt16LE(count, 8);
  bytes.writeUInt16LE(count, 10);
  bytes.writeUInt32LE(size, 12);
  bytes.writeUInt32LE(offset, 16);
  return bytes;
}
