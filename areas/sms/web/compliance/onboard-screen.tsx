// Onboarding of SMS: a sender, its compliance, the texts added to SMS, a first campaign.
import { Button, List, Stack, Text, ThemeIcon } from '@mantine/core';
import { IconCheck, IconCircleDashed } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { compliancePath } from '../paths.ts';
import { api, useSenders } from '../queries.ts';

const SETTINGS = '/client-api/api/sms/settings';

export default function OnboardScreen() {
  const t = useTexts('sms');
  const navigate = useNavigate();
  const senders = useSenders();
  const settings = useQuery(api.query('GET /client-api/api/sms/settings'));
  const finish = useAction(
    () => api('PUT /client-api/api/sms/settings', { body: { is_onboarded: true } }),
    { invalidates: [SETTINGS], onDone: () => void navigate({ to: '/sms/create' }) },
  );
  const failedQuery = senders.isLoadingError ? senders : settings;
  if (failedQuery.isLoadingError)
    return <FailedState error={failedQuery.error} retry={() => void failedQuery.refetch()} />;
  if (!senders.data || !settings.data) return <LoadingState rows={5} />;
  const [first] = senders.data.data;
  const isReady = senders.data.data.some((row) => row.status === 'active');
  const steps = [
    { name: 'sender', isDone: first !== undefined, to: '/sms/create-sender' },
    {
      name: 'compliance',
      isDone: isReady,
      to: first ? compliancePath(first.id) : '/sms/create-sender',
    },
    { name: 'words', isDone: settings.data.data.is_onboarded, to: '/settings/phone' },
  ];
  return (
    <Page title={t('onboard.title')} description={t('onboard.text')}>
      <Stack maw={560}>
        <List spacing="md" center>
          {steps.map(({ name, isDone, to }) => (
            <List.Item key={name} icon={<StepIcon isDone={isDone} />}>
              <Text component={Link} to={to}>
                {t(`onboard.${name}`)}
              </Text>
            </List.Item>
          ))}
        </List>
        <div>
          <Button
            disabled={!isReady}
            loading={finish.isPending}
            onClick={() => finish.mutate(undefined)}
          >
            {t('create')}
          </Button>
        </div>
      </Stack>
    </Page>
  );
}

function StepIcon({ isDone }: { isDone: boolean }) {
  return (
    <ThemeIcon
      size={24}
      radius="xl"
      color={isDone ? 'success' : 'gray'}
      variant={isDone ? 'filled' : 'light'}
    >
      {isDone ? <IconCheck size={16} /> : <IconCircleDashed size={16} />}
    </ThemeIcon>
  );
}
