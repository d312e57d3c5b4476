// The roles that a process can take.
import { getPriority, setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '#platform/server/config.ts';
import { type Beat, type Pulse, startPulse } from '#platform/server/pulse.ts';

export interface Running {
  close(): Promise<void>;
}

/** So long a role that is stopped may finish what it has begun; then its process ends. */
export const DRAIN_MS = 15_000;
/** So long the end of a role waits for its start; one that takes longer waits for others, a database say. */
const STARTING_MS = 5_000;

export const ROLES = ['web', 'worker', 'sender'] as const;
export type Role = (typeof ROLES)[number];

/**
 * How a role's process holds memory. The worker streams imports and exports: what it makes is garbage a
 * moment later, and a large young generation only keeps it longer (200,000 rows imported: 190 MB more
 * with Node's own settings, 60 MB with these, for a fifth more of its processor time). The sender's steps
 * live for some 50 ms: with Node's own settings it peaked at 250 MB, so at 150, as fast; and what little of
 * them grows old is given back before it is much (the heap of a long campaign went from 45 to 166 MB). What
 * the web role is sent is garbage as soon as it is written down: 301 MB under an upload of 100 MB with
 * Node's own settings, 213 with these.
 */
export const MEMORY_FLAGS: Record<Role, readonly string[]> = {
  web: ['--max-semi-space-size=8'],
  worker: ['--max-semi-space-size=6', '--max-old-space-size=1500'],
  sender: ['--max-semi-space-size=6', '--heap-growing-percent=20'],
};

/**
 * So much memory in all, in megabytes, is several times what the roles ever measured: more is a leak, and the
 * role is started anew before the machine suffers.
 */
export const MEMORY_LIMITS: Record<Role, number> = { web: 1200, worker: 2200, sender: 1200 };

/**
 * How far a role's process stands back (nice(2): 0 not at all, 19 most). Somebody waits for a page, and
 * the relay and PostgreSQL for a processor; mails in bulk come behind them. Where all share two
 * processors, the sender is the faster for it: docs/benchmarks.md.
 */
const NICENESS: Record<Role, number> = { web: 0, worker: 0, sender: 5 };

/** What a role tells its supervisor. */
export type RoleReport = { ready: true } | { failed: string } | { beat: Beat };

/** Watches the event loop and the memory of a role that has a process to itself; `end` drains it. */
export function watchRole(
  role: Role,
  config: Config,
  { onBeat, end }: { onBeat(beat: Beat): void; end(): void },
): Pulse {
  return startPulse({
    role,
    isJson: config.isProduction,
    memoryMegabytes: config.memoryLimitMegabytes ?? MEMORY_LIMITS[role],
    onBeat,
    onOverMemory: end,
  });
}

export async function startRole(role: Role, config: Config): Promise<Running> {
  // First of all: threads have the niceness of the one that began them. To come nearer takes a right.
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

/** What ends a role whose start may still be underway: it has begun work before it tells that it is there. */
export function closing(start: Promise<Running>, startingMs = STARTING_MS): () => Promise<void> {
  const running = start.catch(() => undefined);
  return async () => {
    const begun = await Promise.race([running, delay(startingMs, undefined, { ref: false })]);
    await begun?.close();
  };
}
