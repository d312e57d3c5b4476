// Whether a dialog is open, for dialogs that are loaded when they are first needed.
import { useEffect, useState } from 'react';

/**
 * False while the dialog is drawn for the first time, then as it is asked for: only what is seen to open
 * remembers where the focus was, and gives it back when it closes.
 */
export function useOpened(isWanted: boolean): boolean {
  const [isDrawn, setDrawn] = useState(false);
  useEffect(() => setDrawn(true), []);
  return isDrawn && isWanted;
}

/**
 * For a dialog that is drawn only while it is open: true from its second drawing on, as above. When it is taken away,
 * the focus goes back to what opened it, unless it has gone somewhere else.
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

/** The entry of a menu goes with the menu: its button stays. */
function openerOf(focused: Element | null): HTMLElement | null {
  const menu = focused?.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  const opener = menu ? document.getElementById(menu) : focused;
  return opener instanceof HTMLElement ? opener : null;
}
