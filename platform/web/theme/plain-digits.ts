// Fields of numbers read the digits of every keyboard.
import type { FormEvent } from 'react';
import { plainDigits } from '#platform/digits.ts';

/** On its way into a field that knows Latin digits alone, ۱۲٫۵ becomes 12.5 in place. */
export function toPlainDigits({ currentTarget: input }: FormEvent<HTMLInputElement>): void {
  const plain = plainDigits(input.value).replace('\u066b', '.');
  if (plain === input.value) return;
  const { selectionStart: at } = input;
  // Past React, which would find nothing changed when the field hears of it.
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, plain);
  input.setSelectionRange(at, at);
}
