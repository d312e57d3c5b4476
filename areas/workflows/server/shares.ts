// Which path of a split a person takes, and who is held out. Nothing is drawn or kept: a repeat decides the same, and
// changed shares move the fewest people.
import { createHash } from 'node:crypto';

/** 0 to 9,999: the person's place for this salt. */
export function placeOf(salt: string, subscriberId: number): number {
  const hash = createHash('sha256').update(`${salt}/${subscriberId}`).digest();
  return hash.readUInt32BE(0) % 10_000;
}

/** Shares are percent, in their order; whoever stands behind the last takes the last. */
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
