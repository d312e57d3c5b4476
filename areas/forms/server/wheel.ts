// The wheel's draw, on the server only: by weights, with the remaining single-use codes.
import { randomInt } from 'node:crypto';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { codePoolOf } from '../shared.ts';
import type { Settings } from '../settings-contract.ts';
import * as store from './submissions.sql.ts';

/** A number below the sum of the weights; the slice that contains it wins. */
type Draw = { weights: number[]; number: number };

export type Prize = {
  slice: number;
  label: string;
  code: string;
  is_losing: boolean;
  /** The prize is the form's coupon, not a slice of a wheel. */
  coupon?: true;
  /**
   * The evidence of the draw. It has several entries if a slice had no codes left; prizes of
   * earlier releases have none.
   */
  draws?: Draw[];
};
/** No code is left, and no slice of the wheel loses: no visitor can be promised a prize. */
export class NoPrizeLeft extends Error {}

export type Wheel = NonNullable<Settings['wheel_config']>;

/** Picks a slice by its weight; -1 if all weights are 0. `draw(n)` returns a number below n. */
export function pickSlice(weights: readonly number[], draw: (below: number) => number): number {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  if (sum === 0) return -1;
  let remainder = draw(sum);
  return weights.findIndex((weight) => (remainder -= weight) < 0);
}

/**
 * Draws a prize. The weight of a slice without codes goes to the losing slices, or without those to
 * the slices that still have codes.
 * @throws NoPrizeLeft
 */
export async function drawPrize(
  tx: Tx,
  of: { accountId: number; formId: number; key: string; wheel: Wheel },
): Promise<Prize> {
  const { accountId, formId, key, wheel } = of;
  const at = clock.now();
  const weights = wheel.setup.map(({ weight }) => weight);
  const draws: Draw[] = [];
  for (let tries = 0; tries <= wheel.setup.length; tries++) {
    const slice = pickSlice(weights, (below) => {
      const number = randomInt(below);
      draws.push({ weights: [...weights], number });
      return number;
    });
    const drawn = wheel.setup[slice];
    if (!drawn) break;
    const { label, is_losing } = drawn;
    const fixed = drawn.uses_stock ? undefined : drawn.coupon_code;
    const pool = codePoolOf(drawn, slice);
    const code = fixed ?? (await store.claimCode(tx, { accountId, formId, slice: pool, key, at }));
    if (code !== undefined) return { slice, label, code, is_losing, draws };
    moveWeightToLosing(weights, slice, wheel);
  }
  const slice = wheel.setup.findIndex(({ is_losing }) => is_losing);
  if (slice < 0) throw new NoPrizeLeft();
  return { slice, label: wheel.setup[slice]?.label ?? '', code: '', is_losing: true, draws };
}

/** Removes the weight of an empty slice, and distributes it equally to the losing ones, if any. */
function moveWeightToLosing(weights: number[], slice: number, { setup }: Wheel): void {
  const all = weights[slice] ?? 0;
  const losing = setup.flatMap((prize, i) => (prize.is_losing ? [i] : []));
  weights[slice] = 0;
  for (const [i, loser] of losing.entries()) {
    const share = Math.floor(all / losing.length) + (i === 0 ? all % losing.length : 0);
    weights[loser] = (weights[loser] ?? 0) + share;
  }
}
