// Words and figures of the operator's page.

/** What may be wrong with an installation, worst first. */
export const TROUBLES = [
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

/** Share of a disk that should be free. */
export const DISK_FREE_LEAST = 0.1;
/** A job that is due waits no longer than this. */
export const QUEUE_LATE_MS = 5 * 60_000;
/** Milliseconds: an event loop that stands still for so long keeps people waiting. */
export const PAUSE_LONG_MS = 1_000;

export const REASON_MOST = 255;
