// The verdict at the end of an experiment on opens, clicks or buyers, and the comparison of
// variants that revenue.ts uses as well.
import { type Interval, newcombe, type Proportion, proportionRate, Z_96 } from '../intervals.ts';

/** Differences are of rates (0 to 1), or of revenue per recipient. */
export interface ExperimentVerdict {
  /** Index of the winner; undefined: no clear winner. */
  winner: number | undefined;
  /** Index of the variant with the highest value; undefined without results of two variants. */
  leader: number | undefined;
  /**
   * Index of the variant that is hardest to distinguish from the leader: its difference to the
   * leader has the lowest lower bound.
   */
  runnerUp: number | undefined;
  /** Leader minus runner-up. */
  difference: number;
  interval: Interval;
}

export const NO_VERDICT: ExperimentVerdict = {
  winner: undefined,
  leader: undefined,
  runnerUp: undefined,
  difference: 0,
  interval: { low: 0, high: 0 },
};

/**
 * Computes the verdict: the leader wins if, for each of the other variants, the 96 % interval of
 * its difference to that variant excludes 0. The shown interval is one of these, so it never
 * contradicts the verdict. More than two variants need no correction for multiple comparisons: a
 * false winner is most probable if exactly two variants are best and equally good (Gutmann, Maymin
 * 1987). Variants without accepted messages are left out.
 */
export function computeFinalVerdict(variants: readonly Proportion[]): ExperimentVerdict {
  return decideVerdict(
    variants.map((variant) => (variant.accepted > 0 ? proportionRate(variant) : undefined)),
    (leader, other) => {
      const [a, b] = [variants[leader], variants[other]];
      return a && b ? newcombe(a, b, Z_96) : { low: 0, high: 0 };
    },
  );
}

/**
 * Compares the leader with each other variant; if values are equal, the earlier variant stays in
 * the lead.
 */
export function decideVerdict(
  values: readonly (number | undefined)[],
  intervalOf: (leader: number, other: number) => Interval,
): ExperimentVerdict {
  const ranking = values
    .flatMap((value, index) => (value === undefined ? [] : [{ value, index }]))
    .sort((a, b) => b.value - a.value || a.index - b.index);
  const [leader, ...others] = ranking;
  if (!leader || others.length === 0) return NO_VERDICT;
  const rivals = others.map((other) => ({
    ...other,
    interval: intervalOf(leader.index, other.index),
  }));
  const closest = rivals.reduce((weakest, rival) =>
    rival.interval.low < weakest.interval.low ? rival : weakest,
  );
  return {
    winner: closest.interval.low > 0 ? leader.index : undefined,
    leader: leader.index,
    runnerUp: closest.index,
    difference: leader.value - closest.value,
    interval: closest.interval,
  };
}
