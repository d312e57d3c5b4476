// Signs in with a passkey: no address, no password. Nothing where this browser has none.
import { Button } from '@mantine/core';
import { IconFingerprint } from '@tabler/icons-react';
import { useState } from 'react';
import { wordsOf } from '#platform/web/errors.ts';
import { useTexts } from '#platform/web/texts.ts';
import { canUsePasskeys, PasskeyDismissed, showPasskey } from './passkey.ts';

interface PasskeyButtonProps {
  label: string;
  /** What is done with what the authenticator signed. */
  send: (passkey: Awaited<ReturnType<typeof showPasskey>>) => Promise<void>;
  onRefused: (words: string) => void;
}

export function PasskeyButton({ label, send, onRefused }: PasskeyButtonProps) {
  const t = useTexts('accounts');
  const [isBusy, setBusy] = useState(false);
  if (!canUsePasskeys()) return null;
  const go = async () => {
    setBusy(true);
    try {
      await send(await showPasskey());
    } catch (error) {
      const isDismissed = error instanceof PasskeyDismissed;
      onRefused(isDismissed ? t('passkeys.failed') : wordsOf(error).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button
      variant="default"
      size="md"
      fullWidth
      loading={isBusy}
      leftSection={<IconFingerprint size={18} stroke={1.75} />}
      onClick={() => void go()}
    >
      {label}
    </Button>
  );
}
