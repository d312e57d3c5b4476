// Turns notifications about campaigns in this browser on or off. Permission is requested only when
// the switch is turned on; an unsupported browser gets an explanation.
import { Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { failure } from '#platform/web/errors/notices.tsx';
import { useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { getUnsupportedReason, isSubscribed, PushFailed, disablePush, enablePush } from './push.ts';
import { pushApi as api, PUSH } from './queries.ts';

export function PushSwitch() {
  const t = useTexts('accounts');
  const [reason, setReason] = useState(getUnsupportedReason);
  const push = useQuery({
    queryKey: [...PUSH.split('/').filter(Boolean), 'here'],
    queryFn: async ({ signal }) => {
      const { key, browsers } = (await api(`GET ${PUSH}`, { signal })).data;
      return { key, isOn: await isSubscribed(browsers) };
    },
    enabled: reason === undefined,
  });
  const change = useAction(
    async (isEnabled: boolean) => {
      if (!isEnabled) return disablePush();
      try {
        await enablePush(push.data?.key ?? '');
      } catch (error) {
        if (!(error instanceof PushFailed)) throw error;
        failure(t('notifications.push.failed'));
      }
      setReason(getUnsupportedReason());
    },
    { invalidates: [PUSH] },
  );
  if (push.isLoadingError) {
    return <FailedState error={push.error} retry={() => void push.refetch()} />;
  }
  if (reason === undefined && !push.data) return <LoadingState rows={1} />;
  const isOn = reason === undefined && (change.isPending ? change.variables : push.data?.isOn);
  return (
    <Switch
      checked={isOn ?? false}
      disabled={reason !== undefined}
      onChange={(event) => change.mutate(event.currentTarget.checked)}
      label={t('notifications.push.label')}
      description={t(`notifications.push.${reason ?? 'hint'}`)}
    />
  );
}
