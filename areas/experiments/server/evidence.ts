// Early verdicts by an e-process: valid at any time, no matter how often the poller checks.
import type { Proportion } from '../intervals.ts';

/** Threshold of experiments on campaigns: at most 1 % false winners before the end. */
export const EARLY_THRESHOLD = 100;
/** Threshold of workflow splits, which never end: at most 5 % false winners. */
export const SPLIT_THRESHOLD = 20;

/** Weight of the prior around "equal", in actors. */
const PRIOR_ACTORS = 100;

/**
 * Computes ln Γ by Stirling's series after a shift to arguments above 10; exact to about 12 digits.
 */
function lnGamma(value: number): number {
  let x = value;
  let shift = 0;
  for (; x < 10; x += 1) shift += Math.log(x);
  const inverse = 1 / x;
  const square = inverse ** 2;
  const series = inverse * (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680)));
  return (x - 0.5) * Math.log(x) - x + Math.log(2 * Math.PI) / 2 + series - shift;
}

const lnBeta = (x: number, y: number) => lnGamma(x) + lnGamma(y) - lnGamma(x + y);

/**
 * Computes ln M of `a` actors against `b`, where `p` is the share of recipients in the first
 * variant. If both variants are equal, the next actor is a coin flip with p, so M is a
 * supermartingale: it exceeds a threshold T at any time with a probability of at most 1/T.
 */
export function computeLogEvidence(a: number, b: number, p: number): number {
  if (!(p > 0 && p < 1)) return 0;
  const [priorA, priorB] = [PRIOR_ACTORS * p, PRIOR_ACTORS * (1 - p)];
  return (
    lnBeta(priorA + a, priorB + b) - lnBeta(priorA, priorB) - a * Math.log(p) - b * Math.log(1 - p)
  );
}

/**
 * Returns the index of the variant whose lead over each of the other variants exceeds the
 * threshold. `accepted` is the number of accepted messages, or the configured share of a path.
 * While a variant has no accepted messages, there is no winner.
 */
export function findEarlyWinner(
  variants: readonly Proportion[],
  threshold = EARLY_THRESHOLD,
): number | undefined {
  if (variants.length < 2 || variants.some(({ accepted }) => accepted <= 0)) return undefined;
  const leader = variants.reduce((best, variant) =>
    variant.acted / variant.accepted > best.acted / best.accepted ? variant : best,
  );
  const leads = (other: Proportion) =>
    leader.acted / leader.accepted > other.acted / other.accepted &&
    computeLogEvidence(
      leader.acted,
      other.acted,
      leader.accepted / (leader.accepted + other.accepted),
    ) >= Math.log(threshold);
  const index = variants.indexOf(leader);
  return variants.every((other, at) => at === index || leads(other)) ? index : undefined;
}
