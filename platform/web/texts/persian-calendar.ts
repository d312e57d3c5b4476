// Converts between days of the Persian calendar, in which dates are shown to Persian users, and ISO
// days (YYYY-MM-DD), which API calls contain.
import { useTranslation } from 'react-i18next';
import { toLanguage } from './languages.ts';
import { texts } from './texts.ts';

export interface PersianDay {
  year: number;
  /** From 1, Farvardin. */
  month: number;
  day: number;
}

const DAY_MS = 86_400_000;
const format = new Intl.DateTimeFormat('en-u-ca-persian-nu-latn', {
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  timeZone: 'UTC',
});

/**
 * Returns true if the user's language uses this calendar; all other languages use the browser's
 * calendar.
 */
export function usePersianCalendar(): boolean {
  const { i18n } = useTranslation(undefined, { i18n: texts });
  return toLanguage(i18n.language) === 'fas';
}

/** Returns undefined for an invalid day. */
export function toPersianDay(iso: string): PersianDay | undefined {
  const at = Date.parse(`${iso.slice(0, 10)}T00:00:00Z`);
  return Number.isNaN(at) ? undefined : partsOf(at);
}

/** Returns undefined for a day the month does not have. */
export function toIsoDay({ year, month, day }: PersianDay): string | undefined {
  // The year begins on one of three days of March; the first six months have 31 days, the others
  // 30.
  const elapsedDays = (month - 1) * 31 - Math.max(0, month - 7) + day - 1;
  const estimate = Date.UTC(year + 621, 2, 21) + elapsedDays * DAY_MS;
  for (const days of [0, -1, 1, -2, 2]) {
    const at = estimate + days * DAY_MS;
    const date = partsOf(at);
    if (date.year === year && date.month === month && date.day === day) {
      return new Date(at).toISOString().slice(0, 10);
    }
  }
  return undefined;
}

export function daysInMonth(year: number, month: number): number {
  if (month <= 6) return 31;
  if (month <= 11) return 30;
  return toIsoDay({ year, month, day: 30 }) ? 30 : 29;
}

function partsOf(at: number): PersianDay {
  const parts = format.formatToParts(at);
  const findPart = (type: string) =>
    Number(parts.find((findPart) => findPart.type === type)?.value);
  return { year: findPart('year'), month: findPart('month'), day: findPart('day') };
}
