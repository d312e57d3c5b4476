// Assigns subscribers to the paths of a split.

/**
 * The path of a subscriber at `place` (0 to 9,999). Shares are percentages in order; places beyond
 * their sum take the last path.
 */
export function findPathAtPlace(
  shares: readonly { path: string; share: number }[],
  place: number,
): string | undefined {
  let upto = 0;
  for (const { path, share } of shares) {
    upto += share * 100;
    if (place < upto) return path;
  }
  return shares.at(-1)?.path;
}
