// The roles that a process can run, and their memory settings and priorities.
import { getPriority, setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '#platform/server/config.ts';
import {
  type Beat,
  type Watchdog,
  startWatchdog,
} from '#platform/server/process/event-loop-watchdog.ts';

export interface StartedRole {
  close(): Promise<void>;
}

/** Time a stopped role has to drain before its process exits. */
export const DRAIN_MS = 15_000;
/** Time a stopping role waits for its own start, which may hang on an unavailable database. */
const STARTING_MS = 5_000;

export const ROLES = ['web', 'worker', 'sender'] as const;
export type Role = (typeof ROLES)[number];

/**
 * Memory settings of each role's process. The worker streams imports and exports: its objects are
 * short-lived, and a large young generation only retains them (while importing 200,000 rows, its
 * memory grew by 190 MB with Node's defaults; with these flags it grows by 60 MB and uses 20 % more
 * processor time). Objects of a sender's step live for about 50 ms: a sender peaked at 250 MB with
 * Node's defaults, and peaks at 150 MB with these flags at the same speed. Its old generation is
 * collected early (by default, its heap grew from 45 to 166 MB in a long campaign). Request bodies
 * in the web role are garbage once stored: an upload of 100 MB took 301 MB with Node's defaults and
 * takes 213 MB with these flags.
 */
export const MEMORY_FLAGS: Record<Role, readonly string[]> = {
  web: ['--max-semi-space-size=8'],
  worker: ['--max-semi-space-size=6', '--max-old-space-size=1500'],
  sender: ['--max-semi-space-size=6', '--heap-growing-percent=20'],
};

/**
 * Memory limit of each role in megabytes, several times the highest measured value. A role above
 * its limit has a memory leak, so it is drained and restarted before the machine suffers.
 */
export const MEMORY_LIMITS: Record<Role, number> = { web: 1200, worker: 2200, sender: 1200 };

/**
 * Niceness of each role's process (nice(2): 0 normal, 19 lowest priority). Pages, the relay and
 * PostgreSQL take precedence over bulk sending. On two shared processors the sender is faster this
 * way: docs/benchmarks.md.
 */
const NICENESS: Record<Role, number> = { web: 0, worker: 0, sender: 5 };

/**
 * Messages from a role to its supervisor. `closed`: the role has drained, and its process is about
 * to exit.
 */
export type RoleReport = { ready: true } | { failed: string } | { beat: Beat } | { closed: true };

/**
 * Watches the event loop and the memory of the role that this process runs. Above the memory limit
 * it calls `end`, which must drain the role.
 */
export function watchRole(
  role: Role,
  config: Config,
  { onBeat, end }: { onBeat(beat: Beat): void; end(): void },
): Watchdog {
  return startWatchdog({
    role,
    isJson: config.isProduction,
    memoryLimitMegabytes: config.memoryLimitMegabytes ?? MEMORY_LIMITS[role],
    onBeat,
    onOverMemory: end,
  });
}

export async function startRole(role: Role, config: Config): Promise<StartedRole> {
  // Must run before anything else, because threads inherit the niceness of their creator. Raising
  // the priority requires a privilege.
  if (getPriority() < NICENESS[role]) setPriority(NICENESS[role]);
  switch (role) {
    case 'web':
      return (await import('./web.ts')).startWeb(config);
    case 'worker':
      return (await import('./worker.ts')).startWorker(config);
    case 'sender':
      return (await import('./sender.ts')).startSender(config);
  }
}

/**
 * Returns a function that closes a role even during its start, because a role begins work before it
 * reports readiness. The function waits at most `startingMs` for the start.
 */
export function closing(
  start: Promise<StartedRole>,
  startingMs = STARTING_MS,
): () => Promise<void> {
  const running = start.catch(() => undefined);
  return async () => {
    const startedRole = await Promise.race([running, delay(startingMs, undefined, { ref: false })]);
    await startedRole?.close();
  };
}
