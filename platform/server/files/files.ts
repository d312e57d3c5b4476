// The file store: streams files to and from a folder or an S3-compatible bucket. All roles of an
// installation use the same store.
import { createWriteStream } from 'node:fs';
import { chmod, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { clock } from '../clock.ts';
import type { FilesConfig } from '../config.ts';
import { s3Files } from './files-s3.ts';
import type { Poller } from '../jobs/pollers.ts';

/** Bytes from `start` (inclusive) to `end` (exclusive), which must be within the file. */
type ByteRange = { start: number; end: number };

export type FileStore = {
  /** Stores the whole stream or nothing; returns its size in bytes. */
  put(key: string, content: Readable): Promise<number>;
  /** The file, or the given range of it; undefined if it does not exist. */
  get(key: string, range?: ByteRange): Promise<Readable | undefined>;
  size(key: string): Promise<number | undefined>;
  remove(key: string): Promise<void>;
  /**
   * Deletes partial files last written before this time; their writers are dead. A bucket has no
   * partial files.
   */
  removeLeftovers(before: Date): Promise<void>;
  /** Every key, unordered; for backups. */
  list(): AsyncIterable<string>;
};

const SAFE_KEY = /^[a-z0-9][a-z0-9._-]*(\/[a-z0-9][a-z0-9._-]*)*$/i;

/** Treats only ENOENT as missing: an unreadable disk must not look like an empty one. */
function unlessMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}

const isPartial = (file: string) => path.basename(file).includes('.partial-');

async function filesIn(folder: string): Promise<string[]> {
  // A missing folder means that nothing was ever stored.
  if (!(await stat(folder).catch(unlessMissing))) return [];
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

/** Subscribers' addresses must not be readable by other users of this machine. */
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/** Makes existing files private; skipped if the folder itself is already private. */
export async function closeFiles(folder: string): Promise<void> {
  const root = await stat(folder).catch(unlessMissing);
  if (!root || (root.mode & 0o077) === 0) return;
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    const mode = entry.isDirectory() ? FOLDER_MODE : FILE_MODE;
    await chmod(path.join(entry.parentPath, entry.name), mode).catch(unlessMissing);
  }
  // The folder is changed last, so that an interrupted start repeats the work.
  await chmod(folder, FOLDER_MODE);
}

export function diskFiles(folder: string): FileStore {
  const pathOf = (key: string) => {
    if (!SAFE_KEY.test(key) || key.includes('..')) throw new Error(`Not a file key: ${key}`);
    return path.join(folder, key);
  };
  return {
    async put(key, content) {
      const target = pathOf(key);
      await mkdir(path.dirname(target), { recursive: true, mode: FOLDER_MODE });
      const partial = `${target}.partial-${process.pid}-${Math.random().toString(36).slice(2)}`;
      try {
        await pipeline(content, createWriteStream(partial, { flush: true, mode: FILE_MODE }));
        const { size } = await stat(partial);
        await rename(partial, target);
        return size;
      } catch (error) {
        await rm(partial, { force: true });
        throw error;
      }
    },
    async get(key, range) {
      // Opened immediately: a file deleted a moment later can still be read to its end.
      const file = await open(pathOf(key)).catch(unlessMissing);
      // Node's `end` is inclusive.
      return file?.createReadStream(range && { start: range.start, end: range.end - 1 });
    },
    async size(key) {
      return (await stat(pathOf(key)).catch(unlessMissing))?.size;
    },
    async remove(key) {
      await rm(pathOf(key), { force: true });
    },
    async removeLeftovers(before) {
      for (const file of await filesIn(folder)) {
        if (!isPartial(file)) continue;
        const stats = await stat(file).catch(unlessMissing);
        if (stats && stats.mtime < before) await rm(file, { force: true });
      }
    },
    async *list() {
      for (const file of await filesIn(folder)) {
        if (!isPartial(file)) yield path.relative(folder, file).replaceAll(path.sep, '/');
      }
    },
  };
}

const LEFTOVER_MS = 86_400_000;

/** Partial files older than a day are leftovers, because no write takes that long. */
export const leftoversPoller: Poller = {
  name: 'files.leftovers',
  intervalMs: 6 * 3_600_000,
  run: () => files.removeLeftovers(new Date(clock.now().getTime() - LEFTOVER_MS)),
};

let configuredStore: FileStore | undefined;

/** The process's file store; set once at startup. */
export const files: FileStore = {
  put: (key, content) => store().put(key, content),
  get: (key, range) => store().get(key, range),
  size: (key) => store().size(key),
  remove: (key) => store().remove(key),
  removeLeftovers: (before) => store().removeLeftovers(before),
  list: () => store().list(),
};

function store(): FileStore {
  if (!configuredStore) throw new Error('configureFiles has not been called');
  return configuredStore;
}

export function configureFiles(config: FilesConfig): void {
  configuredStore = createFileStore(config);
}

export function createFileStore(config: FilesConfig): FileStore {
  return config.kind === 'disk' ? diskFiles(config.folder) : s3Files(config);
}
