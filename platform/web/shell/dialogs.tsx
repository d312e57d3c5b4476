// Overlays of any screen (questions, notices, palette), each loaded on first use.
import { type ComponentType, Suspense, useEffect, useState } from 'react';
import { lazyWithRetry } from './lazy-with-retry.ts';
import { noticesStore } from '../errors/notices.tsx';
import { useGlobalKeys } from '../palette/keys.ts';
import { keysOpen, paletteOpen } from '../palette/open.ts';
import { areaTexts } from '../texts/texts.ts';
import { useStore } from '../store.ts';
import { pendingConfirmation } from '../ui/confirm.tsx';
import { pendingInput } from '../ui/input-dialog.tsx';

const Palette = lazyWithRetry(async () => {
  const [module] = await Promise.all([import('../palette/palette.tsx'), areaTexts(['search'])]);
  return module;
});
const KeysHelp = lazyWithRetry(() => import('../palette/keys-help.tsx'));
const ConfirmDialog = lazyWithRetry(() => import('../ui/confirm-dialog.tsx'));
const ValueDialog = lazyWithRetry(() => import('../ui/value-dialog.tsx'));
const NoticesPlace = lazyWithRetry(() => import('../errors/notices-place.tsx'));

/** Rendered inside the frames of signed-in screens. */
export function PaletteAndKeys() {
  useGlobalKeys();
  return (
    <>
      <Once when={useStore(paletteOpen)} show={Palette} />
      <Once when={useStore(keysOpen)} show={KeysHelp} />
    </>
  );
}

/** Rendered once in the app, above every frame. */
export function Floating() {
  return (
    <>
      <Once when={useStore(pendingConfirmation) !== undefined} show={ConfirmDialog} />
      <Once when={useStore(pendingInput) !== undefined} show={ValueDialog} />
      <Once when={useStore(noticesStore) > 0} show={NoticesPlace} />
    </>
  );
}

/** Stays mounted after first use: it opens and closes itself. */
function Once({ when, show: Shown }: { when: boolean; show: ComponentType }) {
  const [isNeeded, setNeeded] = useState(when);
  useEffect(() => {
    if (when) setNeeded(true);
  }, [when]);
  if (!isNeeded) return null;
  return (
    <Suspense fallback={null}>
      <Shown />
    </Suspense>
  );
}
