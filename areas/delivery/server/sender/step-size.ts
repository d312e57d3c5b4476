// How much a sender begins at once, by what its relay takes.

/** Of a relay: connections, what it may take a second, and what it took of late. */
export type Pace = { capacity: number; allowedPerSecond: number; perSecond: number };

/** A step's share of a second of the current rate. */
const STEP_SECONDS = 0.05;
/** Seconds of a slow relay's rate that may stand begun. */
const SLOW_SECONDS = 10;
/** Room that is worth a statement at a fast relay: this share of a second of its rate, or so many. */
const ROOM_SECONDS = 0.004;
const ROOM = 32;

/** The most hand-overs that may be begun and not yet answered in the ledger. */
export function mostBegun({ capacity, allowedPerSecond, perSecond }: Pace): number {
  const standing = Math.min(capacity, Math.ceil(allowedPerSecond * SLOW_SECONDS) + 1);
  return standing + Math.ceil(Math.min(allowedPerSecond, perSecond) * STEP_SECONDS);
}

/**
 * The room that a step is begun for. Asking for less would only make more statements; asking for more keeps PostgreSQL
 * and the sender at one for so long that a fast relay runs dry meanwhile, where they share processors
 * (docs/benchmarks.md).
 */
export function leastRoom(pace: Pace): number {
  return Math.min(mostBegun(pace) / 4, Math.max(ROOM, pace.perSecond * ROOM_SECONDS));
}
