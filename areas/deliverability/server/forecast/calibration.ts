// Compares an account's past forecasts with the results, and calibrates its next forecasts. The
// functions are pure.
import type { Forecast, Truth } from '../../forecast-contract.ts';
import type { Metric } from '../../forecast-shared.ts';
import type { Interval } from './draws.ts';

/** The number of outcomes between two changes of the scale. */
const BLOCK = 20;
const MIN_COVERAGE = 0.7;
const MAX_COVERAGE = 0.9;
const WIDER = 1.15;
const NARROWER = 0.9;
const MIN_SCALE = 0.7;
const MAX_SCALE = 1.8;

export type Outcome = { interval: Interval; truth: number };

export const isInside = ({ interval, truth }: Outcome) =>
  truth >= interval.low && truth <= interval.high;

/**
 * Returns the scale of the spread after these outcomes, oldest first. After every 20 forecasts
 * that were made with one scale, it widens or narrows if too few or too many results were inside
 * their intervals.
 */
export function scaleAfter(outcomes: readonly Outcome[]): number {
  let scale = 1;
  for (let from = 0; from + BLOCK <= outcomes.length; from += BLOCK) {
    const coverage = outcomes.slice(from, from + BLOCK).filter(isInside).length / BLOCK;
    if (coverage < MIN_COVERAGE) scale *= WIDER;
    else if (coverage > MAX_COVERAGE) scale *= NARROWER;
    scale = Math.min(MAX_SCALE, Math.max(MIN_SCALE, scale));
  }
  return scale;
}

/** The counts that are compared. */
const COMPARED = ['opens', 'clicks', 'unsubscribes', 'complaints', 'bounces'] as const;

/**
 * Orders are compared for each currency with a forecast. `done`, the end of sending, is compared
 * only if it was forecast and the result is known.
 */
type ComparedMetric = Metric | 'done';
type Compared = { forecast: Forecast; truth: Truth };

/** The outcomes of one forecast: its intervals and the results. */
export function outcomesOf({
  forecast,
  truth,
}: Compared): (Outcome & { metric: ComparedMetric })[] {
  const counts = COMPARED.flatMap((metric) => {
    const interval = forecast.metrics[metric];
    const happened = truth[metric];
    return interval === null || happened === null ? [] : [{ metric, interval, truth: happened }];
  });
  const orders = forecast.revenue.map(({ currency, orders: interval }) => {
    const earned = truth.revenue.find((sum) => sum.currency === currency);
    return { metric: 'orders' as const, interval, truth: earned?.orders ?? 0 };
  });
  return [...counts, ...orders, ...doneOutcome({ forecast, truth })];
}

function doneOutcome({ forecast, truth }: Compared): (Outcome & { metric: 'done' })[] {
  const { low, mid, high } = forecast.done ?? { low: null, mid: null, high: null };
  if (low === null || truth.done === null) return [];
  const at = (instant: string | null) => (instant === null ? Infinity : Date.parse(instant));
  const interval = { low: at(low), mid: at(mid), high: at(high) };
  return [{ metric: 'done', interval, truth: at(truth.done) }];
}

export type Scales = Partial<Record<ComparedMetric, number>>;

/** The scales after these forecasts, oldest first. */
export function scalesAfter(compared: readonly Compared[]): Scales {
  const outcomes = compared.flatMap(outcomesOf);
  const scales: Scales = {};
  for (const metric of [...COMPARED, 'orders', 'done'] as const) {
    scales[metric] = scaleAfter(outcomes.filter((outcome) => outcome.metric === metric));
  }
  return scales;
}
