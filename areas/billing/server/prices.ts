// Calculates the price of an order: the plan's price, credit for the unused time of the previous
// plan, a coupon, and tax. Amounts are minor units of one currency. Tax is rounded per
// line, half away from zero; deductions are rounded down.

import type { Currency, Duration, Feature } from '../shared.ts';
import type { Coupon, PlanSize } from './catalog.ts';

export type Line = {
  kind: 'plan' | 'unused' | 'coupon' | 'sms_credit';
  /** The plan's title, the coupon's code, or `sms_credit`. */
  title: string;
  size?: number;
  months?: number;
  /** Minor units before tax; deductions are negative. */
  net: number;
  tax: number;
};

/** The catalog's plan as sold. */
export type FrozenPlan = {
  title: string;
  features: Feature[];
  emails_per_subscriber: number | null;
};

export type OrderPrice = { lines: Line[]; net: number; tax: number; total: number };

export function planPrice(size: PlanSize, months: Duration, currency: Currency): number {
  return (months === 12 ? size.annual : size.monthly)[currency];
}

/** Share of a payment for the rest of its period, rounded down. */
export function unusedPart(paid: { net: number; start: Date; end: Date }, now: Date): number {
  const periodMs = paid.end.getTime() - paid.start.getTime();
  const remainingMs = Math.min(periodMs, Math.max(0, paid.end.getTime() - now.getTime()));
  return periodMs <= 0 ? 0 : Math.floor((paid.net * remainingMs) / periodMs);
}

/** Deduction of a coupon, at most the amount. */
export function couponPart(coupon: Coupon, amount: number, currency: Currency): number {
  if (coupon.percent !== undefined) return Math.floor((amount * coupon.percent) / 100);
  return Math.min(amount, coupon.amount?.[currency] ?? 0);
}

/** Rounds half away from zero, so that deductions are rounded like charges. */
export function taxOn(net: number, percent: number): number {
  return Math.sign(net) * Math.floor((Math.abs(net) * percent) / 100 + 0.5);
}

/** Returns the lines and sums of a purchase minus unused time and coupon; no sum is negative. */
export function priceLines(
  bought: Omit<Line, 'tax'>,
  less: { unused?: number | undefined; coupon?: Coupon | undefined; currency: Currency },
  taxPercent: number,
): OrderPrice {
  const lines: Omit<Line, 'tax'>[] = [bought];
  let remaining = bought.net;
  const unused = Math.min(remaining, less.unused ?? 0);
  if (unused > 0) {
    lines.push({ kind: 'unused', title: bought.title, net: -unused });
    remaining -= unused;
  }
  const off = less.coupon ? couponPart(less.coupon, remaining, less.currency) : 0;
  if (less.coupon && off > 0) {
    lines.push({ kind: 'coupon', title: less.coupon.code, net: -off });
    remaining -= off;
  }
  const taxed = lines.map((line) => ({ ...line, tax: taxOn(line.net, taxPercent) }));
  // Because tax is rounded per line, the tax of the deductions may exceed that of the purchase by
  // one minor unit.
  const tax = Math.max(0, remaining === 0 ? 0 : taxed.reduce((sum, line) => sum + line.tax, 0));
  return { lines: taxed, net: remaining, tax, total: remaining + tax };
}
