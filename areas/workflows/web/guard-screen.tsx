// The contact guard: the maximum number of messages per subscriber in a period, and quiet hours.
import { Button, Group, NumberInput, Stack, Switch, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ResponseOf } from '#platform/web/api/api.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { useAction } from '#platform/web/api/queries.ts';
import { useUnsaved } from '#platform/web/session/use-unsaved.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import type { ownCalls } from '../contract.ts';
import { api } from './queries.ts';

const GUARD = '/client-api/api/contact_guard';
type GuardValues = ResponseOf<typeof ownCalls, 'GET /client-api/api/contact_guard'>['data'];

export default function GuardScreen() {
  const t = useTexts('workflows');
  const guard = useQuery(api.query('GET /client-api/api/contact_guard'));
  return (
    <Page title={t('guard.title')} description={t('guard.text')} width="reading">
      {guard.isError && !guard.data ? (
        <FailedState error={guard.error} retry={() => void guard.refetch()} />
      ) : guard.data ? (
        <Form guard={guard.data.data} />
      ) : (
        <LoadingState rows={4} />
      )}
    </Page>
  );
}

function Form({ guard }: { guard: GuardValues }) {
  const t = useTexts('workflows');
  const [values, setValues] = useState(guard);
  const updateGuard = (change: Partial<GuardValues>) => setValues((now) => ({ ...now, ...change }));
  useUnsaved<GuardValues>({
    name: 'contact-guard',
    unsaved: JSON.stringify(values) === JSON.stringify(guard) ? undefined : values,
    restore: setValues,
    discard: () => setValues(guard),
    onLeave: 'store',
  });
  const save = useAction(() => api('PUT /client-api/api/contact_guard', { body: values }), {
    invalidates: [GUARD],
    onDone: () => toast(t('guard.saved')),
  });
  const { messages, days, quiet_from: from, quiet_until: until } = values;
  return (
    <Stack gap="md" maw={520}>
      <Switch
        label={t('guard.limit')}
        checked={messages !== null}
        onChange={(event) => updateGuard({ messages: event.currentTarget.checked ? 3 : null })}
      />
      {messages !== null && <LimitFields messages={messages} days={days} put={updateGuard} />}
      <Switch
        label={t('guard.quiet')}
        description={t('delayForm.timeHint')}
        checked={from !== null}
        onChange={({ currentTarget: { checked } }) =>
          updateGuard({
            quiet_from: checked ? '21:00' : null,
            quiet_until: checked ? '08:00' : null,
          })
        }
      />
      {from !== null && <QuietFields from={from} until={until} put={updateGuard} />}
      <Group justify="flex-end">
        <Button loading={save.isPending} onClick={() => save.mutate(undefined)}>
          {t('settings.save')}
        </Button>
      </Group>
    </Stack>
  );
}

type UpdateGuard = (change: Partial<GuardValues>) => void;

function LimitFields({
  messages,
  days,
  put: updateGuard,
}: {
  messages: number;
  days: number;
  put: UpdateGuard;
}) {
  const t = useTexts('workflows');
  return (
    <Group gap="sm" grow>
      <NumberInput
        label={t('guard.messages')}
        min={1}
        max={100}
        allowDecimal={false}
        value={messages}
        onChange={(value) => typeof value === 'number' && updateGuard({ messages: value })}
      />
      <NumberInput
        label={t('guard.days')}
        min={1}
        max={90}
        allowDecimal={false}
        value={days}
        onChange={(value) => typeof value === 'number' && updateGuard({ days: value })}
      />
    </Group>
  );
}

function QuietFields({
  from,
  until,
  put: updateGuard,
}: {
  from: string;
  until: string | null;
  put: UpdateGuard;
}) {
  const t = useTexts('workflows');
  return (
    <Group gap="sm" grow>
      <TextInput
        type="time"
        dir="ltr"
        label={t('guard.from')}
        value={from}
        onChange={({ currentTarget: { value } }) => value && updateGuard({ quiet_from: value })}
      />
      <TextInput
        type="time"
        dir="ltr"
        label={t('guard.until')}
        value={until ?? ''}
        onChange={({ currentTarget: { value } }) => value && updateGuard({ quiet_until: value })}
      />
    </Group>
  );
}
