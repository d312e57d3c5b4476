// Assignment to split paths by the place of a subscriber.

/**
 * Path for a position; shares are percentages in order, and positions beyond the last share take
 * the last path.
 */
export function pathOf(
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
