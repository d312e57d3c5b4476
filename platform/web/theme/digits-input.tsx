// The input of number fields: shows the digits of the user's language and accepts digits from every
// keyboard.
import { useMergedRef } from '@mantine/hooks';
import { type ComponentProps, useLayoutEffect, useRef } from 'react';
import { toLatinDigits } from '#platform/digits.ts';
import { useFormats } from '../texts/formats.ts';
import { numberToType } from '../texts/format-stored-number.ts';

export function DigitsInput({ ref, ...props }: ComponentProps<'input'>) {
  const { number } = useFormats();
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => (input.current ? translate(input.current, number) : undefined), [number]);
  return <input {...props} ref={useMergedRef(ref, input)} />;
}

/**
 * Translates digits: code that uses the element (React, Mantine) reads and writes Latin digits, as
 * in 12.5, and the user sees the digits of the language. Characters map one to one, so that the
 * caret keeps its position. The returned function restores the element.
 */
function translate(input: HTMLInputElement, number: (value: number) => string): () => void {
  const valueProperty = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
  // React's own property, which it uses to detect input.
  const ownValue = Object.getOwnPropertyDescriptor(input, 'value') ?? valueProperty;
  if (!valueProperty?.get || !valueProperty.set || !ownValue?.set) return () => undefined;
  const readShown = (): string => valueProperty.get?.call(input);
  const isLatin = number(0) === '0';
  let last = plainNumber(readShown());
  let isComposing = false;
  const write = (value: unknown): void => {
    const before = readShown();
    const { selectionStart: from, selectionEnd: to } = input;
    const plainText = plainNumber(String(value ?? ''));
    last = plainText;
    // Writing during an input method's composition would end the composition and start a new one.
    if (isComposing && plainNumber(before) === plainText) return;
    ownValue.set?.call(input, plainText);
    if (!isLatin) valueProperty.set?.call(input, numberToType(plainText, number));
    // If the shown text is unchanged, the caret does not move, as when an input is set to the value
    // that it already has.
    if (readShown() === before && document.activeElement === input)
      input.setSelectionRange(from, to);
  };
  Object.defineProperty(input, 'value', {
    configurable: true,
    enumerable: true,
    get: () => plainNumber(readShown()),
    set: write,
  });
  write(readShown());
  const listeners = {
    // If only the script of the digits has changed, React detects no input and would not update the
    // text.
    input: () => {
      if (!isComposing && plainNumber(readShown()) === last) write(last);
    },
    compositionstart: () => {
      isComposing = true;
    },
    compositionend: () => {
      isComposing = false;
      write(readShown());
    },
  };
  const boundListeners = Object.entries(listeners);
  for (const [event, listener] of boundListeners) input.addEventListener(event, listener);
  return () => {
    for (const [event, listener] of boundListeners) input.removeEventListener(event, listener);
    Object.defineProperty(input, 'value', { ...ownValue, configurable: true });
    valueProperty.set?.call(input, plainNumber(readShown()));
  };
}

const plainNumber = (text: string) => toLatinDigits(text).replace('\u066b', '.');
