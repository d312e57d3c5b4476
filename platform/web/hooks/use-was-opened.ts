// Whether a dialog was ever open. It is loaded on first use and then stays mounted, so that a
// closing dialog returns the focus.
import { useRef } from 'react';

export function useWasOpened(isOpen: boolean): boolean {
  const wasOpened = useRef(false);
  wasOpened.current ||= isOpen;
  return wasOpened.current;
}
