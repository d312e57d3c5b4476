// Panels about sending: usage of this month's limit, and bounces and complaints against the limits
// of mailbox providers.
import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { SendingStats, Usage } from '../contract.ts';
import {
  BOUNCES_AMBER,
  BOUNCES_RED,
  COMPLAINTS_AMBER,
  COMPLAINTS_RED,
  USAGE_AMBER,
  USAGE_RED,
} from '../shared.ts';
import classes from './dashboard.module.css';
import { meterLevel, Meter } from './meter.tsx';
import { Panel } from './panel.tsx';
import { useSending, useUsage } from './queries.ts';
import type { DayRange } from './range.ts';

export function UsagePanel() {
  const t = useTexts('dashboard');
  return (
    <Panel title={t('usage.title')} query={useUsage()} rows={1}>
      {({ data }) => <UsageContent usage={data} />}
    </Panel>
  );
}

function UsageContent({ usage }: { usage: Usage }) {
  const t = useTexts('dashboard');
  const { date, number, percent } = useFormats();
  const { from, sent, limit } = usage;
  if (limit === null) {
    return (
      <>
        <p className={classes.big}>{number(sent)}</p>
        <p className={classes.note}>
          {t('usage.since', { date: date(`${from}T12:00:00Z`, 'UTC') })}
        </p>
      </>
    );
  }
  const ratio = sent / limit;
  const level = meterLevel(ratio, USAGE_AMBER, USAGE_RED);
  return (
    <>
      <Meter
        label={t('usage.emails')}
        fraction={ratio}
        level={level}
        text={t('usage.of', { sent: number(sent), limit: number(limit) })}
        state={level === 'good' ? undefined : t('usage.left', { share: percent(ratio) })}
      />
      {level !== 'good' && (
        <Anchor component={Link} to="/settings/billing/upgrade" underline="always" fz="sm">
          {t('usage.upgrade')}
        </Anchor>
      )}
    </>
  );
}

export function HealthPanel({ days }: { days: DayRange }) {
  const t = useTexts('dashboard');
  return (
    <Panel title={t('health.title')} query={useSending(days)} rows={3}>
      {({ data }) => <Health stats={data} />}
    </Panel>
  );
}

function Health({ stats }: { stats: SendingStats }) {
  const t = useTexts('dashboard');
  const { number } = useFormats();
  if (stats.sent === 0) return <p className={classes.nothing}>{t('health.none')}</p>;
  return (
    <>
      <Rate name="bounces" count={stats.hard_bounces} sent={stats.sent} />
      <Rate name="complaints" count={stats.complaints} sent={stats.sent} />
      <p className={classes.note}>
        {t('health.sums', {
          sent: number(stats.sent),
          soft: number(stats.soft_bounces),
          left: number(stats.unsubscribes),
        })}
      </p>
    </>
  );
}

const LIMITS = {
  bounces: [BOUNCES_AMBER, BOUNCES_RED],
  complaints: [COMPLAINTS_AMBER, COMPLAINTS_RED],
} as const;

/** The bar is full at the limit. */
function Rate({ name, count, sent }: { name: keyof typeof LIMITS; count: number; sent: number }) {
  const t = useTexts('dashboard');
  const { number, percent } = useFormats();
  const [amber, red] = LIMITS[name];
  const ratio = count / sent;
  const level = meterLevel(ratio, amber, red);
  return (
    <Meter
      label={t(`health.${name}`)}
      fraction={ratio / red}
      level={level}
      text={t('health.rate', { share: percent(ratio), count: number(count) })}
      state={t(`health.${name}States.${level}`, { amber: percent(amber), red: percent(red) })}
    />
  );
}
