// The wheel's draw, on the server only: by weights, with the remaining single-use codes.
import { randomInt } from 'node:crypto';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { toCodePool } from '../shared.ts';
import type { FormSettings } from '../settings-contract.ts';
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
/** No code is left and there is no losing slice, so the sign-up cannot get a prize. */
export class NoPrizeLeft extends Error {}

export type Wheel = NonNullable<FormSettings['wheel_config']>;

/** Picks a slice by its weight; -1 if all weights are 0. `draw(n)` returns a number below n. */
export function pickSlice(weights: readonly number[], draw: (below: number) => number): number {
  const totalWeight = weights.reduce((total, weight) => total + weight, 0);
  if (totalWeight === 0) return -1;
  let remainder = draw(totalWeight);
  return weights.findIndex((weight) => (remainder -= weight) < 0);
}

/**
 * Draws a prize. The weight of a slice without codes goes to the losing slices, or if there are
 * none, to the slices that still have codes.
 * @throws NoPrizeLeft
 */
export async function drawPrize(
  tx: Tx,
  draw: { accountId: number; formId: number; key: string; wheel: Wheel },
): Promise<Prize> {
  const { accountId, formId, key, wheel } = draw;
  const at = clock.now();
  const weights = wheel.setup.map(({ weight }) => weight);
  const draws: Draw[] = [];
  for (let attempts = 0; attempts <= wheel.setup.length; attempts++) {
    const slice = pickSlice(weights, (below) => {
      const number = randomInt(below);
      draws.push({ weights: [...weights], number });
      return number;
    });
    const wonSlice = wheel.setup[slice];
    if (!wonSlice) break;
    const { label, is_losing } = wonSlice;
    const fixedCode = wonSlice.uses_stock ? undefined : wonSlice.coupon_code;
    const pool = toCodePool(wonSlice, slice);
    const code =
      fixedCode ?? (await store.claimCode(tx, { accountId, formId, slice: pool, key, at }));
    if (code !== undefined) return { slice, label, code, is_losing, draws };
    moveWeightToLosing(weights, slice, wheel);
  }
  const slice = wheel.setup.findIndex(({ is_losing }) => is_losing);
  if (slice < 0) throw new NoPrizeLeft();
  return { slice, label: wheel.setup[slice]?.label ?? '', code: '', is_losing: true, draws };
}

/** Removes the weight of an empty slice and distributes it equally to the losing ones, if any. */
function moveWeightToLosing(weights: number[], slice: number, { setup }: Wheel): void {
  const weight = weights[slice] ?? 0;
  const losing = setup.flatMap((prize, i) => (prize.is_losing ? [i] : []));
  weights[slice] = 0;
  for (const [i, loser] of losing.entries()) {
    const extraWeight = Math.floor(weight / losing.length) + (i === 0 ? weight % losing.length : 0);
    weights[loser] = (weights[loser] ?? 0) + extraWeight;
  }
}
