// Billing periods of a plan: whole months in the account's time zone, counted from the start of the
// plan's first period. The 31st becomes the last day of a shorter month and is the 31st again
// afterwards.
import { wallTimeToInstant, toWallTime } from '#platform/server/zoned-time.ts';

/** Returns the same wall time `months` later. */
export function addMonths(start: Date, months: number, zone: string): Date {
  const wallTime = toWallTime(start, zone);
  const [year = 0, month = 1, day = 1] = wallTime.slice(0, 10).split('-').map(Number);
  const monthIndex = year * 12 + (month - 1) + months;
  const toYear = Math.floor(monthIndex / 12);
  const toMonth = (monthIndex % 12) + 1;
  const lastDay = new Date(Date.UTC(toYear, toMonth, 0)).getUTCDate();
  const twoDigits = (value: number) => String(value).padStart(2, '0');
  const date = `${String(toYear).padStart(4, '0')}-${twoDigits(toMonth)}-${twoDigits(Math.min(day, lastDay))}`;
  return wallTimeToInstant(`${date} ${wallTime.slice(11)}`, zone);
}

/**
 * A period's start, and the start of the plan's first period, where the counting of months begins.
 */
type CountedPeriod = { start: Date; anchor: Date };

const AVERAGE_MONTH_MS = 30.436_875 * 86_400_000;
/**
 * Maximum drift between a start and the anchor's day, caused by time zone changes and by renewals
 * made before anchors existed. A larger drift means that the anchor belongs to an earlier plan: a
 * process of an earlier version replaced that plan but not the anchor. Months are then counted from
 * the start.
 */
const MAX_DIFFERENCE_MS = 5 * 86_400_000;

/** Returns the end of a period of `months`, on the anchor's day of the month. */
export function periodEnd({ start, anchor }: CountedPeriod, months: number, zone: string): Date {
  const elapsedMonths = Math.round((start.getTime() - anchor.getTime()) / AVERAGE_MONTH_MS);
  const monthStart = addMonths(anchor, elapsedMonths, zone);
  const isAnchored = Math.abs(monthStart.getTime() - start.getTime()) <= MAX_DIFFERENCE_MS;
  return isAnchored
    ? addMonths(anchor, elapsedMonths + months, zone)
    : addMonths(start, months, zone);
}

/** Returns the usage month that contains an instant, in monthly steps from the period's start. */
export function usageMonth(
  period: CountedPeriod,
  now: Date,
  zone: string,
): { start: Date; end: Date } {
  const { start } = period;
  let count = Math.max(
    0,
    (now.getUTCFullYear() - start.getUTCFullYear()) * 12 +
      now.getUTCMonth() -
      start.getUTCMonth() -
      2,
  );
  while (periodEnd(period, count + 1, zone) <= now) count += 1;
  return {
    start: count === 0 ? start : periodEnd(period, count, zone),
    end: periodEnd(period, count + 1, zone),
  };
}
