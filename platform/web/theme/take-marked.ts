// Enter takes what is marked in a list of choices. Mantine 9.6 keeps the place apart from the mark and sets
// it once more a moment after opening: whoever is quicker than that moment would get another choice than
// the one that is marked.
import type { KeyboardEvent } from 'react';

/** For `onKeyDownCapture` of the field that the list belongs to. */
export function takeMarked(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
  const list = event.currentTarget.getAttribute('aria-controls');
  const marked =
    list && document.getElementById(list)?.querySelector<HTMLElement>('[data-combobox-selected]');
  if (!marked) return;
  event.preventDefault();
  event.stopPropagation();
  marked.click();
}
