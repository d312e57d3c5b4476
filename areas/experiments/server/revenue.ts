// Decides experiments by revenue, which is possible only at the end of the test. A permutation test
// decides, because the amounts of orders are skewed.
import { type Interval, Z_96 } from '../intervals.ts';
import { NO_VERDICT, type ExperimentVerdict, decideVerdict } from './final-verdict.ts';

/** Revenue from a variant's buyers, one amount per buyer, in one currency. */
export interface Revenue {
  subscriberCount: number;
  amounts: readonly number[];
}

/**
 * Minimum number of buyers of each variant for a verdict: with fewer, single orders would decide
 * it.
 */
export const MIN_BUYERS = 30;

const DRAWS = 10_000;
const MAX_P = 0.04;
/** With more buyers than this, the mean of capped amounts is normal, and the interval decides. */
const MAX_PERMUTED = 5_000;

/** Computes Welch's interval of the difference a − b of the revenue per subscriber. */
export function welch(a: Revenue, b: Revenue, z: number): Interval {
  const [momentsA, momentsB] = [computeMoments(a), computeMoments(b)];
  const [partA, partB] = [
    momentsA.variance / a.subscriberCount,
    momentsB.variance / b.subscriberCount,
  ];
  const error = Math.sqrt(partA + partB);
  const difference = momentsA.mean - momentsB.mean;
  if (error === 0) return { low: difference, high: difference };
  const freedom =
    (partA + partB) ** 2 /
    (partA ** 2 / Math.max(1, a.subscriberCount - 1) +
      partB ** 2 / Math.max(1, b.subscriberCount - 1));
  const half = computeStudentQuantile(z, freedom) * error;
  return { low: difference - half, high: difference + half };
}

function computeMoments({ subscriberCount, amounts }: Revenue): {
  mean: number;
  variance: number;
} {
  const total = amounts.reduce((total, amount) => total + amount, 0);
  const mean = total / subscriberCount;
  const squares = amounts.reduce((total, amount) => total + (amount - mean) ** 2, 0);
  const nonBuyers = Math.max(0, subscriberCount - amounts.length) * mean ** 2;
  return { mean, variance: (squares + nonBuyers) / Math.max(1, subscriberCount - 1) };
}

/**
 * Computes Cornish and Fisher's expansion (Abramowitz, Stegun 26.7.5) around the normal quantile.
 */
function computeStudentQuantile(z: number, freedom: number): number {
  const first = (z ** 3 + z) / 4;
  const second = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96;
  const third = (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384;
  return z + first / freedom + second / freedom ** 2 + third / freedom ** 3;
}

/** Caps amounts at the account's 99th percentile. */
export function capAmounts(amounts: readonly number[], cap: number | undefined): number[] {
  return amounts.map((amount) => (cap === undefined ? amount : Math.min(amount, cap)));
}

/**
 * Computes the verdict: the leader wins if the permutation tests against all remaining variants and
 * the shown interval exclude chance. The interval is that of the difference of two variants. An
 * interval of a single variant's revenue would contain the true value in only 80 to 91 % of cases.
 * The same data and seed give the same verdict.
 */
export function computeRevenueVerdict(
  variants: readonly Revenue[],
  { cap, seed }: { cap?: number | undefined; seed: number },
): ExperimentVerdict {
  if (variants.some(({ amounts }) => amounts.length < MIN_BUYERS)) return NO_VERDICT;
  const cappedVariants = variants.map(({ subscriberCount, amounts }) => ({
    subscriberCount: Math.max(subscriberCount, amounts.length),
    amounts: capAmounts(amounts, cap),
  }));
  const verdict = decideVerdict(
    cappedVariants.map((variant) => computeMoments(variant).mean),
    (leader, other) => {
      const [a, b] = [cappedVariants[leader], cappedVariants[other]];
      return a && b ? welch(a, b, Z_96) : { low: 0, high: 0 };
    },
  );
  const leader = cappedVariants[verdict.winner ?? -1];
  const isClear =
    leader &&
    cappedVariants.every(
      (other) => other === leader || runPermutationTest(leader, other, seed) <= MAX_P,
    );
  return isClear ? verdict : { ...verdict, winner: undefined };
}

/**
 * Returns the two-sided p of the permutation test: the share of random assignments whose difference
 * is at least as large as the observed one. Returns 0 for more than MAX_PERMUTED buyers.
 */
export function runPermutationTest(a: Revenue, b: Revenue, seed: number): number {
  const pool = Float64Array.from([...a.amounts, ...b.amounts]);
  if (pool.length > MAX_PERMUTED) return 0;
  const total = pool.reduce((sum, amount) => sum + amount, 0);
  const totalCount = a.subscriberCount + b.subscriberCount;
  const ratio = a.subscriberCount / totalCount;
  // With a fixed total, the difference of means grows with the sum of the first group alone.
  const observedDifference = a.amounts.reduce((sum, amount) => sum + amount, 0) - total * ratio;
  const limit = Math.abs(observedDifference) * (1 - 1e-12);
  const random = createSeededRandom(seed);
  let extreme = 0;
  for (let draw = 0; draw < DRAWS; draw += 1) {
    let remainingSlots = a.subscriberCount;
    let remainingSubscribers = totalCount;
    let drawnTotal = 0;
    for (const amount of pool) {
      if (random() * remainingSubscribers < remainingSlots) {
        drawnTotal += amount;
        remainingSlots -= 1;
      }
      remainingSubscribers -= 1;
    }
    if (Math.abs(drawnTotal - total * ratio) >= limit) extreme += 1;
  }
  return (extreme + 1) / (DRAWS + 1);
}

/** Creates a Mulberry32 generator: repeatable draws, so that a verdict can be computed again. */
export function createSeededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}
