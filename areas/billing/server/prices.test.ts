// Prices: lines and totals, taxes, coupons, and the credit for unused time.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { computeDiscount, priceLines, computeTax, computeUnusedAmount } from './prices.ts';

const cents = fc.integer({ min: 0, max: 100_000_000 });

test('a total equals the sum of its lines and is never negative', () => {
  fc.assert(
    fc.property(
      cents,
      cents,
      fc.integer({ min: 1, max: 100 }),
      fc.double({ min: 0, max: 100, noNaN: true }),
      (net, unusedAmount, percent, tax) => {
        const price = priceLines(
          { kind: 'plan', title: 'Standard', net },
          { unusedAmount, coupon: { code: 'X-1', percent }, currency: 'usd' },
          tax,
        );
        expect(price.net).toBe(price.lines.reduce((sum, line) => sum + line.net, 0));
        expect(price.total).toBe(price.net + price.tax);
        expect(price.net).toBeGreaterThanOrEqual(0);
        expect(price.tax).toBeGreaterThanOrEqual(0);
        if (price.net === 0) expect(price.total).toBe(0);
      },
    ),
  );
});

test('half a cent of tax is rounded away from zero, and a coupon reduces a price at most to zero', () => {
  expect(computeTax(50, 21)).toBe(11);
  expect(computeTax(-50, 21)).toBe(-11);
  expect(computeTax(1250, 21)).toBe(263);
  const free = priceLines(
    { kind: 'plan', title: 'Standard', net: 999 },
    { coupon: { code: 'ALL', percent: 100 }, currency: 'eur' },
    21,
  );
  expect(free.total).toBe(0);
  expect(computeDiscount({ code: 'TEN', amount: { usd: 1000, eur: 900 } }, 500, 'usd')).toBe(500);
  expect(computeDiscount({ code: 'TEN', amount: { usd: 1000, eur: 900 } }, 5000, 'eur')).toBe(900);
});

test('unused time is credited to the millisecond, rounded down and limited to the payment', () => {
  const start = new Date('2026-01-01T00:00:00Z');
  const end = new Date('2026-01-31T00:00:00Z');
  expect(computeUnusedAmount({ net: 3000, start, end }, new Date('2026-01-16T00:00:00Z'))).toBe(
    1500,
  );
  expect(computeUnusedAmount({ net: 1000, start, end }, new Date('2026-01-11T00:00:00Z'))).toBe(
    666,
  );
  expect(computeUnusedAmount({ net: 1000, start, end }, new Date('2025-12-01T00:00:00Z'))).toBe(
    1000,
  );
  expect(computeUnusedAmount({ net: 1000, start, end }, new Date('2026-03-01T00:00:00Z'))).toBe(0);
});
