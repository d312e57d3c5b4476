// A campaign that is scheduled, late, being sent or sent: how far it is and what can be done now.
import { Alert, Button, Group, Paper, Progress, Text } from '@mantine/core';
import {
  IconArrowRight,
  IconChartBar,
  IconCopy,
  IconPlayerPause,
  IconPlayerPlay,
  IconX,
} from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useFormats } from '#platform/web/formats.ts';
import { toast } from '#platform/web/notices.tsx';
import { touch, useAct } from '#platform/web/queries.ts';
import { useTexts } from '#platform/web/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import type { Campaign } from '../contract.ts';
import { reportPath, stepPath } from './paths.ts';
import { ProviderLimits } from './provider-limits.tsx';
import { api, duplicateCampaign, LIST, touchesOf } from './queries.ts';
import { useRecipients } from './recipient-count.tsx';
import { ScheduleDialog } from './schedule-dialog.tsx';
import classes from './sending-panel.module.css';
import { isUnderWay } from './state-of.tsx';
import { useRate } from './use-rate.ts';

export function SendingPanel({ campaign }: { campaign: Campaign }) {
  if (campaign.delivery === null) return <Waiting campaign={campaign} />;
  return <Sending campaign={campaign} delivery={campaign.delivery} />;
}

/** Scheduled; or late, then its owner decides. */
function Waiting({ campaign }: { campaign: Campaign }) {
  const t = useTexts('campaigns');
  const { dateTime, relative } = useFormats();
  const { id, scheduled_at, schedule_zone } = campaign;
  const [isScheduling, setScheduling] = useState(false);
  const takeBack = useAct(
    () => api('POST /client-api/api/campaigns/{id}/cancel', { params: { id } }),
    {
      touches: touchesOf(id),
    },
  );
  const sendNow = useAct(
    () =>
      api('POST /client-api/api/campaigns/{id}/schedule', {
        params: { id },
        body: { schedule_time: null },
      }),
    { touches: touchesOf(id) },
  );
  if (scheduled_at === null) return null;
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
          : t('scheduled.text', { when: relative(scheduled_at), zone: schedule_zone ?? 'UTC' })}
      </Text>
      <Group gap="xs">
        {campaign.is_late && (
          <>
            <Button size="sm" loading={sendNow.isPending} onClick={() => sendNow.mutate(undefined)}>
              {t('send.nowPlain')}
            </Button>
            <Button size="sm" variant="default" onClick={() => setScheduling(true)}>
              {t('schedule.again')}
            </Button>
          </>
        )}
        <Button
          size="sm"
          variant="default"
          loading={takeBack.isPending}
          onClick={() => takeBack.mutate(undefined)}
        >
          {t('scheduled.cancel')}
        </Button>
      </Group>
      {campaign.is_late && (
        <Again campaign={campaign} isOpen={isScheduling} close={() => setScheduling(false)} />
      )}
    </Alert>
  );
}

function Again(props: { campaign: Campaign; isOpen: boolean; close: () => void }) {
  const recipients = useRecipients(props.campaign.id);
  const count = recipients.data?.data.count ?? 0;
  return <ScheduleDialog {...props} count={count} onDone={props.close} />;
}

