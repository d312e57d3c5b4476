// A part of the app could not be loaded: a newer version is on the server. Says so, counts down,
// reloads; what is unsaved is written down first.
import { Button, VisuallyHidden } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useFormats } from './formats.ts';
import { persistent } from './notices.tsx';
import { isOnline } from './online.ts';
import { createStore, useStore } from './store.ts';
import { useTexts } from './texts.ts';
import { FailedState } from './ui/states.tsx';
import { flushUnsaved } from './unsaved.ts';

export const forcedReloadSeconds = 15;

const noticeId = 'new-version';
const secondsLeft = createStore(forcedReloadSeconds, { keep: true });
let isShown = false;

/** The words of the three browsers' engines for a module that did not come. */
export function isModuleFailure(error: unknown): boolean {
  const message = error instanceof Error ? error.message : '';
  return /dynamically imported module|importing a module script|Unable to preload/i.test(message);
}

/** Shows the snackbar once; offline, where nothing can be newer, it stays silent. */
export function moduleFailed(): void {
  if (isShown || !isOnline()) return;
  isShown = true;
  // The clock runs whether or not the notice itself could still be loaded.
  const clock = setInterval(() => {
    secondsLeft.set((left) => left - 1);
    if (secondsLeft.get() > 0) return;
    clearInterval(clock);
    void reloadApp();
  }, 1000);
  persistent(noticeId, <Countdown />, <IconRefresh size={18} stroke={1.75} />);
}

export async function reloadApp(): Promise<void> {
  await flushUnsaved();
  location.reload();
}

function Countdown() {
  const t = useTexts('platform');
  const { number } = useFormats();
  const seconds = useStore(secondsLeft);
  const words = (left: number) => t('newVersion.message', { seconds: number(Math.max(0, left)) });
  return (
    <>
      {/* Read out once, not each second. */}
      <VisuallyHidden>{words(forcedReloadSeconds)}</VisuallyHidden>
      <span aria-hidden="true">{words(seconds)}</span>
      <Button
        size="compact-sm"
        variant="light"
        mt={8}
        display="block"
        onClick={() => void reloadApp()}
      >
        {t('newVersion.reload')}
      </Button>
    </>
  );
}

/** Stands where the missing screen would be. */
export function ModuleFailed() {
  const t = useTexts('platform');
  return (
    <FailedState
      isPage
      title={t('newVersion.missing')}
      error={undefined}
      action={{ label: t('newVersion.reload'), run: () => void reloadApp() }}
    />
  );
}
