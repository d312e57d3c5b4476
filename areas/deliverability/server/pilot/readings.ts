// A reading contains the sums of a day at one instant. The difference between two readings is the
// evidence of the time between them. The functions are pure.

/** Counts of the results of a domain's emails at a mailbox provider. */
export type Sums = {
  accepted: number;
  failed: number;
  /** The number of attempts after which the provider requested a lower rate. */
  throttled: number;
  policy: number;
  complaints: number;
};

/** Sums by UTC day. */
export type DaySums = ReadonlyMap<string, Sums>;

/** The sums of `day` at the time `at`, which is in milliseconds since 1970. */
export type Reading = { at: number; day: string; sums: Sums };

export const NO_SUMS: Sums = { accepted: 0, failed: 0, throttled: 0, policy: 0, complaints: 0 };
const KEYS = Object.keys(NO_SUMS) as (keyof Sums)[];

const HOUR_MS = 3_600_000;
const WINDOW_MS = 24 * HOUR_MS;
/** All readings within this time are stored, and one per hour of the time before. */
const FINE_MS = 2 * HOUR_MS;

export const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/**
 * The number of attempts: emails that the provider accepted, refused, or deferred because of the
 * rate.
 */
export const attemptsOf = ({ accepted, failed, throttled }: Sums) => accepted + failed + throttled;

/** Subtracts sums. Late responses may reduce a sum, so negative differences become zero. */
function minus(sums: Sums, other: Sums): Sums {
  const rest = { ...sums };
  for (const key of KEYS) rest[key] = Math.max(0, sums[key] - other[key]);
  return rest;
}

function plus(sums: Sums, other: Sums): Sums {
  const sum = { ...sums };
  for (const key of KEYS) sum[key] += other[key];
  return sum;
}

/** The results since a reading. */
export function since(reading: Reading, days: DaySums): Sums {
  let sum = NO_SUMS;
  for (const [day, sums] of days) if (day >= reading.day) sum = plus(sum, sums);
  return minus(sum, reading.sums);
}

/** Adds the current reading, and removes readings that are no longer needed. */
export function withReading(readings: readonly Reading[], days: DaySums, now: number): Reading[] {
  const day = dayOf(now);
  const reading = { at: now, day, sums: days.get(day) ?? NO_SUMS };
  const recent = readings.filter(({ at }) => at > now - WINDOW_MS && at < now);
  const retained = recent.filter(({ at }, index) => {
    if (at > now - FINE_MS) return true;
    const before = recent[index - 1];
    return !before || Math.floor(before.at / HOUR_MS) !== Math.floor(at / HOUR_MS);
  });
  return [...retained, reading];
}

/**
 * Considers the readings from the instant `from` on, and returns the results since the newest of
 * them that at least `attempts` attempts followed. If there were fewer attempts, it returns the
 * results since the first of these readings. `since` is the instant of the chosen reading.
 * Undefined without readings.
 */
export function evidenceFrom(
  readings: readonly Reading[],
  days: DaySums,
  { from, attempts }: { from: number; attempts: number },
): { sums: Sums; since: number } | undefined {
  const usable = readings.filter(({ at }) => at >= from);
  let chosen = usable[0];
  if (!chosen) return undefined;
  for (const reading of usable) {
    if (attemptsOf(since(reading, days)) < attempts) break;
    chosen = reading;
  }
  return { sums: since(chosen, days), since: chosen.at };
}
