// Data that a process publishes for the operator with each heartbeat: host, versions, health.
import { statfs } from 'node:fs/promises';
import os from 'node:os';
import { listRecentErrors } from '../log.ts';
import { maxPause } from './event-loop-watchdog.ts';

let version = '';
let folder: string | undefined;
let contracts: readonly string[] = [];

/**
 * Sets, once at startup, the product's version, the folder on the disk to measure, and the contract
 * migrations that this process supports.
 */
export function configureProcessFacts(details: {
  version: string;
  dataFolder: string;
  contracts: readonly string[];
}): void {
  version = details.version;
  folder = details.dataFolder;
  contracts = details.contracts;
}

/** Sendloom and Node.js versions. */
export const readVersions = () => ({ version, node: process.versions.node });

export type ProcessFacts = {
  host: string;
  version: string;
  node: string;
  /** Contract migrations this process supports (migrate.ts). */
  contracts: readonly string[];
  memory_megabytes: number;
  /** Milliseconds, over the last minute. */
  longest_pause: number | null;
  /** Bytes on the disk of files and embedded database. */
  disk: { free: number; total: number } | null;
  /** Errors of the last hour; `at` in milliseconds since 1970. */
  errors: { message: string; text: string; count: number; at: number }[];
};

export async function processFacts(): Promise<ProcessFacts> {
  const pause = maxPause();
  return {
    host: os.hostname(),
    ...readVersions(),
    contracts,
    memory_megabytes: Math.round(process.memoryUsage.rss() / 2 ** 20),
    longest_pause: pause === undefined ? null : Math.round(pause),
    disk: await readDisk(),
    errors: listRecentErrors().slice(0, 10),
  };
}

/** Returns null if the process has no data folder or its disk cannot be measured. */
export async function readDisk(): Promise<ProcessFacts['disk']> {
  if (folder === undefined) return null;
  try {
    const { bavail, blocks, bsize } = await statfs(folder);
    return { free: bavail * bsize, total: blocks * bsize };
  } catch {
    return null;
  }
}
