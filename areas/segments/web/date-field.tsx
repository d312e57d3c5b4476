// A day, optionally with a time of day: the browser's date field, or the app's Persian calendar.
import { ActionIcon, Group, TextInput, Tooltip } from '@mantine/core';
import { IconClock, IconClockOff } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { usePersianCalendar } from '#platform/web/texts/persian-calendar.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { PersianDay } from '#platform/web/ui/persian-day.tsx';

interface DateFieldProps {
  label: string;
  /** YYYY-MM-DD with an optional HH:MM:SS. */
  value: string;
  onChange: (value: string) => void;
  /** Offers the time of day. */
  hasTimes?: boolean;
}

const isDay = (value: string) => value.length <= 10 || /(00:00:00|23:59:59)$/.test(value);

export function DateField({ label, value, onChange, hasTimes = false }: DateFieldProps) {
  const t = useTexts('segments');
  const [isTimed, setTimed] = useState(() => !isDay(value));
  const toggleLabel = t(isTimed ? 'time.without' : 'time.with');
  const Icon = isTimed ? IconClockOff : IconClock;
  const toggleTime = () => {
    setTimed(!isTimed);
    if (value === '') return;
    onChange(isTimed ? value.slice(0, 10) : `${value.slice(0, 10)} 00:00:00`);
  };
  const isPersian = usePersianCalendar();
  const toggleButton = hasTimes && (
    <Tooltip label={toggleLabel}>
      <ActionIcon size={26} aria-label={toggleLabel} onClick={toggleTime}>
        <Icon size={16} stroke={1.75} />
      </ActionIcon>
    </Tooltip>
  );
  if (isPersian) {
    return (
      <PersianDate
        label={label}
        value={value}
        onChange={onChange}
        isTimed={isTimed}
        toggleButton={toggleButton}
      />
    );
  }
  return (
    <TextInput
      aria-label={label}
      type={isTimed ? 'datetime-local' : 'date'}
      max={isTimed ? '9999-12-31T23:59:59' : '9999-12-31'}
      step={isTimed ? 1 : undefined}
      value={isTimed ? value.replace(' ', 'T') : value.slice(0, 10)}
      onChange={(event) => onChange(toStoredDate(event.currentTarget.value))}
      rightSection={toggleButton}
    />
  );
}

interface PersianDateProps extends Pick<DateFieldProps, 'label' | 'value' | 'onChange'> {
  isTimed: boolean;
  toggleButton: ReactNode;
}

function PersianDate({ label, value, onChange, isTimed, toggleButton }: PersianDateProps) {
  const [day = '', time = '00:00:00'] = value.split(' ');
  return (
    <Group gap={4} wrap="nowrap">
      <PersianDay
        label={label}
        value={day}
        onChange={(chosen) => onChange(isTimed ? `${chosen} ${time}` : chosen)}
      />
      {isTimed && (
        <TextInput
          type="time"
          aria-label={label}
          step={1}
          disabled={day === ''}
          value={day === '' ? '' : time}
          onChange={(event) => onChange(toStoredDate(`${day}T${event.currentTarget.value}`))}
        />
      )}
      {toggleButton}
    </Group>
  );
}

function toStoredDate(text: string): string {
  const spacedText = text.replace('T', ' ');
  return spacedText.length === 16 ? `${spacedText}:00` : spacedText;
}
