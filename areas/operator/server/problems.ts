// Derives problems from the state of the installation.
import type { InstallationHealth, Problem } from '../contract.ts';
import { MIN_DISK_FREE, PAUSE_LONG_MS, QUEUE_LATE_MS, ROLES, PROBLEMS } from '../shared.ts';

type HealthInput = Omit<InstallationHealth, 'troubles'>;

/** Finds the problems, in the order of `PROBLEMS`; none on a healthy system. */
export function findProblems(
  health: HealthInput,
  { isPaused, now }: { isPaused: boolean; now: Date },
): Problem[] {
  const problems: Problem[] = [];
  const report = (
    code: Problem['code'],
    severity: Problem['severity'],
    values: Problem['values'] = {},
  ) => problems.push({ code, severity, values });
  if (isPaused) report('sending_paused', 'error');
  for (const name of health.nodes_away) report('node_away', 'error', { name });
  const runningProcesses = health.processes.filter((process) => process.is_alive);
  for (const role of ROLES) {
    if (!runningProcesses.some((running) => running.role === role))
      report('role_missing', 'error', { role });
  }
  for (const { role, host, seen: at } of health.processes.filter((process) => !process.is_alive)) {
    report('role_silent', 'warning', { role, host, at });
  }
  for (const { name, is, reply } of health.relays) {
    if (is === 'refused') report('relay_refused', 'error', { name, reply });
    if (is === 'waiting') report('relay_waiting', 'warning', { name, reply });
  }
  for (const { host, free, total } of health.disks) {
    if (free < total * MIN_DISK_FREE) report('disk_low', 'error', { host, free });
  }
  const waits = health.oldest_job ? now.getTime() - Date.parse(health.oldest_job) : 0;
  if (waits > QUEUE_LATE_MS) {
    report('queue_late', 'warning', { minutes: Math.floor(waits / 60_000) });
  }
  const exhaustedCount = health.queue.reduce((sum, job) => sum + job.given_up, 0);
  if (exhaustedCount > 0) report('jobs_given_up', 'warning', { count: exhaustedCount });
  const versions = new Set(runningProcesses.map((running) => running.version));
  if (versions.size > 1) {
    report('versions_differ', 'warning', { versions: [...versions].toSorted().join(', ') });
  }
  const slowProcesses = runningProcesses.filter(
    (running) => (running.longest_pause ?? 0) > PAUSE_LONG_MS,
  );
  for (const { role, host, longest_pause } of slowProcesses) {
    report('pauses_long', 'warning', { role, host, ms: longest_pause ?? 0 });
  }
  const errors = health.errors.reduce((sum, error) => sum + error.count, 0);
  if (errors > 0) report('errors', 'warning', { count: errors });
  return problems.toSorted((a, b) => PROBLEMS.indexOf(a.code) - PROBLEMS.indexOf(b.code));
}
