// Compares an account's past forecasts with the results and calibrates its next forecasts. The
// functions are pure.
import type { CampaignForecast, Truth } from '../../forecast-contract.ts';
import type { ForecastMetric } from '../../forecast-shared.ts';
import type { ForecastInterval } from './draws.ts';

/** The number of outcomes between two changes of the scale. */
const BLOCK = 20;
const MIN_COVERAGE = 0.7;
const MAX_COVERAGE = 0.9;
const WIDER = 1.15;
const NARROWER = 0.9;
const MIN_SCALE = 0.7;
const MAX_SCALE = 1.8;

export type ForecastOutcome = { interval: ForecastInterval; truth: number };

export const isInside = ({ interval, truth }: ForecastOutcome) =>
  truth >= interval.low && truth <= interval.high;

/**
 * Returns the scale of the spread after these outcomes, oldest first. The scale can change after
 * every 20 outcomes: it increases if too few of these results were inside their intervals, and
 * decreases if too many were.
 */
export function computeScale(outcomes: readonly ForecastOutcome[]): number {
  let scale = 1;
  for (let start = 0; start + BLOCK <= outcomes.length; start += BLOCK) {
    const coverage = outcomes.slice(start, start + BLOCK).filter(isInside).length / BLOCK;
    if (coverage < MIN_COVERAGE) scale *= WIDER;
    else if (coverage > MAX_COVERAGE) scale *= NARROWER;
    scale = Math.min(MAX_SCALE, Math.max(MIN_SCALE, scale));
  }
  return scale;
}

/** The compared counts. */
const COMPARED = ['opens', 'clicks', 'unsubscribes', 'complaints', 'bounces'] as const;

/**
 * Orders are compared for each currency with a forecast. `done`, the end of sending, is compared
 * only if it was forecast and the result is known.
 */
type ComparedMetric = ForecastMetric | 'done';
type ForecastComparison = { forecast: CampaignForecast; truth: Truth };

/** Lists the outcomes of one forecast: its intervals and the results. */
export function listOutcomes({
  forecast,
  truth,
}: ForecastComparison): (ForecastOutcome & { metric: ComparedMetric })[] {
  const counts = COMPARED.flatMap((metric) => {
    const interval = forecast.metrics[metric];
    const result = truth[metric];
    return interval === null || result === null ? [] : [{ metric, interval, truth: result }];
  });
  const orders = forecast.revenue.map(({ currency, orders: interval }) => {
    const revenue = truth.revenue.find((sum) => sum.currency === currency);
    return { metric: 'orders' as const, interval, truth: revenue?.orders ?? 0 };
  });
  return [...counts, ...orders, ...listDoneOutcome({ forecast, truth })];
}

function listDoneOutcome({
  forecast,
  truth,
}: ForecastComparison): (ForecastOutcome & { metric: 'done' })[] {
  const { low, mid, high } = forecast.done ?? { low: null, mid: null, high: null };
  if (low === null || truth.done === null) return [];
  const toTimestamp = (instant: string | null) =>
    instant === null ? Infinity : Date.parse(instant);
  const interval = { low: toTimestamp(low), mid: toTimestamp(mid), high: toTimestamp(high) };
  return [{ metric: 'done', interval, truth: toTimestamp(truth.done) }];
}

export type Scales = Partial<Record<ComparedMetric, number>>;

/** Computes the scales after these forecasts, oldest first. */
export function computeScales(comparisons: readonly ForecastComparison[]): Scales {
  const outcomes = comparisons.flatMap(listOutcomes);
  const scales: Scales = {};
  for (const metric of [...COMPARED, 'orders', 'done'] as const) {
    scales[metric] = computeScale(outcomes.filter((outcome) => outcome.metric === metric));
  }
  return scales;
}
