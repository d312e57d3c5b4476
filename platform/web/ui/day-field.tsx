// A field for a day (YYYY-MM-DD). It is the browser's date input, or a Persian calendar for users
// whose language uses that calendar.
import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { usePersianCalendar } from '../texts/persian-calendar.ts';
import { PersianDay } from './persian-day.tsx';

export interface DayFieldProps {
  label: string;
  /** Empty for none. */
  value: string;
  onChange: (value: string) => void;
  min?: string;
  max?: string;
  size?: 'xs';
  error?: ReactNode;
  isFocused?: boolean;
}

export function DayField(props: DayFieldProps) {
  const { label, value, onChange, min, max, size, error, isFocused } = props;
  const isPersian = usePersianCalendar();
  if (isPersian) {
    return <PersianDay label={label} value={value} onChange={onChange} min={min} max={max} />;
  }
  return (
    <TextInput
      label={label}
      type="date"
      min={min}
      max={max ?? '2100-12-31'}
      {...(size === undefined ? {} : { size })}
      value={value}
      error={error}
      onChange={(event) => onChange(event.currentTarget.value)}
      {...(isFocused ? { 'data-autofocus': true } : {})}
    />
  );
}
