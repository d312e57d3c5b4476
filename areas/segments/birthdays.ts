// Computes the birthdays within a span of days.

const DAY_MS = 86_400_000;
/** Number of days that contain every birthday. */
const MAX_DAYS = 366;

/**
 * Returns the birthdays (MM-DD) on a day (YYYY-MM-DD) and on the `ahead` days after it. In years
 * other than leap years, people born on 29 February have their birthday on the 28th.
 */
export function listBirthdaysFrom(day: string, ahead: number): string[] {
  const first = Date.parse(`${day}T00:00:00Z`);
  const birthdays = new Set<string>();
  for (let days = 0; days <= Math.min(ahead, MAX_DAYS); days++) {
    const day = new Date(first + days * DAY_MS).toISOString().slice(5, 10);
    const next = new Date(first + (days + 1) * DAY_MS).toISOString().slice(5, 10);
    birthdays.add(day);
    if (day === '02-28' && next === '03-01') birthdays.add('02-29');
  }
  return [...birthdays];
}
