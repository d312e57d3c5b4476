// Inspector fields of common types: number, line, switch, choice. Each writes directly into the
// document.
import { NumberInput, Select, Switch, TextInput } from '@mantine/core';
import { useRef, useState } from 'react';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { numberToType } from '#platform/web/texts/format-stored-number.ts';
import { isAddress } from '#platform/rich-text.ts';
import { Row, type DefaultedFieldProps } from './field-parts.tsx';
import classes from './fields.module.css';

export function NumberRow({
  label,
  value,
  defaultValue,
  onChange,
  min = 0,
  max = 400,
  step = 1,
  suffix = ' px',
}: DefaultedFieldProps<number> & { min?: number; max?: number; step?: number; suffix?: string }) {
  const { number } = useFormats();
  return (
    <Row label={label}>
      <NumberInput
        size="xs"
        classNames={{ input: classes.number }}
        aria-label={label}
        placeholder={
          defaultValue === undefined ? '' : `${numberToType(String(defaultValue), number)}${suffix}`
        }
        value={value ?? ''}
        min={min}
        max={max}
        step={step}
        suffix={suffix}
        decimalScale={step < 1 ? 2 : 0}
        clampBehavior="blur"
        onChange={(next) => {
          if (next === '') onChange(undefined);
          else if (typeof next === 'number' && next >= min && next <= max) onChange(next);
        }}
      />
    </Row>
  );
}

export function LineRow({
  label,
  value,
  onChange,
  placeholder,
  description,
  isAddressed = false,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  placeholder?: string;
  description?: string;
  isAddressed?: boolean;
}) {
  const t = useTexts('editing');
  const [typed, setTyped] = useState(value);
  const lastValue = useRef(value);
  // An incomplete address stays in the field: the document accepts only valid addresses.
  const applyText = (next: string) => {
    setTyped(next);
    if (isAddressed && !isAddress(next)) return;
    lastValue.current = next;
    onChange(next);
  };
  if (lastValue.current !== value) {
    lastValue.current = value;
    setTyped(value);
  }
  const isWrong = isAddressed && !isAddress(typed);
  return (
    <TextInput
      size="xs"
      label={label}
      description={description}
      placeholder={placeholder ?? (isAddressed ? 'https://' : undefined)}
      dir={isAddressed ? 'ltr' : 'auto'}
      value={typed}
      error={isWrong ? t('addressWrong') : undefined}
      onChange={(event) => applyText(event.currentTarget.value)}
      onBlur={() => {
        // "shop.example" is completed to a web address.
        if (isWrong && /^[^\s:/@][^\s:/@.]*\.[^\s@]+$/.test(typed)) applyText(`https://${typed}`);
      }}
    />
  );
}

export function SwitchRow({
  label,
  value,
  onChange,
}: {
  label: string;
  value: boolean;
  onChange: (value: boolean) => void;
}) {
  return (
    <Switch
      size="xs"
      label={label}
      checked={value}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}

export function ChoiceRow<Value extends string>({
  label,
  value,
  onChange,
  data,
}: {
  label: string;
  value: Value;
  onChange: (value: Value) => void;
  data: readonly { value: Value; label: string }[];
}) {
  return (
    <Row label={label}>
      <Select
        size="xs"
        aria-label={label}
        value={value}
        data={[...data]}
        allowDeselect={false}
        comboboxProps={{ shadow: 'md' }}
        onChange={(next) => {
          const selectedRow = data.find((row) => row.value === next);
          if (selectedRow) onChange(selectedRow.value);
        }}
      />
    </Row>
  );
}
