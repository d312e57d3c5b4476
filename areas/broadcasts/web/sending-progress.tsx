// Progress of sending: the rate, the next wave, recipients by state, and why sending is paused.
import { Anchor, Button, Progress, Text } from '@mantine/core';
import { IconArrowRight } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { ScreenLink } from '#platform/web/ui/screen-link.tsx';
import type { BroadcastDelivery } from '../sending-contract.ts';
import { ProviderLimits } from './provider-limits.tsx';
import classes from './sending-panel.module.css';
import type { BroadcastUi } from './ui.ts';
import { useRate } from './use-rate.ts';

/** Screens where users can raise a limit. */
const SOLUTIONS: Record<string, string> = {
  plan_limit: '/settings/billing/upgrade',
  no_credit: '/sms-credits-purchase',
};

/**
 * Why sending is paused or waits: the reason, its end if known, the number of recipients who wait,
 * the relay's reply and the exceeded limits.
 */
export function WhyStopped(props: {
  ui: BroadcastUi;
  delivery: BroadcastDelivery;
  zone: string | undefined;
}) {
  const { ui, delivery, zone } = props;
  const t = useTexts('broadcasts');
  const { number, dateTime } = useFormats();
  const { reason, reply, halted, held: delayed, held_until: delayedUntil } = delivery;
  const delayText = delayedUntil && dateTime(delayedUntil, zone);
  const { remaining, state } = delivery;
  const isPending = state === 'waiting' || state === 'paused';
  // The number of recipients who wait besides the delayed ones. A warm-up that delays recipients
  // delays all of them, so none remain.
  const remainingNow =
    !isPending || (reason === 'warm_up' && delayed > 0) ? 0 : remaining - delayed;
  const solution = SOLUTIONS[reason ?? ''];
  if (reason === null) {
    if (ui.channel !== 'sms' || delayed === 0 || !delayText) return null;
    return (
      <Text size="sm" c="dimmed" mb="sm">
        {t('sending.quiet', { count: delayed, total: number(delayed), when: delayText })}
      </Text>
    );
  }
  return (
    <>
      <Text size="sm" c="dimmed" mb="sm">
        {t(`reasons.${ui.channel}.${reason}`)}{' '}
        {delayText &&
          (delayed > 0
            ? t(ui.channel === 'sms' ? 'sending.quiet' : 'sending.held', {
                ...{ count: delayed, total: number(delayed), when: delayText },
              })
            : t('sending.until', { when: delayText }))}{' '}
        {remainingNow > 0 &&
          t('sending.rest', { count: remainingNow, total: number(remainingNow) })}{' '}
        {solution && (
          <Anchor component={Link} to={solution} underline="always" fz="sm">
            {t(`solutions.${reason}`)}
          </Anchor>
        )}
        {reply && (
          <bdi dir="ltr" className={classes.reply}>
            {reply}
          </bdi>
        )}
      </Text>
      {halted && (reason === 'bounces_high' || reason === 'complaints_high') && (
        <ProviderLimits reason={reason} halted={halted} />
      )}
    </>
  );
}

export function ProgressBar({ delivery }: { delivery: BroadcastDelivery }) {
  const t = useTexts('broadcasts');
  const { number, percent } = useFormats();
  const { audience, accepted, remaining, state } = delivery;
  const progress = audience === 0 ? 0 : (audience - remaining) / audience;
  return (
    <>
      <Progress
        value={progress * 100}
        size="lg"
        animated={state === 'sending'}
        aria-label={t('sending.progress')}
        mb="xs"
      />
      <Text size="sm" c="dimmed" mb="sm" aria-live="polite">
        {t('sending.of', {
          share: percent(progress),
          done: number(audience - remaining),
          count: audience,
          total: number(audience),
        })}
        {state === 'sending' && <SendingPace accepted={accepted} remaining={remaining} />}
      </Text>
    </>
  );
}

/** The next part of the recipients, if recipients get the broadcast at different times. */
export function NextWave({
  delivery,
  zone,
}: {
  delivery: BroadcastDelivery;
  zone: string | undefined;
}) {
  const t = useTexts('broadcasts');
  const { number, dateTime } = useFormats();
  const { next_wave: next, state } = delivery;
  if (!next || state === 'finished' || state === 'cancelled') return null;
  const { at, count } = next;
  return (
    <Text size="sm" mb="sm">
      {t('sending.next', { count, total: number(count), when: dateTime(at, zone) })}
    </Text>
  );
}

/** The current rate, and the estimated end. */
function SendingPace({ accepted, remaining }: { accepted: number; remaining: number }) {
  const t = useTexts('broadcasts');
  const { number, relative } = useFormats();
  const { perMinute, measuredAt } = useRate(accepted);
  if (perMinute < 1) return null;
  const endsAt = new Date(measuredAt + (remaining / perMinute) * 60_000);
  return (
    <>
      {' · '}
      {t('sending.rate', {
        rate: number(Number(perMinute.toPrecision(2))),
        when: relative(endsAt),
      })}
    </>
  );
}

/** Recipients by state; states without any are omitted, except for accepted and remaining. */
export function SendingFigures({ ui, delivery }: { ui: BroadcastUi; delivery: BroadcastDelivery }) {
  const t = useTexts('broadcasts');
  const { number } = useFormats();
  const { accepted, remaining, deferred, failed, skipped, unknown } = delivery;
  const counts = { accepted, remaining, deferred, failed, skipped, unknown };
  return (
    <dl className={classes.figures}>
      {Object.entries(counts)
        .filter(([name, value]) => value > 0 || name === 'accepted' || name === 'remaining')
        .map(([name, value]) => (
          <div key={name} title={t(`hints.${ui.channel}.${name}`)}>
            <dt>{t(`counts.${name}`)}</dt>
            <dd>{number(value)}</dd>
          </div>
        ))}
    </dl>
  );
}

/** Link to the recipients whose copy failed, was skipped or has an unknown result. */
export function FailuresLink(props: { ui: BroadcastUi; id: string; delivery: BroadcastDelivery }) {
  const { ui, id, delivery } = props;
  const t = useTexts('broadcasts');
  const { to, search } = ui.getFailuresLink(id);
  if (delivery.failed + delivery.skipped + delivery.unknown === 0) return null;
  return (
    <Button
      component={ScreenLink}
      to={to}
      search={search}
      variant="subtle"
      size="compact-sm"
      mt="xs"
      rightSection={<IconArrowRight size={16} stroke={1.75} className={classes.arrow} />}
    >
      {t('sending.failures')}
    </Button>
  );
}
