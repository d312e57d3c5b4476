// A sheet above a list. Its code loads after the list, so only its button is rendered until it
// opens for the first time.
import { cloneElement, useState } from 'react';
import { lazyModuleWithRetry } from '../shell/lazy-with-retry.ts';
import type { SheetProps } from './sheet.tsx';

const useSheet = lazyModuleWithRetry(() => import('./sheet.tsx'));

export function LateSheet(props: SheetProps) {
  const { isOpen, onChange, target } = props;
  const [sheet, request] = useSheet();
  const [wasOpened, setOpened] = useState(false);
  if (isOpen && sheet && !wasOpened) setOpened(true);
  if (sheet && wasOpened) return <sheet.Sheet {...props} />;
  return cloneElement(target, {
    onClick: () => {
      request();
      onChange(!isOpen);
    },
    'aria-expanded': isOpen,
  });
}
