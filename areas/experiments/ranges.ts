// Ranges of places. The range of a subscriber's place determines a variant, the rest that waits for
// the winner, or the control group.
import { PLACES } from './shared.ts';

/** Shares in percent. The test share is divided equally among the variants. */
export interface ExperimentShares {
  variants: number;
  testShare: number;
  holdoutShare: number;
}

/** Places from `from` up to, but not including, `to`. */
export interface PlaceRange {
  from: number;
  to: number;
}

export interface ExperimentRanges {
  /** In the order of the variants, from place 0. */
  variants: PlaceRange[];
  /** People who get the winner; empty with a test share of 100 %. */
  rest: PlaceRange;
  /** People who get no message: the last places. */
  holdout: PlaceRange;
}

export function computeRanges(shares: ExperimentShares): ExperimentRanges {
  const holdoutFrom = PLACES - Math.round((shares.holdoutShare / 100) * PLACES);
  const testedTo = Math.min(holdoutFrom, Math.round((shares.testShare / 100) * PLACES));
  const bound = (index: number) => Math.floor((index * testedTo) / shares.variants);
  return {
    variants: Array.from({ length: shares.variants }, (_, index) => ({
      from: bound(index),
      to: bound(index + 1),
    })),
    rest: { from: testedTo, to: holdoutFrom },
    holdout: { from: holdoutFrom, to: PLACES },
  };
}

/** All places outside of one range. */
export const excludeRange = ({ from, to }: PlaceRange): PlaceRange[] =>
  [
    { from: 0, to: from },
    { from: to, to: PLACES },
  ].filter((range) => range.from < range.to);
