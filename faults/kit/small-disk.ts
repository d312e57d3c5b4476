// A separate small disk for a scene, which can be filled to the last byte and freed again: a tmpfs,
// which only root may mount.
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SmallDisk {
  folder: string;
  /** Fills the disk completely. A repeated call fills the space freed since the last call. */
  fill(): void;
  free(): void;
}

const CHUNK = Buffer.alloc(1024 * 1024);

/** Runs `play` with a disk of that many megabytes, and removes the disk afterwards. */
export async function runOnSmallDisk<T>(
  megabytes: number,
  play: (disk: SmallDisk) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'sendloom-disk-'));
  const options = `size=${megabytes}m,mode=755`;
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'pipe' });
  } catch (error) {
    rmdirSync(folder);
    throw new Error('Only root can mount the small disk', { cause: error });
  }
  const filler = join(folder, 'filler');
  try {
    return await play({
      folder,
      fill: () => fill(filler),
      free: () => rmSync(filler, { force: true }),
    });
  } finally {
    execFileSync('umount', ['-l', folder]);
    rmdirSync(folder);
  }
}

/** Writes large chunks, then single pages, until the disk is full. */
function fill(file: string): void {
  const handle = openSync(file, 'a');
  for (const size of [CHUNK.length, 4096]) {
    try {
      for (;;) writeSync(handle, CHUNK, 0, size);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }
  closeSync(handle);
}
