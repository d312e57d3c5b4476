// A rule in words: "Weekly on Tuesday and Thursday at 10:00".
import { useTranslation } from 'react-i18next';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { SeriesRule } from '../../series-rule.ts';

/** Returns a function that names weekdays; 1 is Monday. */
export function useWeekdays(): (weekday: number, length: 'long' | 'short') => string {
  const { i18n } = useTranslation();
  // 5 January 2026 was a Monday.
  return (weekday, length) =>
    new Intl.DateTimeFormat(i18n.language, { weekday: length, timeZone: 'UTC' }).format(
      new Date(Date.UTC(2026, 0, 4 + weekday)),
    );
}

export function useRuleSentence(): (rule: SeriesRule) => string {
  const t = useTexts('broadcasts');
  const { list, number, time: clockTime } = useFormats();
  const weekday = useWeekdays();
  const formatMonthDay = (on: Extract<SeriesRule, { every: 'month' }>['on']) => {
    if (on.kind === 'day') return t('series.on.day', { day: number(on.day) });
    if (on.kind === 'last_day') return t('series.on.last_day');
    return t(`series.on.nth.${on.nth}`, { weekday: weekday(on.weekday, 'long') });
  };
  return (rule) => {
    const { interval: count, every } = rule;
    const time = clockTime(new Date(`1970-01-01T${rule.time}:00Z`), 'UTC');
    const days =
      rule.every === 'week'
        ? list([...rule.weekdays].sort((a, b) => a - b).map((day) => weekday(day, 'long')))
        : formatMonthDay(rule.on);
    const total = number(count);
    return count === 1
      ? t(`series.sentence.${every}`, { days, time })
      : t(`series.sentence.${every}s`, { total, days, time });
  };
}
