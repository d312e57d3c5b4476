// For a menu loaded when its button is pressed: takes the focus from the placeholder button, then
// opens, so that closing returns the focus.
import { type RefObject, useEffect, useRef, useState } from 'react';

export function useOpenedFrom(): {
  button: RefObject<HTMLButtonElement | null>;
  isOpen: boolean;
  setOpen: (isOpen: boolean) => void;
} {
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    button.current?.focus();
    setOpen(true);
  }, []);
  return { button, isOpen, setOpen };
}
