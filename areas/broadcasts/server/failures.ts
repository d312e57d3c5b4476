// Failed starts of broadcasts, which are retried after a delay. They are stored in memory, so a new
// process retries immediately.

interface Failure {
  accountId: number;
  id: number;
  retryAt: Date;
  /** Number of renderings that were too slow. */
  slowCount: number;
}

/**
 * An entry is stale if its retry is overdue by this long. Due broadcasts are polled every second,
 * so the broadcast of a stale entry no longer exists or is no longer due.
 */
const STALE_MS = 10 * 60_000;

export interface FailureTracker {
  /** Records another failure and defers the broadcast from now on. */
  add(accountId: number, id: number, now: Date, isSlow: boolean): Failure;
  /** Deletes the entry, because the broadcast started or became a draft. */
  delete(accountId: number, id: number): void;
  /** Returns the deferred broadcasts of the account. */
  listDeferred(accountId: number, now: Date): number[];
  /** Deletes stale entries: their broadcasts were canceled or have ended. */
  deleteStale(now: Date): void;
}

/** @param waitMs time until the next attempt */
export function createFailureTracker(waitMs: number): FailureTracker {
  const failures = new Map<string, Failure>();
  const getKey = (accountId: number, id: number) => `${accountId}.${id}`;
  return {
    add: (accountId, id, now, isSlow) => {
      const previous = failures.get(getKey(accountId, id));
      const failure: Failure = {
        accountId,
        id,
        retryAt: new Date(now.getTime() + waitMs),
        slowCount: (previous?.slowCount ?? 0) + (isSlow ? 1 : 0),
      };
      failures.set(getKey(accountId, id), failure);
      return failure;
    },
    delete: (accountId, id) => {
      failures.delete(getKey(accountId, id));
    },
    listDeferred: (accountId, now) =>
      [...failures.values()]
        .filter((failure) => failure.accountId === accountId && failure.retryAt > now)
        .map((failure) => failure.id),
    deleteStale: (now) => {
      for (const [key, { retryAt }] of failures) {
        if (now.getTime() - retryAt.getTime() > STALE_MS) failures.delete(key);
      }
    },
  };
}
