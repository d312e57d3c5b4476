// What an order costs: the plan's price, what is left of the plan before, a coupon, tax. Minor units of
// one currency; nothing is rounded in the buyer's disfavour but tax, half up per line.

import type { Currency, Duration } from '../limits.ts';
import type { Coupon, PlanSize } from './catalogue.ts';

export type Line = {
  kind: 'plan' | 'unused' | 'coupon' | 'sms_credit';
  /** For the words: the plan's title and size, the coupon's code. */
  title: string;
  size?: number;
  months?: number;
  /** Minor units before tax; what is taken off is negative. */
  net: number;
  tax: number;
};

export type Priced = { lines: Line[]; net: number; tax: number; total: number };

export function planPrice(size: PlanSize, months: Duration, currency: Currency): number {
  return (months === 12 ? size.annual : size.monthly)[currency];
}

/** Of what was paid for a period, the part of the time still to come: rounded down. */
export function unusedPart(paid: { net: number; start: Date; end: Date }, now: Date): number {
  const whole = paid.end.getTime() - paid.start.getTime();
  const left = Math.min(whole, Math.max(0, paid.end.getTime() - now.getTime()));
  return whole <= 0 ? 0 : Math.floor((paid.net * left) / whole);
}

/** What a coupon takes off an amount; never more than it. */
export function couponPart(coupon: Coupon, amount: number, currency: Currency): number {
  if (coupon.percent !== undefined) return Math.floor((amount * coupon.percent) / 100);
  return Math.min(amount, coupon.amount?.[currency] ?? 0);
}

/** Half up; works for amounts that are taken off, too. */
export function taxOn(net: number, percent: number): number {
  return Math.sign(net) * Math.floor((Math.abs(net) * percent) / 100 + 0.5);
}

/** Adds up what is bought, less what is unused and the coupon; never below nothing. */
export function priceLines(
  bought: Omit<Line, 'tax'>,
  less: { unused?: number | undefined; coupon?: Coupon | undefined; currency: Currency },
  taxPercent: number,
): Priced {
  const lines: Omit<Line, 'tax'>[] = [bought];
  let left = bought.net;
  const unused = Math.min(left, less.unused ?? 0);
  if (unused > 0) {
    lines.push({ kind: 'unused', title: bought.title, net: -unused });
    left -= unused;
  }
  const off = less.coupon ? couponPart(less.coupon, left, less.currency) : 0;
  if (less.coupon && off > 0) {
    lines.push({ kind: 'coupon', title: less.coupon.code, net: -off });
    left -= off;
  }
  const taxed = lines.map((line) => ({ ...line, tax: taxOn(line.net, taxPercent) }));
  // Rounded line by line, taxes of what is taken off may exceed by one: never below nothing.
  const tax = Math.max(0, left === 0 ? 0 : taxed.reduce((sum, line) => sum + line.tax, 0));
  return { lines: taxed, net: left, tax, total: left + tax };
}
