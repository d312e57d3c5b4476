// Step 3: all of it once more, what is wrong with it, and the button that says how many and when.
// After that the same place shows the sending: progress, pause, resume, cancel.
import { Anchor, Button, List, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconCalendar, IconSend } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import {
  BroadcastState,
  RecipientCount,
  ScheduleDialog,
  SendingPanel,
  StepPage,
  touchesOf,
  useRecipients,
} from '#areas/broadcasts/web/index.ts';
import { useFormats } from '#platform/web/formats.ts';
import { notice } from '#platform/web/notices.tsx';
import { touch } from '#platform/web/queries.ts';
import { useTexts } from '#platform/web/texts.ts';
import { useParam } from '#platform/web/use-param.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import type { SmsCampaign, SmsFinding } from '../contract.ts';
import { compliancePath, stepPath } from './paths.ts';
import { PhoneFrame } from './phone-frame.tsx';
import { api, asBroadcast, useLiveSms, useSms } from './queries.ts';
import { TestText } from './test-text.tsx';
import { smsUi } from './ui.ts';

export default function ConfirmScreen() {
  const id = useParam('sms');
  useLiveSms(id);
  const campaign = useSms(id);
  if (campaign.isLoadingError)
    return <FailedState error={campaign.error} retry={campaign.refetch} />;
  if (!campaign.data) return <LoadingState rows={6} />;
  return <Confirm campaign={campaign.data.data} />;
}

function useChecks(id: string) {
  return useQuery({
    ...api.query('GET /client-api/api/sms/campaign/{id}/checks', { params: { id } }),
    staleTime: 0,
  });
}

function Confirm({ campaign }: { campaign: SmsCampaign }) {
  const { id, status } = campaign;
  const isDraft = status === 'DRAFT';
  return (
    <StepPage
      ui={smsUi}
      campaign={asBroadcast(campaign)}
      step="review"
      status={isDraft ? undefined : <BroadcastState campaign={campaign} />}
      actions={isDraft && <SendButtons campaign={campaign} />}
    >
      {!isDraft && <SendingPanel ui={smsUi} campaign={asBroadcast(campaign)} />}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg" maw={1200}>
        <Stack gap="md">
          {isDraft && <Checks campaign={campaign} />}
          <Paper withBorder p="md">
            <RecipientCount ui={smsUi} id={id} />
          </Paper>
          <TestText id={id} />
        </Stack>
        <Preview campaign={campaign} />
      </SimpleGrid>
    </StepPage>
  );
}

function Preview({ campaign }: { campaign: SmsCampaign }) {
  const { phone_id, text, add_organization_name, append_opt_out, google_analytics } = campaign;
  const body = { phone_id, text, add_organization_name, append_opt_out, google_analytics };
  const preview = useQuery({
    queryKey: ['sms preview', body],
    queryFn: ({ signal }) => api('POST /client-api/api/sms/preview', { body, signal }),
  });
  return <PhoneFrame from={campaign.sender} text={preview.data?.data.shown.text ?? text} />;
}

function Checks({ campaign }: { campaign: SmsCampaign }) {
  const t = useTexts('sms');
  const { number } = useFormats();
  const checks = useChecks(campaign.id);
  if (checks.isLoadingError)
    return <FailedState error={checks.error} retry={() => void checks.refetch()} />;
  if (!checks.data) return <LoadingState rows={2} />;
  const { findings, parts } = checks.data.data;
  return (
    <Paper withBorder p="md">
      <Text component="h2" fw={600} mb="xs">
        {t('checks.title')}
      </Text>
      {findings.length === 0 ? (
        <Text size="sm" c="success">
          {t('checks.fine')}
        </Text>
      ) : (
        <List spacing="xs" size="sm">
          {findings.map((finding) => (
            <List.Item key={finding.code} c={finding.severity === 'error' ? 'danger' : undefined}>
              {t(`checks.${finding.code}`, finding.values ?? {})}{' '}
              <Anchor component={Link} to={placeOf(campaign, finding)} size="sm">
                {t('checks.resolve')}
              </Anchor>
            </List.Item>
          ))}
        </List>
      )}
      <Text size="sm" c="dimmed" mt="sm">
        {t('checks.parts', { count: parts, total: number(parts) })}
      </Text>
    </Paper>
  );
}

function placeOf({ id, phone_id }: SmsCampaign, { step }: SmsFinding): string {
  if (step === 'phone' && phone_id) return compliancePath(phone_id);
  return stepPath(id, step === 'recipients' ? 'recipients' : 'settings');
}

function SendButtons({ campaign }: { campaign: SmsCampaign }) {
  const t = useTexts('sms');
  const { number } = useFormats();
  const navigate = useNavigate();
  const { id, title, revision } = campaign;
  const recipients = useRecipients(smsUi, id);
  const checks = useChecks(id);
  const [isScheduling, setScheduling] = useState(false);
  const count = recipients.data?.data.count ?? 0;
  const isReady =
    checks.data !== undefined &&
    count > 0 &&
    checks.data.data.findings.every(({ severity }) => severity !== 'error');
  const send = async () => {
    const key = crypto.randomUUID();
    await confirm({
      title: t('send.title'),
      message: t('send.message', { count, total: number(count), title }),
      confirm: t('send.confirm', { count, total: number(count) }),
      run: () =>
        smsUi.api('POST /client-api/api/campaigns/{id}/schedule', {
          params: { id },
          body: { schedule_time: null, revision },
          idempotencyKey: key,
        }),
    });
    await touch(...touchesOf(smsUi, id));
  };
  return (
    <>
      <Button
        variant="default"
        disabled={!isReady}
        leftSection={<IconCalendar size={18} stroke={1.75} />}
        onClick={() => setScheduling(true)}
      >
        {t('send.schedule')}
      </Button>
      <Button
        disabled={!isReady}
        leftSection={<IconSend size={18} stroke={1.75} />}
        onClick={() => void send()}
      >
        {t('send.now')}
      </Button>
      <ScheduleDialog
        ui={smsUi}
        campaign={asBroadcast(campaign)}
        count={count}
        isOpen={isScheduling}
        close={() => setScheduling(false)}
        onDone={() => {
          notice(t('send.scheduled'));
          void navigate({ to: '/sms' });
        }}
      />
    </>
  );
}
