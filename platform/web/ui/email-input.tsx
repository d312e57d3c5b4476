// An email address to change: its domain in its own letters in every browser. With `type="email"` some show these and
// hand on others, and some show what DNS has; the server takes both.
import { TextInput, type TextInputProps } from '@mantine/core';
import { inOwnLetters } from '#platform/domain-letters.ts';

export function EmailInput({ value, ...props }: TextInputProps) {
  return (
    <TextInput
      type="text"
      inputMode="email"
      dir="ltr"
      autoCapitalize="none"
      spellCheck={false}
      value={inOwnLetters(String(value ?? ''))}
      {...props}
    />
  );
}
