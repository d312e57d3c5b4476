// Days, weeks and months of the calendar's views, in the Gregorian or the Persian calendar. Days
// are ISO days (YYYY-MM-DD) of the account's zone.
import { daysInMonth, toIsoDay, toPersianDay } from '#platform/web/texts/persian-calendar.ts';

const DAY_MS = 86_400_000;
/** First day of a week: 1 is Monday, 6 is Saturday. */
const FIRST_WEEKDAY = { gregorian: 1, persian: 6 } as const;

export type View = 'month' | 'week' | 'agenda';

export function addDays(day: string, count: number): string {
  return isoDay(Date.parse(`${day}T00:00:00Z`) + count * DAY_MS);
}

export function startOfWeek(day: string, isPersian: boolean): string {
  const first = isPersian ? FIRST_WEEKDAY.persian : FIRST_WEEKDAY.gregorian;
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay() || 7;
  return addDays(day, -((weekday - first + 7) % 7));
}

export function startOfMonth(day: string, isPersian: boolean): string {
  const persian = isPersian ? toPersianDay(day) : undefined;
  if (persian) return toIsoDay({ ...persian, day: 1 }) ?? day;
  return `${day.slice(0, 7)}-01`;
}

/** Returns the same day some months later, or the last day of a shorter month. */
export function addMonths(day: string, count: number, isPersian: boolean): string {
  const persian = isPersian ? toPersianDay(day) : undefined;
  if (persian) {
    const months = persian.year * 12 + persian.month - 1 + count;
    const [year, month] = [Math.floor(months / 12), (months % 12) + 1];
    const last = daysInMonth(year, month);
    return toIsoDay({ year, month, day: Math.min(persian.day, last) }) ?? day;
  }
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const last = new Date(Date.UTC(year, month + count, 0)).getUTCDate();
  return isoDay(Date.UTC(year, month - 1 + count, Math.min(date, last)));
}

/**
 * Returns the weeks of the month of `day`. The first and the last week may begin or end in another
 * month.
 */
export function weeksOfMonth(day: string, isPersian: boolean): string[][] {
  const first = startOfMonth(day, isPersian);
  const end = addMonths(first, 1, isPersian);
  const weeks: string[][] = [];
  for (let start = startOfWeek(first, isPersian); start < end; start = addDays(start, 7)) {
    weeks.push(weekFrom(start));
  }
  return weeks;
}

export function weekFrom(start: string): string[] {
  return Array.from({ length: 7 }, (_, at) => addDays(start, at));
}

/** Returns whether two days are in the same month of the calendar. */
export function isSameMonth(a: string, b: string, isPersian: boolean): boolean {
  return startOfMonth(a, isPersian) === startOfMonth(b, isPersian);
}

function isoDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
