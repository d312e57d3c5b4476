// Estimates how many emails a mailbox provider defers, and how long these wait for their final
// result, from the counts of past campaigns. The functions are pure.
import {
  computeFreedom,
  estimateLevel,
  type AccountLevel,
  type Observation,
  computeWeight,
} from './estimate.ts';

/** Upper bounds, in seconds, of the ranges of waits. Longer waits have their own range. */
export const WAIT_BOUNDS = [120, 300, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 57_600, 115_200];
/**
 * The longest wait, rounded up: an email that is deferred within 72 hours of its first attempt is
 * retried once more, less than five hours later.
 */
const MAX_WAIT_SECONDS = 288_000;
const EDGES = [0, ...WAIT_BOUNDS, MAX_WAIT_SECONDS];

/** Deferred emails by their wait for the final result, per mailbox provider. */
export type WaitCounts = Readonly<Record<string, readonly number[]>>;

/** The emails of one campaign at a mailbox provider, and the waits of deferred ones. */
export type PastRetries = { emails: number; waits: readonly number[] };

/**
 * The usual share of deferred emails, and the usual share of each range of waits: the priors of the
 * model, or the whole model of a provider without past campaigns.
 */
const DEFAULT_SHARE = 0.02;
const DEFAULT_WAITS = [0.1, 0.12, 0.2, 0.14, 0.12, 0.1, 0.08, 0.06, 0.04, 0.02, 0.02];
/** The prior of the waits, in emails. */
const PRIOR_EMAILS = 10;
const MAX_SHARE = 0.98;
const PASSES = 3;
/**
 * Standard deviations of logarithms: `tau` of accounts around the default, and `sigma` of campaigns
 * around their account.
 */
const SHARE_SPREADS = { tau: 1.2, sigma: 0.7 };
const WAIT_SPREADS = { tau: 0.8, sigma: 0.45 };

type Spread = { center: number; spread: number; degreesOfFreedom: number };

export type RetryModel = {
  /** The logarithm of the share of deferred emails. */
  share: Spread;
  /** The logarithm of a factor that applies to all waits. */
  stretch: Spread;
  /** The share of the deferred emails that wait longer than each of EDGES. */
  longerShares: readonly number[];
  /** Whether the model is based on past campaigns. */
  isKnown: boolean;
};

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

const createSpread = (level: AccountLevel, center: number): Spread => ({
  center,
  spread: Math.sqrt(level.variance + level.levelVariance),
  degreesOfFreedom: computeFreedom(level),
});

/** @param past the newest campaign first; undefined for campaigns without data of this provider */
export function fitRetries(past: readonly (PastRetries | undefined)[]): RetryModel {
  const weightedPast = past.flatMap((campaign, rank) =>
    campaign && campaign.emails > 0 ? [{ ...campaign, weight: computeWeight(rank) }] : [],
  );
  const waits = DEFAULT_WAITS.map(
    (share, index) =>
      PRIOR_EMAILS * share +
      sumOf(weightedPast.map((campaign) => campaign.weight * (campaign.waits[index] ?? 0))),
  );
  return {
    share: fitShare(weightedPast),
    stretch: fitStretch(weightedPast, waits),
    longerShares: computeLongerShares(waits),
    isKnown: weightedPast.length > 0,
  };
}

type WeightedRetries = PastRetries & { weight: number };

function fitShare(weightedPast: readonly WeightedRetries[]): Spread {
  let level = estimateLevel([], SHARE_SPREADS);
  for (let pass = 0; pass < PASSES; pass += 1) {
    const share = DEFAULT_SHARE * Math.exp(level.level);
    const observations = weightedPast.map(({ emails, waits, weight }): Observation => {
      const expected = emails * share + 0.5;
      const deviation = level.level + Math.log((sumOf(waits) + 0.5) / expected);
      return { deviation, variance: 1 / expected, weight };
    });
    level = estimateLevel(observations, SHARE_SPREADS, level.variance);
  }
  return createSpread(level, Math.log(DEFAULT_SHARE) + level.level);
}

/** The logarithm of the middle of each range of waits. */
const MIDDLES = EDGES.slice(1).map((edge, index) =>
  Math.log(Math.sqrt(Math.max(60, EDGES[index] ?? 0) * edge)),
);

function fitStretch(
  weightedPast: readonly WeightedRetries[],
  pooledWaits: readonly number[],
): Spread {
  const computeMeanWait = (waits: readonly number[]) =>
    sumOf(waits.map((count, index) => count * (MIDDLES[index] ?? 0))) / sumOf(waits);
  const center = computeMeanWait(pooledWaits);
  const squares = pooledWaits.map((count, index) => count * ((MIDDLES[index] ?? 0) - center) ** 2);
  const variance = sumOf(squares) / sumOf(pooledWaits);
  const observations = weightedPast
    .filter(({ waits }) => sumOf(waits) > 0)
    .map(({ waits, weight }): Observation => {
      return {
        deviation: computeMeanWait(waits) - center,
        variance: variance / sumOf(waits),
        weight,
      };
    });
  const firstLevel = estimateLevel(observations, WAIT_SPREADS);
  const level = estimateLevel(observations, WAIT_SPREADS, firstLevel.variance);
  return createSpread(level, level.level);
}

function computeLongerShares(waits: readonly number[]): number[] {
  const total = sumOf(waits);
  let remaining = total;
  return [1, ...waits.map((count) => (remaining -= count) / total)].map((share) =>
    Math.max(0, share),
  );
}

export const computeShare = ({ share }: RetryModel, deviate: number, scale: number) =>
  Math.min(MAX_SHARE, Math.exp(share.center + scale * share.spread * deviate));

export const computeStretch = ({ stretch }: RetryModel, deviate: number, scale: number) =>
  Math.exp(stretch.center + scale * stretch.spread * deviate);

/**
 * Returns the share of the deferred emails that wait longer than `seconds`, interpolated linearly
 * between the edges.
 */
export function computeLongerShare(longer: readonly number[], seconds: number): number {
  if (seconds <= 0) return 1;
  for (let index = 1; index < EDGES.length; index += 1) {
    const edge = EDGES[index] as number;
    if (seconds >= edge) continue;
    const previousEdge = EDGES[index - 1] as number;
    const previousShare = longer[index - 1] as number;
    return (
      previousShare +
      ((longer[index] as number) - previousShare) *
        ((seconds - previousEdge) / (edge - previousEdge))
    );
  }
  return 0;
}

/** Returns the longest wait with this factor, in milliseconds. */
export const computeMaxWaitMs = (stretch: number) => MAX_WAIT_SECONDS * stretch * 1_000;
