// Derives problems from the state of the installation.
import type { Health, Trouble } from '../contract.ts';
import { DISK_FREE_LEAST, PAUSE_LONG_MS, QUEUE_LATE_MS, ROLES, TROUBLES } from '../shared.ts';

type Seen = Omit<Health, 'troubles'>;

/** Worst first; empty on a healthy system. */
export function troublesOf(
  seen: Seen,
  { isPaused, now }: { isPaused: boolean; now: Date },
): Trouble[] {
  const found: Trouble[] = [];
  const say = (
    code: Trouble['code'],
    severity: Trouble['severity'],
    values: Trouble['values'] = {},
  ) => found.push({ code, severity, values });
  if (isPaused) say('sending_paused', 'error');
  for (const name of seen.nodes_away) say('node_away', 'error', { name });
  const alive = seen.processes.filter((one) => one.is_alive);
  for (const role of ROLES) {
    if (!alive.some((one) => one.role === role)) say('role_missing', 'error', { role });
  }
  for (const { role, host, seen: at } of seen.processes.filter((one) => !one.is_alive)) {
    say('role_silent', 'warning', { role, host, at });
  }
  for (const { name, is, reply } of seen.relays) {
    if (is === 'refused') say('relay_refused', 'error', { name, reply });
    if (is === 'waiting') say('relay_waiting', 'warning', { name, reply });
  }
  for (const { host, free, total } of seen.disks) {
    if (free < total * DISK_FREE_LEAST) say('disk_low', 'error', { host, free });
  }
  const waits = seen.oldest_job ? now.getTime() - Date.parse(seen.oldest_job) : 0;
  if (waits > QUEUE_LATE_MS) {
    say('queue_late', 'warning', { minutes: Math.floor(waits / 60_000) });
  }
  const givenUp = seen.queue.reduce((sum, one) => sum + one.given_up, 0);
  if (givenUp > 0) say('jobs_given_up', 'warning', { count: givenUp });
  const versions = new Set(alive.map((one) => one.version));
  if (versions.size > 1) {
    say('versions_differ', 'warning', { versions: [...versions].toSorted().join(', ') });
  }
  const slow = alive.filter((one) => (one.longest_pause ?? 0) > PAUSE_LONG_MS);
  for (const { role, host, longest_pause } of slow) {
    say('pauses_long', 'warning', { role, host, ms: longest_pause ?? 0 });
  }
  const errors = seen.errors.reduce((sum, one) => sum + one.count, 0);
  if (errors > 0) say('errors', 'warning', { count: errors });
  return found.toSorted((one, other) => TROUBLES.indexOf(one.code) - TROUBLES.indexOf(other.code));
}
