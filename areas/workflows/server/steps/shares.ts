// Assigns subscribers to the paths of a split.

/**
 * Returns the path of a subscriber in `bucket` (0 to 9,999). Shares are percentages in order;
 * buckets beyond their sum take the last path.
 */
export function findPathOfBucket(
  shares: readonly { path: string; share: number }[],
  bucket: number,
): string | undefined {
  let upperBound = 0;
  for (const { path, share } of shares) {
    upperBound += share * 100;
    if (bucket < upperBound) return path;
  }
  return shares.at(-1)?.path;
}
