// A part of the app could not be loaded because the server has a newer version: shows a message
// with a countdown, then reloads; unsaved edits are stored first.
import { Button, VisuallyHidden } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useFormats } from '../texts/formats.ts';
import { persistent } from './notices.tsx';
import { isOnline } from '../online.ts';
import { createStore, useStore } from '../store.ts';
import { useTexts } from '../texts/texts.ts';
import { FailedState } from '../ui/states.tsx';
import { flushUnsaved } from '../unsaved.ts';

export const FORCED_RELOAD_SECONDS = 15;

const NOTICE_ID = 'new-version';
const secondsLeft = createStore(FORCED_RELOAD_SECONDS, { survivesReset: true });
let isShown = false;

/**
 * Recognizes the messages with which the three browser engines report a module that failed to load.
 */
export function isModuleFailure(error: unknown): boolean {
  const message = error instanceof Error ? error.message : '';
  return /dynamically imported module|importing a module script|Unable to preload/i.test(message);
}

/**
 * Shows the notice once. Does nothing while offline, because a newer version is not the cause then.
 */
export function moduleFailed(): void {
  if (isShown || !isOnline()) return;
  isShown = true;
  // The countdown runs even if the notice itself cannot be loaded.
  const clock = setInterval(() => {
    secondsLeft.set((seconds) => seconds - 1);
    if (secondsLeft.get() > 0) return;
    clearInterval(clock);
    void reloadApp();
  }, 1000);
  persistent(NOTICE_ID, <Countdown />, <IconRefresh size={18} stroke={1.75} />);
}

export async function reloadApp(): Promise<void> {
  await flushUnsaved();
  location.reload();
}

function Countdown() {
  const t = useTexts('platform');
  const { number } = useFormats();
  const seconds = useStore(secondsLeft);
  const message = (seconds: number) =>
    t('newVersion.message', { seconds: number(Math.max(0, seconds)) });
  return (
    <>
      {/* Announced once, not every second. */}
      <VisuallyHidden>{message(FORCED_RELOAD_SECONDS)}</VisuallyHidden>
      <span aria-hidden="true">{message(seconds)}</span>
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

/** Replaces a screen that could not be loaded. */
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
