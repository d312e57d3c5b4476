// The key of another service. It is hidden unless the user shows it, and password managers are
// asked not to store it.
import { PasswordInput } from '@mantine/core';
import { useTexts } from '#platform/web/texts/texts.ts';

export interface KeyFieldProps {
  service: string;
  value: string;
  error: string | undefined;
  onChange: (key: string) => void;
}

export function KeyField({ service, value, error, onChange }: KeyFieldProps) {
  const t = useTexts('imports');
  return (
    <PasswordInput
      label={t('key.label', { service })}
      description={t('key.hint', { service })}
      value={value}
      error={error}
      dir="ltr"
      autoComplete="off"
      spellCheck={false}
      data-1p-ignore
      data-lpignore="true"
      maxLength={200}
      onChange={(event) => onChange(event.currentTarget.value)}
      visibilityToggleButtonProps={{ 'aria-label': t('key.show') }}
    />
  );
}
