// A day of the Persian calendar, chosen by its three parts: the browser's date fields are Gregorian
// only.
import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { useFormats } from '../texts/formats.ts';
import { daysInMonth, toIsoDay, type PersianDay, toPersianDay } from '../texts/persian-calendar.ts';
import { useTexts } from '../texts/texts.ts';
import classes from './persian-day-field.module.css';

export interface PersianDayFieldProps {
  label: string;
  /** YYYY-MM-DD; empty for none. */
  value: string;
  /** Called only with complete days from `min` to `max`. */
  onChange: (day: string) => void;
  min?: string | undefined;
  max?: string | undefined;
  autoFocus?: boolean;
}

const YEARS_BACK = 110;
const YEARS_ON = 20;
const MONTHS = Array.from({ length: 12 }, (_, index) => index + 1);

export default function PersianDayField(props: PersianDayFieldProps) {
  const { label, value, onChange, min, max, autoFocus = false } = props;
  const t = useTexts('platform');
  const { number } = useFormats();
  const [typed, setTyped] = useState<{ baseValue: string; parts: Partial<PersianDay> }>();
  const { year, month, day } =
    typed?.baseValue === value ? typed.parts : (toPersianDay(value) ?? {});
  const changePart = (change: Partial<PersianDay>) => {
    const parts = { year, month, day, ...change };
    const complete = completeDayOf(parts);
    const iso = complete && toIsoDay(complete);
    const isInside = iso !== undefined && (!min || iso >= min) && (!max || iso <= max);
    setTyped({ baseValue: isInside ? iso : value, parts: complete ?? parts });
    if (isInside) onChange(iso);
  };
  const choose = (name: keyof PersianDay) => (event: { currentTarget: { value: string } }) =>
    changePart({ [name]: Number(event.currentTarget.value) });
  const days = year && month ? daysInMonth(year, month) : 31;
  const toOptions = (numbers: readonly number[]) =>
    numbers.map((value) => ({ value: String(value), label: stripGrouping(number(value)) }));
  return (
    <div role="group" aria-label={label} className={classes.parts}>
      <NativeSelect
        aria-label={t('day.day')}
        autoFocus={autoFocus}
        value={day ?? ''}
        data={[emptyOption(day, t('day.day')), toOptions(upTo(days))].flat()}
        onChange={choose('day')}
      />
      <NativeSelect
        aria-label={t('day.month')}
        value={month ?? ''}
        data={[
          emptyOption(month, t('day.month')),
          MONTHS.map((month) => ({ value: String(month), label: monthName(month) })),
        ].flat()}
        onChange={choose('month')}
      />
      <NativeSelect
        aria-label={t('day.year')}
        value={year ?? ''}
        data={[emptyOption(year, t('day.year')), toOptions(yearsBetween(min, max, year))].flat()}
        onChange={choose('year')}
      />
    </div>
  );
}

/** Returns undefined while a part is missing; a day beyond the month's end becomes its last day. */
function completeDayOf({ year, month, day }: Partial<PersianDay>): PersianDay | undefined {
  if (!year || !month || !day) return undefined;
  return { year, month, day: Math.min(day, daysInMonth(year, month)) };
}

const emptyOption = (part: number | undefined, label: string) =>
  part === undefined ? [{ value: '', label, disabled: true }] : [];

const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

/** Lists the years, newest first; a chosen year outside the limits precedes them. */
function yearsBetween(min?: string, max?: string, chosen?: number): number[] {
  const now = toPersianDay(new Date().toISOString())?.year ?? 0;
  const from = (min && toPersianDay(min)?.year) || now - YEARS_BACK;
  const to = (max && toPersianDay(max)?.year) || now + YEARS_ON;
  const years = Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => to - index);
  return chosen === undefined || years.includes(chosen) ? years : [chosen, ...years];
}

const monthName = (month: number) =>
  new Intl.DateTimeFormat('fa', { month: 'long', timeZone: 'UTC' }).format(
    new Date(`${toIsoDay({ year: 1400, month, day: 1 })}T00:00:00Z`),
  );

/** Years have no thousands separator. */
const stripGrouping = (text: string) => text.replaceAll('٬', '');
