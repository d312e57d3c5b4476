// Computes when date triggers are due: on the date in a field plus the trigger's offset, in the
// subscriber's time zone.
import { wallTimeToInstant } from '#platform/server/zoned-time.ts';
import type { StepData } from '../../contract.ts';

const DAY = 86_400_000;
/** Limit of the catch-up after downtime. */
const MAX_CATCH_UP_MS = 370 * DAY;

export type DateTrigger = Pick<
  StepData['trigger'],
  'triggerType' | 'field' | 'offset_days' | 'time'
>;

const formatDay = (at: number) => new Date(at).toISOString().slice(0, 10);
/**
 * Returns the day of an anniversary in a year: 29 February becomes the 28th in years without it.
 */
export const formatDayInYear = (monthDay: string, year: number) =>
  `${String(year).padStart(4, '0')}-${monthDay === '02-29' && !isLeap(year) ? '02-28' : monthDay}`;

const isLeap = (year: number) => new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1;

/**
 * Lists the dates in the field for which the trigger may be due within the window, in any time
 * zone.
 */
export function listDaysWithin(trigger: DateTrigger, from: Date, until: Date): string[] {
  const offset = (trigger.offset_days ?? 0) * DAY;
  const firstDay = Math.max(from.getTime(), until.getTime() - MAX_CATCH_UP_MS) - 2 * DAY - offset;
  const days: string[] = [];
  for (let at = firstDay; at <= until.getTime() + 2 * DAY - offset; at += DAY)
    days.push(formatDay(at));
  if (trigger.triggerType === 'DATE') return days;
  const yearlyDays = days.map((day) => day.slice(5));
  // Anniversaries of 29 February are on the 28th in years without it.
  const hasEnd = days.some((day) => day.endsWith('02-28') && !isLeap(Number(day.slice(0, 4))));
  return [...new Set(hasEnd ? [...yearlyDays, '02-29'] : yearlyDays)];
}

/**
 * Returns the instant within (from, until] at which a subscriber's date is due, and its day as a
 * number (20260131). Returns undefined if there is none.
 */
export function findDueMoment(
  trigger: DateTrigger,
  storedDate: string,
  zone: string,
  { from, until }: { from: Date; until: Date },
): { at: Date; day: number } | undefined {
  const { triggerType, offset_days: offset = 0, time } = trigger;
  // A birthday is MM-DD, which occurs every year.
  const value = storedDate.length === 5 ? `0000-${storedDate}` : storedDate;
  const firstDate = new Date(Math.max(from.getTime(), until.getTime() - MAX_CATCH_UP_MS));
  const clock = time === undefined ? value.slice(11, 19) || '00:00:00' : `${time}:00`;
  const years =
    triggerType === 'DATE'
      ? [Number(value.slice(0, 4))]
      : listYearsAround(firstDate.getTime() - offset * DAY, until.getTime() - offset * DAY).filter(
          // The date itself is not an anniversary.
          (year) => year > Number(value.slice(0, 4)),
        );
  for (const year of years) {
    const day = Date.parse(`${formatDayInYear(value.slice(5, 10), year)}T00:00:00Z`);
    if (Number.isNaN(day)) return undefined;
    const localDay = formatDay(day + offset * DAY);
    const at = wallTimeToInstant(`${localDay} ${clock}`, zone);
    if (at > firstDate && at <= until) return { at, day: Number(localDay.replaceAll('-', '')) };
  }
  return undefined;
}

function listYearsAround(from: number, until: number): number[] {
  const firstYear = new Date(from - 2 * DAY).getUTCFullYear();
  const lastYear = new Date(until + 2 * DAY).getUTCFullYear();
  return Array.from({ length: lastYear - firstYear + 1 }, (_, at) => firstYear + at);
}
