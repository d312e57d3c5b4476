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
