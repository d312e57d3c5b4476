// Names of months and days of the Gregorian calendar, in the reader's language (the Persian
// calendar: platform/web/texts/persian-calendar.ts).
import 'dayjs/locale/lt';
import 'dayjs/locale/lv';
import 'dayjs/locale/nb';
import 'dayjs/locale/sv';
import { useTranslation } from 'react-i18next';

export function useDayLocale(): string {
  return useTranslation().i18n.language;
}

/** Returns the heading of a month in the date picker, such as 'March 2026'. */
export function formatMonth(day: string, locale: string): string {
  return formatDay(day, locale, { month: 'long', year: 'numeric' });
}

export function formatDayLabel(day: string, locale: string): string {
  return formatDay(day, locale, { day: 'numeric', month: 'long', year: 'numeric' });
}

function formatDay(day: string, locale: string, options: Intl.DateTimeFormatOptions): string {
  const format = new Intl.DateTimeFormat(`${locale}-u-ca-gregory`, { ...options, timeZone: 'UTC' });
  return format.format(new Date(`${day.slice(0, 10)}T00:00:00Z`));
}
