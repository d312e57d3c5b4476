// Estimate of one metric from past campaigns: a factor of each cell (mailbox provider and band), and
// the spread of whole campaigns around it. Pure. docs/decisions/0115-send-forecast.md has the formulas.
import type { Metric } from '../../forecast-shared.ts';
import { DRAWS, drawPoisson, type Interval, intervalOf, studentDraws } from './draws.ts';
import { defaultRate, SPREADS, unhostedCell } from './rates.ts';
import { seededRandom } from '#areas/experiments/server/index.ts';

export type PastCell = { cell: number; people: number } & Record<Metric, number>;
/** Cells of past campaigns, the newest campaign first. */
export type Past = readonly (readonly PastCell[])[];
export type AudienceCell = { cell: number; people: number };

/** A campaign this many sends ago has 1/e of the weight of the newest. */
const MEMORY = 12;
const PASSES = 3;
/** Prior of a cell's factor, in events. */
const PRIOR_EVENTS = 20;
/** Prior of the spread between campaigns, in campaigns. */
const PRIOR_CAMPAIGNS = 4;
const PRIOR_FREEDOM = 12;

export type Model = {
  metric: Metric;
  /** By cell: the factor of its default rate, and the weighted events behind it. */
  factors: ReadonlyMap<number, number>;
  events: ReadonlyMap<number, number>;
  /** Logarithm of the account's level, and its variance. */
  level: number;
  levelVariance: number;
  /** Variance of campaigns around the level. */
  variance: number;
  /** Sum of the campaigns' weights. */
  weight: number;
};

type Deviation = { cells: readonly PastCell[]; weight: number; d: number; v: number };

/** Deviation of each campaign from the prediction by its cells. */
function deviationsOf(
  metric: Metric,
  past: Past,
  factors: ReadonlyMap<number, number>,
): Deviation[] {
  return past.flatMap((cells, rank) => {
    let expected = 0;
    let seen = 0;
    for (const cell of cells) {
      expected += cell.people * defaultRate(metric, cell.cell) * (factors.get(cell.cell) ?? 1);
      seen += cell[metric];
    }
    if (expected === 0) return [];
    const d = Math.log((seen + 0.5) / (expected + 0.5));
    return [{ cells, weight: Math.exp(-rank / MEMORY), d, v: 1 / (expected + 0.5) }];
  });
}

export function fit(metric: Metric, past: Past): Model {
  const { tau, sigma } = SPREADS[metric];
  let factors: ReadonlyMap<number, number> = new Map();
  let events: ReadonlyMap<number, number> = new Map();
  let variance = sigma ** 2;
  let level = 0;
  let levelVariance = tau ** 2;
  let weight = 0;
  for (let pass = 0; pass < PASSES; pass += 1) {
    const deviations = deviationsOf(metric, past, factors);
    const sumOf = (of: (deviation: Deviation) => number) =>
      deviations.reduce((sum, deviation) => sum + deviation.weight * of(deviation), 0);
    const known = variance;
    weight = sumOf(() => 1);
    levelVariance = 1 / (sumOf(({ v }) => 1 / (known + v)) + 1 / tau ** 2);
    level = levelVariance * sumOf(({ d, v }) => d / (known + v));
    const center = level;
    const excess = sumOf(({ d, v }) => Math.max(0, (d - center) ** 2 - v));
    variance = (PRIOR_CAMPAIGNS * sigma ** 2 + excess) / (PRIOR_CAMPAIGNS + weight);
    ({ factors, events } = factorsOf(metric, deviations, { level, variance }));
  }
  return { metric, factors, events, level, levelVariance, variance, weight };
}

function factorsOf(
  metric: Metric,
  deviations: readonly Deviation[],
  { level, variance }: { level: number; variance: number },
): Pick<Model, 'factors' | 'events'> {
  const events = new Map<number, number>();
  const expected = new Map<number, number>();
  for (const { cells, weight, d, v } of deviations) {
    const own = level + ((d - level) * variance) / (variance + v);
    for (const cell of cells) {
      const mean = cell.people * defaultRate(metric, cell.cell) * Math.exp(own);
      events.set(cell.cell, (events.get(cell.cell) ?? 0) + weight * cell[metric]);
      expected.set(cell.cell, (expected.get(cell.cell) ?? 0) + weight * mean);
    }
  }
  const factors = new Map(
    [...events].map(([cell, seen]) => [
      cell,
      (PRIOR_EVENTS + seen) / (PRIOR_EVENTS + (expected.get(cell) ?? 0)),
    ]),
  );
  return { factors, events };
}

/** The cell of past campaigns that shows the rate of a cell: hosts were part of `other` before. */
const knownCell = (known: ReadonlyMap<number, number>, cell: number): number =>
  known.has(cell) ? cell : unhostedCell(cell);

/** The expected count at the account's usual level, apart from the level itself. */
export function meanOf({ metric, factors }: Model, cells: readonly AudienceCell[]): number {
  return cells.reduce((sum, { cell, people }) => {
    const factor = factors.get(knownCell(factors, cell)) ?? 1;
    return sum + people * defaultRate(metric, cell) * factor;
  }, 0);
}

/** Standard deviation of the logarithm of the mean. */
function spreadOf(model: Model, cells: readonly AudienceCell[], mean: number): number {
  const unsure = cells.reduce((sum, cell) => {
    const share = meanOf(model, [cell]) / mean;
    const seen = model.events.get(knownCell(model.events, cell.cell)) ?? 0;
    return sum + share ** 2 / (PRIOR_EVENTS + seen);
  }, 0);
  return Math.sqrt(model.variance + model.levelVariance + unsure);
}

export type DrawOptions = {
  seed: number;
  /** Widens or narrows the spread according to the results of the account's past forecasts. */
  scale?: number | undefined;
  /** Share of the events to count, such as the orders in one currency. */
  share?: number | undefined;
};

/**
 * Draws of the count. The draws of the level depend on the seed only, so that two audiences with the
 * same seed differ by their cells and not by chance.
 */
export function drawCounts(
  model: Model,
  cells: readonly AudienceCell[],
  { seed, scale = 1, share = 1 }: DrawOptions,
): Float64Array {
  const mean = meanOf(model, cells) * share;
  const people = cells.reduce((sum, cell) => sum + cell.people, 0);
  if (mean === 0) return new Float64Array(DRAWS);
  const spread = scale * spreadOf(model, cells, mean / share);
  const levels = studentDraws(seed, PRIOR_FREEDOM + model.weight);
  const random = seededRandom(seed ^ 0x5bd1e995);
  return levels.map((level) => {
    const drawn = Math.min(people, mean * Math.exp(model.level + spread * level));
    return Math.min(people, drawPoisson(random, drawn));
  });
}

/** The 80 % interval of the count, with its median. */
export const predict = (
  model: Model,
  cells: readonly AudienceCell[],
  options: DrawOptions,
): Interval => intervalOf(drawCounts(model, cells, options));
