// Receives a file: enforces the size limit, detects its kind by the first bytes, converts a
// workbook to text.
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AppError } from '#platform/server/errors.ts';
import { readWorkbookText, ZipError } from './reading/workbook.ts';
import { detectArchiveKind, PackedBookError, readZippedLists } from './reading/zipped-lists.ts';

export async function* limitBytes(
  bytes: AsyncIterable<Buffer>,
  limit: number,
): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > limit)
      throw new AppError('file_too_large', { values: { megabytes: Math.floor(limit / 1048576) } });
    yield chunk;
  }
}

/** Returns the first bytes, and the whole stream including them. Refuses an empty file. */
export async function peek(
  bytes: AsyncGenerator<Buffer>,
): Promise<{ head: Buffer; bytes: AsyncIterable<Buffer> }> {
  let head = Buffer.alloc(0);
  while (head.length < 8) {
    const next = await bytes.next();
    if (next.done) break;
    head = Buffer.concat([head, next.value]);
  }
  if (head.length === 0) throw new AppError('file_empty');
  async function* replayBytes(): AsyncGenerator<Buffer> {
    yield head;
    yield* bytes;
  }
  return { head, bytes: replayBytes() };
}

/** A workbook or ZIP needs random access: reads it from a local file that is deleted afterwards. */
export async function* convertWorkbook(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'sendloom-workbook-'));
  let prefix: 'workbook' | 'zip' = 'workbook';
  try {
    const file = path.join(folder, 'packed.zip');
    await pipeline(Readable.from(bytes), createWriteStream(file));
    const archiveKind = await detectArchiveKind(file);
    if (archiveKind === 'other') throw new AppError('no_list');
    if (archiveKind === 'lists') prefix = 'zip';
    for await (const lines of archiveKind === 'lists'
      ? readZippedLists(file)
      : readWorkbookText(file))
      yield Buffer.from(lines);
  } catch (error) {
    if (error instanceof ZipError) throw new AppError(`${prefix}_${error.code}`);
    if (error instanceof PackedBookError) throw new AppError(error.code);
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
