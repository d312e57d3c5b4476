// A number in the user's locale format, in digits of any script; stored as 1234.5. An invalid or
// ambiguous number stays in the field, and the stored value is empty until the user corrects it.
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import {
  formatBothInterpretations,
  getDecimalMark,
  isAmbiguous,
  numberToType,
  parseWrittenNumber,
} from '#platform/web/texts/format-stored-number.ts';

interface NumberFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  isWhole?: boolean;
}

export function NumberField({ label, value, onChange, isWhole = false }: NumberFieldProps) {
  const t = useTexts('segments');
  const { number } = useFormats();
  const mark = getDecimalMark(number);
  const [typed, setTyped] = useState<{ text: string; value: string }>();
  // An external value replaces the typed text.
  const text = typed?.value === value ? typed.text : numberToType(value, number);
  const reading = parseTypedNumber(text, mark);
  const getError = () => {
    if (text.trim() === '') return undefined;
    if (reading === 'ambiguous')
      return t('platform:fields.ambiguousNumber', formatBothInterpretations(text, number));
    if (isWhole) return /^[1-9]\d{0,3}$/.test(reading) ? undefined : t('wholeNumber');
    return reading === '' ? t('notANumber') : undefined;
  };
  return (
    <TextInput
      aria-label={label}
      inputMode={isWhole ? 'numeric' : 'decimal'}
      autoComplete="off"
      dir="ltr"
      maxLength={20}
      value={text}
      error={getError()}
      onChange={(event) => {
        const next = event.currentTarget.value;
        const parsed = parseTypedNumber(next, mark);
        const storedValue = parsed === 'ambiguous' ? '' : parsed;
        setTyped({ text: next, value: storedValue });
        onChange(storedValue);
      }}
    />
  );
}

/**
 * Returns the number as stored, '' if the text is not a number, or `ambiguous` if it has two
 * readings.
 */
function parseTypedNumber(text: string, mark: string): string {
  if (isAmbiguous(text, mark)) return 'ambiguous';
  const parsed = parseWrittenNumber(text, mark === ',');
  return /^[+-]?(\d+(\.\d*)?|\.\d+)$/.test(parsed) ? parsed.replace(/^\+/, '') : '';
}
