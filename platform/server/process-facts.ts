// What a process says of itself with its sign of life: where it runs, on what, how it is. Shown to the operator.
import { statfs } from 'node:fs/promises';
import os from 'node:os';
import { recentErrors } from './log.ts';
import { longestPause } from './pulse.ts';

let version = '';
let folder: string | undefined;
let contracts: readonly string[] = [];

/** Once at start: the product's version, the folder whose disk is looked at, and what it can do without. */
export function configureProcessFacts(facts: {
  version: string;
  dataFolder: string;
  contracts: readonly string[];
}): void {
  version = facts.version;
  folder = facts.dataFolder;
  contracts = facts.contracts;
}

export type ProcessFacts = {
  host: string;
  version: string;
  node: string;
  /** Migrations that take something away, which this process is made for: migrate.ts. */
  contracts: readonly string[];
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
    contracts,
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
