// Ranges of buckets. A subscriber's bucket determines whether the subscriber gets a variant, waits
// for the winner, or is in the control group.
import { BUCKET_COUNT } from './shared.ts';

/** Shares in percent. The test share is divided equally among the variants. */
export interface ExperimentShares {
  variants: number;
  testShare: number;
  holdoutShare: number;
}

/** Buckets from `from` up to, but not including, `to`. */
export interface BucketRange {
  from: number;
  to: number;
}

export interface ExperimentRanges {
  /** In the order of the variants, from bucket 0. */
  variants: BucketRange[];
  /** Recipients of the winner; empty if all buckets outside the control group are tested. */
  rest: BucketRange;
  /** Subscribers who get no message: the last buckets. */
  holdout: BucketRange;
}

export function computeRanges(shares: ExperimentShares): ExperimentRanges {
  const holdoutFrom = BUCKET_COUNT - Math.round((shares.holdoutShare / 100) * BUCKET_COUNT);
  const testedTo = Math.min(holdoutFrom, Math.round((shares.testShare / 100) * BUCKET_COUNT));
  const computeBound = (index: number) => Math.floor((index * testedTo) / shares.variants);
  return {
    variants: Array.from({ length: shares.variants }, (_, index) => ({
      from: computeBound(index),
      to: computeBound(index + 1),
    })),
    rest: { from: testedTo, to: holdoutFrom },
    holdout: { from: holdoutFrom, to: BUCKET_COUNT },
  };
}

/** Returns all buckets outside one range. */
export const excludeRange = ({ from, to }: BucketRange): BucketRange[] =>
  [
    { from: 0, to: from },
    { from: to, to: BUCKET_COUNT },
  ].filter((range) => range.from < range.to);
