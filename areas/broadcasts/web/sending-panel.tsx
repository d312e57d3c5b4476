// A campaign that is scheduled, late, being sent or sent: its progress and its actions.
import { Alert, Button, Group, Paper, Text } from '@mantine/core';
import { Suspense, useState } from 'react';
import { CampaignLimits } from '#areas/deliverability/web/index.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { BroadcastDelivery } from '../sending-contract.ts';
import { BestHourEffect } from './best-hour-effect.tsx';
import { ExperimentProgress } from './experiment/late-progress.ts';
import { useRecipients } from './recipient-count.tsx';
import { ScheduleDialog } from './schedule-dialog.tsx';
import { SendingActions } from './sending-actions.tsx';
import classes from './sending-panel.module.css';
import {
  FailuresLink,
  SendingFigures,
  ProgressBar,
  NextWave,
  WhyStopped,
} from './sending-progress.tsx';
import { Retries } from './sending-retries.tsx';
import { type Broadcast, type BroadcastUi, listAffectedQueries } from './ui.ts';

export interface SendingPanelProps {
  ui: BroadcastUi;
  campaign: Broadcast;
}

export default function SendingPanel({ ui, campaign }: SendingPanelProps) {
  if (campaign.delivery === null) return <ScheduledNotice ui={ui} campaign={campaign} />;
  return (
    <>
      <Sending ui={ui} campaign={campaign} delivery={campaign.delivery} />
      {campaign.experiment && (
        <Suspense>
          <ExperimentProgress ui={ui} campaign={campaign} />
        </Suspense>
      )}
    </>
  );
}

/** A scheduled campaign, or a late one, which waits for the decision of a user. */
function ScheduledNotice({ ui, campaign }: SendingPanelProps) {
  const t = useTexts('broadcasts');
  const { dateTime, relative } = useFormats();
  const { scheduled_at, schedule_zone } = campaign;
  const [isScheduling, setScheduling] = useState(false);
  const { unschedule, sendNow } = useWaitingActs(ui, campaign.id);
  if (scheduled_at === null) return null;
  const isOwnTime = campaign.timing.when === 'own_time';
  const time = dateTime(scheduled_at, schedule_zone ?? undefined);
  return (
    <Alert
      mb="md"
      color={campaign.is_late ? 'danger' : undefined}
      title={t(campaign.is_late ? 'late.title' : 'scheduled.title', { time })}
    >
      <Text size="sm" mb="sm" className={classes.when}>
        {campaign.is_late
          ? t('late.text')
          : t('scheduled.text', {
              when: relative(scheduled_at, schedule_zone ?? undefined),
              zone: schedule_zone ?? 'UTC',
            })}
      </Text>
      <Group gap="xs">
        {campaign.is_late && (
          <>
            <Button
              size="sm"
              loading={sendNow.isPending}
              disabled={isOwnTime}
              title={isOwnTime ? t('timing.notNow') : undefined}
              onClick={() => sendNow.mutate(undefined)}
            >
              {t('nowPlain')}
            </Button>
            <Button size="sm" variant="default" onClick={() => setScheduling(true)}>
              {t('schedule.again')}
            </Button>
          </>
        )}
        <Button
          size="sm"
          variant="default"
          loading={unschedule.isPending}
          onClick={() => unschedule.mutate(undefined)}
        >
          {t('scheduled.cancel')}
        </Button>
      </Group>
      {campaign.is_late && (
        <RescheduleDialog
          ui={ui}
          campaign={campaign}
          isOpen={isScheduling}
          close={() => setScheduling(false)}
        />
      )}
    </Alert>
  );
}

function useWaitingActs(ui: BroadcastUi, id: string) {
  const unschedule = useAction(
    () => ui.api('POST /client-api/api/campaigns/{id}/cancel', { params: { id } }),
    {
      invalidates: listAffectedQueries(ui, id),
    },
  );
  const sendNow = useAction(
    () =>
      ui.api('POST /client-api/api/campaigns/{id}/schedule', {
        params: { id },
        body: { schedule_time: null },
      }),
    { invalidates: listAffectedQueries(ui, id) },
  );
  return { unschedule, sendNow };
}

function RescheduleDialog(props: SendingPanelProps & { isOpen: boolean; close: () => void }) {
  const recipients = useRecipients(props.ui, props.campaign.id);
  const count = recipients.data?.data.count ?? 0;
  return <ScheduleDialog {...props} recipientCount={count} onDone={props.close} />;
}

function Sending({ ui, campaign, delivery }: SendingPanelProps & { delivery: BroadcastDelivery }) {
  const t = useTexts('broadcasts');
  // "0 of 0 people" would suggest an empty audience.
  const isCounting = delivery.state === 'preparing' && delivery.audience === 0;
  return (
    <Paper withBorder p="md" mb="md">
      <Group justify="space-between" mb="sm">
        <Text component="h2" fw={600}>
          {t(`sending.${delivery.state}`)}
        </Text>
        <SendingActions ui={ui} campaign={campaign} delivery={delivery} />
      </Group>
      <WhyStopped ui={ui} delivery={delivery} zone={campaign.schedule_zone ?? undefined} />
      <NextWave delivery={delivery} zone={campaign.schedule_zone ?? undefined} />
      {ui.channel === 'email' && (
        <Suspense>
          <CampaignLimits id={campaign.id} isSending={delivery.state !== 'finished'} />
        </Suspense>
      )}
      {!isCounting && <ProgressBar delivery={delivery} />}
      {!isCounting && <SendingFigures ui={ui} delivery={delivery} />}
      {campaign.status === 'SENT' && campaign.timing.when === 'best_hour' && (
        <BestHourEffect ui={ui} id={campaign.id} />
      )}
      {campaign.status === 'SENT' && <FailuresLink ui={ui} id={campaign.id} delivery={delivery} />}
      {delivery.state === 'finished' && <Retries ui={ui} id={campaign.id} delivery={delivery} />}
    </Paper>
  );
}
