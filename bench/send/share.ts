// Processors that a machine lacks, as slower ones: each sender gets a part of one by a control group of Linux
// (version 1 or 2, as root). So many senders then scale as on as many processors of that speed.
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FIRST = '/sys/fs/cgroup/cpu';
const SECOND = '/sys/fs/cgroup';
/** Microseconds; short, so that a sender does not stand still for long. */
const PERIOD = 10_000;

/** Holds a process, with all its threads, to so many hundredths of a processor; returns what gives the group back. */
export function holdToShare(pid: number, percent: number): () => void {
  const quota = Math.round((PERIOD * percent) / 100);
  const name = `sendloom-bench-${pid}`;
  const isSecond = hasController();
  const folder = join(isSecond ? SECOND : FIRST, name);
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
    return readFileSync(join(SECOND, 'cgroup.subtree_control'), 'utf8').split(/\s/).includes('cpu');
  } catch {
    return false;
  }
}
