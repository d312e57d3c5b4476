// Billing periods of a plan: whole months in the account's time zone. The 31st becomes the last day
// of a shorter month. Usage months are counted from the start of the paid period, so a short month
// does not move later ones. A renewal is counted from the end of the previous period, so it keeps
// the day of a short month.
import { instantOf, wallTimeOf } from '#platform/server/zoned-time.ts';

/** Returns the same wall time a number of months later. */
export function monthsAfter(start: Date, months: number, zone: string): Date {
  const wall = wallTimeOf(start, zone);
  const [year = 0, month = 1, day = 1] = wall.slice(0, 10).split('-').map(Number);
  const counted = year * 12 + (month - 1) + months;
  const toYear = Math.floor(counted / 12);
  const toMonth = (counted % 12) + 1;
  const last = new Date(Date.UTC(toYear, toMonth, 0)).getUTCDate();
  const two = (part: number) => String(part).padStart(2, '0');
  const date = `${String(toYear).padStart(4, '0')}-${two(toMonth)}-${two(Math.min(day, last))}`;
  return instantOf(`${date} ${wall.slice(11)}`, zone);
}

/** Returns the usage month that contains an instant, in monthly steps from the anchor. */
export function usageMonth(anchor: Date, now: Date, zone: string): { start: Date; end: Date } {
  let count = Math.max(
    0,
    (now.getUTCFullYear() - anchor.getUTCFullYear()) * 12 +
      now.getUTCMonth() -
      anchor.getUTCMonth() -
      1,
  );
  while (monthsAfter(anchor, count + 1, zone) <= now) count += 1;
  return { start: monthsAfter(anchor, count, zone), end: monthsAfter(anchor, count + 1, zone) };
}
