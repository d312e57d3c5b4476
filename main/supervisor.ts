// Supervises the role processes: starts them, restarts crashed ones, kills unresponsive ones, and
// stops them all.
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { CannotStart } from '#platform/server/process/cannot-start.ts';
import { log } from '#platform/server/log.ts';
import { FROZEN_MS } from '#platform/server/process/event-loop-watchdog.ts';
import { MEMORY_FLAGS, type Role, type RoleReport } from './role.ts';

const ENTRY = join(import.meta.dirname, 'role-process.ts');
const STOP_MS = 20_000;
const MAX_PAUSE_MS = 30_000;
const CHECK_MS = 1000;

export interface Supervisor {
  /**
   * Starts a role with this environment. Resolves when the role is ready; rejects with the role's
   * error message.
   */
  start(role: Role, env: NodeJS.ProcessEnv): Promise<void>;
  /** Changes the environment of every role and restarts it. */
  restart(changes: NodeJS.ProcessEnv): Promise<void>;
  stop(): Promise<void>;
  /** Kills all roles immediately, without draining. */
  kill(): void;
}

interface SupervisedProcess {
  role: Role;
  env: NodeJS.ProcessEnv;
  child: ChildProcess;
  crashes: number;
  /** Milliseconds since the last report; undefined before the first one and during the exit. */
  silentMs: number | undefined;
}

export function createSupervisor(): Supervisor {
  const processes = new Set<SupervisedProcess>();
  let stopping = false;

  const launch = (entry: SupervisedProcess): Promise<void> => {
    entry.child = spawnRole(entry);
    entry.silentMs = undefined;
    const startedAt = performance.now();
    return whenReady(entry, (code, signal) => {
      if (stopping) return;
      if (performance.now() - startedAt > MAX_PAUSE_MS) entry.crashes = 0;
      log.error('Role exited unexpectedly; restarting', { role: entry.role, code, signal });
      relaunch(entry);
    });
  };

  const relaunch = (entry: SupervisedProcess): void => {
    const pause = entry.crashes === 0 ? 0 : Math.min(500 * 2 ** entry.crashes, MAX_PAUSE_MS);
    entry.crashes += 1;
    setTimeout(() => {
      if (stopping) return;
      launch(entry).catch((error: Error) => {
        log.error('Could not restart a role', { role: entry.role, reason: error.message });
        relaunch(entry);
      });
    }, pause);
  };

  killUnresponsive(processes);

  const stopChildren = async (): Promise<void> => {
    stopping = true;
    await Promise.all([...processes].map(({ child }) => end(child)));
  };

  return {
    async start(role, env) {
      if (stopping) throw new CannotStart('The process is stopping.');
      const entry = { role, env, crashes: 0 } as SupervisedProcess;
      processes.add(entry);
      await launch(entry);
    },
    async restart(changes) {
      await stopChildren();
      stopping = false;
      await Promise.all(
        [...processes].map((entry) => {
          entry.env = { ...entry.env, ...changes };
          return launch(entry);
        }),
      );
    },
    stop: stopChildren,
    kill() {
      stopping = true;
      for (const { child } of processes) child.kill('SIGKILL');
    },
  };
}

/**
 * Resolves once the role is ready, and rejects if it fails or exits before that. A later exit is
 * reported to `onExit`.
 */
function whenReady(
  entry: SupervisedProcess,
  onExit: (code: number | null, signal: NodeJS.Signals | null) => void,
): Promise<void> {
  return new Promise((ready, failed) => {
    let isReady = false;
    entry.child.on('message', (report: RoleReport) => {
      // An exiting process writes the compile cache of its modules, which can take seconds without
      // a heartbeat.
      entry.silentMs = 'closed' in report ? undefined : 0;
      if ('beat' in report || 'closed' in report) return;
      if ('failed' in report) return failed(new CannotStart(report.failed));
      isReady = true;
      ready();
    });
    entry.child.once('exit', (code, signal) => {
      if (isReady) onExit(code, signal);
      else failed(new CannotStart(`The ${entry.role} role ended during startup.`));
    });
  });
}

/**
 * A role with a blocked event loop exits by itself
 * (platform/server/process/event-loop-watchdog.ts); this kills roles that cannot.
 */
function killUnresponsive(processes: ReadonlySet<SupervisedProcess>): void {
  const checkTimer = setInterval(() => {
    for (const entry of processes) {
      if (entry.silentMs === undefined || hasEnded(entry.child)) continue;
      // Counts silence in check intervals rather than by the clock, because this process itself may
      // have been suspended.
      entry.silentMs += CHECK_MS;
      if (entry.silentMs <= FROZEN_MS) continue;
      entry.silentMs = undefined;
      log.error('Role does not respond; killing it', { role: entry.role });
      entry.child.kill('SIGKILL');
    }
  }, CHECK_MS);
  checkTimer.unref();
}

function spawnRole({ role, env }: SupervisedProcess): ChildProcess {
  return spawn(process.execPath, [...MEMORY_FLAGS[role], ENTRY, role], {
    env,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
}

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;

/** Sends SIGTERM, waits for the drain, then kills. */
async function end(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const exit = new Promise((settle) => child.once('exit', settle));
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await exit;
  clearTimeout(force);
}
