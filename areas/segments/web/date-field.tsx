// A day, or a day with its time where one was given; the window's own calendar, and typing.
import { TextInput } from '@mantine/core';

interface DateFieldProps {
  label: string;
  /** YYYY-MM-DD, with HH:MM:SS or without. */
  value: string;
  onChange: (value: string) => void;
  className?: string | undefined;
}

const isDay = (value: string) => value.length <= 10 || /(00:00:00|23:59:59)$/.test(value);

export function DateField({ label, value, onChange, className }: DateFieldProps) {
  const hasTime = !isDay(value);
  return (
    <TextInput
      className={className}
      aria-label={label}
      type={hasTime ? 'datetime-local' : 'date'}
      max={hasTime ? undefined : '9999-12-31'}
      step={hasTime ? 1 : undefined}
      value={hasTime ? value.replace(' ', 'T') : value.slice(0, 10)}
      onChange={(event) => onChange(writtenOf(event.currentTarget.value))}
    />
  );
}

function writtenOf(text: string): string {
  const written = text.replace('T', ' ');
  return written.length === 16 ? `${written}:00` : written;
}
