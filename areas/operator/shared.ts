// Shared definitions of the operator's page.

/** Problems of an installation, worst first. */
export const PROBLEMS = [
  'sending_paused',
  'node_away',
  'role_missing',
  'relay_refused',
  'relay_waiting',
  'disk_low',
  'queue_late',
  'jobs_given_up',
  'role_silent',
  'versions_differ',
  'pauses_long',
  'errors',
] as const;

export const ROLES = ['web', 'worker', 'sender'] as const;

/** Minimum free fraction of a disk. */
export const MIN_DISK_FREE = 0.1;
/** Wait of a due job beyond which the queue is a problem. */
export const QUEUE_LATE_MS = 5 * 60_000;
/** Shortest event loop pause that users notice as a delay. */
export const PAUSE_LONG_MS = 1_000;

export const MAX_REASON = 255;
/** Maximum length of a job's name in the queue. */
export const MAX_JOB_NAME = 128;
