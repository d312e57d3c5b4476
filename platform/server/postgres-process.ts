// The process of the embedded PostgreSQL: its settings, its start, its end, and the end of one that
// a killed start left behind.
import { type ChildProcess, spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CannotStart } from './cannot-start.ts';
import { readProcess } from './other-process.ts';
import type { User } from './unprivileged.ts';

export interface Launch {
  /** The folder of the cluster. */
  cluster: string;
  port: number;
  /** The folder of initdb and postgres. */
  binaries: string;
  user: User | undefined;
  /** For tests: nothing is synced to disk, so nothing survives a crash. */
  throwaway: boolean;
  /** DATA_DIR: the server's log is postgres.log in it. */
  folder: string;
}

export interface PostgresProcess {
  /** Settles when the server ends by itself (crashed or killed); stop() does not settle it. */
  died: Promise<void>;
  stop(): Promise<void>;
}

/** After kill -9 of its parent a server lives on, or leaves a file that names a process long gone. */
export async function stopLeftover(
  cluster: string,
  say: (sentence: string) => void,
): Promise<void> {
  const file = join(cluster, 'postmaster.pid');
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
  if (!isPostmaster(pid, cluster)) {
    rmSync(file, { force: true });
    return;
  }
  say('A database server of an earlier start is still running: it is stopped first.');
  for (const [signal, seconds] of [
    ['SIGINT', 20],
    ['SIGQUIT', 10],
    ['SIGKILL', 5],
  ] as const) {
    signalTo(pid, signal);
    for (const end = Date.now() + seconds * 1000; Date.now() < end; await delay(50)) {
      if (!isPostmaster(pid, cluster)) return;
    }
  }
  throw new CannotStart(`The database server ${pid} of an earlier start cannot be stopped.`);
}

/** Throws where nobody can tell: a stranger's process is never stopped. */
function isPostmaster(pid: number, cluster: string): boolean {
  if (!(pid > 1)) return false;
  const found = readProcess(pid, process.platform);
  if (found.is === 'unknown') {
    throw new CannotStart(
      `The process ${pid} may be the database server of an earlier start, which this system does not tell: stop it, or remove ${join(cluster, 'postmaster.pid')} if it is another.`,
    );
  }
  return found.is === 'alive' && found.command.includes(` -D ${cluster} `);
}

function signalTo(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** Spawns the server and waits until it takes connections, however long its recovery takes. */
export async function launchPostgres(launch: Launch, attempt = 1): Promise<PostgresProcess> {
  const { cluster, port, binaries, user, throwaway } = launch;
  const log = logFile(launch.folder);
  const output = openSync(log, 'w', 0o600);
  const args = ['-D', cluster, ...settings(port, throwaway).flatMap((s) => ['-c', s])];
  // Its own process group: Ctrl-C in the terminal is for us, who stop it last.
  const child = spawn(join(binaries, 'postgres'), args, {
    ...user,
    env: environment(),
    stdio: ['ignore', output, output],
    detached: true,
  });
  closeSync(output);
  const ended = new Promise<void>((settle) => child.once('close', () => settle()));
  child.once('error', () => {});
  while (!isReady(cluster, child)) {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) {
      const reason = lastFatal(log);
      // The other processes of a server that was killed take a moment to notice.
      if (reason.includes('still in use') && attempt < 50) {
        await delay(200);
        return launchPostgres(launch, attempt + 1);
      }
      const why = isFull(cluster) ? `the disk of ${cluster} is full. Make room on it` : reason;
      throw new CannotStart(`The embedded PostgreSQL did not start: ${why} (see ${log}).`);
    }
    await delay(20);
  }
  let stopping = false;
  return {
    died: new Promise((settle) => ended.then(() => stopping || settle())),
    stop: () => {
      stopping = true;
      return stop(child, ended);
    },
  };
}

/** postmaster.pid says 'ready' in its eighth line: what pg_ctl waits for. */
function isReady(cluster: string, child: ChildProcess): boolean {
  try {
    const lines = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n');
    return Number(lines[0]) === child.pid && (lines[7] ?? '').startsWith('ready');
  } catch {
    return false;
  }
}

/** Fast shutdown first (sessions are ended, all is written), then by force. */
async function stop(child: ChildProcess, ended: Promise<void>): Promise<void> {
  for (const [signal, seconds] of [
    ['SIGINT', 20],
    ['SIGQUIT', 5],
    ['SIGKILL', 5],
  ] as const) {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    const timer = new AbortController();
    await Promise.race([ended, delay(seconds * 1000, null, { signal: timer.signal })]);
    timer.abort();
  }
}

function settings(port: number, throwaway: boolean): string[] {
  const memory = Math.min(totalmem(), process.constrainedMemory() || totalmem());
  const megabytes = (part: number, limit: number) =>
    `${Math.max(16, Math.min(limit, Math.floor((memory * part) / 2 ** 20)))}MB`;
  return [
    'listen_addresses=127.0.0.1',
    `port=${port}`,
    'unix_socket_directories=',
    'max_connections=200',
    `shared_buffers=${megabytes(1 / 4, throwaway ? 256 : 2048)}`,
    `effective_cache_size=${megabytes(1 / 2, 64 * 1024)}`,
    'work_mem=32MB',
    'maintenance_work_mem=256MB',
    'max_wal_size=4GB',
    'jit=off',
    'timezone=UTC',
    'log_timezone=UTC',
    ...(smallSharedMemory() ? ['dynamic_shared_memory_type=mmap'] : []),
    ...(throwaway ? ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'] : []),
  ];
}

/** Containers give /dev/shm 64 MB, which a parallel query of ours exceeds. */
function smallSharedMemory(): boolean {
  try {
    const { blocks, bsize } = statfsSync('/dev/shm');
    return blocks * bsize < 512 * 2 ** 20;
  } catch {
    return false;
  }
}

/** Less than one of PostgreSQL's own files fits: without room it cannot even say why it ends. */
function isFull(folder: string): boolean {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize < 16 * 2 ** 20;
}

/** The log of this start; that of the one before is kept. */
function logFile(folder: string): string {
  const log = join(folder, 'postgres.log');
  if (existsSync(log)) renameSync(log, `${log}.1`);
  return log;
}

function lastFatal(log: string): string {
  const lines = readFileSync(log, 'utf8').trim().split('\n');
  const line = lines.findLast((text) => /FATAL|PANIC|error/.test(text)) ?? lines.at(-1) ?? '';
  return line.replace(/^.*?(FATAL|PANIC): */, '');
}

export function environment(): NodeJS.ProcessEnv {
  // PGDATA, PGPORT and their like of the surroundings must not steer this server.
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('PG'));
  return { ...Object.fromEntries(own), LC_ALL: 'C' };
}
