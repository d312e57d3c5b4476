// Step sizes of a sender, by the rate of its relay.

/** Pace of a relay: connections, permitted rate per second, and recent rate per second. */
export type Pace = { capacity: number; allowedPerSecond: number; perSecond: number };

/** Step size, in seconds of the current rate. */
const STEP_SECONDS = 0.05;
/** Unanswered handoffs of a slow relay, in seconds of its rate. */
const SLOW_SECONDS = 10;
/** Capacity that is worth a statement at a fast relay, in seconds of its rate, with a minimum. */
const MIN_STEP_SECONDS = 0.004;
const MIN_STEP = 32;

/** Maximum of handoffs started and not yet answered in the ledger. */
export function maxStarted({ capacity, allowedPerSecond, perSecond }: Pace): number {
  const baseline = Math.min(capacity, Math.ceil(allowedPerSecond * SLOW_SECONDS) + 1);
  return baseline + Math.ceil(Math.min(allowedPerSecond, perSecond) * STEP_SECONDS);
}

/**
 * Capacity at which a step begins. A smaller value only makes more statements; a larger one keeps
 * PostgreSQL and the sender busy for so long that a fast relay runs dry if they share processors
 * (docs/benchmarks.md).
 */
export function minCapacity(pace: Pace): number {
  return Math.min(maxStarted(pace) / 4, Math.max(MIN_STEP, pace.perSecond * MIN_STEP_SECONDS));
}
