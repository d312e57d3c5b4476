// A value that becomes an input when pressed: Enter or blur saves, Escape cancels.
import { Group, TextInput, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { type FocusEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { fieldMessages } from '#platform/web/api-error.ts';
import { showError } from '#platform/web/errors/errors.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { usePersianCalendar } from '#platform/web/texts/persian-calendar.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { PersianDay } from '#platform/web/ui/persian-day.tsx';
import { Address } from '#platform/web/ui/address.tsx';
import {
  formatBothInterpretations,
  getDecimalMark,
  isAmbiguous,
  numberToType,
} from '#platform/web/texts/format-stored-number.ts';
import { BirthdayInput } from './birthday-input.tsx';
import { type ValueType, serializeInput } from './value-input.tsx';
import classes from './subscriber-screen.module.css';

export interface EditableValueProps {
  label: string;
  type: ValueType;
  /** The stored value; empty if there is none. */
  value: string;
  /**
   * Saves the text; an empty one clears the value. The message of a 422 is shown below the input.
   */
  save: (value: string) => Promise<unknown>;
}

export function EditableValue({ label, type, value, save }: EditableValueProps) {
  const t = useTexts('audience');
  const editing = useEditing({ type, value, save });
  return (
    <div className={classes.row}>
      <dt>{label}</dt>
      <dd>
        {editing.typed === undefined ? (
          <UnstyledButton
            ref={editing.button}
            className={classes.value}
            data-empty={value === '' || undefined}
            title={t('one.edit', { field: label })}
            onClick={editing.edit}
          >
            <VisuallyHidden>{label} </VisuallyHidden>
            {value === '' ? t('one.addValue') : <FormattedValue type={type} value={value} />}
          </UnstyledButton>
        ) : (
          <Input
            label={label}
            type={type}
            value={editing.typed}
            fault={editing.fault}
            isBusy={editing.isBusy}
            onType={editing.setTyped}
            onLeave={editing.leave}
            close={editing.cancel}
          />
        )}
      </dd>
    </div>
  );
}

/** Holds the typed text while the value is edited, and submits it. */
function useEditing({ type, value, save }: Omit<EditableValueProps, 'label'>) {
  const t = useTexts('audience');
  const { number } = useFormats();
  const [input, setInput] = useState<string>();
  const [fault, setFault] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  // The focus returns to the value if a key ended the edit.
  const isByKey = useRef(false);
  useEffect(() => {
    if (input === undefined && isByKey.current) button.current?.focus();
    if (input === undefined) isByKey.current = false;
  }, [input]);
  const close = () => {
    setInput(undefined);
    setFault(undefined);
  };
  const send = async (text: string) => {
    if (isBusy) return;
    const decimalMark = getDecimalMark(number);
    if (type === 'number' && isAmbiguous(text, decimalMark))
      return setFault(
        t('platform:fields.ambiguousNumber', formatBothInterpretations(text, number)),
      );
    const next = serializeInput(type, text, decimalMark);
    // An unchanged value stays as stored, including a date's seconds.
    if (next === value || text === toInput(type, value, number)) return close();
    setBusy(true);
    try {
      await save(next);
      close();
    } catch (error) {
      const message = fieldMessages(error);
      if (message) setFault(message);
      else {
        close();
        showError(error);
      }
    } finally {
      setBusy(false);
    }
  };
  const edit = () => setInput(toInput(type, value, number));
  const leave = (isByEnter: boolean) => {
    isByKey.current = isByEnter;
    void send(input ?? '');
  };
  const cancel = () => {
    isByKey.current = true;
    close();
  };
  return { typed: input, setTyped: setInput, fault, isBusy, button, edit, leave, cancel };
}

interface InputProps {
  label: string;
  type: ValueType;
  value: string;
  fault: string | undefined;
  isBusy: boolean;
  onType: (input: string) => void;
  /** Called on Enter and on blur; saves the value. */
  onLeave: (isByEnter: boolean) => void;
  /** Called on Escape. */
  close: () => void;
}

function Input(props: InputProps) {
  const { label, type, value, fault, isBusy, onType, onLeave, close } = props;
  const isPersian = usePersianCalendar();
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') onLeave(true);
    if (event.key === 'Escape') {
      event.stopPropagation();
      close();
    }
  };
  const group = {
    onKeyDown,
    onBlur: ({ currentTarget, relatedTarget }: FocusEvent) => {
      if (!currentTarget.contains(relatedTarget)) onLeave(false);
    },
  };
  if (type === 'birthday') {
    return (
      <Group {...group}>
        <BirthdayInput label={label} value={value} error={fault} onChange={onType} />
      </Group>
    );
  }
  if (type === 'datetime' && isPersian) {
    return (
      <Group gap={4} wrap="nowrap" {...group}>
        <PersianTimeInput {...props} />
      </Group>
    );
  }
  return (
    <TextInput
      size="sm"
      autoFocus
      aria-label={label}
      type={type === 'datetime' ? 'datetime-local' : type === 'number' ? 'text' : type}
      inputMode={type === 'number' ? 'decimal' : undefined}
      value={value}
      error={fault}
      readOnly={isBusy}
      onChange={(event) => onType(event.currentTarget.value)}
      onBlur={() => onLeave(false)}
      onKeyDown={onKeyDown}
    />
  );
}

/** A day of the Persian calendar and a time of day. */
function PersianTimeInput({ label, value, fault, onType }: InputProps) {
  const [day = '', time = '00:00'] = value.split('T');
  return (
    <>
      <PersianDay
        autoFocus
        label={label}
        value={day}
        onChange={(option) => onType(`${option}T${time}`)}
      />
      <TextInput
        type="time"
        aria-label={label}
        value={day === '' ? '' : time}
        disabled={day === ''}
        error={fault}
        onChange={(event) => onType(`${day}T${event.currentTarget.value || '00:00'}`)}
      />
    </>
  );
}

function FormattedValue({ type, value }: { type: ValueType; value: string }) {
  const { birthday, number, date, dateTime } = useFormats();
  if (type === 'birthday') return <>{birthday(value)}</>;
  if (type === 'number') return <>{number(Number(value))}</>;
  // Dates of fields have no zone: they are shown as stored.
  if (type === 'datetime') {
    const instant = `${value.replace(' ', 'T')}Z`;
    return <>{value.endsWith('00:00:00') ? date(instant, 'UTC') : dateTime(instant, 'UTC')}</>;
  }
  return type === 'text' ? <bdi>{value}</bdi> : <Address value={value} />;
}

function toInput(type: ValueType, value: string, number: (value: number) => string): string {
  if (type === 'number') return numberToType(value, number);
  if (type === 'email') return toUnicodeDomain(value);
  return type === 'datetime' ? value.replace(' ', 'T').slice(0, 16) : value;
}
