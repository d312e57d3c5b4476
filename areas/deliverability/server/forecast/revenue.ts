// Forecasts the revenue of a campaign in each currency. Draws the number of orders, and draws the
// amount of each order from the amounts of past orders.
import { createSeededRandom } from '#areas/experiments/server/index.ts';
import { drawNormal, type ForecastInterval, computeInterval } from './draws.ts';
import { type AudienceCell, type DrawOptions, drawCounts, type Model } from './estimate.ts';

/** Attributed orders of a campaign in one currency: the count and a sample of amounts. */
export type CurrencyRevenue = { currency: string; orders: number; amounts: readonly number[] };

/** With fewer past orders, single orders would decide the result. */
const MIN_ORDERS = 30;
const MAX_AMOUNTS = 200;
/** With more orders than this, the sum is drawn from a normal distribution. */
const MAX_RESAMPLED = 50;

type RevenueForecast = { currency: string; orders: ForecastInterval; amount: ForecastInterval };

/** Returns at most MAX_AMOUNTS amounts, evenly spaced by size. */
export function sampleAmounts(amounts: readonly number[]): number[] {
  const sortedAmounts = [...amounts].sort((a, b) => a - b);
  if (sortedAmounts.length <= MAX_AMOUNTS) return sortedAmounts;
  return Array.from(
    { length: MAX_AMOUNTS },
    (_, index) =>
      sortedAmounts[Math.floor(((index + 0.5) * sortedAmounts.length) / MAX_AMOUNTS)] as number,
  );
}

/**
 * Predicts revenue for each currency with enough orders in past campaigns. Currencies with more
 * past orders come first.
 */
export function predictRevenue(
  model: Model,
  cells: readonly AudienceCell[],
  past: readonly (readonly CurrencyRevenue[])[],
  options: DrawOptions,
): RevenueForecast[] {
  const byCurrency = new Map<string, { orders: number; amounts: number[] }>();
  for (const { currency, orders, amounts } of past.flat()) {
    const currencyRevenue = byCurrency.get(currency) ?? { orders: 0, amounts: [] };
    byCurrency.set(currency, {
      orders: currencyRevenue.orders + orders,
      amounts: [...currencyRevenue.amounts, ...amounts],
    });
  }
  const total = [...byCurrency.values()].reduce((sum, { orders }) => sum + orders, 0);
  return [...byCurrency]
    .filter(([, { orders, amounts }]) => orders >= MIN_ORDERS && amounts.length > 0)
    .sort(([, a], [, b]) => b.orders - a.orders)
    .map(([currency, { orders, amounts }]) => {
      const counts = drawCounts(model, cells, { ...options, share: orders / total });
      const totals = resample(counts, amounts, options.seed);
      return { currency, orders: computeInterval(counts), amount: computeInterval(totals) };
    });
}

function resample(counts: Float64Array, amounts: readonly number[], seed: number): Float64Array {
  const random = createSeededRandom(seed ^ 0x27d4eb2f);
  const mean = amounts.reduce((sum, amount) => sum + amount, 0) / amounts.length;
  const squares = amounts.reduce((sum, amount) => sum + (amount - mean) ** 2, 0);
  const deviation = Math.sqrt(squares / amounts.length);
  return counts.map((count) => {
    if (count > MAX_RESAMPLED) {
      return Math.max(0, count * mean + Math.sqrt(count) * deviation * drawNormal(random));
    }
    let drawTotal = 0;
    for (let order = 0; order < count; order += 1) {
      drawTotal += amounts[Math.floor(random() * amounts.length)] as number;
    }
    return drawTotal;
  });
}
