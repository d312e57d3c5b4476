// The process of the embedded PostgreSQL: settings, start and stop. Also stops a server that a
// killed product left running.
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
import { CannotStart } from '../process/cannot-start.ts';
import { readProcess } from '../process/other-process.ts';
import type { ProcessUser } from '../process/unprivileged.ts';

export interface Launch {
  /** Data folder of the cluster. */
  cluster: string;
  port: number;
  /** Folder of initdb and postgres. */
  binaryFolder: string;
  user: ProcessUser | undefined;
  /** Tests only: no fsync, so data does not survive a crash. */
  isTemporary: boolean;
  /** DATA_DIR, with the server's log in postgres.log. */
  folder: string;
}

export interface PostgresProcess {
  /** Resolves when the server ends by itself (crash or kill); stop() does not resolve it. */
  unexpectedExit: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Stops the server that still runs after a kill -9 of the product. Removes its pid file if the
 * server does not run.
 */
export async function stopLeftover(
  cluster: string,
  print: (sentence: string) => void,
): Promise<void> {
  const file = join(cluster, 'postmaster.pid');
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
  if (!isPostmaster(pid, cluster)) {
    rmSync(file, { force: true });
    return;
  }
  print('A database server of an earlier start is still running: it is stopped first.');
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

/** Throws if the process cannot be identified, so that an unrelated process is never stopped. */
function isPostmaster(pid: number, cluster: string): boolean {
  if (!(pid > 1)) return false;
  const runningProcess = readProcess(pid, process.platform);
  if (runningProcess.state === 'unknown') {
    throw new CannotStart(
      `Process ${pid} may be the database server of an earlier start: stop it, or remove ${join(cluster, 'postmaster.pid')} if it is another program.`,
    );
  }
  return runningProcess.state === 'alive' && runningProcess.command.includes(` -D ${cluster} `);
}

function signalTo(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** Spawns the server and waits until it accepts connections, no matter how long recovery takes. */
export async function launchPostgres(launch: Launch, attempt = 1): Promise<PostgresProcess> {
  const { cluster, port, binaryFolder, user, isTemporary } = launch;
  const log = logFile(launch.folder);
  const output = openSync(log, 'w', 0o600);
  const args = ['-D', cluster, ...settings(port, isTemporary).flatMap((s) => ['-c', s])];
  // A separate process group: Ctrl-C in the terminal reaches only this process, which stops the
  // server last.
  const child = spawn(join(binaryFolder, 'postgres'), args, {
    ...user,
    env: environment(),
    stdio: ['ignore', output, output],
    detached: true,
  });
  closeSync(output);
  const exit = new Promise<void>((settle) => child.once('close', () => settle()));
  child.once('error', () => {});
  while (!isReady(cluster, child)) {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) {
      const reason = lastFatal(log);
      // The child processes of a killed server take a moment to exit.
      if (reason.includes('still in use') && attempt < 50) {
        await delay(200);
        return launchPostgres(launch, attempt + 1);
      }
      const message = isFull(cluster) ? `the disk of ${cluster} is full. Make room on it` : reason;
      throw new CannotStart(`The embedded PostgreSQL did not start: ${message} (see ${log}).`);
    }
    await delay(20);
  }
  let stopping = false;
  return {
    unexpectedExit: new Promise((settle) => exit.then(() => stopping || settle())),
    stop: () => {
      stopping = true;
      return stop(child, exit);
    },
  };
}

/** Returns true once the eighth line of postmaster.pid is 'ready', which pg_ctl waits for too. */
function isReady(cluster: string, child: ChildProcess): boolean {
  try {
    const lines = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n');
    return Number(lines[0]) === child.pid && (lines[7] ?? '').startsWith('ready');
  } catch {
    return false;
  }
}

/**
 * Stops the server with a fast shutdown (ends sessions, writes all data) and kills it if that takes
 * too long.
 */
async function stop(child: ChildProcess, exit: Promise<void>): Promise<void> {
  for (const [signal, seconds] of [
    ['SIGINT', 20],
    ['SIGQUIT', 5],
    ['SIGKILL', 5],
  ] as const) {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    const timer = new AbortController();
    await Promise.race([exit, delay(seconds * 1000, null, { signal: timer.signal })]);
    timer.abort();
  }
}

function settings(port: number, isTemporary: boolean): string[] {
  const memory = Math.min(totalmem(), process.constrainedMemory() || totalmem());
  const megabytes = (part: number, limit: number) =>
    `${Math.max(16, Math.min(limit, Math.floor((memory * part) / 2 ** 20)))}MB`;
  return [
    'listen_addresses=127.0.0.1',
    `port=${port}`,
    'unix_socket_directories=',
    'max_connections=200',
    `shared_buffers=${megabytes(1 / 4, isTemporary ? 256 : 2048)}`,
    `effective_cache_size=${megabytes(1 / 2, 64 * 1024)}`,
    'work_mem=32MB',
    'maintenance_work_mem=256MB',
    `max_wal_size=${isTemporary ? 1 : 4}GB`,
    'jit=off',
    'timezone=UTC',
    'log_timezone=UTC',
    ...(smallSharedMemory() ? ['dynamic_shared_memory_type=mmap'] : []),
    ...(isTemporary ? ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'] : []),
  ];
}

/** Containers limit /dev/shm to 64 MB by default. A single parallel query can exceed that. */
function smallSharedMemory(): boolean {
  try {
    const { blocks, bsize } = statfsSync('/dev/shm');
    return blocks * bsize < 512 * 2 ** 20;
  } catch {
    return false;
  }
}

/** Returns true if less than one WAL file fits; the server then cannot even log why it stops. */
function isFull(folder: string): boolean {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize < 16 * 2 ** 20;
}

/** Returns the log file of this start; the previous log is retained. */
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
  // PGDATA, PGPORT and similar variables of the environment must not affect this server.
  const ownEnvironment = Object.entries(process.env).filter(([name]) => !name.startsWith('PG'));
  return { ...Object.fromEntries(ownEnvironment), LC_ALL: 'C' };
}
