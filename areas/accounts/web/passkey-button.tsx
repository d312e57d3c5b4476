// Signs in with a passkey: no address, no password. By a button, nothing where this browser has none; and by the list
// that the browser itself shows at the field of the address.
import { Button } from '@mantine/core';
import { IconFingerprint } from '@tabler/icons-react';
import { useEffect, useEffectEvent, useState } from 'react';
import { wordsOf } from '#platform/web/errors.ts';
import { useTexts } from '#platform/web/texts.ts';
import {
  canUsePasskeys,
  offerPasskeys,
  PasskeyDismissed,
  type ShownPasskey,
  showPasskey,
} from './passkey.ts';

interface PasskeyButtonProps {
  label: string;
  /** What is done with what the authenticator signed. */
  send: (passkey: ShownPasskey) => Promise<void>;
  onRefused: (words: string) => void;
  /** Offered in the browser's list too, as long as no other way is being taken. */
  isListed?: boolean;
}

export function PasskeyButton({ label, send, onRefused, isListed = false }: PasskeyButtonProps) {
  const t = useTexts('accounts');
  const [isBusy, setBusy] = useState(false);
  const go = async (ask: () => ShownPasskey | Promise<ShownPasskey>) => {
    setBusy(true);
    try {
      await send(await ask());
    } catch (error) {
      const isDismissed = error instanceof PasskeyDismissed;
      onRefused(isDismissed ? t('passkeys.failed') : wordsOf(error).message);
    } finally {
      setBusy(false);
    }
  };
  const take = useEffectEvent((passkey: ShownPasskey) => void go(() => passkey));
  const isOffered = isListed && !isBusy;
  useEffect(() => (isOffered ? offerPasskeys(take) : undefined), [isOffered]);
  if (!canUsePasskeys()) return null;
  return (
    <Button
      variant="default"
      size="md"
      fullWidth
      loading={isBusy}
      leftSection={<IconFingerprint size={18} stroke={1.75} />}
      onClick={() => void go(showPasskey)}
    >
      {label}
    </Button>
  );
}
