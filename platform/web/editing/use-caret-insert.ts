// Insertion of merge tags and emoji into a field: at its caret, or instead of its selection.
import { useRef } from 'react';

/** @param maxLength nothing is inserted if the field's text would become longer than this */
export function useCaretInsert<Field extends HTMLInputElement | HTMLTextAreaElement>(
  value: string,
  change: (value: string) => void,
  maxLength = Number.POSITIVE_INFINITY,
) {
  const field = useRef<Field>(null);
  const insert = (text: string) => {
    const { selectionStart, selectionEnd } = field.current ?? {};
    const from = selectionStart ?? value.length;
    const nextValue = value.slice(0, from) + text + value.slice(selectionEnd ?? from);
    if (nextValue.length > maxLength) return;
    change(nextValue);
    // The caret is placed once the field shows the new value.
    requestAnimationFrame(() => {
      field.current?.focus();
      field.current?.setSelectionRange(from + text.length, from + text.length);
    });
  };
  return { field, insert };
}
