// Check intervals, end of the test, and split of an experiment.
import { type ExperimentRanges, computeRanges } from '#areas/experiments/server/index.ts';
import type { ExperimentRow } from './rows.ts';

export const HOUR_MS = 3_600_000;
/** Interval of checks until all variants had their first attempt, and while paused. */
export const READINESS_CHECK_MS = 60_000;
/** Interval of checks for an early winner. */
export const EARLY_CHECK_MS = 5 * 60_000;

/**
 * Returns the end of the test, counted from the first attempt of its last variant; null before
 * that.
 */
export function getDecisionTime({
  state,
  tested_at: testedAt,
  duration_hours: hours,
}: Pick<ExperimentRow, 'state' | 'tested_at' | 'duration_hours'>): Date | null {
  if (state !== 'testing' || testedAt === null) return null;
  return new Date(testedAt.getTime() + hours * HOUR_MS);
}

type StoredShares = Pick<ExperimentRow, 'test_share' | 'holdout_share'>;

export const computeExperimentRanges = (
  { test_share: testShare, holdout_share: holdoutShare }: StoredShares,
  variants: number,
): ExperimentRanges => computeRanges({ variants, testShare, holdoutShare });

/** Returns the percentage of recipients who receive the winner. */
export const getRemainingShare = ({
  test_share: test,
  holdout_share: holdout,
}: StoredShares): number => 100 - test - holdout;
