// A number as people write it: digits of any script, a comma or a point; kept as 1234.5.
import { TextInput } from '@mantine/core';
import { useTexts } from '#platform/web/texts.ts';
import { plainDigits } from '#platform/digits.ts';

interface NumberFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  isWhole?: boolean;
}

export function NumberField({ label, value, onChange, isWhole = false }: NumberFieldProps) {
  const t = useTexts('segments');
  const isNumber = isWhole ? /^[1-9]\d{0,3}$/.test(value) : Number.isFinite(Number(value));
  return (
    <TextInput
      aria-label={label}
      inputMode={isWhole ? 'numeric' : 'decimal'}
      autoComplete="off"
      dir="ltr"
      maxLength={20}
      value={value}
      error={value !== '' && !isNumber ? t(isWhole ? 'wholeNumber' : 'notANumber') : undefined}
      onChange={(event) => onChange(plainNumber(event.currentTarget.value))}
    />
  );
}

/** ۱۲٫۵ → 12.5; what is no digit at all stays, so that one sees it. */
export function plainNumber(text: string): string {
  return plainDigits(text.trim()).replace(/[,٫]/g, '.').replace(/−/g, '-');
}
