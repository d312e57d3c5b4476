// A day and a month, in the order of the reader's language.
import { Group, Input, NativeSelect } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useFormats } from '#platform/web/texts/formats.ts';
import { texts, useTexts } from '#platform/web/texts/texts.ts';

interface BirthdayInputProps {
  label: string;
  /**
   * `MM-DD`, or empty for no birthday; `MM-` or `-DD` while only the month or only the day is
   * chosen.
   */
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}

const listUpTo = (max: number) =>
  Array.from({ length: max }, (_, at) => String(at + 1).padStart(2, '0'));
const MONTHS = listUpTo(12);

export function BirthdayInput({ label, value, error, onChange }: BirthdayInputProps) {
  const t = useTexts('audience');
  const { number } = useFormats();
  const { i18n } = useTranslation(undefined, { i18n: texts });
  const [month = '', day = ''] = value.split('-');
  const change = (nextMonth: string, nextDay: string) =>
    onChange(nextMonth === '' && nextDay === '' ? '' : `${nextMonth}-${nextDay}`);
  const monthNames = listMonthNames(i18n.language);
  const inputs = {
    month: (
      <NativeSelect
        key="month"
        size="sm"
        autoFocus={isMonthFirst(i18n.language)}
        aria-label={`${label}: ${t('birthday.month')}`}
        value={month}
        error={error !== undefined}
        data={[
          { value: '', label: t('birthday.month') },
          ...MONTHS.map((month, at) => ({ value: month, label: monthNames[at] ?? month })),
        ]}
        onChange={({ currentTarget }) => change(currentTarget.value, day)}
      />
    ),
    day: (
      <NativeSelect
        key="day"
        size="sm"
        autoFocus={!isMonthFirst(i18n.language)}
        aria-label={`${label}: ${t('birthday.day')}`}
        value={day}
        error={error !== undefined}
        data={[
          { value: '', label: t('birthday.day') },
          ...listUpTo(countDays(month)).map((day) => ({ value: day, label: number(Number(day)) })),
        ]}
        onChange={({ currentTarget }) => change(month, currentTarget.value)}
      />
    ),
  };
  return (
    <>
      <Group gap={4} wrap="nowrap">
        {isMonthFirst(i18n.language) ? [inputs.month, inputs.day] : [inputs.day, inputs.month]}
      </Group>
      {error !== undefined && <Input.Error>{error}</Input.Error>}
    </>
  );
}

/** Counts the days of a month; February has 29. */
const countDays = (month: string) => new Date(Date.UTC(2000, Number(month) || 1, 0)).getUTCDate();

function listMonthNames(locale: string): string[] {
  const options = { month: 'long', calendar: 'gregory', timeZone: 'UTC' } as const;
  const format = new Intl.DateTimeFormat(locale, options);
  return MONTHS.map((_, at) => format.format(new Date(Date.UTC(2000, at, 1))));
}

function isMonthFirst(locale: string): boolean {
  const options = { month: 'long', day: 'numeric', calendar: 'gregory' } as const;
  const dateParts = new Intl.DateTimeFormat(locale, options).formatToParts(0);
  const order = dateParts
    .map(({ type }) => type)
    .filter((type) => type === 'month' || type === 'day');
  return order[0] === 'month';
}
