// Rules of recurring campaigns and the days they produce, shared by the server and the screens.
// Days are calendar days of the account's zone; the time of an occurrence is converted like any
// schedule.
import { wallTimeToInstant } from './wall-time.ts';

/** 1 is Monday, 7 is Sunday. */
export type Weekday = number;

export type MonthDay =
  /** Months without the day use their last day. */
  | { kind: 'day'; day: number }
  | { kind: 'last_day' }
  /** -1 is the last such weekday of the month. */
  | { kind: 'weekday'; nth: 1 | 2 | 3 | 4 | -1; weekday: Weekday };

/** `time` is `HH:MM` on a quarter-hour. */
export type SeriesRule =
  | { every: 'week'; interval: number; weekdays: Weekday[]; time: string }
  | { every: 'month'; interval: number; on: MonthDay; time: string };

export type SeriesPlan = {
  rule: SeriesRule;
  zone: string;
  /** Weeks and months count from this day. */
  starts_on: string;
  ends_on: string | null;
};

export type Occurrence = { on: string; at: Date };

export const MAX_INTERVAL = 12;
export const NTHS = [1, 2, 3, 4, -1] as const;
export const QUARTER = /^([01]\d|2[0-3]):(00|15|30|45)$/;

const DAY_MS = 86_400_000;
/** The last day of a valid schedule. */
const LAST_DAY = dayNumber('2100-12-31');
/** 1970-01-01 was a Thursday. */
const DAYS_SINCE_MONDAY = 3;

/** Generates occurrences on and after `from` in chronological order. */
export function* occurrencesFrom(plan: SeriesPlan, from: string): Generator<Occurrence> {
  const last = plan.ends_on === null ? LAST_DAY : Math.min(LAST_DAY, dayNumber(plan.ends_on));
  const first = Math.max(dayNumber(plan.starts_on), dayNumber(from));
  let previous = -Infinity;
  for (const day of daysFrom(plan.rule, dayNumber(plan.starts_on), first)) {
    if (day > last) return;
    const on = isoDay(day);
    const at = wallTimeToInstant(`${on} ${plan.rule.time}:00`, plan.zone) as Date;
    // In a zone that skips a whole day, that day has the same instant as the next one.
    if (at.getTime() > previous) yield { on, at };
    previous = at.getTime();
  }
}

/** The first occurrence later than an instant; undefined after the last one. */
export function nextOccurrence(plan: SeriesPlan, after: Date): Occurrence | undefined {
  // No zone differs from UTC by more than a day.
  const from = new Date(after.getTime() - DAY_MS).toISOString().slice(0, 10);
  for (const occurrence of occurrencesFrom(plan, from)) {
    if (occurrence.at > after) return occurrence;
  }
  return undefined;
}

/** Occurrences with `from` ≤ instant < `to`, at most `limit`. */
export function occurrencesBetween(
  plan: SeriesPlan,
  from: Date,
  to: Date,
  limit: number,
): Occurrence[] {
  const found: Occurrence[] = [];
  const start = new Date(from.getTime() - DAY_MS).toISOString().slice(0, 10);
  for (const occurrence of occurrencesFrom(plan, start)) {
    if (occurrence.at >= to || found.length >= limit) break;
    if (occurrence.at >= from) found.push(occurrence);
  }
  return found;
}

function daysFrom(rule: SeriesRule, anchor: number, from: number): Generator<number> {
  return rule.every === 'week'
    ? daysOfWeeks(rule.weekdays, rule.interval, anchor, from)
    : daysOfMonths(rule.on, rule.interval, anchor, from);
}

function* daysOfWeeks(
  weekdays: readonly Weekday[],
  interval: number,
  anchor: number,
  from: number,
): Generator<number> {
  const sorted = [...new Set(weekdays)].sort((a, b) => a - b);
  const weekOf = (day: number) => Math.floor((day + DAYS_SINCE_MONDAY) / 7);
  const first = weekOf(anchor);
  const passed = Math.floor((weekOf(from) - first) / interval);
  for (let week = first + passed * interval; ; week += interval) {
    const monday = week * 7 - DAYS_SINCE_MONDAY;
    if (monday > LAST_DAY) return;
    for (const weekday of sorted) {
      if (monday + weekday - 1 >= from) yield monday + weekday - 1;
    }
  }
}

function* daysOfMonths(
  on: MonthDay,
  interval: number,
  anchor: number,
  from: number,
): Generator<number> {
  const first = monthOf(anchor);
  const passed = Math.floor((monthOf(from) - first) / interval);
  for (let month = first + passed * interval; ; month += interval) {
    const day = dayOfMonth(on, month);
    if (day > LAST_DAY) return;
    if (day >= from) yield day;
  }
}

/** Months since the year 0. */
function monthOf(day: number): number {
  const date = new Date(day * DAY_MS);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

function dayOfMonth(on: MonthDay, month: number): number {
  const first = Date.UTC(Math.floor(month / 12), month % 12, 1) / DAY_MS;
  const last = Date.UTC(Math.floor(month / 12), (month % 12) + 1, 0) / DAY_MS;
  if (on.kind === 'last_day') return last;
  if (on.kind === 'day') return Math.min(first + on.day - 1, last);
  if (on.nth === -1) return last - ((weekdayOf(last) - on.weekday + 7) % 7);
  return first + ((on.weekday - weekdayOf(first) + 7) % 7) + (on.nth - 1) * 7;
}

function weekdayOf(day: number): Weekday {
  return ((((day + DAYS_SINCE_MONDAY) % 7) + 7) % 7) + 1;
}

function dayNumber(iso: string): number {
  return Date.parse(`${iso}T00:00:00Z`) / DAY_MS;
}

function isoDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}
