// The number of runs of the most expensive property tests: few with a fixed seed in `npm test`, all
// with new seeds in `npm run faults -- properties`, which sets PROPERTIES=all.

export const areAllRuns = process.env.PROPERTIES === 'all';

/**
 * Returns the options of fast-check for a property. Calls for the same property need different
 * seeds.
 */
export function propertyOptions(
  fullRuns: number,
  shortRuns: number,
  seed = 1,
): { numRuns: number; seed?: number } {
  return areAllRuns ? { numRuns: fullRuns } : { numRuns: shortRuns, seed };
}
