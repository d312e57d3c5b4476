// Enter selects the highlighted entry in a list of choices. Mantine 9.6 stores the position
// separately from the highlight and resets it shortly after opening, so a fast user would select an
// entry other than the highlighted one.
import type { KeyboardEvent } from 'react';

/** Selects the marked option; for `onKeyDownCapture` of the field that opens the list. */
export function selectMarked(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
  const list = event.currentTarget.getAttribute('aria-controls');
  const selectedOption =
    list && document.getElementById(list)?.querySelector<HTMLElement>('[data-combobox-selected]');
  if (!selectedOption) return;
  event.preventDefault();
  event.stopPropagation();
  selectedOption.click();
}
