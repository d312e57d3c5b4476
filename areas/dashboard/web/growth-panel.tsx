// Audience growth: the current size, additions and removals, as a line or as a table.
import { Anchor, Button } from '@mantine/core';
import { IconChartLine, IconTable } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { useFormats } from '#platform/web/texts/formats.ts';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { LoadingState } from '#platform/web/ui/states.tsx';
import type { Growth } from '../contract.ts';
import classes from './dashboard.module.css';
import { Panel } from './panel.tsx';
import { useGrowth, useReachable } from './queries.ts';
import { type DayRange, daysBefore } from './range.ts';

// The chart is loaded after the counts, which keeps the first load small.
const GrowthChart = lazyWithRetry(() => import('./growth-chart.tsx'));
const GrowthTable = lazyWithRetry(() => import('./growth-table.tsx'));

export function GrowthPanel({ days }: { days: DayRange }) {
  const t = useTexts('dashboard');
  const [isTable, setTable] = useState(false);
  const Icon = isTable ? IconChartLine : IconTable;
  const trailing = (
    <Button
      size="compact-sm"
      variant="subtle"
      leftSection={<Icon size={18} stroke={1.75} />}
      aria-pressed={isTable}
      onClick={() => setTable(!isTable)}
    >
      {t(isTable ? 'growth.asChart' : 'growth.asTable')}
    </Button>
  );
  return (
    <Panel title={t('growth.title')} query={useGrowth(days)} rows={6} trailing={trailing}>
      {({ data }) => <GrowthContent growth={data} days={days} isTable={isTable} />}
    </Panel>
  );
}

function GrowthContent({
  growth,
  days,
  isTable,
}: {
  growth: Growth;
  days: DayRange;
  isTable: boolean;
}) {
  const t = useTexts('dashboard');
  const { number } = useFormats();
  if (isEmpty(growth)) {
    return (
      <p className={classes.nothing}>
        {t('growth.none')}{' '}
        <Anchor component={Link} to="/subscribers/import" underline="always">
          {t('growth.import')}
        </Anchor>
      </p>
    );
  }
  return (
    <>
      <dl className={classes.sums}>
        <ReachableSubscribers />
        <div>
          <dt>{t('growth.added')}</dt>
          <dd>{number(growth.added)}</dd>
          <PreviousPeriod days={days} name="added" />
        </div>
        <div>
          <dt>{t('growth.lostNow')}</dt>
          <dd>{number(growth.lost)}</dd>
          <PreviousPeriod days={days} name="lost" />
          {growth.removed > 0 && (
            <dd className={classes.before}>
              {t('growth.removedToo', { count: number(growth.removed) })}
            </dd>
          )}
        </div>
      </dl>
      <div className={classes.chart}>
        <Suspense fallback={<LoadingState rows={5} />}>
          {isTable ? <GrowthTable growth={growth} /> : <GrowthChart growth={growth} />}
        </Suspense>
      </div>
    </>
  );
}

const isEmpty = ({ total, added, lost, removed }: Growth) => total + added + lost + removed === 0;

/** Reachable subscribers by channel, and lost subscribers by reason. */
function ReachableSubscribers() {
  const t = useTexts('dashboard');
  const { number } = useFormats();
  const now = useReachable().data?.data;
  return (
    <div>
      <dt>{t('growth.total')}</dt>
      <dd>{now ? number(now.reachable) : '\u00a0'}</dd>
      <dd className={classes.before}>
        {now ? t('growth.channels', { email: number(now.email), sms: number(now.sms) }) : '\u00a0'}
      </dd>
      {now !== undefined && now.lost > 0 && (
        <dd className={classes.before}>
          {t('growth.lost', {
            count: number(now.lost),
            unsubscribed: number(now.unsubscribed),
            bounced: number(now.bounced),
            complained: number(now.complained),
          })}
        </dd>
      )}
    </div>
  );
}

/** Comparison with the same number of days before; renders nothing without counts. */
function PreviousPeriod({ days, name }: { days: DayRange; name: 'added' | 'lost' }) {
  const t = useTexts('dashboard');
  const { number } = useFormats();
  const before = useGrowth(daysBefore(days)).data?.data;
  if (!before || isEmpty(before)) return null;
  return <dd className={classes.before}>{t('growth.before', { count: number(before[name]) })}</dd>;
}
