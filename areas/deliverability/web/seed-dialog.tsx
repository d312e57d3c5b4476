// Adds a seed mailbox with its address and IMAP login, or with the user's consent at its service.
import { Button, Group, NumberInput, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Dialog, FormButtons } from '#platform/web/ui/form-dialog.tsx';
import { IMAP_HOSTS, IMAP_PORT, MAX_EMAIL, MAX_HOST, type SeedService } from '../signals-shared.ts';
import { api, DELIVERABILITY } from './queries.ts';

interface SeedDialogProps {
  isOpen: boolean;
  close: () => void;
  /** Services that accept the user's consent instead of a password. */
  services: readonly SeedService[];
}

export function SeedDialog({ isOpen, close, services }: SeedDialogProps) {
  const t = useTexts('signals');
  return (
    <Dialog opened={isOpen} onClose={close} title={t('seeds.add')}>
      {isOpen && <SeedForm close={close} services={services} />}
    </Dialog>
  );
}

const NAMES: Readonly<Record<SeedService, string>> = { google: 'Google', microsoft: 'Microsoft' };

function Consents({ email, services }: { email: string } & Pick<SeedDialogProps, 'services'>) {
  const t = useTexts('signals');
  const start = useAction(
    (service: SeedService) =>
      api('POST /client-api/api/deliverability/seeds/consent', { body: { service, email } }),
    { onDone: ({ data }) => window.location.assign(data.url) },
  );
  if (services.length === 0) return null;
  return (
    <>
      <Group gap="xs">
        {services.map((service) => (
          <Button
            key={service}
            variant="default"
            disabled={!email.includes('@') || start.isPending}
            onClick={() => start.mutate(service)}
          >
            {t('seeds.consent', { service: NAMES[service] })}
          </Button>
        ))}
      </Group>
      <Text size="sm" c="dimmed">
        {t('seeds.orPassword')}
      </Text>
    </>
  );
}

const PLAIN_INPUT = { dir: 'ltr', autoComplete: 'off', spellCheck: false } as const;

function SeedForm({ close, services }: Pick<SeedDialogProps, 'close' | 'services'>) {
  const t = useTexts('signals');
  const [email, setEmail] = useState('');
  const [typedHost, setHost] = useState<string>();
  const [port, setPort] = useState<number>(IMAP_PORT);
  const [login, setLogin] = useState('');
  const [password, setPassword] = useState('');
  const host = typedHost ?? IMAP_HOSTS[email.trim().split('@')[1]?.toLowerCase() ?? ''] ?? '';
  const add = useAction(
    () =>
      api('POST /client-api/api/deliverability/seeds', {
        body: { email: email.trim(), host, port, login, password },
      }),
    { invalidates: [DELIVERABILITY], onDone: close },
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        add.mutate(undefined);
      }}
    >
      <Stack gap="sm">
        <TextInput
          {...PLAIN_INPUT}
          type="email"
          label={t('seeds.email')}
          value={email}
          required
          maxLength={MAX_EMAIL}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <Consents email={email.trim()} services={services} />
        <ServerFields {...{ host, setHost, port, setPort }} />
        <LoginFields {...{ login, setLogin, password, setPassword }} />
        <FormButtons close={close} isBusy={add.isPending}>
          {t('seeds.confirm')}
        </FormButtons>
      </Stack>
    </form>
  );
}

interface ServerFieldsProps {
  host: string;
  setHost: (host: string) => void;
  port: number;
  setPort: (port: number) => void;
}

function ServerFields({ host, setHost, port, setPort }: ServerFieldsProps) {
  const t = useTexts('signals');
  return (
    <>
      <TextInput
        {...PLAIN_INPUT}
        label={t('seeds.host')}
        value={host}
        required
        maxLength={MAX_HOST}
        onChange={(event) => setHost(event.currentTarget.value)}
      />
      <NumberInput
        dir="ltr"
        label={t('seeds.port')}
        value={port}
        required
        min={1}
        max={65_535}
        allowDecimal={false}
        thousandSeparator={false}
        onChange={(value) => setPort(Number(value))}
      />
    </>
  );
}

interface LoginFieldsProps {
  login: string;
  setLogin: (login: string) => void;
  password: string;
  setPassword: (password: string) => void;
}

function LoginFields({ login, setLogin, password, setPassword }: LoginFieldsProps) {
  const t = useTexts('signals');
  return (
    <>
      <TextInput
        {...PLAIN_INPUT}
        label={t('seeds.login')}
        description={t('seeds.loginText')}
        value={login}
        maxLength={MAX_EMAIL}
        onChange={(event) => setLogin(event.currentTarget.value)}
      />
      <PasswordInput
        {...PLAIN_INPUT}
        label={t('seeds.password')}
        description={t('seeds.passwordText')}
        value={password}
        required
        maxLength={500}
        onChange={(event) => setPassword(event.currentTarget.value)}
        visibilityToggleButtonProps={{ 'aria-label': t('seeds.show') }}
      />
    </>
  );
}
