// Estimates the possible speeds of a campaign from the emails that the account sent in past
// quarter-hours, because the web process has no access to the limits of the installation's relays.
// The functions are pure.
import type { SendPace } from '#areas/delivery/server/ledger/index.ts';
import { drawStudentSeries } from './draws.ts';
import { computeFreedom, estimateLevel, type Observation, computeWeight } from './estimate.ts';

type Quarters = SendPace['quarters'];

const QUARTER_SECONDS = 900;
const QUARTER_MS = QUARTER_SECONDS * 1_000;
/**
 * Quarter-hours with less than this share of the busiest one contain single sends and do not show
 * the speed.
 */
const MIN_SHARE = 0.25;
/**
 * If the busiest quarter has fewer emails than this, and fewer than the campaign has recipients,
 * the past shows no speed, because these emails may have been too few to fill a quarter.
 */
const MIN_AT_SPEED = 1_000;
/**
 * Standard deviations of the logarithm of the speed: between campaigns, and between the
 * quarter-hours of one campaign.
 */
const SIGMA = 0.2;
const QUARTER_SIGMA = 0.1;
const PRIOR_QUARTERS = 4;
/** The spread between accounts. It is very wide, because there is no usual speed. */
const TAU = 5;
/** Without a full quarter, the speed is probably twice the busiest quarter's. */
const PARTIAL = { level: Math.log(2), sigma: 0.6 };

/** The number of speeds, which are all equally likely. */
export const SPEEDS = 10;

/** Rates per second of a send's full quarter-hours: all except the partial first and last one. */
type SpeedRun = readonly number[];

/** Returns the sends that took at least three quarter-hours without a break, newest first. */
function findRuns(quarters: Quarters, busiest: number): SpeedRun[] {
  const fastQuarters = quarters.filter(({ sent }) => sent >= busiest * MIN_SHARE);
  const runs: number[][] = [];
  let lastAt: number | undefined;
  for (const { at, sent } of fastQuarters) {
    const rate = sent / QUARTER_SECONDS;
    if (lastAt !== undefined && at.getTime() - lastAt === QUARTER_MS) runs.at(-1)?.push(rate);
    else runs.push([rate]);
    lastAt = at.getTime();
  }
  return runs
    .map((run) => run.slice(1, -1))
    .filter((run) => run.length > 0)
    .reverse();
}

const computeMean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Estimates the log of the next campaign's emails per second, and its spread. */
function estimateLogSpeed(quarters: Quarters, busiest: number, emails: number) {
  const runs = findRuns(quarters, busiest).map((run) => run.map((rate) => Math.log(rate)));
  if (runs.length === 0) {
    const center = Math.log(busiest / QUARTER_SECONDS) + PARTIAL.level;
    return { center, spread: PARTIAL.sigma, freedom: computeFreedom({ weight: 0 }) };
  }
  const squares = runs.flatMap((run) => run.map((rate) => (rate - computeMean(run)) ** 2));
  const degrees = squares.length - runs.length;
  const withinVariance =
    (PRIOR_QUARTERS * QUARTER_SIGMA ** 2 + squares.reduce((sum, square) => sum + square, 0)) /
    (PRIOR_QUARTERS + degrees);
  const newest = computeMean(runs[0] ?? []);
  const observations = runs.map((run, rank): Observation => {
    return {
      deviation: computeMean(run) - newest,
      variance: withinVariance / run.length,
      weight: computeWeight(rank),
    };
  });
  const spreads = { tau: TAU, sigma: SIGMA };
  const level = estimateLevel(observations, spreads, estimateLevel(observations, spreads).variance);
  const center = newest + level.level;
  const length = Math.max(1, emails / Math.exp(center) / QUARTER_SECONDS);
  const spread = Math.sqrt(level.variance + level.levelVariance + withinVariance / length);
  return { center, spread, freedom: computeFreedom(level) };
}

/** Returns SPEEDS equally likely rates per second, slowest first; empty if the past shows none. */
export function estimateSpeeds(
  quarters: Quarters,
  emails: number,
  { seed, scale = 1 }: { seed: number; scale?: number | undefined },
): number[] {
  const busiest = quarters.reduce((max, { sent }) => Math.max(max, sent), 0);
  if (busiest < Math.max(1, Math.min(MIN_AT_SPEED, emails))) return [];
  const { center, spread, freedom } = estimateLogSpeed(quarters, busiest, emails);
  const sortedDraws = drawStudentSeries(seed, freedom).sort();
  return Array.from({ length: SPEEDS }, (_, index) => {
    const deviate = sortedDraws[Math.floor(((index + 0.5) / SPEEDS) * sortedDraws.length)] ?? 0;
    return Math.exp(center + scale * spread * deviate);
  });
}
