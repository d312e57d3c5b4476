// Overlays that any screen can open: confirmations, value dialogs, notices, the command palette and
// the list of shortcuts. Each loads on first use, except that notices are prefetched (start.tsx).
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

/** Adds the global shortcuts and their overlays inside the frames of signed-in screens. */
export function PaletteAndKeys() {
  useGlobalKeys();
  return (
    <>
      <MountOnFirstUse when={useStore(paletteOpen)} show={Palette} />
      <MountOnFirstUse when={useStore(keysOpen)} show={KeysHelp} />
    </>
  );
}

/** Renders the app's overlays, once and outside the frames. */
export function AppOverlays() {
  return (
    <>
      <MountOnFirstUse when={useStore(pendingConfirmation) !== undefined} show={ConfirmDialog} />
      <MountOnFirstUse when={useStore(pendingInput) !== undefined} show={ValueDialog} />
      <MountOnFirstUse when={useStore(noticesStore) > 0} show={NoticesPlace} />
    </>
  );
}

/** Mounts an overlay on first use and leaves it mounted, because the overlay closes itself. */
function MountOnFirstUse({ when, show: Shown }: { when: boolean; show: ComponentType }) {
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
