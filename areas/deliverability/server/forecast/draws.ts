// Random draws of forecasts. They are seeded, so that the same inputs give the same forecast.
import { createSeededRandom } from '#areas/experiments/server/index.ts';

type Random = () => number;
export const DRAWS = 1_000;

/**
 * Draws from the standard normal distribution (Marsaglia's polar method, one of its two values).
 */
export function drawNormal(random: Random): number {
  for (;;) {
    const x = 2 * random() - 1;
    const y = 2 * random() - 1;
    const square = x * x + y * y;
    if (square > 0 && square < 1) return x * Math.sqrt((-2 * Math.log(square)) / square);
  }
}

/** Draws from Student's t distribution with this many degrees of freedom (Bailey 1994). */
export function drawStudent(random: Random, freedom: number): number {
  for (;;) {
    const x = 2 * random() - 1;
    const y = 2 * random() - 1;
    const square = x * x + y * y;
    if (square > 0 && square < 1) {
      return x * Math.sqrt((freedom * (square ** (-2 / freedom) - 1)) / square);
    }
  }
}

/** Above this mean, the normal distribution is close enough. */
const LARGE_MEAN = 60;

/** Draws from the Poisson distribution. */
export function drawPoisson(random: Random, mean: number): number {
  if (mean > LARGE_MEAN) {
    return Math.max(0, Math.round(mean + Math.sqrt(mean) * drawNormal(random)));
  }
  const limit = Math.exp(-mean);
  let count = 0;
  for (let product = random(); product > limit; product *= random()) count += 1;
  return count;
}

/** Draws a series from Student's t distribution. */
export function drawStudentSeries(seed: number, freedom: number, length = DRAWS): Float64Array {
  const random = createSeededRandom(seed);
  return Float64Array.from({ length }, () => drawStudent(random, freedom));
}

export type ForecastInterval = { low: number; mid: number; high: number };

/** Returns the 10, 50 and 90 % quantiles of the draws. */
export function computeInterval(draws: Float64Array): ForecastInterval {
  const sortedDraws = Float64Array.from(draws).sort();
  const drawAt = (index: number) => sortedDraws[index] ?? 0;
  const { length } = sortedDraws;
  return {
    low: drawAt(Math.floor(length * 0.1)),
    mid: drawAt(Math.floor(length * 0.5)),
    high: drawAt(Math.ceil(length * 0.9) - 1),
  };
}
