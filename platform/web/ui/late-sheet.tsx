// A sheet with its button above a list. The sheet's code loads after the list, so only the button
// is rendered until the sheet opens for the first time.
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
