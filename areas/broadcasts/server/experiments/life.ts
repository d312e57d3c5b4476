// Times in the life of an experiment.
import type { ExperimentRow } from './experiments.sql.ts';

export const HOUR_MS = 3_600_000;

/** The end of the test, counted from the last first attempt of its variants; null before that. */
export function decidesAt({
  state,
  tested_at: testedAt,
  duration_hours: hours,
}: Pick<ExperimentRow, 'state' | 'tested_at' | 'duration_hours'>): Date | null {
  if (state !== 'testing' || testedAt === null) return null;
  return new Date(testedAt.getTime() + hours * HOUR_MS);
}
