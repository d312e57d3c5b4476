// The folder of a backup: manifest.json, rows/ with the COPY output of each part, and files/, each
// compressed separately (zstd). A part gets its final name once it is finished. The manifest is
// written last; then the folder gets its final name.
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readFile, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import { runParallel } from '../work/parallel.ts';
import { SnapshotError } from './snapshot-error.ts';
import type { WaitingJob } from './snapshot.sql.ts';
import type { PageRange } from './parts.sql.ts';

export const FORMAT = 2;

/** The folder contains subscribers' addresses and the SECRET. */
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

export type Part = { name: string; table: string; heap: string; range?: PageRange };
export type TableShape = { name: string; columns: string[]; parents: string[] };

/** One snapshot: its tables, the parts to read, and the jobs and IDs that a restore continues. */
export type BackupPlan = {
  format: typeof FORMAT;
  product: 'sendloom';
  at: string;
  migrations: string[];
  tables: TableShape[];
  parts: Part[];
  jobs: WaitingJob[];
  /** The last id assigned by each identity column, under `table.column`. */
  reached: Record<string, number>;
};

/** A finished part or file. */
export type BackupPart = {
  kind: 'rows' | 'file';
  name: string;
  /** Compressed size. */
  bytes: number;
  sha256: string;
  rows: number;
};

export type Manifest = BackupPlan & { secret: string; done: BackupPart[] };

const manifestOf = (folder: string) => path.join(folder, 'manifest.json');

export const backupPartPath = (folder: string, { kind, name }: Pick<BackupPart, 'kind' | 'name'>) =>
  path.join(folder, kind === 'rows' ? 'rows' : 'files', `${name}.zst`);

/** Writes the complete file or none; it is synced to disk when the promise resolves. */
export async function writeJson(file: string, value: unknown): Promise<void> {
  const handle = await open(`${file}.partial`, 'w', FILE_MODE);
  try {
    await handle.writeFile(JSON.stringify(value));
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${file}.partial`, file);
}

export async function readJson<T>(file: string): Promise<T | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOTDIR') throw new SnapshotError('This is not a Sendloom backup.');
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as T;
  } catch {
    throw new SnapshotError('The backup is damaged: its manifest cannot be read.');
  }
}

export async function openFolder(folder: string): Promise<void> {
  for (const name of ['.', 'rows', 'files']) {
    await mkdir(path.join(folder, name), { recursive: true, mode: FOLDER_MODE });
  }
}

/** Compresses the content into its final file; the file is synced when the promise resolves. */
export async function storeContent(
  folder: string,
  partId: Pick<BackupPart, 'kind' | 'name'>,
  content: AsyncIterable<Buffer>,
  rows: () => number,
): Promise<BackupPart> {
  const partPath = backupPartPath(folder, partId);
  await mkdir(path.dirname(partPath), { recursive: true, mode: FOLDER_MODE });
  const hash = createHash('sha256');
  let bytes = 0;
  const partial = `${partPath}.partial`;
  await pipeline(
    content,
    createZstdCompress(),
    async function* (compressed: AsyncIterable<Buffer>) {
      for await (const chunk of compressed) {
        bytes += chunk.length;
        hash.update(chunk);
        yield chunk;
      }
    },
    createWriteStream(partial, { mode: FILE_MODE, flush: true }),
  );
  await rename(partial, partPath);
  return { ...partId, bytes, sha256: hash.digest('hex'), rows: rows() };
}

/** Yields the decompressed content. Throws before the end if it differs from what was written. */
export async function* readContent(folder: string, part: BackupPart): AsyncGenerator<Buffer> {
  const damagedError = (cause?: unknown) =>
    new SnapshotError(
      `The backup is damaged: ${path.relative(folder, backupPartPath(folder, part))}.`,
      {
        cause,
      },
    );
  const hash = createHash('sha256');
  const file = createReadStream(backupPartPath(folder, part));
  const compressed = file.on('data', (chunk) => hash.update(chunk as Buffer));
  const decompressed = compressed.pipe(createZstdDecompress());
  file.on('error', (error) => decompressed.destroy(error));
  try {
    for await (const chunk of decompressed) yield chunk as Buffer;
  } catch (error) {
    throw damagedError(error);
  } finally {
    file.destroy();
  }
  if (hash.digest('hex') !== part.sha256) throw damagedError();
}

export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  await writeJson(manifestOf(folder), manifest);
}

/** Returns undefined if the folder has no manifest: not a backup, or an unfinished one. */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  const manifest = await readJson<Manifest>(manifestOf(folder));
  if (manifest && (manifest.product !== 'sendloom' || manifest.format !== FORMAT)) {
    throw new SnapshotError('This is not a Sendloom backup.');
  }
  return manifest;
}

/** Number of files hashed concurrently; more of them would only wait for the disk. */
const MAX_CONCURRENT_HASHES = 4;

/**
 * Checks that every file is as it was written; names the first damaged file. A restore calls this
 * before it changes anything. Compares sizes first, because that costs nothing.
 */
export async function refuseDamaged(folder: string, { done, parts }: Manifest): Promise<void> {
  const storedNames = new Set(done.filter(({ kind }) => kind === 'rows').map(({ name }) => name));
  const missingPart = parts.find(({ name }) => !storedNames.has(name));
  if (missingPart)
    throw new SnapshotError(`The backup is damaged: ${missingPart.name} is missing.`);
  const damagedError = (part: BackupPart, reason: string) =>
    new SnapshotError(
      `The backup is damaged: ${path.relative(folder, backupPartPath(folder, part))} ${reason}.`,
    );
  for (const part of done) {
    const stats = await stat(backupPartPath(folder, part)).catch(() => undefined);
    if (!stats) throw damagedError(part, 'is missing');
    if (stats.size !== part.bytes) {
      throw damagedError(
        part,
        `has the wrong size: expected ${part.bytes} bytes, found ${stats.size}`,
      );
    }
  }
  await runParallel(done, MAX_CONCURRENT_HASHES, async (part) => {
    const hash = await hashOf(backupPartPath(folder, part));
    if (hash !== part.sha256) {
      throw damagedError(part, `has the SHA-256 ${hash} instead of ${part.sha256}`);
    }
  });
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
