// Calculates the price of an order: the plan's price, credit for the unused time of the previous
// plan, a coupon, and tax. Amounts are minor units of one currency. Tax is rounded per
// line, half away from zero; deductions are rounded down.

import type { Currency, Duration, Feature } from '../shared.ts';
import type { CatalogCoupon, PlanSize } from './catalog.ts';

export type InvoiceLine = {
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

export type OrderPrice = { lines: InvoiceLine[]; net: number; tax: number; total: number };

export function planPrice(size: PlanSize, months: Duration, currency: Currency): number {
  return (months === 12 ? size.annual : size.monthly)[currency];
}

/** Returns the part of a payment that covers the rest of its period, rounded down. */
export function computeUnusedAmount(
  payment: { net: number; start: Date; end: Date },
  now: Date,
): number {
  const periodMs = payment.end.getTime() - payment.start.getTime();
  const remainingMs = Math.min(periodMs, Math.max(0, payment.end.getTime() - now.getTime()));
  return periodMs <= 0 ? 0 : Math.floor((payment.net * remainingMs) / periodMs);
}

/** Returns a coupon's deduction, at most the amount. */
export function computeDiscount(coupon: CatalogCoupon, amount: number, currency: Currency): number {
  if (coupon.percent !== undefined) return Math.floor((amount * coupon.percent) / 100);
  return Math.min(amount, coupon.amount?.[currency] ?? 0);
}

/** Rounds half away from zero so that deductions are rounded like charges. */
export function computeTax(net: number, percent: number): number {
  return Math.sign(net) * Math.floor((Math.abs(net) * percent) / 100 + 0.5);
}

/** Returns the lines and sums of a purchase minus unused time and coupon; no sum is negative. */
export function priceLines(
  item: Omit<InvoiceLine, 'tax'>,
  deductions: {
    unusedAmount?: number | undefined;
    coupon?: CatalogCoupon | undefined;
    currency: Currency;
  },
  taxPercent: number,
): OrderPrice {
  const lines: Omit<InvoiceLine, 'tax'>[] = [item];
  let remaining = item.net;
  const unusedAmount = Math.min(remaining, deductions.unusedAmount ?? 0);
  if (unusedAmount > 0) {
    lines.push({ kind: 'unused', title: item.title, net: -unusedAmount });
    remaining -= unusedAmount;
  }
  const discount = deductions.coupon
    ? computeDiscount(deductions.coupon, remaining, deductions.currency)
    : 0;
  if (deductions.coupon && discount > 0) {
    lines.push({ kind: 'coupon', title: deductions.coupon.code, net: -discount });
    remaining -= discount;
  }
  const taxedLines = lines.map((line) => ({ ...line, tax: computeTax(line.net, taxPercent) }));
  // Because tax is rounded per line, the tax on the deductions may exceed the tax on the purchase
  // by one minor unit.
  const tax = Math.max(
    0,
    remaining === 0 ? 0 : taxedLines.reduce((sum, line) => sum + line.tax, 0),
  );
  return { lines: taxedLines, net: remaining, tax, total: remaining + tax };
}
