// For a menu that was loaded by the press of its button: takes the focus over from the button that
// stood in its place, then opens, so that closing gives the focus back.
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
