// State of a menu with code that is loaded when its button is pressed. The menu renders a button in
// place of the pressed one. On mount, this hook focuses the new button and opens the menu, so that
// closing the menu returns the focus to that button.
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
