// True once a dialog has been opened. Such a dialog is loaded on first use and then stays mounted,
// so that it returns the focus when it closes.
import { useRef } from 'react';

export function useWasOpened(isOpen: boolean): boolean {
  const wasOpened = useRef(false);
  wasOpened.current ||= isOpen;
  return wasOpened.current;
}
