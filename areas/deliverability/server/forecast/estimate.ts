// Estimates one metric from past campaigns: a factor of each cell (mailbox provider and band), the
// level of the account, and the spread of its campaigns around this level. The functions are pure.
// docs/decisions/0115-send-forecast.md has the formulas.
import type { ForecastMetric } from '../../forecast-shared.ts';
import {
  DRAWS,
  drawPoisson,
  type ForecastInterval,
  computeInterval,
  drawStudentSeries,
} from './draws.ts';
import { getDefaultRate, SPREADS, getUnhostedCell } from './rates.ts';
import { createSeededRandom } from '#areas/experiments/server/index.ts';

export type PastCell = { cell: number; recipients: number } & Record<ForecastMetric, number>;
/** Cells of past campaigns, the newest campaign first. */
export type PastCampaigns = readonly (readonly PastCell[])[];
export type AudienceCell = { cell: number; recipients: number };

/** A campaign this many sends ago has 1/e of the weight of the newest one. */
const MEMORY = 12;
const PASSES = 3;
/** The prior of a cell's factor, in events. */
const PRIOR_EVENTS = 20;
/** The prior of the spread between campaigns, in campaigns. */
const PRIOR_CAMPAIGNS = 4;
const PRIOR_FREEDOM = 12;

export type Model = AccountLevel & {
  metric: ForecastMetric;
  /** By cell: the factor for its default rate. */
  factors: ReadonlyMap<number, number>;
  /** By cell: the weighted number of events that its factor is based on. */
  events: ReadonlyMap<number, number>;
};

/** Computes the weight of a campaign by its rank, which is 0 for the newest. */
export const computeWeight = (rank: number) => Math.exp(-rank / MEMORY);

/** A campaign's deviation as a logarithm, and the variance of the deviation by chance. */
export type Observation = { deviation: number; variance: number; weight: number };
type Deviation = Observation & { rows: readonly PastCell[] };

