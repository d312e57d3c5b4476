// What could not start yet and is tried again after a while: kept in memory, so the next process begins anew.

interface Failure {
  accountId: number;
  id: number;
  again: Date;
  /** How often it was laid out too slowly. */
  slow: number;
}

/** All that is due is looked at each few seconds, and what stood aside with it. */
const STALE_MS = 10 * 60_000;

export interface Failures {
  /** It failed once more, and stands aside from now. */
  add(accountId: number, id: number, now: Date, isSlow: boolean): Failure;
  /** It started, ended, or had nothing wrong. */
  drop(accountId: number, id: number): void;
  /** Those of the account that stand aside. */
  waiting(accountId: number, now: Date): number[];
  /** Forgets those that nobody tried again in their time: they were taken back or have ended. */
  sweep(now: Date): void;
}

/** @param waitMs how long each stands aside */
export function keepFailures(waitMs: number): Failures {
  const all = new Map<string, Failure>();
  const keyOf = (accountId: number, id: number) => `${accountId}.${id}`;
  return {
    add: (accountId, id, now, isSlow) => {
      const before = all.get(keyOf(accountId, id));
      const failure: Failure = {
        accountId,
        id,
        again: new Date(now.getTime() + waitMs),
        slow: (before?.slow ?? 0) + (isSlow ? 1 : 0),
      };
      all.set(keyOf(accountId, id), failure);
      return failure;
    },
    drop: (accountId, id) => {
      all.delete(keyOf(accountId, id));
    },
    waiting: (accountId, now) =>
      [...all.values()]
        .filter((one) => one.accountId === accountId && one.again > now)
        .map((one) => one.id),
    sweep: (now) => {
      for (const [key, { again }] of all) {
        if (now.getTime() - again.getTime() > STALE_MS) all.delete(key);
      }
    },
  };
}
