// The open state of dialogs that are loaded on first use.
import { useEffect, useState } from 'react';

/**
 * Returns false on the first render, then as requested: only a dialog that changes from closed to
 * open remembers the previous focus and restores it.
 */
export function useOpened(isRequested: boolean): boolean {
  const [isDrawn, setDrawn] = useState(false);
  useEffect(() => setDrawn(true), []);
  return isDrawn && isRequested;
}

/**
 * Returns true from the second render on, for the same reason, for a dialog that is rendered only
 * while it is open. On unmount the focus returns to the opener, unless it has moved elsewhere.
 */
export function useOpenedHere(): boolean {
  const isOpened = useOpened(true);
  useEffect(() => {
    if (!isOpened) return undefined;
    const opener = openerOf(document.activeElement);
    return () => {
      setTimeout(() => {
        if (document.activeElement === document.body) opener?.focus();
      });
    };
  }, [isOpened]);
  return isOpened;
}

/**
 * Returns the element that regains the focus: for a menu entry, which disappears with its menu, the
 * menu's button.
 */
function openerOf(focused: Element | null): HTMLElement | null {
  const menu = focused?.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  const opener = menu ? document.getElementById(menu) : focused;
  return opener instanceof HTMLElement ? opener : null;
}
