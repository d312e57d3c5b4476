// A reading contains the sums of a day at one instant. The difference between two readings gives the
// results of the time between them. The functions are pure.

/** Result counts of a domain's emails at a mailbox provider. */
export type ResultSums = {
  accepted: number;
  failed: number;
  /** Attempts that the provider answered with a request for a lower rate. */
  throttled: number;
  policy: number;
  complaints: number;
};

/** Sums by UTC day. */
export type DaySums = ReadonlyMap<string, ResultSums>;

/** The sums of `day` at the time `at`, in milliseconds since 1970. */
export type PilotReading = { at: number; day: string; sums: ResultSums };

export const NO_SUMS: ResultSums = {
  accepted: 0,
  failed: 0,
  throttled: 0,
  policy: 0,
  complaints: 0,
};
const KEYS = Object.keys(NO_SUMS) as (keyof ResultSums)[];

const HOUR_MS = 3_600_000;
const WINDOW_MS = 24 * HOUR_MS;
/** All readings within this time are stored; older ones are thinned to one per hour. */
const FINE_MS = 2 * HOUR_MS;

export const formatDay = (at: number) => new Date(at).toISOString().slice(0, 10);

/** Counts attempts: emails that the provider accepted, refused, or deferred because of the rate. */
export const countAttempts = ({ accepted, failed, throttled }: ResultSums) =>
  accepted + failed + throttled;

/** Subtracts sums. Late responses may reduce a sum, so negative differences become zero. */
function subtractSums(sums: ResultSums, subtrahend: ResultSums): ResultSums {
  const difference = { ...sums };
  for (const key of KEYS) difference[key] = Math.max(0, sums[key] - subtrahend[key]);
  return difference;
}

function addSums(sums: ResultSums, addend: ResultSums): ResultSums {
  const total = { ...sums };
  for (const key of KEYS) total[key] += addend[key];
  return total;
}

/** Sums the results since a reading. */
export function sumSince(reading: PilotReading, days: DaySums): ResultSums {
  let total = NO_SUMS;
  for (const [day, sums] of days) if (day >= reading.day) total = addSums(total, sums);
  return subtractSums(total, reading.sums);
}

/** Adds the current reading and removes obsolete ones. */
export function addReading(
  readings: readonly PilotReading[],
  days: DaySums,
  now: number,
): PilotReading[] {
  const day = formatDay(now);
  const reading = { at: now, day, sums: days.get(day) ?? NO_SUMS };
  const recent = readings.filter(({ at }) => at > now - WINDOW_MS && at < now);
  const retainedReadings = recent.filter(({ at }, index) => {
    if (at > now - FINE_MS) return true;
    const previousReading = recent[index - 1];
    return (
      !previousReading || Math.floor(previousReading.at / HOUR_MS) !== Math.floor(at / HOUR_MS)
    );
  });
  return [...retainedReadings, reading];
}

/**
 * Returns the results since one of the readings that are not older than `from`: the newest one that
 * was followed by at least `attempts` attempts, or the oldest one if there were fewer attempts.
 * `since` is the instant of this reading. Returns undefined if all readings are older than `from`.
 */
export function collectEvidence(
  readings: readonly PilotReading[],
  days: DaySums,
  { from, attempts }: { from: number; attempts: number },
): { sums: ResultSums; since: number } | undefined {
  const usableReadings = readings.filter(({ at }) => at >= from);
  let selectedReading = usableReadings[0];
  if (!selectedReading) return undefined;
  for (const reading of usableReadings) {
    if (countAttempts(sumSince(reading, days)) < attempts) break;
    selectedReading = reading;
  }
  return { sums: sumSince(selectedReading, days), since: selectedReading.at };
}
