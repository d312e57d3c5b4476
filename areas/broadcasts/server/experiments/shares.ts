// Shares of an experiment as ranges of places, of which there are 10,000. Variants take ranges from
// 0 on, the holdout takes the last ones, and the rest what is between.
import type { ExperimentRow } from './experiments.sql.ts';

export const PLACES = 10_000;
const PERCENT = PLACES / 100;

type Shares = Pick<ExperimentRow, 'test_share' | 'holdout_share'>;

/** Places `from` ≤ place < `to`. */
export type Range = { from: number; to: number };

/** Ranges differ by one place at most where the share does not divide evenly. */
export function rangesOf(
  { test_share: test, holdout_share: holdout }: Shares,
  variants: number,
): { variants: Range[]; rest: Range; holdout: Range } {
  const edge = (index: number) => Math.floor((test * PERCENT * index) / variants);
  const holdoutFrom = PLACES - holdout * PERCENT;
  return {
    variants: Array.from({ length: variants }, (_, index) => ({
      from: edge(index),
      to: edge(index + 1),
    })),
    rest: { from: test * PERCENT, to: holdoutFrom },
    holdout: { from: holdoutFrom, to: PLACES },
  };
}

/** Percent of the recipients of each variant, and of the rest. */
export function percentsOf(shares: Shares, variants: number): { variant: number; rest: number } {
  const { test_share: test, holdout_share: holdout } = shares;
  return { variant: Math.round((test * 100) / variants) / 100, rest: 100 - test - holdout };
}

/** Whether all recipients get a variant: the verdict is for learning only. */
export const isWholeList = ({ test_share: test, holdout_share: holdout }: Shares): boolean =>
  test + holdout === 100;
