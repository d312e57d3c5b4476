// The dialogs that any screen can call up, each loaded when it is first needed.
import { type ComponentType, lazy, Suspense, useEffect, useState } from 'react';
import { useGlobalKeys } from './palette/keys.ts';
import { keysOpen, paletteOpen } from './palette/open.ts';
import { type Store, useStore } from './store.ts';

const Palette = lazy(() => import('./palette/palette.tsx'));
const KeysHelp = lazy(() => import('./palette/keys-help.tsx'));

/** Inside the frames of signed-in screens. */
export function PaletteAndKeys() {
  useGlobalKeys();
  return (
    <>
      <OnceOpened when={paletteOpen} dialog={Palette} />
      <OnceOpened when={keysOpen} dialog={KeysHelp} />
    </>
  );
}

function OnceOpened({ when, dialog: Dialog }: { when: Store<boolean>; dialog: ComponentType }) {
  const isOpen = useStore(when);
  const [isNeeded, setNeeded] = useState(isOpen);
  useEffect(() => {
    if (isOpen) setNeeded(true);
  }, [isOpen]);
  if (!isNeeded) return null;
  return (
    <Suspense fallback={null}>
      <Dialog />
    </Suspense>
  );
}
