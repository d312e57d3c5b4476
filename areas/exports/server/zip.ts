// Creates a ZIP archive as a stream of at most 4 GB.
import { Readable } from 'node:stream';
import yazl from 'yazl';

export type ArchiveEntry = {
  name: string;
  content: Iterable<Buffer | string> | AsyncIterable<Buffer | string>;
};

/**
 * Thrown for an archive or an entry over 4 GB. It would need ZIP64, which not all spreadsheet
 * programs read.
 */
export class ZipTooLarge extends Error {}

const MAX_BYTES = 0xffff_ffff;
/** A constant time, so that an archive of the same rows is the same file. */
const OPTIONS = { mtime: new Date(1980, 0, 1), forceDosTimestamp: true, compressionLevel: 5 };

export async function* zip(entries: Iterable<ArchiveEntry>): AsyncGenerator<Buffer> {
  const archive = new yazl.ZipFile();
  const output = archive.outputStream as Readable;
  archive.on('error', (error) => output.destroy(error as Error));
  const sources: Readable[] = [];
  for (const { name, content } of entries) {
    archive.addReadStreamLazy(name, OPTIONS, (callback) => {
      const source = Readable.from(limitSize(name, content), { objectMode: false });
      sources.push(source);
      callback(null, source);
    });
  }
  archive.end();
  let size = 0;
  try {
    for await (const chunk of output as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_BYTES) throw new ZipTooLarge();
      yield chunk;
    }
  } finally {
    // yazl leaves the sources of an interrupted archive open.
    for (const source of sources) source.destroy();
  }
}

async function* limitSize(name: string, content: ArchiveEntry['content']): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of content) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    size += bytes.length;
    if (size > MAX_BYTES) throw new ZipTooLarge(name);
    yield bytes;
  }
}
