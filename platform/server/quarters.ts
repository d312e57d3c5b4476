// Quarters of an hour: the buckets that sums by time are kept in. Every zone's days are made of them.

const QUARTER_MS = 15 * 60_000;

export function quarterOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / QUARTER_MS) * QUARTER_MS);
}
