// Simulates more, slower processors: each sender gets a share of one processor by a Linux control
// group (version 1 or 2, as root). Senders then scale as with that many processors of that speed.
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const VERSION_1 = '/sys/fs/cgroup/cpu';
const VERSION_2 = '/sys/fs/cgroup';
/** The period in microseconds, which is short, so that a sender is never stopped for long. */
const PERIOD = 10_000;

/**
 * Limits a process with all its threads to this percentage of a processor. Returns the function
 * that removes the group.
 */
export function limitCpu(pid: number, percent: number): () => void {
  const quota = Math.round((PERIOD * percent) / 100);
  const name = `sendloom-bench-${pid}`;
  const isSecond = hasController();
  const folder = join(isSecond ? VERSION_2 : VERSION_1, name);
  mkdirSync(folder);
  if (isSecond) {
    writeFileSync(join(folder, 'cpu.max'), `${quota} ${PERIOD}`);
  } else {
    writeFileSync(join(folder, 'cpu.cfs_period_us'), String(PERIOD));
    writeFileSync(join(folder, 'cpu.cfs_quota_us'), String(quota));
  }
  writeFileSync(join(folder, 'cgroup.procs'), String(pid));
  return () => rmdirSync(folder);
}

function hasController(): boolean {
  try {
    return readFileSync(join(VERSION_2, 'cgroup.subtree_control'), 'utf8')
      .split(/\s/)
      .includes('cpu');
  } catch {
    return false;
  }
}
