// An editable email address that shows its domain in Unicode in every browser. With `type="email"`,
// some browsers show Unicode but submit Punycode, and others show Punycode; the server accepts
// both.
import { TextInput, type TextInputProps } from '@mantine/core';
import { toUnicodeDomain } from '#platform/domain-display.ts';

export function EmailInput({ value, ...props }: TextInputProps) {
  return (
    <TextInput
      type="text"
      inputMode="email"
      dir="ltr"
      autoCapitalize="none"
      spellCheck={false}
      value={toUnicodeDomain(String(value ?? ''))}
      {...props}
    />
  );
}
