// Step 3: summary, problems, and the send button with recipients and time. After the campaign has
// started, the same screen shows its progress and pause, resume and cancel.
import { Button, Paper, SimpleGrid, Stack } from '@mantine/core';
import { IconCalendar, IconSend } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import {
  BroadcastState,
  ExperimentSummary,
  RecipientCount,
  RepeatPanel,
  ScheduleDialog,
  SendingPanel,
  StepPage,
  listAffectedQueries,
  useIsTooSmall,
  useRecipients,
  useTimingNote,
} from '#areas/broadcasts/web/index.ts';
import { ItemComments } from '#areas/folders/web/index.ts';
import { ApprovalNote, RequestApproval } from '#areas/approvals/web/index.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { notice } from '#platform/web/errors/notices.tsx';
import { invalidate, storeResponse } from '#platform/web/api/queries.ts';
import { useMissingRight } from '#platform/web/session/rights.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { useParam } from '#platform/web/hooks/use-param.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import type { SmsCampaign } from '../../contract.ts';
import { Checks, useChecks, useDepartures } from './checks.tsx';
import { CampaignPreview } from './campaign-preview.tsx';
import { toBroadcast, LIST_PATH, useLiveSms, useSms } from '../queries.ts';
import { TestSms } from './test-message.tsx';
import { smsUi } from '../ui.ts';
import { useVariantChoice } from './variant-choice.tsx';

export default function ConfirmScreen() {
  const id = useParam('sms');
  useLiveSms(id);
  const campaign = useSms(id);
  if (campaign.isLoadingError)
    return <FailedState error={campaign.error} retry={campaign.refetch} />;
  if (!campaign.data) return <LoadingState rows={6} />;
  return <Confirm campaign={campaign.data.data} />;
}

function Confirm({ campaign }: { campaign: SmsCampaign }) {
  const { id, status } = campaign;
  const isDraft = status === 'DRAFT';
  const { campaign: shown, isControl, choice } = useVariantChoice(campaign);
  return (
    <StepPage
      ui={smsUi}
      campaign={toBroadcast(campaign)}
      step="review"
      status={isDraft ? undefined : <BroadcastState campaign={campaign} />}
      actions={isDraft && campaign.series === null && <SendButtons campaign={campaign} />}
    >
      {isDraft && (
        <Suspense>
          <ApprovalNote subject={id} />
        </Suspense>
      )}
      {!isDraft && <SendingPanel ui={smsUi} campaign={toBroadcast(campaign)} />}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg" maw={1200}>
        <Stack gap="md">
          {isDraft && <Checks campaign={campaign} />}
          <Paper withBorder p="md">
            <RecipientCount ui={smsUi} id={id} />
          </Paper>
          {isDraft && campaign.experiment && (
            <Suspense>
              <ExperimentSummary ui={smsUi} campaign={toBroadcast(campaign)} />
            </Suspense>
          )}
          <RepeatPanel ui={smsUi} campaign={toBroadcast(campaign)} />
          <TestSms id={id} variant={isControl ? undefined : shown} />
          <Suspense>
            <ItemComments base={LIST_PATH} id={id} />
          </Suspense>
        </Stack>
        <CampaignPreview campaign={shown} choice={choice} />
      </SimpleGrid>
    </StepPage>
  );
}

function SendButtons({ campaign }: { campaign: SmsCampaign }) {
  const t = useTexts('sms');
  const navigate = useNavigate();
  const { id } = campaign;
  const recipients = useRecipients(smsUi, id);
  const checks = useChecks(id);
  const [isScheduling, setScheduling] = useState(false);
  const count = recipients.data?.data.count ?? 0;
  const isTooSmall = useIsTooSmall(smsUi, toBroadcast(campaign), count);
  const mayNot = useMissingRight('send');
  const isReady =
    checks.data !== undefined &&
    count > 0 &&
    !isTooSmall &&
    checks.data.data.findings.every(({ severity }) => severity !== 'error');
  // Sending at each recipient's own time cannot start now, because it needs a time of day.
  const isOwnTime = campaign.timing.when === 'own_time';
  const send = useSendNow(campaign, count, checks.data?.data);
  if (mayNot !== undefined)
    return <RequestSending campaign={campaign} needsTime={isOwnTime} isDisabled={!isReady} />;
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
        disabled={!isReady || isOwnTime}
        title={isOwnTime ? t('broadcasts:timing.notNow') : undefined}
        leftSection={<IconSend size={18} stroke={1.75} />}
        onClick={() => void send()}
      >
        {t('send.now')}
      </Button>
      <ScheduleDialog
        ui={smsUi}
        campaign={toBroadcast(campaign)}
        recipientCount={count}
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

interface RequestSendingProps {
  campaign: SmsCampaign;
  needsTime: boolean;
  isDisabled: boolean;
}

function RequestSending({ campaign, needsTime, isDisabled }: RequestSendingProps) {
  const { id, revision } = campaign;
  const path = `${LIST_PATH}/${id}/schedule` as const;
  return (
    <Suspense>
      <RequestApproval
        call={{ method: 'POST', path, body: { schedule_time: null, revision } }}
        hasTime
        needsTime={needsTime}
        isDisabled={isDisabled}
      />
    </Suspense>
  );
}

type Departures = Parameters<ReturnType<typeof useDepartures>>[0];

function useSendNow(campaign: SmsCampaign, count: number, checks: Departures | undefined) {
  const t = useTexts('sms');
  const { number } = useFormats();
  const { id, title, revision } = campaign;
  const departures = useDepartures();
  const timingNote = useTimingNote({ ui: smsUi, campaign });
  return async () => {
    const key = crypto.randomUUID();
    const message =
      checks && checks.waits.length > 0
        ? t('send.partly', { title, when: departures(checks, null) })
        : t('send.message', { count, total: number(count), title });
    await confirm({
      title: t('send.title'),
      message: (await timingNote(count)) ?? message,
      confirm: t('send.confirm', { count, total: number(count) }),
      run: async () => {
        const response = await smsUi.api('POST /client-api/api/campaigns/{id}/schedule', {
          params: { id },
          body: { schedule_time: null, revision },
          idempotencyKey: key,
        });
        storeResponse(`${smsUi.base}/${id}`, response);
      },
    });
    await invalidate(...listAffectedQueries(smsUi, id));
  };
}
