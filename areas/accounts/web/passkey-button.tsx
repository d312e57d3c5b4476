// Sign-in with a passkey. It replaces the address and the password, or is the second factor after
// them. It is offered by a button and by the browser's own suggestions in the address field. The
// button is hidden in browsers without passkeys.
import { Button } from '@mantine/core';
import { IconFingerprint } from '@tabler/icons-react';
import { useEffect, useEffectEvent, useState } from 'react';
import { errorTexts } from '#platform/web/errors/errors.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import {
  canUsePasskeys,
  offerPasskeys,
  PasskeyDismissed,
  type ShownPasskey,
  showPasskey,
} from './passkey.ts';

interface PasskeyButtonProps {
  label: string;
  /** Sends the signed response of the authenticator. */
  send: (passkey: ShownPasskey) => Promise<void>;
  onRefused: (message: string) => void;
  /**
   * Whether the browser also offers passkeys in its suggestions. Use false while another sign-in is
   * in progress.
   */
  isListed?: boolean;
}

export function PasskeyButton({ label, send, onRefused, isListed = false }: PasskeyButtonProps) {
  const t = useTexts('accounts');
  const [isBusy, setBusy] = useState(false);
  const signIn = async (requestPasskey: () => ShownPasskey | Promise<ShownPasskey>) => {
    setBusy(true);
    try {
      await send(await requestPasskey());
    } catch (error) {
      const isDismissed = error instanceof PasskeyDismissed;
      onRefused(isDismissed ? t('passkeys.failed') : errorTexts(error).message);
    } finally {
      setBusy(false);
    }
  };
  const onOffered = useEffectEvent((passkey: ShownPasskey) => void signIn(() => passkey));
  const isOffered = isListed && !isBusy;
  useEffect(() => (isOffered ? offerPasskeys(onOffered) : undefined), [isOffered]);
  if (!canUsePasskeys()) return null;
  return (
    <Button
      variant="default"
      size="md"
      fullWidth
      loading={isBusy}
      leftSection={<IconFingerprint size={18} stroke={1.75} />}
      onClick={() => void signIn(showPasskey)}
    >
      {label}
    </Button>
  );
}
