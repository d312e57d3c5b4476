// The statistics of the period next to the previous period: open rate, click rate, unsubscribes and
// revenue.
import { engagementOf } from '#areas/tracking/shared.ts';
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
  const before = useEngagement(daysBefore(days)).data?.data;
  const isEmpty = now.data?.data.delivered === 0;
  return (
    <div className={isEmpty ? classes.period : `${classes.period} ${classes.periodFigures}`}>
      <Panel title={t('period.title')} query={now} rows={1}>
        {({ data }) => (
          <dl className={classes.tiles}>
            <Rate name="opens" now={data} before={before} />
            <Rate name="clicks" now={data} before={before} />
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
  now: Engagement;
  before: Engagement | undefined;
}

/** A rate as a share of delivered emails, as in the report of each campaign. */
function Rate({ name, now, before }: RateProps) {
  const t = useTexts('dashboard');
  const { number, percent } = useFormats();
  const { count, share } = engagementOf(now)[name];
  const values = { count: number(count), delivered: number(now.delivered) };
  return (
    <Tile
      label={t(`period.${name}`)}
      value={now.delivered === 0 ? undefined : percent(share)}
      note={now.delivered === 0 ? undefined : t('period.of', values)}
      before={before?.delivered ? percent(engagementOf(before)[name].share) : undefined}
    />
  );
}

function Unsubscribes({ days }: { days: DayRange }) {
  const t = useTexts('dashboard');
  const { number } = useFormats();
  const now = useSending(days).data?.data;
  const before = useSending(daysBefore(days)).data?.data;
  return (
    <Tile
      label={t('period.unsubscribes')}
      value={now && number(now.unsubscribes)}
      before={before && number(before.unsubscribes)}
    />
  );
}

/** Revenue attributed to emails and SMS; renders nothing without a store. */
function Revenue({ days }: { days: DayRange }) {
  const t = useTexts('dashboard');
  const now = useEarned(days).data?.data;
  const before = useEarned(daysBefore(days)).data?.data;
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
      before={before && formatTotals(before)}
    />
  );
}

interface TileProps {
  label: string;
  /** Undefined if there is none in the period. */
  value: string | undefined;
  note?: string | undefined;
  before: string | undefined;
}

function Tile({ label, value, note, before }: TileProps) {
  const t = useTexts('dashboard');
  return (
    <div>
      <dt>{label}</dt>
      <dd>{value ?? '–'}</dd>
      {note && <dd className={classes.before}>{note}</dd>}
      {before !== undefined && (
        <dd className={classes.before}>{t('growth.before', { count: before })}</dd>
      )}
    </div>
  );
}
