// Calculates how many handoffs a sender may start, by the rate of its relay.

/** A relay's maximum number of handoffs in flight, permitted rate per second, and measured rate. */
export type CurrentPace = { capacity: number; allowedPerSecond: number; perSecond: number };

/** Handoffs started in addition to the capacity, in seconds of the measured rate. */
const STEP_SECONDS = 0.05;
/** Maximum number of started handoffs at a slow relay, in seconds of its permitted rate. */
const SLOW_SECONDS = 10;
/** Minimum size of a step at a fast relay, in seconds of its rate. */
const MIN_STEP_SECONDS = 0.004;
const MIN_STEP = 32;

/** Computes the maximum number of started handoffs that have no recorded result. */
export function computeMaxStarted({ capacity, allowedPerSecond, perSecond }: CurrentPace): number {
  const baseline = Math.min(capacity, Math.ceil(allowedPerSecond * SLOW_SECONDS) + 1);
  return baseline + Math.ceil(Math.min(allowedPerSecond, perSecond) * STEP_SECONDS);
}

/**
 * Computes how many handoffs must be permitted before a step starts. A smaller number only leads to
 * more statements; with a larger one, PostgreSQL and the sender are busy for so long that a fast
 * relay runs idle if they share processors (docs/benchmarks.md).
 */
export function computeMinCapacity(relayPace: CurrentPace): number {
  return Math.min(
    computeMaxStarted(relayPace) / 4,
    Math.max(MIN_STEP, relayPace.perSecond * MIN_STEP_SECONDS),
  );
}
