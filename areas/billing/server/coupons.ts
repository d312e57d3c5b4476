// Coupons: validity, and one use per account.
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { toWallTime } from '#platform/server/zoned-time.ts';
import type { CatalogCoupon } from './catalog.ts';
import * as store from './orders.sql.ts';
import { billingSettings } from './settings.ts';

/** Finds a coupon by its name as entered. */
export function findCoupon(name: string): CatalogCoupon | undefined {
  const code = name.trim().toUpperCase();
  return billingSettings().catalog.coupons.find((coupon) => coupon.code === code);
}

const couponError = (code: string) =>
  new AppError(code, { errors: { coupon_name: [`billing:errors.${code}`] } });

/**
 * Returns the coupon of an order.
 * @throws AppError with the reason if the coupon is invalid
 */
export async function requireUsableCoupon(
  db: Reader,
  redemption: {
    accountId: number;
    orderId: number | undefined;
    name: string;
    planKey: string | null;
    zone: string;
  },
): Promise<CatalogCoupon> {
  const coupon = findCoupon(redemption.name);
  if (!coupon) throw couponError('coupon_unknown');
  const today = toWallTime(clock.now(), redemption.zone).slice(0, 10);
  if (coupon.until && today > coupon.until) throw couponError('coupon_over');
  if (coupon.from && today < coupon.from) throw couponError('coupon_not_yet');
  if (coupon.plans && !(redemption.planKey && coupon.plans.includes(redemption.planKey)))
    throw couponError('coupon_other_plan');
  const use = await store.findCouponUse(db, redemption.accountId, coupon.code);
  if (use && use.order_id !== redemption.orderId) throw couponError('coupon_used');
  return coupon;
}

/**
 * Reserves the coupon for an order that is being paid.
 * @throws AppError if another order reserved it first, or it has been used too often
 */
export async function claimForOrder(
  tx: Tx,
  accountId: number,
  orderId: number,
  coupon: CatalogCoupon,
): Promise<void> {
  const at = clock.now();
  const reservation = await store.reserveCoupon(tx, { accountId, code: coupon.code, orderId, at });
  if (reservation === 'used') throw couponError('coupon_used');
  if (reservation === 'had') return;
  if (!(await store.claimCoupon(tx, coupon.code, coupon.most_uses ?? null)))
    throw couponError('coupon_used_up');
}

export async function releaseOrderCoupon(
  tx: Tx,
  accountId: number,
  orderId: number,
): Promise<void> {
  const code = await store.releaseCoupon(tx, accountId, orderId);
  if (code !== undefined) await store.releaseUse(tx, code);
}
