// The overview of a report: eight metrics, each with a definition, the revenue, opens and clicks
// over time and by domain, device and country, and the results of checks before sending. Users can
// request a summary and add comments.
import { useQuery } from '@tanstack/react-query';
import { Switch } from '@mantine/core';
import { Suspense } from 'react';
import {
  CampaignLimits,
  CampaignPlacements,
  ForecastResult,
} from '#areas/deliverability/web/index.ts';
import { ItemComments } from '#areas/folders/web/index.ts';
import { Earnings } from '#areas/stores/web/index.ts';
import { flag, useSearchParams } from '#platform/web/api/address.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useParam } from '#platform/web/hooks/use-param.ts';
import type { Times } from '../contract.ts';
import { FIGURES } from '../shared.ts';
import { FigureCard } from './figure-card.tsx';
import classes from './overview.module.css';
import { Parts } from './parts.tsx';
import { api, toVariantQuery, useOverview } from './queries.ts';
import { SummaryAssist } from './summary-assist.tsx';
import { TimeChart } from './time-chart.tsx';
import { useVariantQuery } from './variant-filter.tsx';

/** Whether the charts include events by machines, which the metrics above them leave out. */
const address = { machines: flag() };

export default function OverviewScreen() {
  const t = useTexts('reports');
  const overview = useOverview(useVariantQuery());
  const id = useParam('campaign');
  if (!overview.data) return null;
  const { data } = overview.data;
  return (
    <>
      <h2 className={classes.hidden}>{t('statistics')}</h2>
      <div className={classes.figures}>
        {FIGURES.map((name) => (
          <FigureCard key={name} name={name} overview={data} />
        ))}
      </div>
      <SummaryAssist id={id} />
      <Earnings earned={data.earned} recipients={data.figures.sent.count} />
      <Charts />
      <Suspense>
        <CampaignLimits id={id} isSending={false} />
        <CampaignPlacements id={id} />
        <ForecastResult id={id} />
      </Suspense>
      <Suspense>
        <ItemComments base="/client-api/api/campaigns" id={id} />
      </Suspense>
    </>
  );
}

function Charts() {
  const t = useTexts('reports');
  const id = useParam('campaign');
  const [{ machines }, set] = useSearchParams(address);
  const humansOnly = !machines;
  const query = toVariantQuery(useVariantQuery());
  const times = useQuery(
    api.query('GET /client-api/api/campaigns/{id}/report/times', { params: { id }, ...query }),
  );
  if (times.isError && !times.data) {
    return <FailedState error={times.error} retry={() => void times.refetch()} />;
  }
  if (!times.data) return <LoadingState rows={4} />;
  const { days, hours, zone } = times.data.data;
  return (
    <section aria-labelledby="report-times">
      <div className={classes.head}>
        <h2 id="report-times" className={classes.heading}>
          {t('charts.title')}
        </h2>
        <Switch
          size="sm"
          label={t('charts.onlyPeople')}
          checked={humansOnly}
          onChange={(event) => set({ machines: !event.currentTarget.checked }, { replace: true })}
        />
        <span className={classes.zone}>
          {t('charts.zone')} <bdi>{zone}</bdi>
        </span>
      </div>
      <div className={classes.charts}>
        <TimeChart kind="day" points={days.map((day) => pointOf(day.day, day, humansOnly))} />
        <TimeChart kind="hour" points={hours.map((hour) => pointOf(hour.hour, hour, humansOnly))} />
      </div>
      <Parts humansOnly={humansOnly} />
    </section>
  );
}

type ChartCounts = Pick<Times['days'][number], 'opens' | 'human_opens' | 'clicks' | 'human_clicks'>;

const pointOf = (at: string | number, counts: ChartCounts, humansOnly: boolean) => ({
  at,
  opens: humansOnly ? counts.human_opens : counts.opens,
  clicks: humansOnly ? counts.human_clicks : counts.clicks,
});
