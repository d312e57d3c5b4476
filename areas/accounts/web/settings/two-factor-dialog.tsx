// Turns an authenticator app on or off as the second factor, or renews the recovery codes. All
// three require the password. Turning the app on then shows a QR code, requires a first code, and
// shows recovery codes.
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useState } from 'react';
import { useServerForm } from '#platform/web/forms.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { CopyButton } from '#platform/web/ui/copy-button.tsx';
import { Dialog, FormButtons } from '#platform/web/ui/form-dialog.tsx';
import { CodeField, PasswordField } from '../sign-in-form.tsx';
import { api, TWO_FACTOR } from './queries.ts';
import classes from './settings.module.css';

export type FactorAction = 'turnOn' | 'turnOff' | 'renew';

interface Setup {
  secret: string;
  picture: string;
}

export default function TwoFactorDialog({
  action,
  close,
}: {
  action: FactorAction;
  close: () => void;
}) {
  const t = useTexts('accounts');
  const [setup, setSetup] = useState<Setup>();
  const [codes, setCodes] = useState<string[]>();
  const showCodes = async (newCodes: string[]) => {
    setCodes(newCodes);
    await invalidate(TWO_FACTOR);
  };
  const confirm = async (password: string) => {
    const body = { password };
    if (action === 'turnOn') {
      setSetup((await api('POST /client-api/api/two_factor', { body })).data);
    } else if (action === 'renew') {
      const { data } = await api('POST /client-api/api/two_factor/recovery_codes', { body });
      await showCodes(data.recovery_codes);
    } else {
      await api('POST /client-api/api/two_factor/off', { body });
      toast(t('twoFactor.turnedOff'));
      close();
      await invalidate(TWO_FACTOR);
    }
  };
  return (
    <Dialog
      opened
      onClose={close}
      title={t(codes ? 'twoFactor.codesTitle' : `twoFactor.${action}`)}
      // An accidental click outside the dialog must not lose the codes.
      closeOnClickOutside={false}
    >
      {codes ? (
        <Codes codes={codes} close={close} />
      ) : setup ? (
        <FirstCode setup={setup} onDone={showCodes} close={close} />
      ) : (
        <PasswordPrompt
          submitLabel={t(action === 'turnOn' ? 'twoFactor.go' : `twoFactor.${action}`)}
          onConfirm={confirm}
          close={close}
        />
      )}
    </Dialog>
  );
}

interface PasswordPromptProps {
  submitLabel: string;
  onConfirm: (password: string) => Promise<void>;
  close: () => void;
}

export function PasswordPrompt({ submitLabel, onConfirm: confirm, close }: PasswordPromptProps) {
  const t = useTexts('accounts');
  const { form, isBusy, submit } = useServerForm({
    initialValues: { password: '' },
    apiFieldNames: { current: 'password' },
    validate: {
      password: (password) => (password === '' ? t('fields.passwordRequired') : null),
    },
    send: ({ password }) => confirm(password),
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {t('twoFactor.passwordText')}
        </Text>
        <PasswordField
          autoComplete="current-password"
          label={t('fields.password')}
          data-autofocus
          {...form.getInputProps('password')}
        />
        <Buttons submitLabel={submitLabel} isBusy={isBusy} close={close} />
      </Stack>
    </form>
  );
}

interface FirstCodeProps {
  setup: Setup;
  onDone: (codes: string[]) => Promise<void>;
  close: () => void;
}

function FirstCode({ setup, onDone, close }: FirstCodeProps) {
  const t = useTexts('accounts');
  const { form, isBusy, submit } = useServerForm({
    initialValues: { code: '' },
    validate: { code: (code) => (code.trim() === '' ? t('twoFactor.codeRequired') : null) },
    send: async ({ code }) => {
      const body = { code: code.trim() };
      const { data } = await api('POST /client-api/api/two_factor/confirm', { body });
      await onDone(data.recovery_codes);
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Text size="sm">{t('twoFactor.scan')}</Text>
        <img className={classes.picture} src={setup.picture} alt={t('twoFactor.picture')} />
        <div className={classes.secret} dir="ltr">
          <code aria-label={t('twoFactor.key')}>{setup.secret}</code>
          <CopyButton value={setup.secret} label={t('twoFactor.copyKey')} />
        </div>
        <CodeField
          label={t('twoFactor.firstCode')}
          description={undefined}
          inputMode="numeric"
          autoFocus
          {...form.getInputProps('code')}
        />
        <Buttons submitLabel={t('twoFactor.turnOn')} isBusy={isBusy} close={close} />
      </Stack>
    </form>
  );
}

export function Codes({ codes, close }: { codes: string[]; close: () => void }) {
  const t = useTexts('accounts');
  return (
    <Stack gap="md">
      <Alert color="warning" variant="light" icon={<IconAlertTriangle size={18} stroke={1.75} />}>
        {t('twoFactor.codesText')}
      </Alert>
      <Group gap="xs" align="start" wrap="nowrap">
        <ul className={classes.codes} dir="ltr" aria-label={t('twoFactor.codesTitle')}>
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <CopyButton value={codes.join('\n')} label={t('twoFactor.copyCodes')} />
      </Group>
      <Group justify="flex-end">
        <Button onClick={close}>{t('twoFactor.kept')}</Button>
      </Group>
    </Stack>
  );
}

function Buttons({
  submitLabel,
  isBusy,
  close,
}: {
  submitLabel: string;
  isBusy: boolean;
  close: () => void;
}) {
  return (
    <FormButtons close={close} isBusy={isBusy}>
      {submitLabel}
    </FormButtons>
  );
}
