// Global shortcuts: ⌘K, `?`, `/`, and the areas' two-key sequences (`g s`).
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useAreas } from '../shell/areas.ts';
import { isEnabled } from '../flags.ts';
import { toLatinKey } from '../hooks/letter-keys.ts';
import { keysHelp, palette } from './open.ts';

/** Maximum time between the two keys of a sequence. */
const PAIR_MS = 1_200;

export interface KeyShortcut {
  keys: string;
  text: string;
  to?: string | undefined;
  run?: (() => void) | undefined;
}

export function useKeyShortcuts(): KeyShortcut[] {
  const { navigation, actions } = useAreas();
  return [...navigation, ...actions].flatMap((item) =>
    item.keys === undefined ? [] : [{ ...item, keys: item.keys }],
  );
}

export function useGlobalKeys(): void {
  const shortcuts = useKeyShortcuts();
  const navigate = useNavigate();
  useEffect(() => {
    let first = '';
    let since = 0;
    const press = (event: KeyboardEvent) => {
      const key = toLatinKey(event);
      if (key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey) && !event.shiftKey) {
        if (!isEnabled('commandPalette')) return;
        event.preventDefault();
        return palette.open();
      }
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event)) return;
      if (key === '?') return keysHelp.open();
      if (key === '/') return focusSearch(event);
      const pair = event.timeStamp - since < PAIR_MS ? `${first} ${key}` : '';
      first = key;
      since = event.timeStamp;
      const shortcut = shortcuts.find(({ keys }) => keys === pair);
      if (!shortcut) return;
      event.preventDefault();
      shortcut.run?.();
      if (shortcut.to) void navigate({ to: shortcut.to });
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [shortcuts, navigate]);
}

function isTyping(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  return (
    target.isContentEditable ||
    target.closest('input, textarea, select, [role="dialog"], [role="menu"], [role="listbox"]') !==
      null
  );
}

function focusSearch(event: KeyboardEvent): void {
  const field = document.querySelector<HTMLInputElement>('main input[type="search"]');
  if (!field) return;
  event.preventDefault();
  field.focus();
}
