// What a process says of itself with its sign of life: where it runs, on what, how it is. Shown to the operator.
import { statfs } from 'node:fs/promises';
import os from 'node:os';
import { recentErrors } from './log.ts';
import { longestPause } from './pulse.ts';

let version = '';
let folder: string | undefined;

/** Once at start: the product's version, and the folder whose disk is looked at. */
export function configureProcessFacts(facts: { version: string; dataFolder: string }): void {
  version = facts.version;
  folder = facts.dataFolder;
}

export type ProcessFacts = {
  host: string;
  version: string;
  node: string;
  memory_megabytes: number;
  /** Milliseconds, of the last minute. */
  longest_pause: number | null;
  /** Bytes of the disk that files and the embedded database lie on. */
  disk: { free: number; total: number } | null;
  /** Of the last hour; `at` is milliseconds since 1970. */
  errors: { message: string; text: string; count: number; at: number }[];
};

export async function processFacts(): Promise<ProcessFacts> {
  const pause = longestPause();
  return {
    host: os.hostname(),
    version,
    node: process.versions.node,
    memory_megabytes: Math.round(process.memoryUsage.rss() / 2 ** 20),
    longest_pause: pause === undefined ? null : Math.round(pause),
    disk: await diskOf(folder),
    errors: recentErrors().slice(0, 10),
  };
}

async function diskOf(path: string | undefined): Promise<ProcessFacts['disk']> {
  if (path === undefined) return null;
  try {
    const { bavail, blocks, bsize } = await statfs(path);
    return { free: bavail * bsize, total: blocks * bsize };
  } catch {
    return null;
  }
}
