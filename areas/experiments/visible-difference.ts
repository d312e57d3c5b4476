// Computes before sending which difference an experiment can show with a list of this size, and the
// test share that it needs.
import { MAX_VARIANTS, MIN_PEOPLE_PER_VARIANT, MIN_VARIANTS } from './shared.ts';

/**
 * The difference, in standard errors, that the final verdict finds with a power of 80 %, for 2 to 8
 * variants. Determined by simulation.
 */
const FACTORS = [2.9, 3.21, 3.39, 3.51, 3.59, 3.65, 3.7] as const;

/** A visible difference above the usual rate divided by this number triggers a warning. */
const WARNED_PART = 4;

/**
 * Computes the smallest difference of rates that the final verdict finds four times out of five.
 */
export function computeVisibleDifference(
  variants: number,
  peoplePerVariant: number,
  rate: number,
): number {
  if (peoplePerVariant <= 0) return 1;
  const count = Math.max(MIN_VARIANTS, Math.min(MAX_VARIANTS, variants));
  const factor = FACTORS[count - MIN_VARIANTS] ?? FACTORS[0];
  return Math.min(1, factor * Math.sqrt((2 * rate * (1 - rate)) / peoplePerVariant));
}

/**
 * Returns true if the experiment can only show differences that emails of the same kind rarely
 * have.
 */
export function isTooCoarse(variants: number, peoplePerVariant: number, rate: number): boolean {
  return computeVisibleDifference(variants, peoplePerVariant, rate) > rate / WARNED_PART;
}

/**
 * Suggests the smallest test share, in whole percent up to `maxShare`, that shows differences worth
 * a decision; undefined if even the largest share does not.
 */
export function suggestTestShare(
  people: number,
  variants: number,
  rate: number,
  maxShare = 100,
): number | undefined {
  for (let testShare = 1; testShare <= maxShare; testShare += 1) {
    const variantSize = Math.floor((people * testShare) / 100 / variants);
    if (variantSize >= MIN_PEOPLE_PER_VARIANT && !isTooCoarse(variants, variantSize, rate))
      return testShare;
  }
  return undefined;
}
