// Switches for the signed-in user's notifications about campaigns; each is saved when it changes.
import { Stack, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { PushSwitch } from './push-switch.tsx';
import { api } from './queries.ts';

const PATH = '/client-api/api/user_notifications';

export function Notifications() {
  return (
    <Stack gap="lg">
      <ByEmail />
      <PushSwitch />
    </Stack>
  );
}

function ByEmail() {
  const t = useTexts('accounts');
  const preferences = useQuery(api.query(`GET ${PATH}`));
  const change = useAction((campaigns: boolean) => api(`PATCH ${PATH}`, { body: { campaigns } }), {
    invalidates: [PATH],
  });
  if (preferences.isLoadingError) {
    return <FailedState error={preferences.error} retry={() => void preferences.refetch()} />;
  }
  if (!preferences.data) return <LoadingState rows={1} />;
  const isOn = change.isPending ? change.variables : preferences.data.data.campaigns;
  return (
    <Switch
      checked={isOn}
      onChange={(event) => change.mutate(event.currentTarget.checked)}
      label={t('notifications.campaigns')}
      description={t('notifications.hint')}
    />
  );
}
