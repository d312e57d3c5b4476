// True once a dialog has been opened: a dialog that uses this hook is loaded when it is first
// opened, and then stays mounted, so that it returns the focus when it closes.
import { useRef } from 'react';

export function useWasOpened(isOpen: boolean): boolean {
  const wasOpened = useRef(false);
  wasOpened.current ||= isOpen;
  return wasOpened.current;
}
