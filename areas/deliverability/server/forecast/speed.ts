// Estimates the speeds that a campaign may have from the emails that the account sent in past
// quarters of an hour, since the web process has no access to the limits of the installation's
// relays. The functions are pure.
import type { SendPace } from '#areas/delivery/server/ledger/index.ts';
import { studentDraws } from './draws.ts';
import { degreesOfFreedom, levelOf, type Observed, weightOf } from './estimate.ts';

type Quarters = SendPace['quarters'];

const QUARTER_SECONDS = 900;
const QUARTER_MS = QUARTER_SECONDS * 1_000;
/**
 * Quarters with less than this share of the busiest one contain single sends, and do not show the
 * speed.
 */
const MIN_SHARE = 0.25;
/**
 * If the busiest quarter has fewer emails than this, and fewer than the campaign has recipients,
 * the past shows no speed: these emails may not have been enough to send for a whole quarter.
 */
const MIN_AT_SPEED = 1_000;
/** Standard deviations of logarithms: of campaigns, and of quarters of one campaign. */
const SIGMA = 0.2;
const QUARTER_SIGMA = 0.1;
const PRIOR_QUARTERS = 4;
/** The account's own speed is the only evidence, since there is no usual speed. */
const TAU = 5;
/** Without a full quarter, the speed is probably twice that of the busiest quarter. */
const PARTIAL = { level: Math.log(2), sigma: 0.6 };

/** The number of speeds, which are all equally likely. */
export const SPEEDS = 10;

/** The rates per second of the full quarters of one send, which are all but its first and last. */
type Run = readonly number[];

/** Returns the sends that took at least three quarters without a break, newest first. */
function runsOf(quarters: Quarters, busiest: number): Run[] {
  const fast = quarters.filter(({ sent }) => sent >= busiest * MIN_SHARE);
  const runs: number[][] = [];
  let last: number | undefined;
  for (const { at, sent } of fast) {
    const rate = sent / QUARTER_SECONDS;
    if (last !== undefined && at.getTime() - last === QUARTER_MS) runs.at(-1)?.push(rate);
    else runs.push([rate]);
    last = at.getTime();
  }
  return runs
    .map((run) => run.slice(1, -1))
    .filter((run) => run.length > 0)
    .reverse();
}

const meanOf = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Estimates the logarithm of the emails per second of the next campaign, with its spread. */
function logSpeedOf(quarters: Quarters, busiest: number, people: number) {
  const runs = runsOf(quarters, busiest).map((run) => run.map((rate) => Math.log(rate)));
  if (runs.length === 0) {
    const center = Math.log(busiest / QUARTER_SECONDS) + PARTIAL.level;
    return { center, spread: PARTIAL.sigma, freedom: degreesOfFreedom({ weight: 0 }) };
  }
  const squares = runs.flatMap((run) => run.map((rate) => (rate - meanOf(run)) ** 2));
  const degrees = squares.length - runs.length;
  const within =
    (PRIOR_QUARTERS * QUARTER_SIGMA ** 2 + squares.reduce((sum, square) => sum + square, 0)) /
    (PRIOR_QUARTERS + degrees);
  const newest = meanOf(runs[0] ?? []);
  const observed = runs.map((run, rank): Observed => {
    return { d: meanOf(run) - newest, v: within / run.length, weight: weightOf(rank) };
  });
  const spreads = { tau: TAU, sigma: SIGMA };
  const level = levelOf(observed, spreads, levelOf(observed, spreads).variance);
  const center = newest + level.level;
  const length = Math.max(1, people / Math.exp(center) / QUARTER_SECONDS);
  const spread = Math.sqrt(level.variance + level.levelVariance + within / length);
  return { center, spread, freedom: degreesOfFreedom(level) };
}

/**
 * Returns SPEEDS equally likely rates per second, the slowest first; empty if the past shows none.
 */
export function speedsOf(
  quarters: Quarters,
  people: number,
  { seed, scale = 1 }: { seed: number; scale?: number | undefined },
): number[] {
  const busiest = quarters.reduce((most, { sent }) => Math.max(most, sent), 0);
  if (busiest < Math.max(1, Math.min(MIN_AT_SPEED, people))) return [];
  const { center, spread, freedom } = logSpeedOf(quarters, busiest, people);
  const sorted = studentDraws(seed, freedom).sort();
  return Array.from({ length: SPEEDS }, (_, index) => {
    const drawn = sorted[Math.floor(((index + 0.5) / SPEEDS) * sorted.length)] ?? 0;
    return Math.exp(center + scale * spread * drawn);
  });
}
