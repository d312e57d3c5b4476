// Estimates one metric from past campaigns: a factor of each cell (mailbox provider and band), the
// level of the account, and the spread of its campaigns around this level. The functions are pure.
// docs/decisions/0115-send-forecast.md has the formulas.
import type { Metric } from '../../forecast-shared.ts';
import { DRAWS, drawPoisson, type Interval, intervalOf, studentDraws } from './draws.ts';
import { defaultRate, SPREADS, unhostedCell } from './rates.ts';
import { createSeededRandom } from '#areas/experiments/server/index.ts';

export type PastCell = { cell: number; people: number } & Record<Metric, number>;
/** Cells of past campaigns, the newest campaign first. */
export type Past = readonly (readonly PastCell[])[];
export type AudienceCell = { cell: number; people: number };

/** A campaign this many sends ago has 1/e of the weight of the newest one. */
const MEMORY = 12;
const PASSES = 3;
/** The prior of a cell's factor, in events. */
const PRIOR_EVENTS = 20;
/** The prior of the spread between campaigns, in campaigns. */
const PRIOR_CAMPAIGNS = 4;
const PRIOR_FREEDOM = 12;

export type Model = Level & {
  metric: Metric;
  /** By cell: the factor that its default rate is multiplied by. */
  factors: ReadonlyMap<number, number>;
  /** By cell: the weighted number of events that its factor is based on. */
  events: ReadonlyMap<number, number>;
};

/** The weight of a campaign by its rank, which is 0 for the newest. */
export const weightOf = (rank: number) => Math.exp(-rank / MEMORY);

/** `d` is a campaign's deviation as a logarithm, and `v` the variance of `d` by chance. */
export type Observed = { d: number; v: number; weight: number };
type Deviation = Observed & { rows: readonly PastCell[] };

export type Level = {
  /** The level of the account: the logarithm of a factor. */
  level: number;
  levelVariance: number;
  /** The variance of campaigns around the level. */
  variance: number;
  /** The sum of the campaigns' weights. */
  weight: number;
};

/**
 * Calculates the level of an account and the variance of its campaigns.
 * @param known the variance of campaigns to start from: that of the previous pass, if there is one
 */
export function levelOf(
  observed: readonly Observed[],
  { tau, sigma }: { tau: number; sigma: number },
  known = sigma ** 2,
): Level {
  const sumOf = (of: (one: Observed) => number) =>
    observed.reduce((sum, one) => sum + one.weight * of(one), 0);
  const weight = sumOf(() => 1);
  const levelVariance = 1 / (sumOf(({ v }) => 1 / (known + v)) + 1 / tau ** 2);
  const level = levelVariance * sumOf(({ d, v }) => d / (known + v));
  const excess = sumOf(({ d, v }) => Math.max(0, (d - level) ** 2 - v));
  const variance = (PRIOR_CAMPAIGNS * sigma ** 2 + excess) / (PRIOR_CAMPAIGNS + weight);
  return { level, levelVariance, variance, weight };
}

/** The degrees of freedom of the draws of campaigns around their level. */
export const degreesOfFreedom = ({ weight }: Pick<Level, 'weight'>) => PRIOR_FREEDOM + weight;

/** The deviation of each campaign from the prediction by its cells. */
function deviationsOf(
  metric: Metric,
  past: Past,
  factors: ReadonlyMap<number, number>,
): Deviation[] {
  return past.flatMap((rows, rank) => {
    let expected = 0;
    let seen = 0;
    for (const row of rows) {
      expected += row.people * defaultRate(metric, row.cell) * (factors.get(row.cell) ?? 1);
      seen += row[metric];
    }
    if (expected === 0) return [];
    const d = Math.log((seen + 0.5) / (expected + 0.5));
    return [{ rows, weight: weightOf(rank), d, v: 1 / (expected + 0.5) }];
  });
}

export function fit(metric: Metric, past: Past): Model {
  const spreads = SPREADS[metric];
  let factors: ReadonlyMap<number, number> = new Map();
  let events: ReadonlyMap<number, number> = new Map();
  let level = levelOf([], spreads);
  for (let pass = 0; pass < PASSES; pass += 1) {
    const deviations = deviationsOf(metric, past, factors);
    level = levelOf(deviations, spreads, level.variance);
    ({ factors, events } = factorsOf(metric, deviations, level));
  }
  return { metric, factors, events, ...level };
}

function factorsOf(
  metric: Metric,
  deviations: readonly Deviation[],
  { level, variance }: { level: number; variance: number },
): Pick<Model, 'factors' | 'events'> {
  const events = new Map<number, number>();
  const expected = new Map<number, number>();
  for (const { rows, weight, d, v } of deviations) {
    const campaignLevel = level + ((d - level) * variance) / (variance + v);
    for (const row of rows) {
      const mean = row.people * defaultRate(metric, row.cell) * Math.exp(campaignLevel);
      events.set(row.cell, (events.get(row.cell) ?? 0) + weight * row[metric]);
      expected.set(row.cell, (expected.get(row.cell) ?? 0) + weight * mean);
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

/**
 * The cell of past campaigns that corresponds to a cell. For a host without a cell there, it is the
 * cell of `other`, in which recipients at hosts were counted before.
 */
const knownCell = (known: ReadonlyMap<number, number>, cell: number): number =>
  known.has(cell) ? cell : unhostedCell(cell);

/**
 * The expected count by the factors of the cells, which is not yet multiplied by the account's
 * level.
 */
export function meanOf({ metric, factors }: Model, rows: readonly AudienceCell[]): number {
  return rows.reduce((sum, { cell, people }) => {
    const factor = factors.get(knownCell(factors, cell)) ?? 1;
    return sum + people * defaultRate(metric, cell) * factor;
  }, 0);
}

/** The standard deviation of the logarithm of a campaign's expected count. */
function spreadOf(model: Model, rows: readonly AudienceCell[], mean: number): number {
  const unsure = rows.reduce((sum, row) => {
    const share = meanOf(model, [row]) / mean;
    const seen = model.events.get(knownCell(model.events, row.cell)) ?? 0;
    return sum + share ** 2 / (PRIOR_EVENTS + seen);
  }, 0);
  return Math.sqrt(model.variance + model.levelVariance + unsure);
}

export type DrawOptions = {
  seed: number;
  /** Widens or narrows the spread according to the results of the account's past forecasts. */
  scale?: number | undefined;
  /** The share of the events to count, such as the orders in one currency. */
  share?: number | undefined;
};

/**
 * Draws the count. The draws of the level depend only on the seed and the model, so that two
 * audiences differ by their cells and not by other draws of the level.
 */
export function drawCounts(
  model: Model,
  rows: readonly AudienceCell[],
  { seed, scale = 1, share = 1 }: DrawOptions,
): Float64Array {
  const mean = meanOf(model, rows) * share;
  const people = rows.reduce((sum, row) => sum + row.people, 0);
  if (mean === 0) return new Float64Array(DRAWS);
  const spread = scale * spreadOf(model, rows, mean / share);
  const levels = studentDraws(seed, degreesOfFreedom(model));
  const random = createSeededRandom(seed ^ 0x5bd1e995);
  return levels.map((level) => {
    const drawn = Math.min(people, mean * Math.exp(model.level + spread * level));
    return Math.min(people, drawPoisson(random, drawn));
  });
}

/** The 80 % interval of the count, with its median. */
export const predict = (
  model: Model,
  rows: readonly AudienceCell[],
  options: DrawOptions,
): Interval => intervalOf(drawCounts(model, rows, options));
