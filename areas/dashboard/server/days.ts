// Days of a time zone as `YYYY-MM-DD`, and the instants when they begin.
import { invalid } from '#platform/server/errors.ts';
import { wallTimeToInstant, toWallTime } from '#platform/server/zoned-time.ts';
import { DAYS_DEFAULT, MAX_DAYS } from '../shared.ts';

export type DateRange = { from: string; to: string };

const DAY_MS = 86_400_000;

/** Returns the local day of an instant. */
export function toDay(zone: string, at: Date): string {
  return toWallTime(at, zone).slice(0, 10);
}

export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

export function countDaysBetween(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS);
}

/** Returns the first instant of a day, even if the clock skips or repeats midnight. */
export function startOfDay(day: string, zone: string): Date {
  return wallTimeToInstant(`${day} 00:00:00`, zone);
}

/**
 * Returns the requested days up to today, by default the last thirty.
 * @throws a validation error for a range that is empty or longer than two years
 */
export function resolveDays(
  range: { from?: string | undefined; to?: string | undefined },
  zone: string,
  now: Date,
): DateRange {
  const today = toDay(zone, now);
  const to = range.to === undefined || range.to > today ? today : range.to;
  const from = range.from ?? addDays(to, 1 - DAYS_DEFAULT);
  if (from > to) throw invalid({ from: ['errors.range'] });
  if (countDaysBetween(from, to) >= MAX_DAYS) throw invalid({ from: ['errors.range_long'] });
  return { from, to };
}
