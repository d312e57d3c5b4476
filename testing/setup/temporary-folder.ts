// Chooses the folder for the databases of a run: in memory if enough is free, otherwise on disk.
import { accessSync, constants, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';

export const MEMORY = '/dev/shm';

/** The databases of three workers, and the write-ahead log, which is limited to a quarter of this. */
const MIN_FREE_BYTES = 4 * 2 ** 30;

/**
 * Linux's file system in memory, otherwise the temporary folder. A database has a thousand files:
 * copying them takes a tenth of the processor time in memory.
 */
export function fastFolder(): string {
  return hasRoom() ? MEMORY : tmpdir();
}

/** The folders where runs may have left something. */
export function runFolders(): string[] {
  return hasFolder() ? [tmpdir(), MEMORY] : [tmpdir()];
}

function hasRoom(): boolean {
  if (!hasFolder()) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  // The second is the limit of a container.
  const free = Math.min(freemem(), process.availableMemory());
  return bavail * bsize >= MIN_FREE_BYTES && free >= MIN_FREE_BYTES;
}

function hasFolder(): boolean {
  if (process.platform !== 'linux') return false;
  try {
    accessSync(MEMORY, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
