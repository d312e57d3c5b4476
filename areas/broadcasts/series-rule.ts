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

export type SeriesOccurrence = { on: string; at: Date };

export const MAX_INTERVAL = 12;
export const NTHS = [1, 2, 3, 4, -1] as const;
export const QUARTER = /^([01]\d|2[0-3]):(00|15|30|45)$/;

const DAY_MS = 86_400_000;
/** The last day of a valid schedule. */
const LAST_DAY = toDayNumber('2100-12-31');
/** 1970-01-01 was a Thursday. */
const DAYS_SINCE_MONDAY = 3;

/** Generates occurrences on and after `from` in chronological order. */
export function* generateOccurrences(plan: SeriesPlan, from: string): Generator<SeriesOccurrence> {
  const lastDay = plan.ends_on === null ? LAST_DAY : Math.min(LAST_DAY, toDayNumber(plan.ends_on));
  const firstDay = Math.max(toDayNumber(plan.starts_on), toDayNumber(from));
  let previous = -Infinity;
  for (const day of generateDays(plan.rule, toDayNumber(plan.starts_on), firstDay)) {
    if (day > lastDay) return;
    const date = toIsoDay(day);
    const instant = wallTimeToInstant(`${date} ${plan.rule.time}:00`, plan.zone) as Date;
    // In a zone that skips a whole day, that day has the same instant as the next one.
    if (instant.getTime() > previous) yield { on: date, at: instant };
    previous = instant.getTime();
  }
}

/** Returns the first occurrence later than an instant, or undefined after the last one. */
export function findNextOccurrence(plan: SeriesPlan, after: Date): SeriesOccurrence | undefined {
  // No zone differs from UTC by more than a day.
  const firstDate = new Date(after.getTime() - DAY_MS).toISOString().slice(0, 10);
  for (const occurrence of generateOccurrences(plan, firstDate)) {
    if (occurrence.at > after) return occurrence;
  }
  return undefined;
}

/** Lists occurrences with `from` ≤ instant < `to`, at most `limit`. */
export function listOccurrencesBetween(
  plan: SeriesPlan,
  from: Date,
  to: Date,
  limit: number,
): SeriesOccurrence[] {
  const occurrences: SeriesOccurrence[] = [];
  const start = new Date(from.getTime() - DAY_MS).toISOString().slice(0, 10);
  for (const occurrence of generateOccurrences(plan, start)) {
    if (occurrence.at >= to || occurrences.length >= limit) break;
    if (occurrence.at >= from) occurrences.push(occurrence);
  }
  return occurrences;
}

function generateDays(rule: SeriesRule, anchor: number, from: number): Generator<number> {
  return rule.every === 'week'
    ? generateDaysOfWeeks(rule.weekdays, rule.interval, anchor, from)
    : generateDaysOfMonths(rule.on, rule.interval, anchor, from);
}

function* generateDaysOfWeeks(
  weekdays: readonly Weekday[],
  interval: number,
  anchor: number,
  from: number,
): Generator<number> {
  const sortedWeekdays = [...new Set(weekdays)].sort((a, b) => a - b);
  const getWeek = (day: number) => Math.floor((day + DAYS_SINCE_MONDAY) / 7);
  const firstWeek = getWeek(anchor);
  const passedPeriods = Math.floor((getWeek(from) - firstWeek) / interval);
  for (let week = firstWeek + passedPeriods * interval; ; week += interval) {
    const monday = week * 7 - DAYS_SINCE_MONDAY;
    if (monday > LAST_DAY) return;
    for (const weekday of sortedWeekdays) {
      if (monday + weekday - 1 >= from) yield monday + weekday - 1;
    }
  }
}

function* generateDaysOfMonths(
  on: MonthDay,
  interval: number,
  anchor: number,
  from: number,
): Generator<number> {
  const firstMonth = getMonth(anchor);
  const passedPeriods = Math.floor((getMonth(from) - firstMonth) / interval);
  for (let month = firstMonth + passedPeriods * interval; ; month += interval) {
    const day = findDayOfMonth(on, month);
    if (day > LAST_DAY) return;
    if (day >= from) yield day;
  }
}

/** Returns the months since the year 0. */
function getMonth(day: number): number {
  const date = new Date(day * DAY_MS);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

function findDayOfMonth(on: MonthDay, month: number): number {
  const firstDay = Date.UTC(Math.floor(month / 12), month % 12, 1) / DAY_MS;
  const lastDay = Date.UTC(Math.floor(month / 12), (month % 12) + 1, 0) / DAY_MS;
  if (on.kind === 'last_day') return lastDay;
  if (on.kind === 'day') return Math.min(firstDay + on.day - 1, lastDay);
  if (on.nth === -1) return lastDay - ((getWeekday(lastDay) - on.weekday + 7) % 7);
  return firstDay + ((on.weekday - getWeekday(firstDay) + 7) % 7) + (on.nth - 1) * 7;
}

function getWeekday(day: number): Weekday {
  return ((((day + DAYS_SINCE_MONDAY) % 7) + 7) % 7) + 1;
}

function toDayNumber(iso: string): number {
  return Date.parse(`${iso}T00:00:00Z`) / DAY_MS;
}

function toIsoDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}
