// The statistics of the period next to the previous period: open rate, click rate, unsubscribes and
// revenue.
import { computeEngagement } from '#areas/tracking/shared.ts';
import { useAmount } from '#platform/web/texts/amount.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { EarnedTotals, Engagement } from '../contract.ts';
import classes from './dashboard.module.css';
import { Panel } from './panel.tsx';
import { useEarned, useEngagement, useSending } from './queries.ts';
import { type DayRange, daysBefore } from './range.ts';

export function PeriodPanel({ days }: { days: DayRange }) {
  const t = useTexts('dashboard');
  const now = useEngagement(days);
  const previous = useEngagement(daysBefore(days)).data?.data;
  const isEmpty = now.data?.data.delivered === 0;
  return (
    <div className={isEmpty ? classes.period : `${classes.period} ${classes.periodFigures}`}>
      <Panel title={t('period.title')} query={now} rows={1}>
        {({ data }) => (
          <dl className={classes.tiles}>
            <Rate name="opens" current={data} previous={previous} />
            <Rate name="clicks" current={data} previous={previous} />
            <Unsubscribes days={days} />
            <Revenue days={days} />
          </dl>
        )}
      </Panel>
    </div>
  );
}

interface RateProps {
  name: 'opens' | 'clicks';
  current: Engagement;
  previous: Engagement | undefined;
}

/** A rate as a share of delivered emails, as in the report of each campaign. */
function Rate({ name, current, previous }: RateProps) {
  const t = useTexts('dashboard');
  const { number, percent } = useFormats();
  const { count, share } = computeEngagement(current)[name];
  const values = { count: number(count), delivered: number(current.delivered) };
  return (
    <Tile
      label={t(`period.${name}`)}
      value={current.delivered === 0 ? undefined : percent(share)}
      description={current.delivered === 0 ? undefined : t('period.of', values)}
      previousValue={
        previous?.delivered ? percent(computeEngagement(previous)[name].share) : undefined
      }
    />
  );
}

function Unsubscribes({ days }: { days: DayRange }) {
  const t = useTexts('dashboard');
  const { number } = useFormats();
  const now = useSending(days).data?.data;
  const previous = useSending(daysBefore(days)).data?.data;
  return (
    <Tile
      label={t('period.unsubscribes')}
      value={now && number(now.unsubscribes)}
      previousValue={previous && number(previous.unsubscribes)}
    />
  );
}

/** Revenue attributed to emails and SMS; renders nothing without a store. */
function Revenue({ days }: { days: DayRange }) {
  const t = useTexts('dashboard');
  const now = useEarned(days).data?.data;
  const previous = useEarned(daysBefore(days)).data?.data;
  const { list } = useFormats();
  const amount = useAmount();
  if (!now?.has_store) return null;
  const formatTotals = ({ currencies }: EarnedTotals) =>
    currencies.length === 0
      ? undefined
      : list(currencies.map(({ currency, email, sms }) => amount(email + sms, currency)));
  return (
    <Tile
      label={t('period.revenue')}
      value={formatTotals(now)}
      previousValue={previous && formatTotals(previous)}
    />
  );
}

interface TileProps {
  label: string;
  /** Undefined if there is none in the period. */
  value: string | undefined;
  description?: string | undefined;
  previousValue: string | undefined;
}

function Tile({ label, value, description, previousValue }: TileProps) {
  const t = useTexts('dashboard');
  return (
    <div>
      <dt>{label}</dt>
      <dd>{value ?? '–'}</dd>
      {description && <dd className={classes.before}>{description}</dd>}
      {previousValue !== undefined && (
        <dd className={classes.before}>{t('growth.before', { count: previousValue })}</dd>
      )}
    </div>
  );
}
