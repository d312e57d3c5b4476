// Formats days in words.
import { useTranslation } from 'react-i18next';

/** Returns a function that formats a day in the language's calendar: Tuesday, 8 December. */
export function useDayLabel(): (day: string) => string {
  const { i18n } = useTranslation();
  const format = new Intl.DateTimeFormat(i18n.language, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    timeZone: 'UTC',
  });
  return (day) => format.format(new Date(`${day}T00:00:00Z`));
}
