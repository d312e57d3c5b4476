// A form input for the value of a field, which depends on the field's type.
import { Group, Text, TextInput } from '@mantine/core';
import { usePersianCalendar } from '#platform/web/texts/persian-calendar.ts';
import { parseWrittenNumber } from '#platform/web/texts/format-stored-number.ts';
import { PersianDay } from '#platform/web/ui/persian-day.tsx';
import { BirthdayInput } from './birthday-input.tsx';

export type ValueType = 'text' | 'email' | 'tel' | 'number' | 'datetime' | 'birthday';

interface ValueInputProps {
  type: ValueType;
  label: string;
  description: string;
  value: string;
  fault: string | undefined;
  onType: (input: string) => void;
}

export function ValueInput({ type, label, description, value, fault, onType }: ValueInputProps) {
  const isPersian = usePersianCalendar();
  if (type === 'birthday') {
    return (
      <div>
        <BirthdayInput label={label} value={value} error={fault} onChange={onType} />
        <Hint text={description} />
      </div>
    );
  }
  if (type === 'datetime' && isPersian) {
    const [day = '', time = '00:00'] = value.split('T');
    return (
      <div>
        <Group gap={4} wrap="nowrap">
          <PersianDay
            label={label}
            value={day}
            onChange={(nextDay) => onType(nextDay === '' ? '' : `${nextDay}T${time}`)}
          />
          <TextInput
            type="time"
            aria-label={label}
            value={day === '' ? '' : time}
            disabled={day === ''}
            error={fault}
            onChange={(event) => onType(`${day}T${event.currentTarget.value || '00:00'}`)}
          />
        </Group>
        <Hint text={description} />
      </div>
    );
  }
  return (
    <TextInput
      label={label}
      description={description}
      type={type === 'datetime' ? 'datetime-local' : type === 'number' ? 'text' : type}
      inputMode={type === 'number' ? 'decimal' : undefined}
      value={value}
      error={fault}
      onChange={(event) => onType(event.currentTarget.value)}
    />
  );
}

function Hint({ text }: { text: string }) {
  return (
    <Text size="xs" c="dimmed" mt={4}>
      {text}
    </Text>
  );
}

/** Converts a typed value to the form that the server accepts. */
export function serializeInput(type: ValueType, text: string, decimalMark: string): string {
  if (type === 'number') return parseWrittenNumber(text, decimalMark === ',');
  if (type !== 'datetime' || text === '') return text.trim();
  return `${text.replace('T', ' ')}:00`.slice(0, 19);
}