function Sending({
  campaign,
  delivery,
}: {
  campaign: Campaign;
  delivery: NonNullable<Campaign['delivery']>;
}) {
  const t = useTexts('campaigns');
  const { number, percent, dateTime } = useFormats();
  const { id } = campaign;
  const { held, held_until: heldUntil, halted } = delivery;
  const { audience, accepted, failed, skipped, deferred, unknown, remaining, state } = delivery;
  const done = audience === 0 ? 0 : (audience - remaining) / audience;
  const act = (verb: 'pause' | 'resume' | 'cancel') =>
    api(`POST /client-api/api/campaigns/{id}/${verb}`, { params: { id } });
  const change = useAct(act, { touches: touchesOf(id) });
  const cancel = () =>
    confirm({
      title: t('sending.cancelTitle'),
      message: t('sending.cancelMessage', {
        count: remaining,
        total: number(remaining),
        title: campaign.title,
      }),
      confirm: t('sending.cancel'),
      isDanger: true,
      run: () => change.mutateAsync('cancel'),
    });
  const figures = { accepted, remaining, deferred, failed, skipped, unknown };
  return (
    <Paper withBorder p="md" mb="md">
      <Group justify="space-between" mb="sm">
        <Text component="h2" fw={600}>
          {t(`sending.${state}`)}
        </Text>
        <Group gap="xs">
          {(state === 'sending' || state === 'preparing' || state === 'waiting') && (
            <Button
              size="sm"
              variant="default"
              loading={change.isPending}
              leftSection={<IconPlayerPause size={18} stroke={1.75} />}
              onClick={() => change.mutate('pause')}
            >
              {t('sending.pause')}
            </Button>
          )}
          {state === 'paused' && (
            <Button
              size="sm"
              loading={change.isPending}
              leftSection={<IconPlayerPlay size={18} stroke={1.75} />}
              onClick={() => change.mutate('resume')}
            >
              {t('sending.resume')}
            </Button>
          )}
          {isUnderWay(campaign) && (
            <Button
              size="sm"
              variant="default"
              leftSection={<IconX size={18} stroke={1.75} />}
              onClick={() => void cancel()}
            >
              {t('sending.cancel')}
            </Button>
          )}
          {!isUnderWay(campaign) && <Duplicate campaign={campaign} />}
          {campaign.status === 'SENT' && (
            <Button
              component={Link}
              to={reportPath(id)}
              size="sm"
              variant={isUnderWay(campaign) ? 'default' : 'filled'}
              leftSection={<IconChartBar size={18} stroke={1.75} />}
            >
              {t('sending.report')}
            </Button>
          )}
        </Group>
      </Group>
      {delivery.reason && (
        <Text size="sm" c="dimmed" mb="sm">
          {t(`reasons.${delivery.reason}`)}{' '}
          {held > 0 &&
            heldUntil &&
            t('sending.held', {
              count: held,
              total: number(held),
              when: dateTime(heldUntil, campaign.schedule_zone ?? undefined),
            })}
          {delivery.reply && (
            <bdi dir="ltr" className={classes.reply}>
              {delivery.reply}
            </bdi>
          )}
        </Text>
      )}
      {halted && (delivery.reason === 'bounces_high' || delivery.reason === 'complaints_high') && (
        <ProviderLimits reason={delivery.reason} halted={halted} />
      )}
      <Progress
        value={done * 100}
        size="lg"
        animated={state === 'sending'}
        aria-label={t('sending.progress')}
        mb="xs"
      />
      <Text size="sm" c="dimmed" mb="sm" aria-live="polite">
        {t('sending.of', {
          share: percent(done),
          done: number(audience - remaining),
          count: audience,
          total: number(audience),
        })}
        {state === 'sending' && <Pace accepted={accepted} remaining={remaining} />}
      </Text>
      <dl className={classes.figures}>
        {Object.entries(figures)
          .filter(([name, value]) => value > 0 || name === 'accepted' || name === 'remaining')
          .map(([name, value]) => (
            <div key={name} title={t(`counts.${name}Hint`)}>
              <dt>{t(`counts.${name}`)}</dt>
              <dd>{number(value)}</dd>
            </div>
          ))}
      </dl>
      {campaign.status === 'SENT' && failed + skipped + unknown > 0 && (
        <Button
          component={Link}
          to={reportPath(id, 'actions')}
          search={{ action: 'not_sent' } as never}
          variant="subtle"
          size="compact-sm"
          mt="xs"
          rightSection={<IconArrowRight size={16} stroke={1.75} className={classes.arrow} />}
        >
          {t('sending.failures')}
        </Button>
      )}
      {state === 'finished' && <Retries campaign={campaign} delivery={delivery} />}
    </Paper>
  );
}

/** How fast they leave just now, and when the last one will have left. */
function Pace({ accepted, remaining }: { accepted: number; remaining: number }) {
  const t = useTexts('campaigns');
  const { number, relative } = useFormats();
  const { perMinute, at } = useRate(accepted);
  if (perMinute < 1) return null;
  const ends = new Date(at + (remaining / perMinute) * 60_000);
  return (
    <>
      {' · '}
      {t('sending.rate', { rate: number(Number(perMinute.toPrecision(2))), when: relative(ends) })}
    </>
  );
}

/** A new draft like this one, opened where its settings are. */
function Duplicate({ campaign: { id, title } }: { campaign: Campaign }) {
  const t = useTexts('campaigns');
  const navigate = useNavigate();
  const duplicate = useAct(() => duplicateCampaign(id, t('copyOf', { title })), {
    touches: [LIST],
    onDone: (copy) => {
      toast(t('duplicated', { title }));
      void navigate({ to: stepPath(copy, 'settings') });
    },
  });
  return (
    <Button
      size="sm"
      variant="default"
      loading={duplicate.isPending}
      leftSection={<IconCopy size={18} stroke={1.75} />}
      onClick={() => duplicate.mutate(undefined)}
    >
      {t('acts.duplicate')}
    </Button>
  );
}

/** What failed for no fault of the person's, and what nobody knows of, is the owner's to try again. */
function Retries({
  campaign: { id },
  delivery,
}: {
  campaign: Campaign;
  delivery: NonNullable<Campaign['delivery']>;
}) {
  const t = useTexts('campaigns');
  const { number } = useFormats();
  const retry = async (which: 'failed' | 'unknown') => {
    const { data } = await api('POST /client-api/api/campaigns/{id}/retry', {
      params: { id },
      body: { which },
    });
    const { retried } = data;
    toast(
      retried === 0
        ? t('retry.nobody')
        : t('retry.done', { count: retried, total: number(retried) }),
    );
    await Promise.all(touchesOf(id).map((path) => touch(path)));
  };
  const ask = (which: 'failed' | 'unknown') =>
    confirm({
      title: t(`retry.${which}Title`),
      message: t(`retry.${which}Message`, {
        count: delivery[which],
        total: number(delivery[which]),
      }),
      confirm: t('retry.act'),
      run: () => retry(which),
    });
  const waiting = (['failed', 'unknown'] as const).filter((which) => delivery[which] > 0);
  if (waiting.length === 0) return null;
  return (
    <Group gap="xs" mt="sm">
      {waiting.map((which) => (
        <Button key={which} size="sm" variant="default" onClick={() => void ask(which)}>
          {t(`retry.${which}`)}
        </Button>
      ))}
    </Group>
  );
}
