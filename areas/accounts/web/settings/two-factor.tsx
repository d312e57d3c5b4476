// The signed-in user's second factor: its state, and buttons that turn the authenticator app on or
// off and renew the recovery codes.
import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { StatusDot } from '#platform/web/ui/status-dot.tsx';
import { Suspense } from 'react';
import { api } from './queries.ts';
import type { FactorAction } from './two-factor-dialog.tsx';

const TwoFactorDialog = lazyWithRetry(() => import('./two-factor-dialog.tsx'));

export function TwoFactor() {
  const t = useTexts('accounts');
  const { number } = useFormats();
  const [action, setAction] = useState<FactorAction>();
  const factor = useQuery(api.query('GET /client-api/api/two_factor'));
  if (factor.isLoadingError) return <FailedState error={factor.error} retry={factor.refetch} />;
  if (!factor.data) return <LoadingState rows={2} />;
  const { is_on: isOn, has_app: hasApp, recovery_left: left } = factor.data.data;
  return (
    <>
      <Group gap="md" mb="md">
        <StatusDot
          tone={isOn ? 'success' : 'neutral'}
          label={t(isOn ? 'twoFactor.on' : 'twoFactor.off')}
        />
        {isOn && <Text size="sm">{t('twoFactor.left', { count: number(left) })}</Text>}
      </Group>
      <Group gap="xs">
        {isOn && (
          <Button variant="default" onClick={() => setAction('renew')}>
            {t('twoFactor.renew')}
          </Button>
        )}
        {hasApp ? (
          <Button variant="default" onClick={() => setAction('turnOff')}>
            {t('twoFactor.turnOff')}
          </Button>
        ) : (
          // If the user has a passkey, the second factor is already on and the app is optional.
          <Button variant="default" onClick={() => setAction('turnOn')}>
            {t(isOn ? 'twoFactor.addApp' : 'twoFactor.turnOn')}
          </Button>
        )}
      </Group>
      <Suspense fallback={null}>
        {action && <TwoFactorDialog action={action} close={() => setAction(undefined)} />}
      </Suspense>
    </>
  );
}
