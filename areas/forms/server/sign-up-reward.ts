// The reward for signing up: a prize of the wheel, or the form's coupon.
import { drawCouponCode } from '#areas/content/server/index.ts';
import type { FormDocument, FormType } from '#embed/forms/shared/document.ts';
import { decodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { computeKeyedHash } from '#platform/server/secrets.ts';
import { type FormCoupon, findCoupon } from '../coupon.ts';
import type { FormSettings } from '../settings-contract.ts';
import { toMailboxKey } from './mailbox-key.ts';
import * as store from './submissions.sql.ts';
import { drawPrize, NoPrizeLeft, type Prize, type Wheel } from './wheel.ts';

export type Giveaway = { kind: 'wheel'; wheel: Wheel } | { kind: 'coupon'; coupon: FormCoupon };

/** Finds the reward for signing up with this form, if there is one. */
export function findSignUpReward(
  type: FormType,
  document: FormDocument,
  settings: FormSettings,
): Giveaway | undefined {
  if (type === 'spinToWin') {
    const { wheel_config: wheel } = settings;
    return wheel ? { kind: 'wheel', wheel } : undefined;
  }
  const coupon = findCoupon(type, document, settings);
  return coupon && { kind: 'coupon', coupon };
}

type Draw = { accountId: number; formId: number; key: string; address: string; giveaway: Giveaway };

/**
 * Draws a reward, once per mailbox; returns undefined if the mailbox has one already.
 * @throws NoPrizeLeft
 */
export async function drawGiveaway(
  tx: Tx,
  { giveaway, ...signUp }: Draw,
): Promise<Prize | undefined> {
  const { accountId, formId, key, address } = signUp;
  const at = clock.now();
  const hash = computeKeyedHash('spins of forms', toMailboxKey(address));
  if (!(await store.recordSpin(tx, { accountId, formId, hash, key, at }))) return undefined;
  if (giveaway.kind === 'wheel') return drawPrize(tx, { ...signUp, wheel: giveaway.wheel });
  const { source, prize: label, code: fixed, pool_id } = giveaway.coupon;
  const poolId = decodeId('coupon_pool', pool_id);
  const code =
    source === 'fixed'
      ? fixed
      : poolId === undefined
        ? undefined
        : await drawCouponCode(tx, accountId, poolId, at);
  if (code === undefined) throw new NoPrizeLeft();
  return { slice: 0, label, code, is_losing: false, coupon: true };
}
