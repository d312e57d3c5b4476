// Adds or removes a passkey; both require the user's password. Adding one shows the browser's
// prompt, and then recovery codes if the user had no second factor before.
import { useState } from 'react';
import { failure, toast } from '#platform/web/errors/notices.tsx';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Dialog } from '#platform/web/ui/form-dialog.tsx';
import { createPasskey, PasskeyDismissed } from '../passkey.ts';
import { parseDevice } from './device.ts';
import { passkeyApi as api, PASSKEYS, TWO_FACTOR } from './queries.ts';
import { PasswordPrompt, Codes } from './two-factor-dialog.tsx';

export type PasskeyAction = 'add' | { remove: string };

export default function PasskeyDialog({
  action,
  close,
}: {
  action: PasskeyAction;
  close: () => void;
}) {
  const t = useTexts('accounts');
  const [codes, setCodes] = useState<string[]>();
  const add = async (password: string) => {
    const { browser, system } = parseDevice(navigator.userAgent);
    const name =
      browser && system ? t('sessions.device', { browser, system }) : t('passkeys.unnamed');
    try {
      const recoveryCodes = await createPasskey(password, name);
      if (recoveryCodes) setCodes(recoveryCodes);
      else close();
      toast(t('passkeys.added'));
    } catch (error) {
      if (!(error instanceof PasskeyDismissed)) throw error;
      failure(t(error.isKnown ? 'passkeys.known' : 'passkeys.failed'));
      close();
    }
    await invalidate(PASSKEYS, TWO_FACTOR);
  };
  const remove = async (id: string, password: string) => {
    const body = { password };
    await api('POST /client-api/api/passkeys/{id}/remove', { params: { id }, body });
    toast(t('passkeys.removed'));
    close();
    await invalidate(PASSKEYS, TWO_FACTOR);
  };
  const verb = t(action === 'add' ? 'passkeys.add' : 'passkeys.remove');
  return (
    <Dialog
      opened
      onClose={close}
      title={codes ? t('twoFactor.codesTitle') : verb}
      // An accidental click outside the dialog must not lose the codes.
      closeOnClickOutside={false}
    >
      {codes ? (
        <Codes codes={codes} close={close} />
      ) : (
        <PasswordPrompt
          submitLabel={action === 'add' ? t('twoFactor.go') : verb}
          onConfirm={(password) =>
            action === 'add' ? add(password) : remove(action.remove, password)
          }
          close={close}
        />
      )}
    </Dialog>
  );
}