export type AccountLevel = {
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
 * @param priorVariance the campaign variance to start from: the result of the previous pass, if any
 */
export function estimateLevel(
  observations: readonly Observation[],
  { tau, sigma }: { tau: number; sigma: number },
  priorVariance = sigma ** 2,
): AccountLevel {
  const sumOf = (select: (observation: Observation) => number) =>
    observations.reduce((sum, observation) => sum + observation.weight * select(observation), 0);
  const weight = sumOf(() => 1);
  const levelVariance =
    1 / (sumOf(({ variance }) => 1 / (priorVariance + variance)) + 1 / tau ** 2);
  const level =
    levelVariance * sumOf(({ deviation, variance }) => deviation / (priorVariance + variance));
  const excess = sumOf(({ deviation, variance }) =>
    Math.max(0, (deviation - level) ** 2 - variance),
  );
  const variance = (PRIOR_CAMPAIGNS * sigma ** 2 + excess) / (PRIOR_CAMPAIGNS + weight);
  return { level, levelVariance, variance, weight };
}

/** Computes the degrees of freedom for sampling campaigns around their level. */
export const computeFreedom = ({ weight }: Pick<AccountLevel, 'weight'>) => PRIOR_FREEDOM + weight;

/** Computes how far each campaign's result deviated from the prediction for its cells. */
function computeDeviations(
  metric: ForecastMetric,
  past: PastCampaigns,
  factors: ReadonlyMap<number, number>,
): Deviation[] {
  return past.flatMap((rows, rank) => {
    let expected = 0;
    let eventCount = 0;
    for (const row of rows) {
      expected += row.recipients * getDefaultRate(metric, row.cell) * (factors.get(row.cell) ?? 1);
      eventCount += row[metric];
    }
    if (expected === 0) return [];
    const deviation = Math.log((eventCount + 0.5) / (expected + 0.5));
    return [{ rows, weight: computeWeight(rank), deviation, variance: 1 / (expected + 0.5) }];
  });
}

export function fitModel(metric: ForecastMetric, past: PastCampaigns): Model {
  const spreads = SPREADS[metric];
  let factors: ReadonlyMap<number, number> = new Map();
  let events: ReadonlyMap<number, number> = new Map();
  let level = estimateLevel([], spreads);
  for (let pass = 0; pass < PASSES; pass += 1) {
    const deviations = computeDeviations(metric, past, factors);
    level = estimateLevel(deviations, spreads, level.variance);
    ({ factors, events } = computeFactors(metric, deviations, level));
  }
  return { metric, factors, events, ...level };
}

function computeFactors(
  metric: ForecastMetric,
  deviations: readonly Deviation[],
  { level, variance }: { level: number; variance: number },
): Pick<Model, 'factors' | 'events'> {
  const events = new Map<number, number>();
  const expected = new Map<number, number>();
  for (const { rows, weight, deviation, variance: chanceVariance } of deviations) {
    const campaignLevel = level + ((deviation - level) * variance) / (variance + chanceVariance);
    for (const row of rows) {
      const mean = row.recipients * getDefaultRate(metric, row.cell) * Math.exp(campaignLevel);
      events.set(row.cell, (events.get(row.cell) ?? 0) + weight * row[metric]);
      expected.set(row.cell, (expected.get(row.cell) ?? 0) + weight * mean);
    }
  }
  const factors = new Map(
    [...events].map(([cell, eventCount]) => [
      cell,
      (PRIOR_EVENTS + eventCount) / (PRIOR_EVENTS + (expected.get(cell) ?? 0)),
    ]),
  );
  return { factors, events };
}

/**
 * Returns the cell of past campaigns that corresponds to a cell. For a host without one, returns
 * the cell of `other`, because a host's recipients count as `other` for as long as the host is not
 * counted separately.
 */
const resolveCell = (cells: ReadonlyMap<number, number>, cell: number): number =>
  cells.has(cell) ? cell : getUnhostedCell(cell);

/**
 * Computes the expected count from the factors of the cells, before multiplying by the account's
 * level.
 */
export function computeMean({ metric, factors }: Model, rows: readonly AudienceCell[]): number {
  return rows.reduce((sum, { cell, recipients }) => {
    const factor = factors.get(resolveCell(factors, cell)) ?? 1;
    return sum + recipients * getDefaultRate(metric, cell) * factor;
  }, 0);
}

/** Computes the standard deviation of the logarithm of a campaign's expected count. */
function computeSpread(model: Model, rows: readonly AudienceCell[], mean: number): number {
  const uncertainty = rows.reduce((sum, row) => {
    const share = computeMean(model, [row]) / mean;
    const eventCount = model.events.get(resolveCell(model.events, row.cell)) ?? 0;
    return sum + share ** 2 / (PRIOR_EVENTS + eventCount);
  }, 0);
  return Math.sqrt(model.variance + model.levelVariance + uncertainty);
}

export type DrawOptions = {
  seed: number;
  /** Widens or narrows the spread according to the results of the account's past forecasts. */
  scale?: number | undefined;
  /** The fraction of events to count, such as the orders in one currency. */
  share?: number | undefined;
};

/**
 * Draws the count. The draws of the level depend only on the seed and the model, so that the
 * results for two audiences differ only because of their cells.
 */
export function drawCounts(
  model: Model,
  rows: readonly AudienceCell[],
  { seed, scale = 1, share = 1 }: DrawOptions,
): Float64Array {
  const mean = computeMean(model, rows) * share;
  const recipients = rows.reduce((sum, row) => sum + row.recipients, 0);
  if (mean === 0) return new Float64Array(DRAWS);
  const spread = scale * computeSpread(model, rows, mean / share);
  const levels = drawStudentSeries(seed, computeFreedom(model));
  const random = createSeededRandom(seed ^ 0x5bd1e995);
  return levels.map((level) => {
    const expectedCount = Math.min(recipients, mean * Math.exp(model.level + spread * level));
    return Math.min(recipients, drawPoisson(random, expectedCount));
  });
}

/** Predicts the 80 % interval of the count, and its median. */
export const predictInterval = (
  model: Model,
  rows: readonly AudienceCell[],
  options: DrawOptions,
): ForecastInterval => computeInterval(drawCounts(model, rows, options));
