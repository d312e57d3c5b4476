// Quarter hours: the buckets of sums over time. The days of every time zone consist of whole
// quarters.

const QUARTER_MS = 15 * 60_000;

export function toQuarter(at: Date): Date {
  return new Date(Math.floor(at.getTime() / QUARTER_MS) * QUARTER_MS);
}
