// Assignment to split paths and to the holdout group by hash. Nothing is random or stored: the
// decision is repeatable, and changed shares move the fewest subscribers.
import { createHash } from 'node:crypto';

/** Position of the subscriber for this salt, 0 to 9,999. */
export function placeOf(salt: string, subscriberId: number): number {
  const hash = createHash('sha256').update(`${salt}/${subscriberId}`).digest();
  return hash.readUInt32BE(0) % 10_000;
}

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
